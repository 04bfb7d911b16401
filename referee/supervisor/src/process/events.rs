//! What a supervisor waits for. One starts with every bot, so it has no runtime, which would cost time.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::plan::TERM;
use children::Children;

/// A command of the referee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Asks all processes of the bot to end.
    Term,
    /// Kills them; also if the referee is gone.
    Kill,
}

/// The commands of the referee, and the ends of children.
pub(super) struct Events<'a> {
    control: &'a UnixStream,
    children: Children,
}

impl<'a> Events<'a> {
    /// Children that have ended before are no events.
    pub(super) fn of(control: &'a UnixStream) -> io::Result<Self> {
        Ok(Events {
            control,
            children: Children::watch()?,
        })
    }

    /// Waits until there is a command, a child has ended, or the deadline is over; this may also
    /// return for no reason.
    pub(super) fn next(&mut self, deadline: Option<Instant>) -> Option<Command> {
        let deadline = self.children.deadline(deadline);
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        let mut waiting = vec![PollFd::new(self.control, PollFlags::IN)];
        let children = self.children.descriptor();
        waiting.extend(children.map(|children| PollFd::from_borrowed_fd(children, PollFlags::IN)));
        // An error means that a signal has come between.
        let _ = poll(&mut waiting, left.as_ref());
        let is_ready = |at: usize| waiting.get(at).is_some_and(|fd| !fd.revents().is_empty());
        let (has_command, has_ended) = (is_ready(0), is_ready(1));
        if has_ended {
            self.children.take();
        }
        has_command.then(|| self.command()).flatten()
    }

    fn command(&self) -> Option<Command> {
        let mut byte = [0];
        match { self.control }.read(&mut byte) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
            Ok(1..) if byte == [TERM] => Some(Command::Term),
            // The referee orders the end, or is gone.
            _ => Some(Command::Kill),
        }
    }
}

#[cfg(target_os = "linux")]
mod children {
    use std::io;
    use std::os::fd::{AsFd, BorrowedFd};
    use std::time::Instant;

    use nix::sys::signal::{SigSet, Signal};
    use nix::sys::signalfd::{SfdFlags, SignalFd};

    /// The signals about children. What this process starts from now on gets them as usual:
    /// `Command` unblocks all signals.
    pub(super) struct Children(SignalFd);

    impl Children {
        pub(super) fn watch() -> io::Result<Self> {
            let signals = SigSet::from(Signal::SIGCHLD);
            signals.thread_block()?;
            let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
            Ok(Children(SignalFd::with_flags(&signals, flags)?))
        }

        pub(super) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
            Some(self.0.as_fd())
        }

        pub(super) fn take(&mut self) {
            // The kernel merges those that nobody has taken.
            let _ = self.0.read_signal();
        }

        pub(super) fn deadline(&self, wanted: Option<Instant>) -> Option<Instant> {
            wanted
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod children {
    use std::io;
    use std::os::fd::BorrowedFd;
    use std::time::{Duration, Instant};

    /// Children are looked at at this interval.
    const INTERVAL: Duration = Duration::from_millis(10);

    pub(super) struct Children;

    impl Children {
        pub(super) fn watch() -> io::Result<Self> {
            Ok(Children)
        }

        pub(super) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
            None
        }

        pub(super) fn take(&mut self) {}

        pub(super) fn deadline(&self, wanted: Option<Instant>) -> Option<Instant> {
            let next = Instant::now() + INTERVAL;
            Some(wanted.map_or(next, |wanted| wanted.min(next)))
        }
    }
}

//! The signals that ask the program to end; nothing else handles them.
//!
//! A signal that was ignored when the program started stays ignored: after `nohup`, the end of a
//! terminal is not the end of the program. Until a subcommand asks for signals here they have their
//! default effect and end the program at once.
//!
//! A thread of its own waits for them, so no computation delays them. A command is notified, and
//! has a moment to end by itself; after that, the program ends, and its bots with it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use nix::libc;
use report::print_notice;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::cli::common::error::CliError;

/// Time for a command to end by itself.
const MOST_TO_END: Duration = Duration::from_millis(1800);
/// Interval between checks for a write that must finish.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);
/// Time for the last message: nobody may be reading it.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// True once a handled signal was received.
static RECEIVED: AtomicBool = AtomicBool::new(false);

/// Number of live [`Saving`]s.
static SAVING: AtomicUsize = AtomicUsize::new(0);

/// Does the sender of a signal wait for its effect?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// A person, who pressed Ctrl-C.
    Patient,
    /// A program that kills next, or a terminal that is gone.
    Urgent,
}

/// A command's reaction to a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// It finishes something first, however long that takes.
    Finish,
    /// It ends now.
    End,
    /// The program ends at once.
    AtOnce,
}

/// While one of these is alive, something is written that takes long and must be complete: the
/// program waits for it.
pub(crate) struct Saving(());

impl Saving {
    pub(crate) fn begin() -> Self {
        SAVING.fetch_add(1, Ordering::SeqCst);
        Saving(())
    }
}

impl Drop for Saving {
    fn drop(&mut self) {
        SAVING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Calls `react` with each signal from now on, in a thread of its own. `last_words` are printed if
/// the program has to be ended.
pub(crate) fn on_signals(
    last_words: Option<&'static str>,
    mut react: impl FnMut(Urgency) -> Reaction + Send + 'static,
) -> Result<(), CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut signals = {
        let _inside = runtime.enter();
        Signals::listen()?
    };
    let wait = async move {
        let mut is_ending = false;
        loop {
            let urgency = signals.next().await;
            RECEIVED.store(true, Ordering::SeqCst);
            match react(urgency) {
                Reaction::Finish => {}
                Reaction::AtOnce => end_at_once(last_words),
                Reaction::End if is_ending => {}
                Reaction::End => {
                    is_ending = true;
                    tokio::spawn(end_soon(last_words));
                }
            }
        }
    };
    let waiting = thread::Builder::new().name("signals".to_owned());
    waiting.spawn(move || runtime.block_on(wait))?;
    Ok(())
}

/// True if the program was asked to end.
pub(crate) fn was_received() -> bool {
    RECEIVED.load(Ordering::SeqCst)
}

/// Ends the program, unless it ends by itself.
async fn end_soon(last_words: Option<&'static str>) {
    tokio::time::sleep(MOST_TO_END).await;
    while SAVING.load(Ordering::SeqCst) > 0 {
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
    end_at_once(last_words);
}

fn end_at_once(last_words: Option<&'static str>) -> ! {
    last_words.into_iter().for_each(print_line);
    std::process::exit(i32::from(CliError::Interrupted.code()))
}

/// Prints a line, unless that would block.
pub(crate) fn print_line(line: &'static str) {
    let (done, printed) = mpsc::channel();
    let print = move || {
        print_notice(line);
        let _ = done.send(());
    };
    if thread::Builder::new().spawn(print).is_ok() {
        let _ = printed.recv_timeout(LAST_WORDS);
    }
}

/// The signals that ask the program to end, except those that were ignored at its start.
struct Signals {
    interrupt: Option<Signal>,
    terminate: Option<Signal>,
    hang_up: Option<Signal>,
}

impl Signals {
    fn listen() -> Result<Self, CliError> {
        let listen = |kind: SignalKind| {
            let is_wanted = !is_ignored(kind);
            is_wanted.then(|| signal(kind)).transpose()
        };
        Ok(Signals {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> Urgency {
        tokio::select! {
            () = received(&mut self.interrupt) => Urgency::Patient,
            () = received(&mut self.terminate) => Urgency::Urgent,
            () = received(&mut self.hang_up) => Urgency::Urgent,
        }
    }
}

/// Waits for a signal; for ever, if it is ignored.
async fn received(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// True if a signal is ignored. This program never ignores one, so it was ignored at the start.
fn is_ignored(kind: SignalKind) -> bool {
    let mut now = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action nothing is changed; the present one is written to `now`, which
    // is large enough, and whose bytes are valid as zeros if the call fails.
    #[expect(
        unsafe_code,
        reason = "nix and rustix set actions, and do not report them"
    )]
    let action = unsafe {
        libc::sigaction(kind.as_raw_value(), std::ptr::null(), now.as_mut_ptr());
        now.assume_init()
    };
    action.sa_sigaction == libc::SIG_IGN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_that_are_ignored_are_known() {
        // Rust programs ignore this one.
        assert!(is_ignored(SignalKind::pipe()));
        assert!(!is_ignored(SignalKind::from_raw(libc::SIGSEGV)));
    }
}

//! The referee's side of a keeper: starting one, asking it for the bot's end, and what it tells.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdStream;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use command_fds::{CommandFdExt, FdMapping};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::{Child, ChildStderr, ChildStdin, Command};
use tokio::time::{sleep, timeout};

use super::cage::cgroup::Group;
use super::cage::freezer::Freezer;
use super::cage::init;
use super::keeper::{self, Exit, Plan, Report};
use super::lines::{Allowed, Line, Lines};
use super::output::Output;
use super::tree;
use crate::shortage;

/// No report of a keeper is longer.
const MOST_REPORT: usize = 64 << 10;
/// How long a keeper may take for the end of everything below it before it is given up. The
/// kernel ends whatever was killed; only a process that hangs in a device can take longer.
const BURIAL: Duration = Duration::from_secs(10);

/// All keepers of this referee. They are its only children: what else appears there was left
/// behind by a bot that killed its keeper.
#[derive(Debug, Default)]
pub(super) struct Keepers {
    known: Mutex<BTreeSet<Pid>>,
}

impl Keepers {
    /// None yet. From here on, orphans of this process's children become its own.
    ///
    /// # Errors
    /// If the machine refuses that.
    pub(super) fn new() -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        nix::sys::prctl::set_child_subreaper(true)?;
        Ok(Keepers::default())
    }

    /// Waits until this process has no children, after all bots were ended or dropped.
    pub(super) async fn all_gone(&self) {
        let end = Instant::now() + BURIAL;
        loop {
            let children = tree::children(Pid::this());
            if children.is_empty() {
                return;
            }
            if Instant::now() > end {
                return self.sweep();
            }
            for child in children {
                // Whoever still waits for it sees that it is gone.
                let _ = waitpid(child, Some(WaitPidFlag::WNOHANG));
            }
            sleep(Duration::from_millis(1)).await;
        }
    }

    fn known(&self) -> MutexGuard<'_, BTreeSet<Pid>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends what bots left behind that killed their keepers.
    fn sweep(&self) {
        // Held, so that no keeper is born meanwhile that would be taken for a stray.
        let known = self.known();
        let end = Instant::now() + BURIAL;
        while Instant::now() < end {
            let children = tree::children(Pid::this());
            let strays: Vec<Pid> = children
                .into_iter()
                .filter(|p| !known.contains(p))
                .collect();
            if strays.is_empty() {
                return;
            }
            for stray in &strays {
                tree::signal(&tree::descendants(*stray), Signal::SIGKILL);
            }
            tree::signal(&strays, Signal::SIGKILL);
            for stray in strays {
                let _ = waitpid(stray, Some(WaitPidFlag::WNOHANG));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        tracing::error!("a process that a bot left behind cannot be ended");
    }
}

/// The pipes of a bot.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: Output,
    pub(super) stderr: Option<ChildStderr>,
}

/// A bot's process as its keeper shows it. When this is dropped, the keeper ends the bot and all
/// that it started.
#[derive(Debug)]
pub(super) struct Kept {
    keeper: Child,
    id: Pid,
    keepers: Arc<Keepers>,
    commands: OwnedWriteHalf,
    reports: Lines<OwnedReadHalf>,
    freezer: Freezer,
    exit: Option<Exit>,
    /// What it did too much of, as part of a sentence.
    over: Option<String>,
    /// What the kernel did because of its limits, in words.
    enforced: Option<String>,
    /// Its control groups.
    group: Option<Group>,
    /// Nothing more will be told.
    silent: bool,
}

impl Kept {
    /// Starts a keeper that starts the bot, within a while.
    ///
    /// # Errors
    /// Why the bot did not start, as part of a sentence.
    pub(super) async fn start(
        plan: &Plan,
        dir: &Path,
        set_up: impl FnOnce(&mut Command),
        (group, has_init): (Option<Group>, bool),
        keepers: &Arc<Keepers>,
        within: Duration,
    ) -> Result<(Self, Pipes), String> {
        let wrong = |error: io::Error| {
            shortage::note("a bot's process cannot be started", &error);
            format!("cannot be started: {error}")
        };
        let (ours, theirs) = StdStream::pair().map_err(wrong)?;
        ours.set_nonblocking(true).map_err(wrong)?;
        let (reader, writer) = io::pipe().map_err(wrong)?;
        let stdout = Output::new(reader.into()).map_err(wrong)?;
        let plan = serde_json::to_string(plan).map_err(|error| wrong(error.into()))?;
        let mut command = Command::new(keeper::myself().map_err(wrong)?);
        command
            .args([keeper::SUBCOMMAND, &plan])
            .current_dir(dir)
            .stdin(Stdio::piped())
            .stdout(writer);
        set_up(&mut command);
        let mut lines = vec![FdMapping {
            parent_fd: OwnedFd::from(theirs),
            child_fd: keeper::CONTROL,
        }];
        let mut init = None;
        if has_init {
            let (ours, theirs) = StdStream::pair().map_err(wrong)?;
            init = Some(Freezer::init(ours).map_err(wrong)?);
            lines.push(FdMapping {
                parent_fd: OwnedFd::from(theirs),
                child_fd: init::CONTROL,
            });
        }
        let mapped = command.fd_mappings(lines);
        mapped.map_err(|error| wrong(io::Error::other(error)))?;
        let (mut keeper, id) = {
            let mut known = keepers.known();
            let keeper = command.spawn().map_err(wrong)?;
            let id = keeper.id().and_then(|id| i32::try_from(id).ok());
            let id = Pid::from_raw(id.unwrap_or_default());
            known.insert(id);
            (keeper, id)
        };
        // Our copies of the keeper's ends go with it.
        drop(command);
        let Some(stdin) = keeper.stdin.take() else {
            return Err("cannot be started: its pipes are gone".to_owned());
        };
        let stderr = keeper.stderr.take();
        let (reports, commands) = UnixStream::from_std(ours).map_err(wrong)?.into_split();
        let by_signals = Freezer::Signals {
            keeper: id,
            main: None,
        };
        let in_group = group.as_ref().and_then(Group::freezer).cloned();
        let freezer = in_group.map(Freezer::Group).or(init);
        let mut kept = Kept {
            freezer: freezer.unwrap_or(by_signals),
            keeper,
            id,
            keepers: keepers.clone(),
            commands,
            reports: Lines::new(reports, Allowed::lines_of(MOST_REPORT)),
            exit: None,
            over: None,
            enforced: None,
            group,
            silent: false,
        };
        // A bot that stops its keeper at once must not be waited for for ever.
        let told = crate::suspension::timeout(within, poll_fn(|cx| kept.poll_report(cx))).await;
        match told.unwrap_or_default() {
            Some(Report::Started { pid }) => {
                if let Freezer::Signals { main, .. } = &mut kept.freezer {
                    *main = Some(Pid::from_raw(pid));
                }
            }
            Some(Report::Failed { why, short }) => {
                if short {
                    shortage::note_as(format!("a bot's process {why}"));
                }
                kept.end().await;
                return Err(why);
            }
            Some(_) | None => {
                kept.end().await;
                // Nothing of the bot runs yet when it ends by itself like this.
                let ended = kept.keeper.try_wait().ok().flatten();
                if ended.and_then(|status| status.code()) == Some(keeper::CANNOT) {
                    let words = "the process that keeps a bot cannot work, as this machine has no \
                                 more descriptors, processes or memory for it";
                    shortage::note_as(words.to_owned());
                }
                return Err("cannot be started: its keeper does not answer".to_owned());
            }
        }
        let pipes = Pipes {
            stdin,
            stdout,
            stderr,
        };
        Ok((kept, pipes))
    }

    /// The keeper's process, below which all of the bot's are.
    pub(super) fn id(&self) -> Pid {
        self.id
    }

    /// Stops all of the bot's processes; they rest when this is done.
    pub(super) async fn stop(&mut self) {
        self.freezer.stop().await;
    }

    /// Lets all of the bot's processes go on.
    pub(super) async fn go_on(&mut self) {
        self.freezer.go_on().await;
    }

    /// The next thing that the keeper tells; `None` when it is gone.
    fn poll_report(&mut self, cx: &mut Context<'_>) -> Poll<Option<Report>> {
        self.reports.poll_line(cx).map(|line| match line {
            Ok(Line::Text) => serde_json::from_slice(self.reports.text()).ok(),
            _ => None,
        })
    }

    /// Takes note of what was told, until there is no more for now.
    fn poll_reports(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while !self.silent {
            match std::task::ready!(self.poll_report(cx)) {
                Some(Report::Exited(exit)) => self.exit = Some(exit),
                Some(Report::Over { what }) => self.over = Some(what),
                Some(Report::Enforced { what }) => self.enforced = Some(what),
                Some(Report::Started { .. } | Report::Failed { .. }) => {}
                None => self.silent = true,
            }
        }
        Poll::Ready(())
    }

    /// Ready when the keeper is gone before its bot.
    pub(super) fn poll_orphaned(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let polled = self.poll_reports(cx);
        match self.exit {
            None => polled,
            Some(_) => Poll::Pending,
        }
    }

    /// Whether the bot's first process is still there, as far as is known.
    pub(super) fn is_running(&mut self) -> bool {
        let _ = self.poll_reports(&mut Context::from_waker(Waker::noop()));
        self.exit.is_none() && !self.silent
    }

    /// How the bot's first process ended, as part of a sentence, if that becomes known within a
    /// while.
    pub(super) async fn exit(&mut self, within: Duration) -> Option<String> {
        let known = poll_fn(|cx| {
            let polled = self.poll_reports(cx);
            match self.exit.is_some() || self.over.is_some() {
                true => Poll::Ready(()),
                false => polled,
            }
        });
        let _ = timeout(within, known).await;
        self.exit_so_far()
    }

    /// The same without waiting.
    pub(super) fn exit_so_far(&mut self) -> Option<String> {
        let running = self.is_running();
        // Its end may take a while after that.
        if self.over.is_some() {
            return self.over.clone();
        }
        match &self.exit {
            Some(exit) => Some(match &self.enforced {
                Some(what) => format!("{} ({what})", exit.in_words()),
                None => exit.in_words(),
            }),
            None if running => None,
            None => Some("ended together with the process that keeps it".to_owned()),
        }
    }

    /// Whether the bot's first process has ended with code 0.
    pub(super) fn ended_well(&self) -> bool {
        self.exit == Some(Exit::Code(0)) && self.over.is_none()
    }

    /// The CPU time that the kernel counted for its control group.
    pub(super) fn counted_cpu(&self) -> Option<Duration> {
        self.group.as_ref()?.cpu()
    }

    /// Asks the bot and all that it started to end.
    pub(super) async fn ask_to_end(&mut self) {
        self.wake_keeper();
        // A keeper that is gone is seen by who waits for the end.
        let _ = self.commands.write_all(keeper::TERM.as_bytes()).await;
    }

    /// Wakes a keeper that its bot has stopped.
    fn wake_keeper(&self) {
        // Not once its id may be another process's.
        if self.keeper.id().is_some() {
            let _ = kill(self.id, Signal::SIGCONT);
        }
    }

    /// Waits for the end of the bot and all that it started.
    pub(super) async fn ended(&mut self) {
        // An error means that there is nobody to wait for.
        let _ = self.keeper.wait().await;
    }

    /// Ends the bot and all that it started, if that did not happen yet, and waits for it.
    pub(super) async fn end(&mut self) {
        self.wake_keeper();
        let _ = self.commands.write_all(keeper::KILL.as_bytes()).await;
        let status = timeout(BURIAL, self.keeper.wait()).await;
        // A keeper that ended well has left nobody.
        if !matches!(status, Ok(Ok(status)) if status.success()) {
            let _ = self.keeper.start_kill();
            self.keepers.known().remove(&self.id);
            self.keepers.sweep();
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // The keeper sees its line closed and ends the bot; nobody has to wait for that here.
        self.keepers.known().remove(&self.id);
    }
}

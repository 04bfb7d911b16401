//! The referee's handle on a process tree. It starts the supervisor, reads its reports, and asks it
//! to end the bot.

use std::future::poll_fn;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as StdStream;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use nix::sys::signal::Signal;
use nix::unistd::Pid;
use thiserror::Error;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::pipe::Sender;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::timeout;

use super::forked::SupervisorProcess;
use super::freezer::Freezer;
use super::plan::{Exit, KILL, Plan, SupervisorReport, TERM};
use crate::sandbox::layers::cgroup::Group;
use crate::streams::lines::{LineLimits, LineRead, Lines};
use crate::streams::output::Output;
use crate::system::children::{self, END_TIMEOUT};
use crate::system::spawner::{EXIT_CANNOT_RUN, ForkError};
use crate::system::{resource_exhausted, suspension};

/// The time that a process has to exit after it was asked to, and again after SIGTERM.
pub(crate) const GRACE_PERIOD: Duration = Duration::from_millis(500);
/// The time for the last reports of a supervisor that has ended: all is there, unless something else
/// still has its end of the connection.
const LAST_REPORTS: Duration = Duration::from_millis(100);
/// The longest report of a supervisor, in bytes.
const MAX_REPORT: usize = 64 << 10;

/// The referee's ends of a bot's pipes.
pub(crate) struct Pipes {
    pub(crate) stdin: Sender,
    pub(crate) stdout: Output,
    pub(crate) stderr: OwnedFd,
}

/// The reason why a process did not start. Displays as part of a sentence whose subject is the
/// program.
#[derive(Debug, Error)]
pub(crate) enum StartError {
    #[error("cannot be started: {0}")]
    Spawn(io::Error),
    /// In the words of the supervisor.
    #[error("{0}")]
    Reported(String),
    /// The next attempt may succeed.
    #[error("cannot be started: its supervisor does not answer")]
    NoAnswer,
}

impl From<ForkError> for StartError {
    fn from(error: ForkError) -> Self {
        match error {
            ForkError::Refused(error) => {
                resource_exhausted::note("a process cannot be started", &error);
                StartError::Spawn(error)
            }
            ForkError::CannotRun => {
                note_exhausted_supervisor();
                StartError::NoAnswer
            }
            ForkError::NoAnswer => StartError::NoAnswer,
        }
    }
}

fn note_exhausted_supervisor() {
    let words = "a supervisor cannot run: this machine has no more descriptors, processes or memory \
                 for it";
    resource_exhausted::note_as(words.to_owned());
}

/// A running process under a supervisor. When this is dropped, the supervisor ends the process and
/// all its descendants.
#[derive(Debug)]
pub(crate) struct ProcessHandle {
    supervisor: SupervisorProcess,
    commands: OwnedWriteHalf,
    reports: Lines<OwnedReadHalf>,
    freezer: Freezer,
    /// The end of the first process, once it is reported.
    exit: Option<Exit>,
    /// The watched limit that the process exceeded, as part of a sentence.
    over: Option<String>,
    /// The limit that the kernel enforced, in words.
    enforced: Option<String>,
    group: Option<Group>,
    /// No more reports will come.
    silent: bool,
}

/// A supervisor that was just started, before its first report.
struct Spawned {
    supervisor: SupervisorProcess,
    control: UnixStream,
    pipes: Pipes,
    /// The connection to the init in the sandbox, if it has one that freezes.
    init: Option<Freezer>,
}

/// Starts a supervisor for this process.
fn spawn(plan: &Plan) -> Result<Spawned, ForkError> {
    let (control, theirs) = StdStream::pair()?;
    control.set_nonblocking(true)?;
    let (stdin, our_stdin) = io::pipe()?;
    let (our_stdout, stdout) = io::pipe()?;
    let (our_stderr, stderr) = io::pipe()?;
    let mut descriptors = vec![
        stdin.as_fd(),
        stdout.as_fd(),
        stderr.as_fd(),
        theirs.as_fd(),
    ];
    let init = plan.has_init.then(StdStream::pair).transpose()?;
    descriptors.extend(init.as_ref().map(|(_, theirs)| theirs.as_fd()));
    let order = serde_json::to_vec(plan).map_err(io::Error::from)?;
    // Our copies of the supervisor's ends are closed when this returns.
    let supervisor = SupervisorProcess::fork(&order, &descriptors)?;
    Ok(Spawned {
        supervisor,
        control: UnixStream::from_std(control)?,
        pipes: Pipes {
            stdin: Sender::from_owned_fd(our_stdin.into())?,
            stdout: Output::new(our_stdout.into())?,
            stderr: our_stderr.into(),
        },
        init: init.map(|(ours, _)| Freezer::init(ours)).transpose()?,
    })
}

impl ProcessHandle {
    /// Starts a supervisor that starts the process, within `time_limit`. `group` are its control
    /// groups, if it has any.
    pub(crate) async fn start(
        plan: &Plan,
        group: Option<Group>,
        time_limit: Duration,
    ) -> Result<(Self, Pipes), StartError> {
        // Once more if the spawner was lost, with new pipes: it may have made a supervisor before.
        let spawned = match spawn(plan) {
            Err(ForkError::NoAnswer) => spawn(plan),
            spawned => spawned,
        }?;
        let in_group = group.as_ref().and_then(Group::freezer).cloned();
        let freezer = in_group.map(Freezer::Group).or(spawned.init);
        let by_signals = Freezer::Signals {
            supervisor: spawned.supervisor.pid(),
            main: None,
        };
        let (reports, commands) = spawned.control.into_split();
        let mut handle = ProcessHandle {
            freezer: freezer.unwrap_or(by_signals),
            supervisor: spawned.supervisor,
            commands,
            reports: Lines::new(reports, LineLimits::lines_of(MAX_REPORT)),
            exit: None,
            over: None,
            enforced: None,
            group,
            silent: false,
        };
        match handle.await_start(time_limit).await {
            Ok(()) => Ok((handle, spawned.pipes)),
            Err(error) => {
                handle.end().await;
                if handle.supervisor.exit_code() == Some(EXIT_CANNOT_RUN) {
                    note_exhausted_supervisor();
                }
                Err(error)
            }
        }
    }

    /// Waits until the supervisor reports that the process runs.
    async fn await_start(&mut self, time_limit: Duration) -> Result<(), StartError> {
        // A bot may stop its supervisor at once, so there is a limit.
        let first_report = poll_fn(|cx| self.poll_report(cx));
        match suspension::timeout(time_limit, first_report)
            .await
            .flatten()
        {
            Some(SupervisorReport::Started { pid }) => {
                if let Freezer::Signals { main, .. } = &mut self.freezer {
                    *main = Some(Pid::from_raw(pid));
                }
                Ok(())
            }
            Some(SupervisorReport::Failed { why, is_exhausted }) => {
                if is_exhausted {
                    resource_exhausted::note_as(format!("a process {why}"));
                }
                Err(StartError::Reported(why))
            }
            Some(_) | None => Err(StartError::NoAnswer),
        }
    }

    /// The supervisor's process, the ancestor of all of the bot's.
    pub(crate) fn pid(&self) -> Pid {
        self.supervisor.pid()
    }

    /// Stops all of the bot's processes, and waits until they have stopped.
    pub(crate) async fn freeze(&mut self) {
        self.freezer.freeze().await;
    }

    pub(crate) async fn thaw(&mut self) {
        self.freezer.thaw().await;
    }

    /// The next report of the supervisor; `None` when it is gone.
    fn poll_report(&mut self, cx: &mut Context<'_>) -> Poll<Option<SupervisorReport>> {
        self.reports.poll_line(cx).map(|line| match line {
            Ok(LineRead::Text) => serde_json::from_slice(self.reports.text()).ok(),
            _ => None,
        })
    }

    /// Handles all reports; pending when there are no more for now.
    fn poll_reports(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while !self.silent {
            match ready!(self.poll_report(cx)) {
                Some(SupervisorReport::Exited(exit)) => self.exit = Some(exit),
                Some(SupervisorReport::Over { what }) => self.over = Some(what),
                Some(SupervisorReport::Enforced { what }) => self.enforced = Some(what),
                Some(SupervisorReport::Started { .. } | SupervisorReport::Failed { .. }) => {}
                None => self.silent = true,
            }
        }
        Poll::Ready(())
    }

    /// Ready when the supervisor is gone before its bot.
    pub(crate) fn poll_orphaned(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let polled = self.poll_reports(cx);
        match self.exit {
            None => polled,
            Some(_) => Poll::Pending,
        }
    }

    /// True if the bot's first process has not ended, as far as is known.
    pub(crate) fn is_running(&mut self) -> bool {
        let _ = self.poll_reports(&mut Context::from_waker(Waker::noop()));
        self.exit.is_none() && !self.silent
    }

    /// The end of the bot's first process, as part of a sentence; `None` if it is not reported
    /// within the limit.
    pub(crate) async fn exit(&mut self, time_limit: Duration) -> Option<String> {
        let known = poll_fn(|cx| {
            let polled = self.poll_reports(cx);
            if self.exit.is_some() || self.over.is_some() {
                Poll::Ready(())
            } else {
                polled
            }
        });
        let _ = timeout(time_limit, known).await;
        self.exit_so_far()
    }

    /// The end of the bot's first process, if it is known by now.
    pub(crate) fn exit_so_far(&mut self) -> Option<String> {
        let running = self.is_running();
        // The end may come a while after the limit was exceeded.
        if self.over.is_some() {
            return self.over.clone();
        }
        match (&self.exit, &self.enforced) {
            (Some(exit), Some(what)) => Some(format!("{} ({what})", exit.in_words())),
            (Some(exit), None) => Some(exit.in_words()),
            (None, _) if running => None,
            (None, _) => Some("ended together with its supervisor".to_owned()),
        }
    }

    /// True if the bot's first process has exited with code 0, within its limits.
    pub(crate) fn ended_well(&self) -> bool {
        self.exit == Some(Exit::Code(0)) && self.over.is_none()
    }

    /// The CPU time that the kernel has counted for the control group; `None` without one.
    pub(crate) fn counted_cpu(&self) -> Option<Duration> {
        self.group.as_ref()?.cpu()
    }

    /// Asks the bot and all its descendants to end.
    async fn ask_to_end(&mut self) {
        self.wake_supervisor();
        // If the supervisor is gone, waiting for it returns at once.
        let _ = self.commands.write_all(&[TERM]).await;
    }

    /// Wakes a supervisor that its bot has stopped.
    fn wake_supervisor(&self) {
        self.supervisor.signal(Signal::SIGCONT);
    }

    /// Waits for the end of the supervisor, and takes its last reports.
    async fn ended(&mut self) {
        self.supervisor.wait().await;
        let _ = timeout(LAST_REPORTS, poll_fn(|cx| self.poll_reports(cx))).await;
    }

    /// Waits for the end of a bot that got `quit`. After the time limit, sends SIGTERM to its
    /// descendants, and kills the rest after a grace period.
    pub(crate) async fn end_within(&mut self, time_limit: Duration) {
        if timeout(time_limit, self.ended()).await.is_err() {
            self.ask_to_end().await;
            let _ = timeout(GRACE_PERIOD, self.ended()).await;
        }
        self.end().await;
    }

    /// Kills the bot and all its descendants, if any are left, and waits for their end.
    pub(crate) async fn end(&mut self) {
        self.wake_supervisor();
        let _ = self.commands.write_all(&[KILL]).await;
        let _ = timeout(END_TIMEOUT, self.ended()).await;
        // A supervisor that exits with success leaves no process behind.
        if self.supervisor.exit_code() != Some(0) {
            self.supervisor.signal(Signal::SIGKILL);
            children::forget(self.pid());
            children::sweep();
        }
    }
}

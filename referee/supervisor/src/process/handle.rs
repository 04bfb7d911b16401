//! The referee's side of a supervisor: a handle on one process tree. It starts the supervisor,
//! reads its reports, and asks it to end the bot.

use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdStream;
use std::path::Path;
use std::process::Stdio;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use command_fds::{CommandFdExt, FdMapping};
use nix::sys::signal::{SigHandler, Signal, kill, signal};
use nix::unistd::{Pid, setsid};
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::{Child, ChildStderr, ChildStdin, Command};
use tokio::time::timeout;

use super::children::{self, END_TIMEOUT};
use super::freezer::Freezer;
use super::plan::{
    CONTROL_FD, EXIT_CANNOT_RUN, Exit, KILL, Plan, SUBCOMMAND, SupervisorReport, TERM, this_program,
};
use crate::sandbox::init;
use crate::sandbox::layers::cgroup::Group;
use crate::streams::lines::{LineLimits, LineRead, Lines};
use crate::streams::output::Output;
use crate::{shortage, suspension};

/// How long a process may take to exit after it was asked to, and again after SIGTERM.
pub(crate) const GRACE_PERIOD: Duration = Duration::from_millis(500);
/// No report of a supervisor is longer, in bytes.
const MAX_REPORT: usize = 64 << 10;

/// The referee's ends of a bot's pipes.
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: Output,
    /// `None` if the command passes stderr on.
    pub(crate) stderr: Option<ChildStderr>,
}

/// What a process is started with, besides its command's environment.
pub(crate) struct ProcessStart<'a> {
    pub(crate) plan: &'a Plan,
    /// The working directory.
    pub(crate) dir: &'a Path,
    /// Its control groups, if it has any.
    pub(crate) group: Option<Group>,
    /// The first process in its sandbox freezes it, because no control group does.
    pub(crate) has_init: bool,
    /// How long the supervisor may take until the process runs.
    pub(crate) time_limit: Duration,
}

/// Why a process did not start.
#[derive(Debug)]
pub(crate) struct StartError {
    /// The reason, as part of a sentence.
    pub(crate) why: String,
    /// Whether it took too long, so that the next attempt may succeed.
    pub(crate) is_late: bool,
}

impl From<String> for StartError {
    fn from(why: String) -> Self {
        StartError {
            why,
            is_late: false,
        }
    }
}

/// A running process, as its supervisor shows it. When this is dropped, the supervisor ends the
/// process and everything that it started.
#[derive(Debug)]
pub(crate) struct ProcessHandle {
    supervisor: Child,
    pid: Pid,
    commands: OwnedWriteHalf,
    reports: Lines<OwnedReadHalf>,
    freezer: Freezer,
    /// How the first process ended, once that is reported.
    exit: Option<Exit>,
    /// The watched limit that it exceeded, as part of a sentence.
    over: Option<String>,
    /// What the kernel did because of its limits, in words.
    enforced: Option<String>,
    /// Its control groups.
    group: Option<Group>,
    /// The supervisor will report nothing more.
    silent: bool,
}

/// A supervisor that was just spawned, before its first report.
struct Spawned {
    supervisor: Child,
    pid: Pid,
    control: UnixStream,
    stdout: Output,
    /// The connection to the init in the sandbox, if it has one that freezes.
    init: Option<Freezer>,
}

fn cannot_start(error: io::Error) -> String {
    shortage::note("a process cannot be started", &error);
    format!("cannot be started: {error}")
}

/// Starts a supervisor for this process; `set_up` completes its command.
fn spawn(launch: &ProcessStart<'_>, set_up: impl FnOnce(&mut Command)) -> io::Result<Spawned> {
    let (control, theirs) = StdStream::pair()?;
    control.set_nonblocking(true)?;
    let (reader, writer) = io::pipe()?;
    let stdout = Output::new(reader.into())?;
    let mut command = Command::new(this_program()?);
    command
        .args([SUBCOMMAND, &serde_json::to_string(launch.plan)?])
        .current_dir(launch.dir)
        .stdin(Stdio::piped())
        .stdout(writer);
    set_up(&mut command);
    let mut descriptors = vec![FdMapping {
        parent_fd: OwnedFd::from(theirs),
        child_fd: CONTROL_FD,
    }];
    let mut init = None;
    if launch.has_init {
        let (ours, theirs) = StdStream::pair()?;
        init = Some(Freezer::init(ours)?);
        descriptors.push(FdMapping {
            parent_fd: OwnedFd::from(theirs),
            child_fd: init::CONTROL_FD,
        });
    }
    command.fd_mappings(descriptors).map_err(io::Error::other)?;
    leave_session(&mut command);
    // Our copies of the supervisor's ends are closed with the command.
    let (supervisor, pid) = children::spawn(&mut command)?;
    Ok(Spawned {
        supervisor,
        pid,
        control: UnixStream::from_std(control)?,
        stdout,
        init,
    })
}

/// Gives a process a session of its own before it begins: Ctrl-C in the terminal is for the referee
/// alone, which may want to finish what the process is needed for. Signals do there what they usually do,
/// also where the referee was told to ignore them (`nohup`): bots find the same everywhere.
fn leave_session(command: &mut Command) {
    // SAFETY: between fork and exec only what is safe in signal handlers may be called; these are
    // system calls. No handler of this program is lost: the child has none after exec anyway.
    #[expect(unsafe_code, reason = "there is no safe way to set it for a child")]
    unsafe {
        command.pre_exec(|| {
            setsid()?;
            for ending in [
                Signal::SIGHUP,
                Signal::SIGINT,
                Signal::SIGQUIT,
                Signal::SIGTERM,
            ] {
                signal(ending, SigHandler::SigDfl)?;
            }
            Ok(())
        });
    }
}

impl ProcessHandle {
    /// Starts a supervisor that starts the process; `set_up` completes the supervisor's command.
    ///
    /// # Errors
    /// Why the process did not start.
    pub(crate) async fn start(
        launch: ProcessStart<'_>,
        set_up: impl FnOnce(&mut Command),
    ) -> Result<(Self, Pipes), StartError> {
        let mut spawned = spawn(&launch, set_up).map_err(cannot_start)?;
        let Some(stdin) = spawned.supervisor.stdin.take() else {
            return Err("cannot be started: its pipes are gone".to_owned().into());
        };
        let pipes = Pipes {
            stdin,
            stdout: spawned.stdout,
            stderr: spawned.supervisor.stderr.take(),
        };
        let in_group = launch.group.as_ref().and_then(Group::freezer).cloned();
        let freezer = in_group.map(Freezer::Group).or(spawned.init);
        let by_signals = Freezer::Signals {
            supervisor: spawned.pid,
            main: None,
        };
        let (reports, commands) = spawned.control.into_split();
        let mut handle = ProcessHandle {
            freezer: freezer.unwrap_or(by_signals),
            supervisor: spawned.supervisor,
            pid: spawned.pid,
            commands,
            reports: Lines::new(reports, LineLimits::lines_of(MAX_REPORT)),
            exit: None,
            over: None,
            enforced: None,
            group: launch.group,
            silent: false,
        };
        match handle.await_start(launch.time_limit).await {
            Ok(()) => Ok((handle, pipes)),
            Err(why) => {
                handle.end().await;
                handle.note_broken_supervisor();
                Err(why)
            }
        }
    }

    /// Waits until the supervisor reports that the process runs.
    ///
    /// # Errors
    /// Why it does not.
    async fn await_start(&mut self, time_limit: Duration) -> Result<(), StartError> {
        // A bot may stop its supervisor at once: do not wait for ever.
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
            Some(SupervisorReport::Failed { why, short }) => {
                if short {
                    shortage::note_as(format!("a process {why}"));
                }
                Err(why.into())
            }
            Some(_) | None => Err(StartError {
                why: "cannot be started: its supervisor does not answer".to_owned(),
                is_late: true,
            }),
        }
    }

    /// Notes a shortage if the supervisor has exited because it could not do its work.
    fn note_broken_supervisor(&mut self) {
        let status = self.supervisor.try_wait().ok().flatten();
        if status.and_then(|status| status.code()) == Some(EXIT_CANNOT_RUN) {
            let words = "a supervisor cannot run: this machine has no more descriptors, processes or \
                         memory for it";
            shortage::note_as(words.to_owned());
        }
    }

    /// The supervisor's process, of which all of the bot's are descendants.
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Stops all of the bot's processes; they rest when this returns.
    pub(crate) async fn stop(&mut self) {
        self.freezer.stop().await;
    }

    /// Lets all of the bot's processes go on.
    pub(crate) async fn go_on(&mut self) {
        self.freezer.go_on().await;
    }

    /// The next report of the supervisor; `None` when it is gone.
    fn poll_report(&mut self, cx: &mut Context<'_>) -> Poll<Option<SupervisorReport>> {
        self.reports.poll_line(cx).map(|line| match line {
            Ok(LineRead::Text) => serde_json::from_slice(self.reports.text()).ok(),
            _ => None,
        })
    }

    /// Takes note of all reports until there are no more for now.
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

    /// Whether the bot's first process is still there, as far as is known.
    pub(crate) fn is_running(&mut self) -> bool {
        let _ = self.poll_reports(&mut Context::from_waker(Waker::noop()));
        self.exit.is_none() && !self.silent
    }

    /// How the bot's first process ended, as part of a sentence; `None` if that does not become
    /// known within the limit.
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

    /// How the bot's first process ended, if that is known by now.
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

    /// Whether the bot's first process has exited with code 0.
    pub(crate) fn ended_well(&self) -> bool {
        self.exit == Some(Exit::Code(0)) && self.over.is_none()
    }

    /// The CPU time that the kernel counted for the control group.
    pub(crate) fn counted_cpu(&self) -> Option<Duration> {
        self.group.as_ref()?.cpu()
    }

    /// Asks the bot and everything that it started to end.
    async fn ask_to_end(&mut self) {
        self.wake_supervisor();
        // If the supervisor is gone, whoever waits for the end sees that.
        let _ = self.commands.write_all(TERM.as_bytes()).await;
    }

    /// Wakes a supervisor that its bot has stopped.
    fn wake_supervisor(&self) {
        // Not after it was reaped: its pid may be another process's by then.
        if self.supervisor.id().is_some() {
            let _ = kill(self.pid, Signal::SIGCONT);
        }
    }

    /// Waits for the end of the bot and everything that it started.
    async fn ended(&mut self) {
        // An error means that there is no process to wait for.
        let _ = self.supervisor.wait().await;
    }

    /// Waits this long for the end of a bot that was asked to quit. Then asks everything that it
    /// started to end, too, and ends what is left after a grace period.
    pub(crate) async fn end_within(&mut self, time_limit: Duration) {
        if timeout(time_limit, self.ended()).await.is_err() {
            self.ask_to_end().await;
            let _ = timeout(GRACE_PERIOD, self.ended()).await;
        }
        self.end().await;
    }

    /// Ends the bot and everything that it started, unless it has ended, and waits for that.
    pub(crate) async fn end(&mut self) {
        self.wake_supervisor();
        let _ = self.commands.write_all(KILL.as_bytes()).await;
        let status = timeout(END_TIMEOUT, self.supervisor.wait()).await;
        // A supervisor that exited with success has left no process behind.
        if !matches!(status, Ok(Ok(status)) if status.success()) {
            let _ = self.supervisor.start_kill();
            children::forget(self.pid);
            children::sweep();
        }
    }
}

impl Drop for ProcessHandle {
    fn drop(&mut self) {
        // The supervisor sees its connection closed and ends the bot; nobody has to wait for that.
        children::forget(self.pid);
    }
}

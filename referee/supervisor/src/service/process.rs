//! The process of a service: sandboxed under a supervisor, or an ordinary child.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use protocol::faults;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::failure::ServiceFailure;
use crate::bot::launch::{Launched, launch};
use crate::process::cores::Cores;
use crate::process::handle::{GRACE_PERIOD, ProcessHandle};
use crate::process::plan::{Exit, Plan};
use crate::sandbox::build::Sandbox;
use crate::sandbox::launch::exec_error::hint;
use crate::spec::{BotSpec, REFEREE_VARIABLE};
use crate::streams::stderr::{self, Stderr, Tail};
use crate::system::{children, process_tree, resource_exhausted};

/// The time that a supervisor has to start the program, even on a very busy machine.
const START_LIMIT: Duration = Duration::from_secs(60);
const FOREVER: Duration = Duration::MAX;

/// The kind of the processes of a service.
#[derive(Debug)]
pub(super) enum Kind {
    /// Sandboxed under a supervisor.
    Confined(Box<Sandbox>),
    /// Ordinary children: this program, with the arguments of the command.
    Plain(PathBuf),
}

/// A process that was just started, with the referee's ends of its pipes.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) process: ServiceProcess,
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
}

/// A running process, with the reader of its stderr.
#[derive(Debug)]
pub(super) struct ServiceProcess {
    root: Root,
    tail: Option<Tail>,
}

/// The child of this process in which, or below which, the program runs.
#[derive(Debug)]
enum Root {
    Supervisor {
        handle: Box<ProcessHandle>,
        /// Its own `/tmp`, where that is a folder; dropping this removes it.
        _tmp: Option<TempDir>,
    },
    Plain(PlainChild),
}

impl Kind {
    pub(super) async fn start(
        &self,
        spec: &BotSpec,
        cores: Option<Cores>,
        stderr: Stderr,
    ) -> Result<Started, ServiceFailure> {
        match self {
            Kind::Confined(sandbox) => {
                let set_up = |plan: &mut Plan| {
                    plan.cores = cores;
                    plan.has_short_slices = true;
                };
                let launched = launch(spec, sandbox, START_LIMIT, set_up).await;
                let launched = launched.map_err(|error| error.failure.message);
                launched.and_then(|it| Started::confined(it, stderr).map_err(not_reached))
            }
            Kind::Plain(program) => {
                let mut command = Command::new(program);
                command.args(&spec.command[1..]).current_dir(&spec.dir);
                command.envs(&spec.env);
                if let Some(cores) = cores {
                    cores.pin(&mut command);
                }
                PlainChild::spawn(&mut command)
                    .and_then(|child| Started::plain(child, stderr))
                    .map_err(|error| {
                        let why = format!("cannot be started: {error}{}", hint(&error));
                        faults::not_started(&spec.command[0], &why).message
                    })
            }
        }
        .map_err(|why| ServiceFailure::NotStarted { why })
    }
}

fn not_reached(error: io::Error) -> String {
    format!("cannot be reached: {error}")
}

impl Started {
    fn confined(launched: Launched, stderr: Stderr) -> io::Result<Self> {
        let Launched { handle, pipes, tmp } = launched;
        let tail = Some(stderr::read(pipes.stderr, stderr)?);
        let root = Root::Supervisor {
            handle: Box::new(handle),
            _tmp: tmp,
        };
        Ok(Started {
            process: ServiceProcess { root, tail },
            stdin: pipes.stdin.into_blocking_fd()?,
            stdout: pipes.stdout.into_fd()?,
        })
    }

    fn plain(mut plain: PlainChild, stderr: Stderr) -> io::Result<Self> {
        let child = &mut plain.child;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (stdin, stdout) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        let tail = child
            .stderr
            .take()
            .map(|pipe| stderr::read(pipe.into_owned_fd()?, stderr))
            .transpose()?;
        let root = Root::Plain(plain);
        Ok(Started {
            process: ServiceProcess { root, tail },
            stdin: stdin.into_owned_fd()?,
            stdout: stdout.into_owned_fd()?,
        })
    }
}

impl ServiceProcess {
    /// Waits until the program's first process has ended, or its supervisor is gone.
    pub(super) async fn gone(&mut self) {
        self.exit(FOREVER).await;
    }

    /// The end of the program's first process, in words; `None` if it does not end within the
    /// limit.
    pub(super) async fn exit(&mut self, time_limit: Duration) -> Option<String> {
        match &mut self.root {
            Root::Supervisor { handle, .. } => handle.exit(time_limit).await,
            Root::Plain(plain) => {
                let status = timeout(time_limit, plain.child.wait()).await.ok()?;
                Some(status.map_or_else(|error| error.to_string(), exit_in_words))
            }
        }
    }

    /// An excerpt of the last line of its stderr.
    pub(super) async fn last_line(&mut self, within: Duration) -> Option<String> {
        self.tail.as_mut()?.last_line(within).await
    }

    pub(super) fn all(&self) -> Vec<Pid> {
        match &self.root {
            Root::Supervisor { handle, .. } => process_tree::descendants(handle.pid()),
            Root::Plain(plain) => {
                let mut all = vec![plain.pid];
                all.extend(process_tree::descendants(plain.pid));
                all
            }
        }
    }

    /// Kills it, unless it has ended, and waits for its end.
    pub(super) async fn kill(&mut self) {
        match &mut self.root {
            Root::Supervisor { handle, .. } => handle.end().await,
            Root::Plain(plain) => plain.kill().await,
        }
    }

    /// Ends a program whose input is closed, after a grace period in which it can exit by itself.
    pub(super) async fn end(&mut self) {
        match &mut self.root {
            Root::Supervisor { handle, .. } => handle.end_within(GRACE_PERIOD).await,
            Root::Plain(plain) => {
                let _ = timeout(GRACE_PERIOD, plain.child.wait()).await;
                plain.kill().await;
            }
        }
    }
}

fn exit_in_words(status: ExitStatus) -> String {
    let signal = status.signal().map(Exit::Signal);
    let exit = signal.or(status.code().map(Exit::Code));
    exit.map_or_else(|| status.to_string(), |exit| exit.in_words())
}

/// A child without a supervisor. The kernel kills it when the thread that started it ends, and so
/// when this process does.
#[derive(Debug)]
struct PlainChild {
    child: Child,
    pid: Pid,
}

impl PlainChild {
    /// Starts a child in a process group of its own.
    fn spawn(command: &mut Command) -> io::Result<Self> {
        if let Ok(referee) = std::env::current_exe() {
            command.env(REFEREE_VARIABLE, referee);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        command.process_group(0).kill_on_drop(true);
        resource_exhausted::restore_descriptor_limit(command.as_std_mut());
        end_with_parent(command);
        let spawned = children::register(|| {
            let child = command.spawn()?;
            let id = child.id().ok_or(io::ErrorKind::NotFound)?;
            Ok((child, process_tree::pid(id)?))
        });
        if let Err(error) = &spawned {
            resource_exhausted::note("a process cannot be started", error);
        }
        let (child, pid) = spawned?;
        Ok(PlainChild { child, pid })
    }

    async fn kill(&mut self) {
        // Not after it was reaped: another group may have its number by then.
        if self.child.id().is_some() {
            let _ = killpg(self.pid, Signal::SIGKILL);
        }
        let _ = timeout(children::END_TIMEOUT, self.child.wait()).await;
    }
}

impl Drop for PlainChild {
    fn drop(&mut self) {
        children::forget(self.pid);
    }
}

#[cfg(target_os = "linux")]
fn end_with_parent(command: &mut Command) {
    // SAFETY: between fork and exec only what is safe in signal handlers may be called; this is one
    // system call with a number.
    #[expect(unsafe_code, reason = "there is no safe way to set it for a child")]
    unsafe {
        command.pre_exec(|| Ok(nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?));
    }
}

#[cfg(not(target_os = "linux"))]
fn end_with_parent(_: &mut Command) {}

//! A bot's process: started, introduced, talked to, and ended with everything it started.

pub mod guard;
mod lines;
pub mod pool;
pub mod spec;
mod stderr;

use std::future::poll_fn;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use protocol::{BotHello, FaultCode, FromBot, MAX_LINE, PROTOCOL, ToBot};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, timeout, timeout_at};

use crate::clock::in_words;
use guard::Guard;
use lines::{Line, Lines};
use spec::{BotSpec, REFEREE_VARIABLE};

/// How long a bot may take to exit after `quit`, and again after SIGTERM.
const GRACE: Duration = Duration::from_millis(500);
/// How long a bot that closed its output may take to exit, so that its exit status can be told.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// What the referee calls itself in messages and logs.
pub const REFEREE_NAME: &str = concat!("referee ", env!("CARGO_PKG_VERSION"));

/// Where a process's stderr goes.
#[derive(Clone, Debug)]
pub enum Stderr {
    /// To the referee's own.
    Inherit,
    /// To this file, up to a limit.
    Keep(PathBuf),
}

/// Why a bot cannot be talked to: the fault, and what happened in words.
pub type Failure = (FaultCode, String);

/// A running bot that has introduced itself.
#[derive(Debug)]
pub struct BotProcess {
    child: Child,
    group: Group,
    /// `None` once it could not be written to.
    stdin: Option<ChildStdin>,
    lines: Lines<ChildStdout>,
    hello: BotHello,
}

/// A process group, killed when this is dropped.
#[derive(Debug)]
struct Group {
    id: Pid,
    guard: Arc<Guard>,
}

impl Group {
    fn signal(&self, signal: Signal) {
        // It may be gone already, which is what is wanted.
        let _ = killpg(self.id, signal);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::SIGKILL);
        self.guard.forget(self.id);
    }
}

impl BotProcess {
    /// Starts a bot and waits for its `hello`.
    ///
    /// # Errors
    /// The fault by which its matches are lost.
    pub async fn start(
        spec: &BotSpec,
        stderr: &Stderr,
        guard: &Arc<Guard>,
    ) -> Result<Self, Failure> {
        let startup = |message: String| (FaultCode::Startup, message);
        let program = spec.program().map_err(|error| startup(error.to_string()))?;
        let mut child = Command::new(&program)
            .args(&spec.command[1..])
            .current_dir(&spec.dir)
            .env(
                REFEREE_VARIABLE,
                std::env::current_exe().unwrap_or_default(),
            )
            .envs(&spec.env)
            .process_group(0)
            .kill_on_drop(true)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(match stderr {
                Stderr::Inherit => Stdio::inherit(),
                Stderr::Keep(_) => Stdio::piped(),
            })
            .spawn()
            .map_err(|error| {
                startup(format!(
                    "`{}` cannot be started: {error}{}",
                    program.display(),
                    hint(&error)
                ))
            })?;
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        let id = Pid::from_raw(id.ok_or_else(|| startup("it has no process id".to_owned()))?);
        guard.watch(id);
        let group = Group {
            id,
            guard: guard.clone(),
        };
        if let (Some(pipe), Stderr::Keep(path)) = (child.stderr.take(), stderr) {
            tokio::spawn(stderr::keep(pipe, path.clone()));
        }
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(startup("its pipes are gone".to_owned()));
        };
        let mut process = BotProcess {
            child,
            group,
            stdin: Some(stdin),
            lines: Lines::new(stdout, MAX_LINE),
            hello: BotHello {
                protocol: PROTOCOL,
                name: spec.name.clone(),
                version: None,
                author: None,
                games: None,
                wants: protocol::Wants::default(),
            },
        };
        let limit = spec.time.startup.0.saturating_add(spec.time.margin.0);
        let introduced = process
            .introduce(Instant::now() + limit, spec.time.startup.0)
            .await;
        match introduced {
            Ok(hello) => {
                process.hello = hello;
                Ok(process)
            }
            Err((code, message)) => {
                let error = ToBot::Error {
                    code,
                    message: message.clone(),
                };
                // It may not read any more.
                let _ = process.send(&error, LAST_WORDS).await;
                process.end().await;
                Err((code, message))
            }
        }
    }

    async fn introduce(
        &mut self,
        deadline: Instant,
        startup: Duration,
    ) -> Result<BotHello, Failure> {
        let hello = ToBot::Hello {
            protocol: PROTOCOL,
            referee: REFEREE_NAME.to_owned(),
        };
        let late = || {
            let startup = in_words(startup);
            let message = format!("did not say `hello` within {startup} (is its output flushed?)");
            (FaultCode::Startup, message)
        };
        let answer = async {
            // A bot may be gone before it reads; its exit is then the better story.
            let _ = self.write(&hello).await;
            poll_fn(|cx| self.poll_line(cx)).await
        };
        let line = timeout_at(deadline, answer).await.map_err(|_| late())?;
        let line = match line {
            Ok(line) => line,
            Err((FaultCode::Crash, _)) => {
                let message = format!("{} before it said `hello`", self.exit().await);
                return Err((FaultCode::Startup, message));
            }
            Err(failure) => return Err(failure),
        };
        match FromBot::from_line(&line) {
            Ok(FromBot::Hello(hello)) if hello.protocol == PROTOCOL => Ok(hello),
            Ok(FromBot::Hello(hello)) => {
                let message = format!(
                    "speaks protocol {}; this referee speaks {PROTOCOL}",
                    hello.protocol
                );
                Err((FaultCode::Protocol, message))
            }
            Ok(_) => Err((
                FaultCode::Protocol,
                "answered `hello` with another message".to_owned(),
            )),
            Err(bad) => Err((FaultCode::Protocol, bad.to_string())),
        }
    }

    /// What the bot said about itself.
    pub fn hello(&self) -> &BotHello {
        &self.hello
    }

    /// Whether the process is still there.
    pub fn is_running(&mut self) -> bool {
        self.stdin.is_some() && matches!(self.child.try_wait(), Ok(None))
    }

    /// Sends a message, within `limit`.
    ///
    /// # Errors
    /// The fault, if the bot does not read or is gone.
    pub async fn send(&mut self, message: &ToBot, limit: Duration) -> Result<(), Failure> {
        match timeout(limit, self.write(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => {
                self.stdin = None;
                Err((
                    FaultCode::Crash,
                    format!("{} and cannot be written to", self.exit().await),
                ))
            }
            Err(_) => {
                // Half a line may be written: nothing sensible can follow.
                self.stdin = None;
                let message = format!("did not read its input for {} ms", limit.as_millis());
                Err((FaultCode::Timeout, message))
            }
        }
    }

    async fn write(&mut self, message: &ToBot) -> io::Result<()> {
        match &mut self.stdin {
            Some(stdin) => stdin.write_all(message.to_line().as_bytes()).await,
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// The next line that the bot prints; may be dropped and polled anew.
    ///
    /// # Errors
    /// The fault, if there will be no more lines.
    pub fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<Result<Vec<u8>, Failure>> {
        self.lines.poll_line(cx).map(|line| match line {
            Ok(Line::Text(text)) => Ok(text),
            Ok(Line::TooLong) => Err((
                FaultCode::Protocol,
                format!("printed a line of more than {MAX_LINE} bytes"),
            )),
            Ok(Line::Closed) => Err((FaultCode::Crash, "closed its output".to_owned())),
            Err(error) => Err((
                FaultCode::Crash,
                format!("its output cannot be read: {error}"),
            )),
        })
    }

    /// How the process ended, in words, when its output was closed; waits a moment for it.
    pub async fn exit(&mut self) -> String {
        match timeout(LAST_WORDS, self.child.wait()).await {
            Ok(Ok(status)) => exit_in_words(status),
            _ => "closed its output".to_owned(),
        }
    }

    /// The same without waiting.
    pub fn exit_so_far(&mut self) -> String {
        match self.child.try_wait() {
            Ok(Some(status)) => exit_in_words(status),
            _ => "closed its output".to_owned(),
        }
    }

    /// Ends the bot: asks it to quit, then SIGTERM, then SIGKILL to its whole process group.
    pub async fn end(mut self) {
        let asked = timeout(GRACE, async {
            let _ = self.write(&ToBot::Quit).await;
            self.stdin = None;
            let _ = self.child.wait().await;
        });
        if asked.await.is_err() {
            self.group.signal(Signal::SIGTERM);
            if timeout(GRACE, self.child.wait()).await.is_err() {
                self.group.signal(Signal::SIGKILL);
                let _ = self.child.wait().await;
            }
        }
        // Dropping the group kills what the bot may have left behind.
    }
}

/// Why a program that is there and executable could not be started.
fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        // The program itself was found before.
        io::ErrorKind::NotFound => " (is the interpreter in its first line right?)",
        _ if error.raw_os_error() == Some(nix::libc::ENOEXEC) => {
            " (is it a script whose first line should be `#!` and an interpreter?)"
        }
        _ => "",
    }
}

/// An exit status as part of a sentence.
fn exit_in_words(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => {
            let name = Signal::try_from(signal).map_or("unknown signal", Signal::as_str);
            format!("was ended by signal {signal} ({name})")
        }
        (None, None) => "ended".to_owned(),
    }
}

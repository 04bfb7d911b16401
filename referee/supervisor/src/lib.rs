//! A bot's process: started, introduced, talked to, and ended with everything it started.

pub mod cage;
pub mod keeper;
mod kept;
mod lines;
mod look;
mod meter;
mod nursery;
mod output;
mod own_files;
pub mod pool;
pub mod script;
pub mod shortage;
pub mod spec;
mod stderr;
pub mod suspension;
pub mod trace;
mod transcript;
pub mod tree;
mod watch;

use std::future::poll_fn;
use std::io;
use std::os::fd::AsFd;
use std::pin::pin;
use std::process::Stdio;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use look::Sight;
use nix::sys::stat::fstat;
use protocol::{BotHello, FaultCode, FromBot, MAX_LINE, PROTOCOL, ToBot, excerpt, in_words};
use rustix::io::Errno;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStdin, Command};
use tokio::time::{Instant, timeout};

use cage::Cage;
use cage::limits::Sandbox;
use kept::{Keepers, Kept};
use lines::{Allowed, Line, Lines};
use meter::Meter;
pub use nursery::{Nursery, NurseryError};
use output::Output;
use own_files::Digests;
use spec::{BotSpec, Idle};
pub use stderr::Stderr;
use stderr::Tail;
use trace::Trace;
use transcript::Transcript;

/// How long a bot may take to exit after `quit`, and again after SIGTERM.
const GRACE: Duration = Duration::from_millis(500);
/// How long a bot that closed its output may take to exit, so that its exit status can be told.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// So much of what is no whole line is quoted in sentences.
const QUOTED: usize = 60;

/// What is seen of a bot that has not answered because it is not done.
pub const COMPUTING: &str = "it is still computing";

/// What the referee calls itself in messages and logs.
pub const REFEREE_NAME: &str = concat!("referee ", env!("CARGO_PKG_VERSION"));

/// Why a bot cannot be talked to: the fault, and what happened in words.
pub type Failure = (FaultCode, String);

/// A bot that did not start.
#[derive(Debug)]
pub struct NotStarted {
    /// The fault by which its match is lost.
    pub failure: Failure,
    /// What may explain it, if anything was started for this match.
    pub evidence: Option<Box<Evidence>>,
}

impl From<Failure> for NotStarted {
    fn from(failure: Failure) -> Self {
        NotStarted {
            failure,
            evidence: None,
        }
    }
}

/// What may explain a failure of a bot.
#[derive(Debug)]
pub struct Evidence {
    /// How its process had ended by itself, in words.
    pub exit: Option<String>,
    /// The end of what it printed on stderr.
    pub stderr: Option<String>,
    transcript: Transcript,
}

impl Evidence {
    /// Writes what was said in its last match, an entry a line.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn write_lines(self, out: impl io::Write) -> io::Result<()> {
        self.transcript.write(out)
    }
}

/// A running bot that has introduced itself.
#[derive(Debug)]
pub struct BotProcess {
    kept: Kept,
    /// `None` once it could not be written to.
    stdin: Option<ChildStdin>,
    /// The message that was last sent.
    line: Vec<u8>,
    lines: Lines<Output>,
    tail: Option<Tail>,
    hello: Box<BotHello>,
    /// What its files were when it was started.
    files: Arc<Digests>,
    transcript: Transcript,
    /// When its `hello` must be there.
    deadline: Instant,
    /// Its own `/tmp`, where that is a folder; it is removed with this.
    _tmp: Option<TempDir>,
    meter: Meter,
    idle: Idle,
    /// It is stopped until it is talked to.
    resting: bool,
    /// It has played a match.
    played: bool,
}

impl BotProcess {
    /// Starts a bot and waits for its `hello`.
    ///
    /// # Errors
    /// The fault by which its matches are lost.
    async fn start(
        spec: &BotSpec,
        cage: &Cage,
        stderr: &Stderr,
        keepers: &Arc<Keepers>,
        trace: Option<Trace>,
    ) -> Result<Box<Self>, NotStarted> {
        let mut process = Self::launch(spec, cage, stderr, keepers, trace).await?;
        match process.introduce(spec).await {
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
                let _ = process.send(&error, LAST_WORDS, Instant::now()).await;
                Err(NotStarted {
                    evidence: Some(Box::new(process.end().await)),
                    failure: (code, message),
                })
            }
        }
    }

    /// Starts a bot, without a word to it yet.
    ///
    /// # Errors
    /// The fault by which its matches are lost.
    async fn launch(
        spec: &BotSpec,
        cage: &Cage,
        stderr: &Stderr,
        keepers: &Arc<Keepers>,
        trace: Option<Trace>,
    ) -> Result<Box<Self>, NotStarted> {
        let startup = |message: String| NotStarted::from((FaultCode::Startup, message));
        let prepared = cage.prepare();
        let prepared = prepared.map_err(|error| {
            shortage::note("a bot cannot be confined", &error);
            startup(format!("cannot be confined: {error}"))
        })?;
        let set_up = |keeper: &mut Command| {
            if prepared.clear_env {
                keeper.env_clear();
            }
            keeper.envs(prepared.env).envs(&spec.env);
            keeper.stderr(Stdio::piped());
            shortage::spare(keeper);
        };
        let plan = &prepared.plan;
        let group = (prepared.group, prepared.has_init);
        let limit = spec.time.startup.0.saturating_add(spec.time.margin.0);
        let (kept, pipes) = Kept::start(plan, &spec.dir, set_up, group, keepers, limit)
            .await
            .map_err(|why| startup(format!("`{}` {why}", spec.command[0])))?;
        let resources = cage.resources();
        let output = Allowed::output(MAX_LINE, resources.output_bytes, resources.output_lines);
        let tail = pipes.stderr.map(|pipe| match stderr {
            Stderr::Keep {
                path,
                left,
                all_left,
            } => stderr::keep(pipe, path.clone(), [left.clone(), all_left.clone()]),
            Stderr::PassOn => stderr::pass_on(pipe),
        });
        // On the heap: it is handed around a lot, and futures would carry it on every stack.
        let mut transcript = Transcript::traced(trace);
        transcript.happened(&format!("started: {}", shell_words::join(&spec.command)));
        Ok(Box::new(BotProcess {
            meter: Meter::new(kept.id()),
            idle: spec.idle,
            deadline: Instant::now() + limit,
            transcript,
            resting: false,
            played: false,
            kept,
            _tmp: prepared.tmp,
            stdin: Some(pipes.stdin),
            line: Vec::new(),
            lines: Lines::new(pipes.stdout, output),
            tail,
            files: Arc::default(),
            hello: Box::new(BotHello {
                protocol: PROTOCOL,
                name: spec.name.clone(),
                version: None,
                author: None,
                games: None,
                wants: protocol::Wants::default(),
            }),
        }))
    }

    async fn introduce(&mut self, spec: &BotSpec) -> Result<Box<BotHello>, Failure> {
        let hello = ToBot::Hello {
            protocol: PROTOCOL,
            referee: REFEREE_NAME.to_owned(),
        };
        let left = self.deadline.saturating_duration_since(Instant::now());
        let answer = async {
            // A bot may be gone before it reads; its exit is then the better story.
            let _ = self.tell(&hello).await;
            poll_fn(|cx| self.poll_line(cx)).await
        };
        let line = suspension::timeout(left, answer).await.ok_or_else(|| {
            let startup = in_words(spec.time.startup.0);
            let seen = self.look();
            let why = seen.map_or(" (is its output flushed?)".to_owned(), |s| format!("; {s}"));
            let message = format!("did not say `hello` within {startup}{why}");
            (FaultCode::Startup, message)
        })?;
        match line {
            Ok(_) => {}
            Err((FaultCode::Crash, _)) => {
                let mut message = format!("{} before it said `hello`", self.exit().await);
                if let Some(tail) = &mut self.tail
                    && let Some(line) = tail.last_line(LAST_WORDS).await
                {
                    message.push_str(&format!("; the last it printed on stderr: {line}"));
                }
                if let Some(why) = script::suspicion(spec) {
                    message.push_str(&format!("; {why}"));
                }
                if spec.wanted.sandbox >= Sandbox::Restricted && !spec.shows_dir {
                    message.push_str(
                        " (in its sandbox it sees the files that its command names and no others: \
                         it may need a `dir` of its own, or `readable`)",
                    );
                }
                return Err((FaultCode::Startup, message));
            }
            Err(failure) => return Err(failure),
        }
        match FromBot::from_line(self.line()) {
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

    /// What it seems to do while an answer is waited for, as part of a sentence; `None` where
    /// nothing sure can be said.
    pub fn look(&self) -> Option<String> {
        let rest = self.lines.rest();
        if !rest.is_empty() {
            let begun = excerpt(rest, QUOTED);
            return Some(format!(
                "what it printed, `{begun}`, has no line end, or is not flushed to its end"
            ));
        }
        let pipe = fstat(self.stdin.as_ref()?).ok()?;
        Some(match look::at(self.kept.id(), pipe.st_ino)? {
            Sight::Reading => "it sleeps, waiting for input: is its output flushed?".to_owned(),
            Sight::Computing => COMPUTING.to_owned(),
            Sight::Stopped => "it is stopped, by a signal or a debugger".to_owned(),
        })
    }

    /// The same with what its files were when it was started.
    fn of(mut self: Box<Self>, files: Arc<Digests>) -> Box<Self> {
        self.files = files;
        self
    }

    /// What its files were when it was started.
    pub fn files(&self) -> &Digests {
        &self.files
    }

    /// What the bot said about itself.
    pub fn hello(&self) -> &BotHello {
        &self.hello
    }

    /// The CPU time that all its processes have used so far, which is now; `None` where the
    /// machine does not tell.
    pub fn cpu(&mut self, now: Instant) -> Option<Duration> {
        self.kept.counted_cpu().or_else(|| self.meter.read(now))
    }

    /// Whether this process has played a match.
    pub fn has_played(&self) -> bool {
        self.played
    }

    /// Takes note that it has played a match, and lets it rest.
    pub async fn after_match(&mut self) {
        self.played = true;
        self.rest().await;
    }

    /// Stops its processes until it is talked to again, if it is that kind of tournament. They
    /// rest when this is done.
    pub async fn rest(&mut self) {
        if self.idle == Idle::Freeze && !self.resting {
            self.resting = true;
            self.kept.stop().await;
        }
    }

    /// Lets its processes go on.
    pub async fn wake(&mut self) {
        if std::mem::take(&mut self.resting) {
            self.kept.go_on().await;
        }
    }

    /// Whether the process is still there.
    pub fn is_running(&mut self) -> bool {
        self.stdin.is_some() && self.kept.is_running()
    }

    /// Sends a message, which is now, within `limit`.
    ///
    /// # Errors
    /// The fault, if the bot does not read or is gone.
    pub async fn send(
        &mut self,
        message: &ToBot,
        limit: Duration,
        now: Instant,
    ) -> Result<(), Failure> {
        match message {
            ToBot::Start(_) => {
                self.transcript.begin(now);
                self.lines.allow_anew();
            }
            ToBot::Turn(_) => self.lines.allow_anew(),
            _ => {}
        }
        self.line.clear();
        message.write_line(&mut self.line);
        self.pass_on(limit, now).await
    }

    /// Sends a line, whatever stands in it, within `limit`; the bot may print anew after it.
    ///
    /// # Errors
    /// The fault, if the bot does not read or is gone.
    pub async fn say(&mut self, line: &str, limit: Duration) -> Result<(), Failure> {
        self.lines.allow_anew();
        self.line.clear();
        self.line.extend_from_slice(line.as_bytes());
        self.pass_on(limit, Instant::now()).await
    }

    /// Writes the line that is made, within `limit`.
    async fn pass_on(&mut self, limit: Duration, now: Instant) -> Result<(), Failure> {
        let written = {
            let mut write = pin!(self.write(now));
            // Most go through at once, without a timer.
            match poll_fn(|cx| Poll::Ready(write.as_mut().poll(cx))).await {
                Poll::Ready(written) => Some(written),
                Poll::Pending => suspension::timeout(limit, write).await,
            }
        };
        match written {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) => {
                self.stdin = None;
                let ended = self.kept.exit(LAST_WORDS).await;
                let message = ended.unwrap_or_else(|| "closed its input".to_owned());
                Err((FaultCode::Crash, message))
            }
            None => {
                // Half a line may be written: nothing sensible can follow.
                self.stdin = None;
                let message = format!("did not read its input for {} ms", limit.as_millis());
                Err((FaultCode::Timeout, message))
            }
        }
    }

    /// Sends a message, however long that takes.
    async fn tell(&mut self, message: &ToBot) -> io::Result<()> {
        self.line.clear();
        message.write_line(&mut self.line);
        self.write(Instant::now()).await
    }

    /// Writes the line that is made.
    async fn write(&mut self, now: Instant) -> io::Result<()> {
        match &mut self.stdin {
            Some(stdin) => {
                self.transcript.sent(&self.line, now);
                self.lines.pipe_mut().expect();
                // Nearly always there is room for all of it; to ask first costs.
                let written = match rustix::io::write(stdin.as_fd(), &self.line) {
                    Ok(written) => written,
                    Err(Errno::AGAIN | Errno::INTR) => 0,
                    Err(error) => return Err(error.into()),
                };
                match &self.line[written..] {
                    [] => Ok(()),
                    rest => stdin.write_all(rest).await,
                }
            }
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// The next line that the bot prints is [`BotProcess::line`] when this says when it came; may
    /// be dropped and polled anew.
    ///
    /// # Errors
    /// The fault, if there will be no more lines.
    pub fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<Result<Instant, Failure>> {
        let polled = self.lines.poll_line(cx);
        if polled.is_pending() && self.kept.poll_orphaned(cx).is_ready() {
            // Nobody ends what the bot has started, so its output may stay open for long.
            return Poll::Ready(Err((FaultCode::Crash, "closed its output".to_owned())));
        }
        polled.map(|line| match line {
            Ok(Line::Text) => {
                let now = Instant::now();
                self.transcript.came(self.lines.text(), now);
                Ok(now)
            }
            Ok(Line::TooLong) => Err((
                FaultCode::Protocol,
                format!("printed a line of more than {MAX_LINE} bytes"),
            )),
            Ok(Line::TooMuch(what)) => Err((
                FaultCode::Protocol,
                format!("printed more than {what} since it was asked for something"),
            )),
            Ok(Line::Closed) => Err((FaultCode::Crash, "closed its output".to_owned())),
            Err(error) => Err((
                FaultCode::Crash,
                format!("its output cannot be read: {error}"),
            )),
        })
    }

    /// The line that came last.
    pub fn line(&self) -> &[u8] {
        self.lines.text()
    }

    /// Closes its input, as happens when a referee is gone.
    pub fn close_input(&mut self) {
        if self.stdin.take().is_some() {
            self.transcript.happened("its input was closed");
        }
    }

    /// How the process ended, in words, once it does within a while.
    pub async fn ended(&mut self, within: Duration) -> Option<String> {
        self.kept.exit(within).await
    }

    /// Whether it has ended as a program does in which nothing went wrong.
    pub fn ended_well(&self) -> bool {
        self.kept.ended_well()
    }

    /// How the process ended, in words, when its output was closed; waits a moment for it.
    pub async fn exit(&mut self) -> String {
        let exit = self.kept.exit(LAST_WORDS).await;
        exit.unwrap_or_else(|| "closed its output".to_owned())
    }

    /// Ends the bot: asks it to quit, then SIGTERM, then SIGKILL, with everything it started.
    /// Gives what may explain a failure.
    pub async fn end(mut self: Box<Self>) -> Evidence {
        let exit = self.kept.exit_so_far();
        self.transcript.unread(self.lines.rest());
        self.wake().await;
        let asked = timeout(GRACE, async {
            // It may not read any more.
            let _ = self.tell(&ToBot::Quit).await;
            self.stdin = None;
            self.kept.ended().await;
        });
        if asked.await.is_err() {
            self.kept.ask_to_end().await;
            let _ = timeout(GRACE, self.kept.ended()).await;
        }
        self.kept.end().await;
        let ended = self.kept.exit_so_far();
        self.transcript
            .happened(ended.as_deref().unwrap_or("ended"));
        Evidence {
            exit,
            stderr: match &mut self.tail {
                Some(tail) => Some(tail.text(LAST_WORDS).await),
                None => None,
            },
            transcript: std::mem::replace(&mut self.transcript, Transcript::new()),
        }
    }
}

/// A bot's name, fit for a file's.
pub fn file_name(name: &str) -> String {
    let fit = |c: char| {
        if c.is_alphanumeric() || "-_".contains(c) {
            c
        } else {
            '_'
        }
    };
    name.chars().map(fit).take(60).collect()
}

//! A bot's process, from its start and `hello` to its end.

use std::future::poll_fn;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use nix::sys::stat::fstat;
use protocol::{
    BotHello, Failure, FaultCode, FromBot, MAX_LINE, PROTOCOL, ToBot, Wants, excerpt, faults,
};
use rustix::io::Errno;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe::Sender;
use tokio::time::{Instant, timeout};

use super::failure::{Evidence, NotStarted};
use super::files::Build;
use super::launch::{self, Launched};
use crate::process::cpu_meter::CpuMeter;
use crate::process::handle::{GRACE_PERIOD, ProcessHandle};
use crate::process::stall::{self, Stall};
use crate::process::threads;
use crate::sandbox::build::Sandbox;
use crate::spec::{BotSpec, Idle};
use crate::streams::lines::{LineLimits, LineRead, Lines};
use crate::streams::output::Output;
use crate::streams::stderr::{self, Stderr, Tail};
use crate::streams::trace::Trace;
use crate::streams::transcript::Transcript;
use crate::system::process_tree;
use crate::system::suspension;

/// The time to wait for the exit of a bot that has closed its output, so that its exit status can
/// be reported.
const EXIT_WAIT: Duration = Duration::from_millis(250);
/// Threads are counted no more often than this.
const BETWEEN_COUNTS: Duration = Duration::from_secs(2);
/// Longer than any time limit.
const LONGEST_WAIT: Duration = Duration::from_secs(2 * 366 * 24 * 60 * 60);
/// Sentences quote at most this many characters of output without a line end.
const MAX_QUOTED: usize = 60;

/// The name of the referee in messages and logs.
pub const REFEREE_NAME: &str = concat!("referee ", env!("CARGO_PKG_VERSION"));

/// The input of a start besides the bot's description.
pub(super) struct Surroundings<'a> {
    pub(super) sandbox: &'a Sandbox,
    pub(super) stderr: Stderr,
    pub(super) trace: Option<Trace>,
    pub(super) build: Arc<Build>,
}

/// A running bot, normally after its `hello`.
#[derive(Debug)]
pub struct BotProcess {
    handle: ProcessHandle,
    /// `None` after a failed write.
    stdin: Option<Sender>,
    /// The last message, as it is written.
    line: Vec<u8>,
    lines: Lines<Output>,
    tail: Option<Tail>,
    hello: Box<BotHello>,
    build: Arc<Build>,
    transcript: Transcript,
    /// The deadline of its `hello`.
    hello_deadline: Instant,
    /// Its own `/tmp`, where that is a folder; dropping this removes it.
    tmp: Option<TempDir>,
    meter: CpuMeter,
    idle: Idle,
    /// It is frozen until the next message.
    resting: bool,
    has_played: bool,
    /// When its threads were last counted, or its start.
    threads_counted: Instant,
}

impl BotProcess {
    /// Starts a bot and waits for its `hello`.
    pub(super) async fn start(
        spec: &BotSpec,
        surroundings: Surroundings<'_>,
    ) -> Result<Box<Self>, NotStarted> {
        let mut process = Self::launch(spec, surroundings).await?;
        match process.introduce(spec).await {
            Ok(hello) => {
                process.hello = hello;
                Ok(process)
            }
            Err(failure) => {
                // A bot that waits for input, or whose line has no end, would be late again.
                let waits = matches!(
                    process.stall().await,
                    Some(Stall::Reading | Stall::NoLineEnd(_))
                );
                let error = ToBot::Error {
                    code: failure.code,
                    message: failure.message.clone(),
                };
                // The bot may have stopped reading.
                let _ = process.send(&error, EXIT_WAIT, Instant::now()).await;
                Err(NotStarted {
                    evidence: Some(Box::new(process.end().await)),
                    is_transient: failure.code == FaultCode::Startup && !waits,
                    failure,
                })
            }
        }
    }

    /// Starts a bot without any message to it.
    pub(super) async fn launch(
        spec: &BotSpec,
        surroundings: Surroundings<'_>,
    ) -> Result<Box<Self>, NotStarted> {
        let time_limit = spec.time.startup.0.saturating_add(spec.time.margin.0);
        let launched = launch::launch(spec, surroundings.sandbox, time_limit, |_| {});
        let launched = launched.await.map_err(|error| NotStarted {
            failure: error.failure,
            evidence: None,
            is_transient: error.is_late,
        })?;
        let hello_deadline = Instant::now() + time_limit;
        let mut process = Self::new(spec, surroundings, launched, hello_deadline);
        let command = shell_words::join(&spec.command);
        process.transcript.event(&format!("started: {command}"));
        Ok(process)
    }

    /// On the heap because it is moved a lot, and futures would contain it.
    fn new(
        spec: &BotSpec,
        surroundings: Surroundings<'_>,
        launched: Launched,
        hello_deadline: Instant,
    ) -> Box<Self> {
        let resources = surroundings.sandbox.resources();
        let output = LineLimits::output(MAX_LINE, resources.output_bytes, resources.output_lines);
        let Launched { handle, pipes, tmp } = launched;
        let unread = |error: &_| tracing::warn!("stderr of `{}`: {error}", spec.name);
        let tail = stderr::read(pipes.stderr, surroundings.stderr);
        let tail = tail.inspect_err(unread).ok();
        Box::new(BotProcess {
            meter: CpuMeter::new(handle.pid()),
            idle: spec.idle,
            hello_deadline,
            transcript: Transcript::traced(surroundings.trace),
            resting: false,
            has_played: false,
            threads_counted: Instant::now(),
            handle,
            tmp,
            stdin: Some(pipes.stdin),
            line: Vec::new(),
            lines: Lines::new(pipes.stdout, output),
            tail,
            build: surroundings.build,
            hello: Box::new(BotHello {
                protocol: PROTOCOL,
                name: spec.name.clone(),
                version: None,
                author: None,
                games: None,
                wants: Wants::default(),
                sdk: None,
            }),
        })
    }

    /// Sends `hello` and waits for the bot's.
    async fn introduce(&mut self, spec: &BotSpec) -> Result<Box<BotHello>, Failure> {
        let hello = ToBot::Hello {
            protocol: PROTOCOL,
            referee: REFEREE_NAME.to_owned(),
        };
        let left = self
            .hello_deadline
            .saturating_duration_since(Instant::now());
        let answer = async {
            // If the bot has ended before it reads, its exit says more than this error.
            let _ = self.send_unlimited(&hello).await;
            poll_fn(|cx| self.poll_line(cx)).await
        };
        match suspension::timeout(left, answer).await {
            Some(Ok(_)) => self.read_hello(),
            Some(Err(failure)) if failure.code == FaultCode::Crash => {
                Err(self.crashed_before_hello(spec).await)
            }
            Some(Err(failure)) => Err(failure),
            None => {
                let stall = self.stall().await.map(|stall| stall.to_string());
                Err(faults::no_hello(spec.time.startup.0, stall.as_deref()))
            }
        }
    }

    /// Parses the last line, which should be a `hello`.
    fn read_hello(&self) -> Result<Box<BotHello>, Failure> {
        Err(match FromBot::from_line(self.line()) {
            Ok(FromBot::Hello(hello)) if hello.protocol == PROTOCOL => return Ok(hello),
            Ok(FromBot::Hello(hello)) => faults::other_protocol(hello.protocol),
            Ok(_) => faults::no_introduction(self.line()),
            Err(bad) => faults::bad_line(&bad),
        })
    }

    /// The failure of a bot that has ended instead of saying `hello`, with all evidence.
    async fn crashed_before_hello(&mut self, spec: &BotSpec) -> Failure {
        let exit = self.exit().await;
        let last_line = self.last_line().await;
        let mut failure = faults::gone_before_hello(&exit, last_line.as_deref());
        failure.message.push_str(&launch::hint_at_early_end(spec));
        failure
    }

    /// Diagnoses a missing answer; `None` if nothing is certain. Takes a moment if a thread of the
    /// bot is runnable: [`Stall::Computing`] follows from its use of CPU time.
    ///
    /// An answer may arrive meanwhile: poll once more before you report that there is none.
    pub fn stall(&self) -> impl Future<Output = Option<Stall>> + Send + use<> {
        let rest = self.lines.rest();
        let cut = (!rest.is_empty()).then(|| Stall::NoLineEnd(excerpt(rest, MAX_QUOTED)));
        let pipe = self.stdin.as_ref().and_then(|stdin| fstat(stdin).ok());
        let supervisor = self.handle.pid();
        async move {
            if cut.is_some() {
                return cut;
            }
            let list = || process_tree::descendants(supervisor);
            stall::diagnose(list, pipe?.st_ino).await
        }
    }

    /// The build of the bot at its start.
    pub fn build(&self) -> &Build {
        &self.build
    }

    pub fn hello(&self) -> &BotHello {
        &self.hello
    }

    /// The CPU time that all its processes have used so far; `None` if the machine does not report
    /// it.
    pub fn cpu(&mut self, now: Instant) -> Option<Duration> {
        let counted = self.handle.counted_cpu();
        counted.or_else(|| self.meter.read(now))
    }

    /// True if this process has played a match.
    pub fn has_played(&self) -> bool {
        self.has_played
    }

    /// The number of its threads that have computed so far; `None` if they were counted a moment ago.
    pub(crate) fn computing_threads(&mut self) -> Option<usize> {
        if self.threads_counted.elapsed() < BETWEEN_COUNTS {
            return None;
        }
        self.threads_counted = Instant::now();
        let processes = process_tree::descendants(self.handle.pid());
        Some(threads::that_compute(&processes))
    }

    /// Counts a match, and calls [`BotProcess::rest`].
    pub(crate) async fn after_match(&mut self) {
        self.has_played = true;
        self.rest().await;
    }

    /// Freezes its processes until the next message, if bots are frozen in this tournament. Returns
    /// when they have stopped.
    pub async fn rest(&mut self) {
        if self.idle == Idle::Freeze && !self.resting {
            self.resting = true;
            self.handle.freeze().await;
        }
    }

    /// Thaws its processes if they are frozen.
    pub async fn wake(&mut self) {
        if std::mem::take(&mut self.resting) {
            self.handle.thaw().await;
        }
    }

    /// True if the process has not ended and can be written to, as far as is known.
    pub fn is_running(&mut self) -> bool {
        self.stdin.is_some() && self.handle.is_running()
    }

    /// Sends a message within `time_limit`; `now` is the time.
    ///
    /// # Errors
    /// The fault, if the bot does not read or is gone.
    pub async fn send(
        &mut self,
        message: &ToBot,
        time_limit: Duration,
        now: Instant,
    ) -> Result<(), Failure> {
        match message {
            ToBot::Start(_) => {
                self.transcript.begin(now);
                self.lines.reset_limits();
            }
            ToBot::Turn(_) => self.lines.reset_limits(),
            _ => {}
        }
        if let Some(tail) = &self.tail {
            tail.note(message);
        }
        self.line.clear();
        message.write_line(&mut self.line);
        self.write_within(time_limit, now).await
    }

    /// Sends any line within `time_limit`, and resets the limits on the bot's output.
    ///
    /// # Errors
    /// The fault, if the bot does not read or is gone.
    pub async fn send_line(&mut self, line: &str, time_limit: Duration) -> Result<(), Failure> {
        self.lines.reset_limits();
        self.line.clear();
        self.line.extend_from_slice(line.as_bytes());
        self.write_within(time_limit, Instant::now()).await
    }

    /// Writes the prepared line within `time_limit`.
    async fn write_within(&mut self, time_limit: Duration, now: Instant) -> Result<(), Failure> {
        let written = {
            let mut write = pin!(self.write(now));
            // Most are written at once, without a timer.
            match poll_fn(|cx| Poll::Ready(write.as_mut().poll(cx))).await {
                Poll::Ready(written) => Some(written),
                Poll::Pending => suspension::timeout(time_limit, write).await,
            }
        };
        match written {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) => {
                self.stdin = None;
                let ended = self.handle.exit(EXIT_WAIT).await;
                Err(ended.map_or_else(faults::closed_input, faults::crashed))
            }
            None => {
                // A part of the line may be written, so no other line can follow.
                self.stdin = None;
                Err(faults::does_not_read(time_limit))
            }
        }
    }

    /// Sends a message without a time limit of its own.
    async fn send_unlimited(&mut self, message: &ToBot) -> io::Result<()> {
        self.line.clear();
        message.write_line(&mut self.line);
        self.write(Instant::now()).await
    }

    async fn write(&mut self, now: Instant) -> io::Result<()> {
        let Some(stdin) = &mut self.stdin else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        self.transcript.sent(&self.line, now);
        self.lines.pipe_mut().expect();
        // There is nearly always room for all of it, and to ask first costs time.
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

    /// Ready with the arrival time of the bot's next line, which [`BotProcess::line`] returns.
    /// Nothing is lost if it is not polled to its end.
    ///
    /// # Errors
    /// The fault, if there will be no more lines.
    pub fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<Result<Instant, Failure>> {
        let polled = self.lines.poll_line(cx);
        if polled.is_pending() && self.handle.poll_orphaned(cx).is_ready() {
            // Descendants of the bot may keep its output open for long.
            return Poll::Ready(Err(faults::closed_output()));
        }
        polled.map(|line| {
            Err(match line {
                Ok(LineRead::Text) => {
                    let now = Instant::now();
                    self.transcript.received(self.lines.text(), now);
                    return Ok(now);
                }
                Ok(LineRead::TooLong) => faults::long_line(),
                Ok(LineRead::TooMuch(what)) => faults::too_much_output(&what),
                Ok(LineRead::Closed) => faults::closed_output(),
                Err(error) => faults::unreadable_output(&error),
            })
        })
    }

    /// The bot's last line, without its line end.
    pub fn line(&self) -> &[u8] {
        self.lines.text()
    }

    /// Closes its input, as if the referee were gone.
    pub fn close_input(&mut self) {
        if self.stdin.take().is_some() {
            self.transcript.event("its input was closed");
        }
    }

    /// The end of the process, in words; `None` if it does not end within `time_limit`, not
    /// counting suspensions of the referee.
    pub async fn ended(&mut self, time_limit: Duration) -> Option<String> {
        let ended = self.handle.exit(LONGEST_WAIT);
        match suspension::timeout(time_limit, ended).await {
            Some(how) => how,
            None => self.handle.exit_so_far(),
        }
    }

    /// Its temporary folder, if that is on the disk.
    pub fn tmp(&self) -> Option<&Path> {
        self.tmp.as_ref().map(TempDir::path)
    }

    /// Kills it with all its descendants.
    pub async fn kill(mut self: Box<Self>) {
        self.handle.end().await;
    }

    /// True if it has exited with success, within its limits.
    pub fn ended_well(&self) -> bool {
        self.handle.ended_well()
    }

    /// The end of a process that has closed its output, in words. Waits a moment for it.
    pub async fn exit(&mut self) -> String {
        let exit = self.handle.exit(EXIT_WAIT).await;
        exit.unwrap_or_else(|| "closed its output".to_owned())
    }

    /// The same with the last line of its stderr.
    pub async fn exit_with_stderr(&mut self) -> String {
        let exit = self.exit().await;
        faults::with_stderr(exit, self.last_line().await.as_deref())
    }

    /// The last line of its stderr.
    async fn last_line(&mut self) -> Option<String> {
        self.tail.as_mut()?.last_line(EXIT_WAIT).await
    }

    /// Ends the bot with all its descendants: sends `quit`, then SIGTERM, then SIGKILL. Returns the
    /// evidence for a failure.
    pub async fn end(mut self: Box<Self>) -> Evidence {
        let exit = self.handle.exit_so_far();
        self.transcript.unread(self.lines.rest());
        self.wake().await;
        let begun = Instant::now();
        // The bot may have stopped reading.
        let _ = timeout(GRACE_PERIOD, self.send_unlimited(&ToBot::Quit)).await;
        self.stdin = None;
        let left = GRACE_PERIOD.saturating_sub(begun.elapsed());
        self.handle.end_within(left).await;
        let ended = self.handle.exit_so_far();
        let ended = ended.as_deref().unwrap_or("ended");
        self.transcript.event(ended);
        Evidence {
            exit,
            stderr: match &mut self.tail {
                Some(tail) => Some(tail.text(EXIT_WAIT).await),
                None => None,
            },
            transcript: std::mem::replace(&mut self.transcript, Transcript::new()),
        }
    }
}

//! A session with one process of the bot under test: the exchange of lines, and explanations of
//! silence.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Context, Poll};
use std::time::Duration;

use protocol::{
    BadMessage, BotHello, Failure, FaultCode, FromBot, PROTOCOL, ToBot, excerpt, faults, in_words,
};
use supervisor::spec::shebang::suspicion;
use supervisor::{BotProcess, REFEREE_NAME, Stall};
use tokio::time::{Instant, timeout_at};

use super::encodings::Encoding;
use super::environment::Lab;
use super::finding::{Diagnostic, ExchangedLine, Finding, Note};

/// Lines of the exchange in a finding.
const SHOWN_LINES: usize = 6;
/// Characters of a line in a finding.
const SHOWN: usize = 600;
/// Lines of stderr in a finding.
const STDERR_LINES: usize = 5;
/// The time that a silent bot has after its input was closed.
const LAST_CHANCE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(super) enum Answer {
    Message(FromBot),
    Bad(BadMessage),
    /// Nothing in time.
    Nothing,
    /// The process ended, or closed its output.
    Gone(String),
    /// The bot printed too much.
    Flood(String),
}

/// A process of the bot, with the end of the exchange.
pub(super) struct BotSession<'l> {
    pub(super) lab: &'l Lab,
    pub(super) process: Box<BotProcess>,
    pub(super) encoding: Encoding,
    exchange: VecDeque<ExchangedLine>,
}

impl<'l> BotSession<'l> {
    /// Starts a process.
    pub(super) async fn open(lab: &'l Lab) -> Result<Self, Diagnostic> {
        let process = lab.factory.launch(&lab.spec).await;
        let process = process.map_err(|not| Diagnostic::new(not.failure.message))?;
        Ok(BotSession {
            lab,
            process,
            encoding: Encoding::Plain,
            exchange: VecDeque::new(),
        })
    }

    /// The last lines exchanged.
    pub(super) fn exchange(&self) -> Vec<ExchangedLine> {
        self.exchange.iter().cloned().collect()
    }

    fn note(&mut self, line: ExchangedLine) {
        self.exchange.push_back(line);
        if self.exchange.len() > SHOWN_LINES {
            self.exchange.pop_front();
        }
    }

    /// Sends a message in the encoding of this session. A bot that has stopped reading is noticed when
    /// its answer is due.
    pub(super) async fn send(&mut self, message: &ToBot) {
        for line in self.encoding.lines(message) {
            self.note(ExchangedLine::ToBot(shown(line.as_bytes())));
            let _ = self.process.send_line(&line, self.lab.answer_limit).await;
        }
    }

    /// Ready with the time of the next line; cancel-safe.
    ///
    /// # Errors
    /// If there are no more lines.
    pub(super) fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<Result<Instant, Failure>> {
        let line = self.process.poll_line(cx);
        if let Poll::Ready(Ok(_)) = &line {
            self.note(ExchangedLine::FromBot(shown(self.process.line())));
        }
        line
    }

    /// The last message received.
    pub(super) fn message(&self) -> Result<FromBot, BadMessage> {
        FromBot::from_line(self.process.line())
    }

    /// The next message, unless the deadline comes first.
    pub(super) async fn receive(&mut self, until: Instant) -> Answer {
        let line = timeout_at(until, poll_fn(|cx| self.poll_line(cx))).await;
        match line {
            Err(_) => Answer::Nothing,
            Ok(Ok(_)) => match self.message() {
                Ok(message) => Answer::Message(message),
                Err(bad) => Answer::Bad(bad),
            },
            Ok(Err(failure)) if failure.code == FaultCode::Crash => {
                Answer::Gone(self.process.exit().await)
            }
            Ok(Err(failure)) => Answer::Flood(failure.message),
        }
    }

    /// The answer to the last request, within the lab's limit.
    pub(super) async fn answer(&mut self, asked: &str) -> Result<FromBot, Diagnostic> {
        let until = Instant::now() + self.lab.answer_limit;
        loop {
            match self.receive(until).await {
                Answer::Message(FromBot::Info(_) | FromBot::Offer(_)) => {}
                Answer::Message(message) => return Ok(message),
                other => return Err(self.diagnostic(other, asked).await),
            }
        }
    }

    /// Explains a missing message.
    pub(super) async fn diagnostic(&mut self, answer: Answer, asked: &str) -> Diagnostic {
        match answer {
            Answer::Nothing => self.silence(asked).await,
            Answer::Gone(how) => self.gone(&how, asked).await,
            Answer::Bad(bad) => Diagnostic {
                known: bad.hint.is_some(),
                ..Diagnostic::new(bad.to_string()).fix(
                    "print each message as one JSON object on one line, and nothing else on stdout",
                )
            },
            Answer::Flood(what) => {
                Diagnostic::new(what).fix("print a few short lines from one turn to the next")
            }
            Answer::Message(message) => unexpected(asked, &message),
        }
    }

    /// Explains the end of a process.
    async fn gone(&self, how: &str, asked: &str) -> Diagnostic {
        let script = suspicion(&self.lab.spec.command, &self.lab.spec.dir);
        let fix = match (&script, self.process.ended_well()) {
            (Some(_), _) => "write the script so that its own interpreter runs it",
            (_, true) => "it ended by itself: go on reading until `quit` comes or stdin is closed",
            _ => "what it printed on stderr should say why",
        };
        let stall = self.process.stall().await.map(|stall| stall.to_string());
        let seen = stall.or(script);
        let seen = seen.map(|seen| format!("; {seen}")).unwrap_or_default();
        Diagnostic::new(format!("{how} instead of answering `{asked}`{seen}")).fix(fix)
    }

    /// Explains silence: what the process seems to do, and whether the answer comes when its input is
    /// closed, which makes most programs flush their output.
    async fn silence(&mut self, asked: &str) -> Diagnostic {
        let stall = self.process.stall().await;
        let within = in_words(self.lab.answer_limit);
        self.process.close_input();
        let mut known = false;
        let what = match self.receive(Instant::now() + LAST_CHANCE).await {
            Answer::Message(_) | Answer::Bad(_) => {
                known = true;
                Diagnostic::new(format!(
                    "no answer to `{asked}` within {within}; it came only when the bot's input \
                     was closed"
                ))
                .fix(
                    "flush the output after each message (`print(…, flush=True)` in Python, \
                     `fflush(stdout)` in C), and read line by line, not to the end of the input",
                )
            }
            _ if stall == Some(Stall::Computing) => {
                known = true;
                Diagnostic::new(format!(
                    "no answer to `{asked}` within {within}; {}",
                    Stall::Computing
                ))
                .fix("look for a loop without an end, and look at the clock while thinking")
            }
            _ => {
                let stall = stall.map(|stall| format!("; {stall}")).unwrap_or_default();
                Diagnostic::new(format!("no answer to `{asked}` within {within}{stall}")).fix(
                    "answer `hello`, `start` and `turn`, end each line with `\\n`, and flush it",
                )
            }
        };
        Diagnostic {
            silent: true,
            known,
            ..what
        }
    }

    /// Sends `hello`, and expects a valid answer.
    pub(super) async fn introduce(&mut self) -> Result<BotHello, Diagnostic> {
        let hello = ToBot::Hello {
            protocol: PROTOCOL,
            referee: REFEREE_NAME.to_owned(),
        };
        self.send(&hello).await;
        match self.answer("hello").await? {
            FromBot::Hello(hello) if hello.protocol == PROTOCOL => Ok(*hello),
            FromBot::Hello(hello) => {
                let named = hello.protocol;
                Err(
                    Diagnostic::new(format!("its `hello` says protocol {named}"))
                        .fix(format!("say \"protocol\":{PROTOCOL}")),
                )
            }
            other => Err(unexpected("hello", &other)),
        }
    }

    /// Expects that nothing comes for a while.
    pub(super) async fn expect_silence(&mut self, span: Duration) -> Result<(), Diagnostic> {
        match self.receive(Instant::now() + span).await {
            Answer::Nothing => Ok(()),
            Answer::Message(message) => {
                let name = name(&message);
                Err(Diagnostic::new(faults::unasked(name).message))
            }
            Answer::Gone(how) => Err(Diagnostic::new(format!(
                "{how} before it was asked anything"
            ))),
            other => Err(self.diagnostic(other, "nothing").await),
        }
    }

    /// Expects that the process ends after the last message, with exit code 0.
    pub(super) async fn expect_end(
        &mut self,
        after: &str,
        may_speak: bool,
    ) -> Result<(), Diagnostic> {
        let until = Instant::now() + self.lab.answer_limit;
        loop {
            match self.receive(until).await {
                Answer::Message(_) if may_speak => {}
                Answer::Message(message) => {
                    let name = name(&message);
                    let what = format!("answered `{name}` to {after}, which wants no answer");
                    return Err(Diagnostic::new(what));
                }
                Answer::Nothing | Answer::Gone(_) => break,
                other => return Err(self.diagnostic(other, after).await),
            }
        }
        let left = until.saturating_duration_since(Instant::now());
        let within = in_words(self.lab.answer_limit);
        match self.process.ended(left).await {
            Some(_) if self.process.ended_well() => Ok(()),
            Some(how) => Err(Diagnostic::new(format!("{how} after {after}"))
                .fix("end with code 0; what it printed on stderr should say why it did not")),
            None => Err(Diagnostic {
                known: true,
                ..Diagnostic::new(format!(
                    "the process was still there {within} after {after}"
                ))
                .fix("end the process with code 0 when `quit` comes, and at the end of stdin")
            }),
        }
    }
}

/// The diagnostic for a message of the wrong type.
pub(super) fn unexpected(asked: &str, message: &FromBot) -> Diagnostic {
    let name = name(message);
    let right = match asked {
        "hello" => "hello",
        "start" => "ready",
        _ => "move",
    };
    Diagnostic::new(faults::unexpected(name, asked).message).fix(format!(
        "answer `{asked}` with one `{right}`; only `hello`, `start` and `turn` want an answer"
    ))
}

fn name(message: &FromBot) -> &'static str {
    match message {
        FromBot::Hello(_) => "hello",
        FromBot::Ready {} => "ready",
        FromBot::Move(_) => "move",
        FromBot::Resign {} => "resign",
        FromBot::Fault(_) => "fault",
        FromBot::Info(_) => "info",
        FromBot::Offer(_) => "offer",
    }
}

/// A line for people: cut and escaped.
pub(super) fn shown(line: &[u8]) -> String {
    excerpt(line, SHOWN)
}

/// Runs a check with a process of its own.
pub(super) async fn with_session(
    lab: &Lab,
    check: impl AsyncFnOnce(&mut BotSession<'_>) -> Result<Note, Diagnostic>,
) -> Result<Note, (Box<Finding>, Diagnostic)> {
    let mut session = match BotSession::open(lab).await {
        Ok(session) => session,
        Err(diagnostic) => return Err((finding(&diagnostic, Vec::new(), None), diagnostic)),
    };
    let done = check(&mut session).await;
    let exchange = session.exchange();
    let evidence = session.process.end().await;
    done.map_err(|diagnostic| (finding(&diagnostic, exchange, evidence.stderr), diagnostic))
}

fn finding(
    diagnostic: &Diagnostic,
    exchange: Vec<ExchangedLine>,
    stderr: Option<String>,
) -> Box<Finding> {
    let stderr = stderr.as_deref().map(last_lines);
    Box::new(Finding {
        what: diagnostic.what.clone(),
        said: exchange,
        stderr: stderr.filter(|lines| !lines.is_empty()),
        fixes: diagnostic.fix.iter().cloned().collect(),
    })
}

fn last_lines(stderr: &str) -> String {
    let lines = stderr.lines().filter(|line| !line.trim().is_empty());
    let lines: Vec<&str> = lines.collect();
    let from = lines.len().saturating_sub(STDERR_LINES);
    let lines = lines[from..].iter().map(|line| shown(line.as_bytes()));
    lines.collect::<Vec<_>>().join("\n")
}

//! A session with one process of the bot under test: what is said, what is heard, and what silence
//! means.

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
use super::finding::{Finding, Note, Spoken, Trouble};
use super::lab::Lab;

/// How many of the last lines are shown when a check fails.
const SHOWN_LINES: usize = 6;
/// How many characters of a line are shown.
const SHOWN: usize = 600;
/// How many of the last lines on stderr are shown.
const STDERR_LINES: usize = 5;
/// How long a bot that was silent may take when its input is closed.
const LAST_CHANCE: Duration = Duration::from_secs(2);

/// What came, or did not.
#[derive(Debug)]
pub(super) enum Answer {
    Message(FromBot),
    Bad(BadMessage),
    /// Nothing in time.
    Nothing,
    /// The process ended, or closed its output.
    Gone(String),
    /// It printed too much.
    Flood(String),
}

/// A process of the bot, and what was said lately.
pub(super) struct BotSession<'l> {
    pub(super) lab: &'l Lab,
    pub(super) process: Box<BotProcess>,
    pub(super) encoding: Encoding,
    said: VecDeque<Spoken>,
}

impl<'l> BotSession<'l> {
    /// Starts a process.
    pub(super) async fn open(lab: &'l Lab) -> Result<Self, Trouble> {
        let process = lab.factory.launch(&lab.spec).await;
        let process = process.map_err(|not| Trouble::new(not.failure.message))?;
        Ok(BotSession {
            lab,
            process,
            encoding: Encoding::Plain,
            said: VecDeque::new(),
        })
    }

    /// The lines that were said last.
    pub(super) fn said(&self) -> Vec<Spoken> {
        self.said.iter().cloned().collect()
    }

    fn note(&mut self, spoken: Spoken) {
        self.said.push_back(spoken);
        if self.said.len() > SHOWN_LINES {
            self.said.pop_front();
        }
    }

    /// Sends a message in the encoding of this session. That the bot does not read any more shows when
    /// an answer is waited for.
    pub(super) async fn send(&mut self, message: &ToBot) {
        for line in self.encoding.lines(message) {
            self.note(Spoken::ToBot(shown(line.as_bytes())));
            let _ = self.process.send_line(&line, self.lab.patience).await;
        }
    }

    /// The next line is there when this says when it came; may be dropped and polled again.
    ///
    /// # Errors
    /// If there will be no more lines.
    pub(super) fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<Result<Instant, Failure>> {
        let line = self.process.poll_line(cx);
        if let Poll::Ready(Ok(_)) = &line {
            self.note(Spoken::FromBot(shown(self.process.line())));
        }
        line
    }

    /// The message that came last.
    pub(super) fn message(&self) -> Result<FromBot, BadMessage> {
        FromBot::from_line(self.process.line())
    }

    /// The next message, if it comes by then.
    pub(super) async fn hear(&mut self, until: Instant) -> Answer {
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

    /// The answer to what was just asked, within the lab's patience.
    pub(super) async fn answer(&mut self, asked: &str) -> Result<FromBot, Trouble> {
        let until = Instant::now() + self.lab.patience;
        loop {
            match self.hear(until).await {
                Answer::Message(FromBot::Info(_) | FromBot::Offer(_)) => {}
                Answer::Message(message) => return Ok(message),
                other => return Err(self.trouble(other, asked).await),
            }
        }
    }

    /// What is wrong where no message came.
    pub(super) async fn trouble(&mut self, answer: Answer, asked: &str) -> Trouble {
        match answer {
            Answer::Nothing => self.silence(asked).await,
            Answer::Gone(how) => self.gone(&how, asked).await,
            Answer::Bad(bad) => Trouble {
                known: bad.hint.is_some(),
                ..Trouble::new(bad.to_string()).fix(
                    "print each message as one JSON object on one line, and nothing else on stdout",
                )
            },
            Answer::Flood(what) => {
                Trouble::new(what).fix("print a few short lines from one turn to the next")
            }
            Answer::Message(message) => unexpected(asked, &message),
        }
    }

    /// What is wrong where the process is gone.
    async fn gone(&self, how: &str, asked: &str) -> Trouble {
        let script = suspicion(&self.lab.spec.command, &self.lab.spec.dir);
        let fix = match (&script, self.process.ended_well()) {
            (Some(_), _) => "write the script so that its own interpreter runs it",
            (_, true) => "it ended by itself: go on reading until `quit` comes or stdin is closed",
            _ => "what it printed on stderr should say why",
        };
        let stall = self.process.stall().await.map(|stall| stall.to_string());
        let seen = stall.or(script);
        let seen = seen.map(|seen| format!("; {seen}")).unwrap_or_default();
        Trouble::new(format!("{how} instead of answering `{asked}`{seen}")).fix(fix)
    }

    /// Why nothing came: what the process seems to do, and whether the answer comes when its
    /// input is closed, which makes most programs write what they still hold.
    async fn silence(&mut self, asked: &str) -> Trouble {
        let stall = self.process.stall().await;
        let within = in_words(self.lab.patience);
        self.process.close_input();
        let mut known = false;
        let what = match self.hear(Instant::now() + LAST_CHANCE).await {
            Answer::Message(_) | Answer::Bad(_) => {
                known = true;
                Trouble::new(format!(
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
                Trouble::new(format!(
                    "no answer to `{asked}` within {within}; {}",
                    Stall::Computing
                ))
                .fix("look for a loop without an end, and look at the clock while thinking")
            }
            _ => {
                let stall = stall.map(|stall| format!("; {stall}")).unwrap_or_default();
                Trouble::new(format!("no answer to `{asked}` within {within}{stall}")).fix(
                    "answer `hello`, `start` and `turn`, end each line with `\\n`, and flush it",
                )
            }
        };
        Trouble {
            silent: true,
            known,
            ..what
        }
    }

    /// Says `hello`, and expects a fitting answer.
    pub(super) async fn introduce(&mut self) -> Result<BotHello, Trouble> {
        let hello = ToBot::Hello {
            protocol: PROTOCOL,
            referee: REFEREE_NAME.to_owned(),
        };
        self.send(&hello).await;
        match self.answer("hello").await? {
            FromBot::Hello(hello) if hello.protocol == PROTOCOL => Ok(*hello),
            FromBot::Hello(hello) => {
                let named = hello.protocol;
                Err(Trouble::new(format!("its `hello` says protocol {named}"))
                    .fix(format!("say \"protocol\":{PROTOCOL}")))
            }
            other => Err(unexpected("hello", &other)),
        }
    }

    /// Expects that nothing comes for a while.
    pub(super) async fn expect_silence(&mut self, span: Duration) -> Result<(), Trouble> {
        match self.hear(Instant::now() + span).await {
            Answer::Nothing => Ok(()),
            Answer::Message(message) => {
                let name = name(&message);
                Err(Trouble::new(faults::unasked(name).message))
            }
            Answer::Gone(how) => Err(Trouble::new(format!("{how} before it was asked anything"))),
            other => Err(self.trouble(other, "nothing").await),
        }
    }

    /// Expects that the process ends after the last message, and with exit code 0.
    pub(super) async fn expect_end(&mut self, told: &str, may_speak: bool) -> Result<(), Trouble> {
        let until = Instant::now() + self.lab.patience;
        loop {
            match self.hear(until).await {
                Answer::Message(_) if may_speak => {}
                Answer::Message(message) => {
                    let name = name(&message);
                    let what = format!("answered `{name}` to {told}, which wants no answer");
                    return Err(Trouble::new(what));
                }
                Answer::Nothing | Answer::Gone(_) => break,
                other => return Err(self.trouble(other, told).await),
            }
        }
        let left = until.saturating_duration_since(Instant::now());
        let within = in_words(self.lab.patience);
        match self.process.ended(left).await {
            Some(_) if self.process.ended_well() => Ok(()),
            Some(how) => Err(Trouble::new(format!("{how} after {told}"))
                .fix("end with code 0; what it printed on stderr should say why it did not")),
            None => Err(Trouble {
                known: true,
                ..Trouble::new(format!("the process was still there {within} after {told}"))
                    .fix("end the process with code 0 when `quit` comes, and at the end of stdin")
            }),
        }
    }
}

/// What is wrong where another message was expected.
pub(super) fn unexpected(asked: &str, message: &FromBot) -> Trouble {
    let name = name(message);
    let right = match asked {
        "hello" => "hello",
        "start" => "ready",
        _ => "move",
    };
    Trouble::new(faults::unexpected(name, asked).message).fix(format!(
        "answer `{asked}` with one `{right}`; only `hello`, `start` and `turn` want an answer"
    ))
}

fn name(message: &FromBot) -> &'static str {
    match message {
        FromBot::Hello(_) => "hello",
        FromBot::Ready {} => "ready",
        FromBot::Move(_) => "move",
        FromBot::Resign {} => "resign",
        FromBot::Info(_) => "info",
        FromBot::Offer(_) => "offer",
    }
}

/// A line for people: cut, and without what steers terminals.
pub(super) fn shown(line: &[u8]) -> String {
    excerpt(line, SHOWN)
}

/// Runs a check with a process of its own.
pub(super) async fn with_session(
    lab: &Lab,
    check: impl AsyncFnOnce(&mut BotSession<'_>) -> Result<Note, Trouble>,
) -> Result<Note, (Box<Finding>, Trouble)> {
    let mut session = match BotSession::open(lab).await {
        Ok(session) => session,
        Err(trouble) => return Err((finding(&trouble, Vec::new(), None), trouble)),
    };
    let done = check(&mut session).await;
    let said = session.said();
    let evidence = session.process.end().await;
    done.map_err(|trouble| (finding(&trouble, said, evidence.stderr), trouble))
}

fn finding(trouble: &Trouble, said: Vec<Spoken>, stderr: Option<String>) -> Box<Finding> {
    let stderr = stderr.as_deref().map(last_lines);
    Box::new(Finding {
        what: trouble.what.clone(),
        said,
        stderr: stderr.filter(|lines| !lines.is_empty()),
        fixes: trouble.fix.iter().cloned().collect(),
    })
}

/// The last lines of what was printed.
fn last_lines(stderr: &str) -> String {
    let lines = stderr.lines().filter(|line| !line.trim().is_empty());
    let lines: Vec<&str> = lines.collect();
    let from = lines.len().saturating_sub(STDERR_LINES);
    let lines = lines[from..].iter().map(|line| shown(line.as_bytes()));
    lines.collect::<Vec<_>>().join("\n")
}

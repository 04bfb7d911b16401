//! Talking to one process of the bot under test: what is said, what is heard, and what silence
//! means.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::time::Duration;

use protocol::{BadMessage, BotHello, FaultCode, FromBot, PROTOCOL, ToBot, excerpt};
use serde::Serialize;
use supervisor::bot::shebang::suspicion;
use supervisor::{BotProcess, REFEREE_NAME, Stall};
use tokio::time::{Instant, timeout_at};

use super::Lab;
use super::style::Style;
use protocol::in_words;

/// So many of the last lines are shown when a check fails…
const SHOWN_LINES: usize = 6;
/// … and so many characters of each.
const SHOWN: usize = 600;
/// How long a bot that was silent may take when its input is closed.
const LAST_CHANCE: Duration = Duration::from_secs(2);

/// What is wrong with a bot.
#[derive(Debug)]
pub(super) struct Trouble {
    pub(super) what: String,
    /// How to mend it; what the check says about that comes besides.
    pub(super) mend: Option<String>,
    /// It did not answer at all.
    pub(super) silent: bool,
    /// It answered, but too late.
    pub(super) slow: bool,
    /// The mistake is known, so what usually goes wrong is beside the point.
    pub(super) known: bool,
}

impl Trouble {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Trouble {
            what: what.into(),
            mend: None,
            silent: false,
            slow: false,
            known: false,
        }
    }

    pub(super) fn mend(mut self, how: impl Into<String>) -> Self {
        self.mend = Some(how.into());
        self
    }
}

/// A line that was said, cut where it is long.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Spoken {
    /// By the referee.
    ToBot(String),
    /// By the bot.
    FromBot(String),
}

/// What came.
#[derive(Debug)]
pub(super) enum Heard {
    Message(FromBot),
    Bad(BadMessage),
    /// Nothing in time.
    Nothing,
    /// The process ended, or closed its output.
    Gone(String),
    /// Too much of it.
    Flood(String),
}

/// A process of the bot, and what was said lately.
pub(super) struct Talk<'l> {
    pub(super) lab: &'l Lab,
    pub(super) bot: Box<BotProcess>,
    pub(super) style: Style,
    said: VecDeque<Spoken>,
}

impl<'l> Talk<'l> {
    /// Starts a process.
    pub(super) async fn open(lab: &'l Lab) -> Result<Self, Trouble> {
        let bot = lab.factory.launch(&lab.spec).await;
        let bot = bot.map_err(|not| Trouble::new(not.failure.message))?;
        Ok(Talk {
            lab,
            bot,
            style: Style::Plain,
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

    /// Sends a message in the style of this talk. That the bot does not read any more shows when
    /// an answer is waited for.
    pub(super) async fn tell(&mut self, message: &ToBot) {
        for line in self.style.lines(message) {
            self.note(Spoken::ToBot(shown(line.as_bytes())));
            let _ = self.bot.send_line(&line, self.lab.patience).await;
        }
    }

    /// The next line, if it comes until then.
    pub(super) async fn hear(&mut self, until: Instant) -> Heard {
        let line = timeout_at(until, poll_fn(|cx| self.bot.poll_line(cx))).await;
        match line {
            Err(_) => Heard::Nothing,
            Ok(Ok(_)) => {
                let spoken = Spoken::FromBot(shown(self.bot.line()));
                self.note(spoken);
                match FromBot::from_line(self.bot.line()) {
                    Ok(message) => Heard::Message(message),
                    Err(bad) => Heard::Bad(bad),
                }
            }
            Ok(Err(failure)) if failure.code == FaultCode::Crash => {
                Heard::Gone(self.bot.exit().await)
            }
            Ok(Err(failure)) => Heard::Flood(failure.message),
        }
    }

    /// The answer to what was just asked, within the lab's patience.
    pub(super) async fn answer(&mut self, asked: &str) -> Result<FromBot, Trouble> {
        let until = Instant::now() + self.lab.patience;
        loop {
            match self.hear(until).await {
                Heard::Message(FromBot::Info(_)) => {}
                Heard::Message(message) => return Ok(message),
                other => return Err(self.trouble(other, asked).await),
            }
        }
    }

    /// What is wrong where no message came.
    pub(super) async fn trouble(&mut self, heard: Heard, asked: &str) -> Trouble {
        match heard {
            Heard::Nothing => self.silence(asked).await,
            Heard::Gone(how) => self.gone(&how, asked),
            Heard::Bad(bad) => Trouble {
                known: bad.hint.is_some(),
                ..Trouble::new(bad.to_string()).mend(
                    "print each message as one JSON object on one line, and nothing else on stdout",
                )
            },
            Heard::Flood(what) => {
                Trouble::new(what).mend("print a few short lines from one turn to the next")
            }
            Heard::Message(message) => unexpected(asked, &message),
        }
    }

    /// What is wrong where the process is gone.
    fn gone(&self, how: &str, asked: &str) -> Trouble {
        let script = suspicion(&self.lab.spec.command, &self.lab.spec.dir);
        let mend = match (&script, self.bot.ended_well()) {
            (Some(_), _) => "write the script so that its own interpreter runs it",
            (_, true) => "it ended by itself: go on reading until `quit` comes or stdin is closed",
            _ => "what it printed on stderr should say why",
        };
        let seen = self.bot.stall().map(|stall| stall.to_string()).or(script);
        let seen = seen.map(|seen| format!("; {seen}")).unwrap_or_default();
        Trouble::new(format!("{how} instead of answering `{asked}`{seen}")).mend(mend)
    }

    /// Why nothing came: what the process seems to do, and whether the answer comes when its
    /// input is closed, which makes most programs write what they still hold.
    async fn silence(&mut self, asked: &str) -> Trouble {
        let stall = self.bot.stall();
        let within = in_words(self.lab.patience);
        self.bot.close_input();
        let mut known = false;
        let what = match self.hear(Instant::now() + LAST_CHANCE).await {
            Heard::Message(_) | Heard::Bad(_) => {
                known = true;
                Trouble::new(format!(
                    "no answer to `{asked}` within {within}; it came only when the bot's input \
                     was closed"
                ))
                .mend(
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
                .mend("look for a loop without an end, and look at the clock while thinking")
            }
            _ => {
                let stall = stall.map(|stall| format!("; {stall}")).unwrap_or_default();
                Trouble::new(format!("no answer to `{asked}` within {within}{stall}")).mend(
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
        self.tell(&hello).await;
        match self.answer("hello").await? {
            FromBot::Hello(hello) if hello.protocol == PROTOCOL => Ok(*hello),
            FromBot::Hello(hello) => {
                let told = hello.protocol;
                Err(Trouble::new(format!("its `hello` says protocol {told}"))
                    .mend(format!("say \"protocol\":{PROTOCOL}")))
            }
            other => Err(unexpected("hello", &other)),
        }
    }

    /// Expects that nothing comes for a while.
    pub(super) async fn expect_silence(&mut self, span: Duration) -> Result<(), Trouble> {
        match self.hear(Instant::now() + span).await {
            Heard::Nothing => Ok(()),
            Heard::Message(message) => {
                let name = name(&message);
                Err(Trouble::new(format!("said `{name}` without being asked")))
            }
            Heard::Gone(how) => Err(Trouble::new(format!("{how} before it was asked anything"))),
            other => Err(self.trouble(other, "nothing").await),
        }
    }

    /// Expects that the process ends, and well, after what it was just told.
    pub(super) async fn expect_end(&mut self, told: &str, may_speak: bool) -> Result<(), Trouble> {
        let until = Instant::now() + self.lab.patience;
        loop {
            match self.hear(until).await {
                Heard::Message(_) if may_speak => {}
                Heard::Message(message) => {
                    let name = name(&message);
                    let what = format!("answered `{name}` to {told}, which wants no answer");
                    return Err(Trouble::new(what));
                }
                Heard::Nothing | Heard::Gone(_) => break,
                other => return Err(self.trouble(other, told).await),
            }
        }
        let left = until.saturating_duration_since(Instant::now());
        let within = in_words(self.lab.patience);
        match self.bot.ended(left).await {
            Some(_) if self.bot.ended_well() => Ok(()),
            Some(how) => Err(Trouble::new(format!("{how} after {told}"))
                .mend("end with code 0; what it printed on stderr should say why it did not")),
            None => Err(Trouble {
                known: true,
                ..Trouble::new(format!("the process was still there {within} after {told}"))
                    .mend("end the process with code 0 when `quit` comes, and at the end of stdin")
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
    Trouble::new(format!("answered `{asked}` with `{name}`")).mend(format!(
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
    }
}

/// A line for people: cut, and without what steers terminals.
pub(super) fn shown(line: &[u8]) -> String {
    excerpt(line, SHOWN)
}

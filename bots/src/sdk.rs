//! For bots in Rust: the trait that a bot implements, and the loop that talks to the referee.
//!
//! A bot that plays the first legal move of every game:
//!
//! ```
//! use bots::sdk::{self, Bot, BotError, Choice};
//! use protocol::{BotHello, PROTOCOL, Turn, Wants};
//!
//! struct First;
//!
//! impl Bot for First {
//!     fn hello(&self) -> BotHello {
//!         BotHello {
//!             wants: Wants { state: false, legal: true },
//!             ..sdk::hello("first")
//!         }
//!     }
//!
//!     fn choose(&mut self, turn: &Turn) -> Result<Choice, BotError> {
//!         let legal = turn.legal.as_ref().ok_or("the referee sent no moves")?;
//!         Ok(Choice::play(&legal[0]))
//!     }
//! }
//!
//! // A real bot's `main` gives `std::io::stdin().lock()` and `std::io::stdout()`.
//! let input = concat!(
//!     r#"{"type":"hello","protocol":1,"referee":"referee 0.1.0"}"#, "\n",
//!     r#"{"type":"turn","ply":3,"moves":[],"legal":["a1-b2","a1-c3"],"clock":{}}"#, "\n",
//!     r#"{"type":"quit"}"#, "\n",
//! );
//! let mut output = Vec::new();
//! sdk::run(&mut First, input.as_bytes(), &mut output).unwrap();
//! let answers = String::from_utf8(output).unwrap();
//! assert!(answers.ends_with("{\"type\":\"move\",\"move\":\"a1-b2\",\"ply\":3}\n"));
//! # assert_eq!(PROTOCOL, 1);
//! ```

use std::io::{self, BufRead, ErrorKind, Write};

use protocol::{
    BadMessage, BotHello, BotInfo, BotMove, End, FaultCode, FromBot, NoMove, NoMoveCode, Offer,
    PROTOCOL, Start, ToBot, Turn, Wants,
};
use serde_json::Value;
use thiserror::Error;

/// The reason why a bot cannot go on; the process should then exit.
pub type BotError = Box<dyn std::error::Error + Send + Sync>;

/// A bot's own part; [`run`] reads and writes the messages.
pub trait Bot {
    /// The answer to the referee's `hello`.
    fn hello(&self) -> BotHello;

    /// Called when a match begins, before its first turn.
    ///
    /// # Errors
    /// If the bot cannot play it.
    fn start(&mut self, start: &Start) -> Result<(), BotError> {
        let _ = start;
        Ok(())
    }

    /// Chooses what to do in the bot's turn.
    ///
    /// # Errors
    /// If the bot cannot go on.
    fn choose(&mut self, turn: &Turn) -> Result<Choice, BotError>;

    /// The same for a bot that reports its thinking meanwhile: [`run`] sends each object that `report`
    /// is given as an `info` message. By default nothing is reported.
    ///
    /// # Errors
    /// If the bot cannot go on.
    fn think(&mut self, turn: &Turn, report: &mut dyn FnMut(Value)) -> Result<Choice, BotError> {
        let _ = report;
        self.choose(turn)
    }

    /// Called when the bot has lost the match by a fault. By default the fault is printed on stderr,
    /// which the referee keeps.
    fn fault(&mut self, code: FaultCode, message: &str) {
        eprintln!("fault `{code}`: {message}");
    }

    /// Called when the match is over.
    fn end(&mut self, end: &End) {
        let _ = end;
    }
}

/// The action of a bot in its turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// Plays a move.
    Move {
        /// The move as the game writes it.
        mv: String,
        /// Anything for the log; conventional fields are `depth`, `nodes`, `value`, `pv` and `text`.
        info: Option<Value>,
        /// An offer to end the match now, where the match takes offers.
        offer: Option<Offer>,
    },
    /// Gives up the match.
    Resign,
    /// There is no move to give, for this reason: the match is lost by the fault `no_move`.
    NoMove(String),
}

impl Choice {
    /// A move, and no more.
    pub fn play(mv: impl Into<String>) -> Self {
        Choice::Move {
            mv: mv.into(),
            info: None,
            offer: None,
        }
    }
}

/// The reason why [`run`] ended before `quit` or the end of the input.
#[derive(Debug, Error)]
pub enum Error {
    /// Reading the input failed.
    #[error("cannot read the referee's messages")]
    Read(#[source] io::Error),
    /// Writing the output failed.
    #[error("cannot write the answer")]
    Write(#[source] io::Error),
    /// A line of the input is not a message.
    #[error("the referee sent a line that is not a message: {0}")]
    Message(#[from] BadMessage),
    /// The bot itself failed.
    #[error("{0}")]
    Bot(BotError),
}

/// The `hello` of a bot with this name that plays all games and wants all fields.
pub fn hello(name: &str) -> BotHello {
    BotHello {
        protocol: PROTOCOL,
        name: name.to_owned(),
        version: None,
        author: None,
        games: None,
        wants: Wants::default(),
        sdk: Some(concat!("rust ", env!("CARGO_PKG_VERSION")).to_owned()),
    }
}

/// Answers the referee's messages until `quit`, the end of the input, or until nobody reads the output
/// any more. Messages and fields that this version does not know are ignored.
///
/// # Errors
/// If reading or writing fails, a line is not a message, or the bot fails.
pub fn run<B, R, W>(bot: &mut B, mut input: R, mut output: W) -> Result<(), Error>
where
    B: Bot + ?Sized,
    R: BufRead,
    W: Write,
{
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line).map_err(Error::Read)? == 0 {
            return Ok(());
        }
        let Some(message) = parse(&line)? else {
            continue;
        };
        if message == ToBot::Quit {
            return Ok(());
        }
        let report = &mut |info| report(&mut output, info);
        for answer in handle(bot, message, report).map_err(Error::Bot)? {
            match send(&mut output, &answer) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
                result => result.map_err(Error::Write)?,
            }
        }
    }
}

/// Parses a line; `None` for one to ignore.
fn parse(line: &[u8]) -> Result<Option<ToBot>, BadMessage> {
    let is_of_unknown_type = |line: &[u8]| {
        const KNOWN: [&str; 6] = ["hello", "start", "turn", "error", "end", "quit"];
        let kind = serde_json::from_slice::<Value>(line).ok();
        let kind = kind.as_ref().and_then(|message| message["type"].as_str());
        kind.is_some_and(|kind| !KNOWN.contains(&kind))
    };
    match ToBot::from_line(line) {
        Ok(message) => Ok(Some(message)),
        Err(_) if line.trim_ascii().is_empty() || is_of_unknown_type(line) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Hands a message to the bot; returns its answer, which may take several messages or none.
fn handle<B: Bot + ?Sized>(
    bot: &mut B,
    message: ToBot,
    report: &mut dyn FnMut(Value),
) -> Result<Vec<FromBot>, BotError> {
    Ok(match message {
        ToBot::Hello { .. } => vec![FromBot::Hello(Box::new(bot.hello()))],
        ToBot::Start(start) => {
            bot.start(&start)?;
            vec![FromBot::Ready {}]
        }
        ToBot::Turn(turn) => match bot.think(&turn, report)? {
            Choice::Move { mv, info, offer } => {
                let mv = FromBot::Move(BotMove {
                    mv: mv.into(),
                    ply: Some(turn.ply),
                    info,
                });
                offer.map(FromBot::Offer).into_iter().chain([mv]).collect()
            }
            Choice::Resign => vec![FromBot::Resign {}],
            Choice::NoMove(reason) => vec![FromBot::Fault(NoMove {
                code: NoMoveCode::NoMove,
                message: Some(reason),
            })],
        },
        ToBot::Error { code, message } => {
            bot.fault(code, &message);
            Vec::new()
        }
        ToBot::End(end) => {
            bot.end(&end);
            Vec::new()
        }
        ToBot::Quit => Vec::new(),
    })
}

/// Sends the fields of an object as `info`. If nobody reads them, that shows when the answer is sent.
fn report(output: &mut impl Write, info: Value) {
    if let Value::Object(fields) = info {
        let _ = send(output, &FromBot::Info(BotInfo { fields }));
    }
}

/// Writes a message and flushes it: a message left in a buffer loses the match on time.
fn send(output: &mut impl Write, message: &FromBot) -> io::Result<()> {
    output.write_all(message.to_line().as_bytes())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Resigns at once, and counts the faults and ends that it is told of.
    #[derive(Default)]
    struct Counter {
        faults: u32,
        ends: u32,
    }

    impl Bot for Counter {
        fn hello(&self) -> BotHello {
            hello("counter")
        }

        fn choose(&mut self, turn: &Turn) -> Result<Choice, BotError> {
            if turn.ply == 99 {
                return Err("out of ideas".into());
            }
            Ok(Choice::Resign)
        }

        fn fault(&mut self, _code: FaultCode, _message: &str) {
            self.faults += 1;
        }

        fn end(&mut self, _end: &End) {
            self.ends += 1;
        }
    }

    fn talk(input: &str) -> (Counter, Result<(), Error>, String) {
        let (mut bot, mut output) = (Counter::default(), Vec::new());
        let result = run(&mut bot, input.as_bytes(), &mut output);
        (bot, result, String::from_utf8(output).unwrap())
    }

    /// Reports something, not always an object, before it resigns.
    struct Talker;

    impl Bot for Talker {
        fn hello(&self) -> BotHello {
            hello("talker")
        }

        fn choose(&mut self, _turn: &Turn) -> Result<Choice, BotError> {
            Ok(Choice::Resign)
        }

        fn think(
            &mut self,
            turn: &Turn,
            report: &mut dyn FnMut(Value),
        ) -> Result<Choice, BotError> {
            report(serde_json::json!({"depth": turn.lines}));
            report(Value::Null);
            self.choose(turn)
        }
    }

    #[test]
    fn what_is_reported_is_sent_as_info() {
        let turn = r#"{"type":"turn","ply":0,"moves":[],"clock":{},"lines":3}"#;
        let mut output = Vec::new();
        run(&mut Talker, turn.as_bytes(), &mut output).unwrap();
        let expected = "{\"type\":\"info\",\"depth\":3}\n{\"type\":\"resign\"}\n";
        assert_eq!(String::from_utf8(output).unwrap(), expected);
    }

    const TURN: &str = r#"{"type":"turn","ply":0,"moves":[],"clock":{},"weather":"fine"}"#;

    #[test]
    fn unknown_messages_and_fields_are_ignored() {
        let input = format!("{{\"type\":\"applause\",\"volume\":11}}\n\r\n\n{TURN}\r\n");
        let (_, result, output) = talk(&input);
        result.unwrap();
        assert_eq!(output, "{\"type\":\"resign\"}\n");
    }

    #[test]
    fn quit_and_a_closed_input_end_the_loop() {
        let quit = format!("{{\"type\":\"quit\"}}\n{TURN}\n");
        for input in ["", &quit, TURN] {
            let (_, result, output) = talk(input);
            result.unwrap();
            assert_eq!(output.lines().count(), usize::from(input == TURN));
        }
    }

    #[test]
    fn faults_and_ends_are_passed_on_and_not_answered() {
        let (bot, result, output) = talk(concat!(
            r#"{"type":"error","code":"timeout","message":"too late"}"#,
            "\n",
            r#"{"type":"end","moves":[],"result":{"scores":[0,1],"outcome":[0,1],"reason":"forfeit"}}"#,
            "\n",
        ));
        result.unwrap();
        assert_eq!((bot.faults, bot.ends, output.as_str()), (1, 1, ""));
    }

    #[test]
    fn nonsense_and_failures_of_the_bot_are_errors() {
        let (_, result, _) = talk("hello\n");
        assert!(matches!(result, Err(Error::Message(_))));
        let (_, result, _) = talk("{\"type\":\"turn\"}\n");
        assert!(matches!(result, Err(Error::Message(_))));
        let (_, result, _) = talk(&TURN.replace('0', "99"));
        assert_eq!(result.unwrap_err().to_string(), "out of ideas");
    }

    #[test]
    fn a_closed_output_ends_the_loop() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        run(&mut Counter::default(), TURN.as_bytes(), Closed).unwrap();
    }
}

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
    BadMessage, BotHello, BotMove, End, FaultCode, FromBot, PROTOCOL, Start, ToBot, Turn, Wants,
};
use serde_json::Value;
use thiserror::Error;

/// Whatever keeps a bot from going on; the process should then exit.
pub type BotError = Box<dyn std::error::Error + Send + Sync>;

/// A bot: what differs between bots, without reading and writing messages.
pub trait Bot {
    /// How it introduces itself.
    fn hello(&self) -> BotHello;

    /// A match begins.
    ///
    /// # Errors
    /// If the bot cannot play it.
    fn start(&mut self, start: &Start) -> Result<(), BotError> {
        let _ = start;
        Ok(())
    }

    /// It is the bot's turn.
    ///
    /// # Errors
    /// If the bot cannot go on.
    fn choose(&mut self, turn: &Turn) -> Result<Choice, BotError>;

    /// The bot lost the match by a fault. By default it says so on stderr, which the referee
    /// keeps.
    fn fault(&mut self, code: FaultCode, message: &str) {
        eprintln!("fault `{code}`: {message}");
    }

    /// The match is over.
    fn end(&mut self, end: &End) {
        let _ = end;
    }
}

/// What a bot does with its turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// It moves.
    Move {
        /// The move's text.
        mv: String,
        /// What it thought, for the log: by custom `depth`, `nodes`, `value`, `pv` and `text`.
        info: Option<Value>,
    },
    /// It gives the match up.
    Resign,
}

impl Choice {
    /// A move about which there is nothing to tell.
    pub fn play(mv: impl Into<String>) -> Self {
        Choice::Move {
            mv: mv.into(),
            info: None,
        }
    }
}

/// Why the loop ended before `quit` or the end of the input.
#[derive(Debug, Error)]
pub enum Error {
    /// The input could not be read.
    #[error("the referee's messages could not be read")]
    Read(#[source] io::Error),
    /// The output could not be written.
    #[error("the answer could not be written")]
    Write(#[source] io::Error),
    /// The referee sent something else than a message.
    #[error("the referee sent something strange: {0}")]
    Message(#[from] BadMessage),
    /// The bot gave up.
    #[error("{0}")]
    Bot(BotError),
}

/// A `hello` for a bot of this name that plays all games and wants all fields.
pub fn hello(name: &str) -> BotHello {
    BotHello {
        protocol: PROTOCOL,
        name: name.to_owned(),
        version: None,
        author: None,
        games: None,
        wants: Wants::default(),
    }
}

/// Answers the referee's messages until `quit`, the end of the input, or an output that nobody
/// reads any more. Messages and fields that this version does not know are passed over.
///
/// # Errors
/// If reading or writing fails, a line is not a message, or the bot gives up.
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
        let Some(message) = understand(&line)? else {
            continue;
        };
        if message == ToBot::Quit {
            return Ok(());
        }
        let Some(answer) = react(bot, message).map_err(Error::Bot)? else {
            continue;
        };
        match send(&mut output, &answer) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            result => result.map_err(Error::Write)?,
        }
    }
}

/// The message of a line; `None` for one to pass over.
fn understand(line: &[u8]) -> Result<Option<ToBot>, BadMessage> {
    let from_the_future = |line: &[u8]| {
        const KNOWN: [&str; 6] = ["hello", "start", "turn", "error", "end", "quit"];
        let kind = serde_json::from_slice::<Value>(line).ok();
        let kind = kind.as_ref().and_then(|message| message["type"].as_str());
        kind.is_some_and(|kind| !KNOWN.contains(&kind))
    };
    match ToBot::from_line(line) {
        Ok(message) => Ok(Some(message)),
        Err(_) if line.trim_ascii().is_empty() || from_the_future(line) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Hands a message to the bot; gives the answer that it asks for.
fn react<B: Bot + ?Sized>(bot: &mut B, message: ToBot) -> Result<Option<FromBot>, BotError> {
    Ok(match message {
        ToBot::Hello { .. } => Some(FromBot::Hello(Box::new(bot.hello()))),
        ToBot::Start(start) => {
            bot.start(&start)?;
            Some(FromBot::Ready {})
        }
        ToBot::Turn(turn) => Some(match bot.choose(&turn)? {
            Choice::Move { mv, info } => FromBot::Move(BotMove {
                mv: mv.into(),
                ply: Some(turn.ply),
                info,
            }),
            Choice::Resign => FromBot::Resign {},
        }),
        ToBot::Error { code, message } => {
            bot.fault(code, &message);
            None
        }
        ToBot::End(end) => {
            bot.end(&end);
            None
        }
        ToBot::Quit => None,
    })
}

/// Writes a message at once: one that stays in a buffer is a lost match.
fn send(output: &mut impl Write, message: &FromBot) -> io::Result<()> {
    output.write_all(message.to_line().as_bytes())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Resigns after having counted what it was told.
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

    const TURN: &str = r#"{"type":"turn","ply":0,"moves":[],"clock":{},"weather":"fine"}"#;

    #[test]
    fn what_is_unknown_is_passed_over() {
        let input = format!("{{\"type\":\"applause\",\"volume\":11}}\n\r\n\n{TURN}\r\n");
        let (_, result, output) = talk(&input);
        result.unwrap();
        assert_eq!(output, "{\"type\":\"resign\"}\n");
    }

    #[test]
    fn quit_and_a_closed_input_end_it() {
        let quit = format!("{{\"type\":\"quit\"}}\n{TURN}\n");
        for input in ["", &quit, TURN] {
            let (_, result, output) = talk(input);
            result.unwrap();
            assert_eq!(output.lines().count(), usize::from(input == TURN));
        }
    }

    #[test]
    fn faults_and_ends_are_told_and_not_answered() {
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
    fn nonsense_and_a_bot_that_gives_up_are_errors() {
        let (_, result, _) = talk("hello\n");
        assert!(matches!(result, Err(Error::Message(_))));
        let (_, result, _) = talk("{\"type\":\"turn\"}\n");
        assert!(matches!(result, Err(Error::Message(_))));
        let (_, result, _) = talk(&TURN.replace('0', "99"));
        assert_eq!(result.unwrap_err().to_string(), "out of ideas");
    }

    #[test]
    fn an_output_that_nobody_reads_ends_it() {
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

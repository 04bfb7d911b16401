//! Messages as lines: writing them, reading them, and saying what is wrong with a line that is none.

use std::fmt;

use serde::Deserialize;
use serde_json::error::Category;
use thiserror::Error;

use crate::json::{lenient, line};
use crate::messages::{BotMove, FromBot, ToBot, fast_path, hints};
use crate::shown::excerpt;

/// A line that is not a message.
#[derive(Debug, Error)]
#[error("{reason}; the line was `{line}`{}", hint.map(|hint| format!(" ({hint})")).unwrap_or_default())]
pub struct BadMessage {
    /// The fault in the line.
    pub reason: String,
    /// The start of the line, made fit for a terminal.
    pub line: String,
    /// The usual cause and how to fix it, if there is one.
    pub hint: Option<&'static str>,
}

impl ToBot {
    /// The message as a line.
    pub fn to_line(&self) -> String {
        let mut line = Vec::new();
        self.write_line(&mut line);
        String::from_utf8(line).expect("JSON is text")
    }

    /// Appends the message as a line.
    pub fn write_line(&self, out: &mut Vec<u8>) {
        match self {
            ToBot::Turn(turn) => fast_path::write_turn(turn, out),
            other => line::append(other, out),
        }
    }

    /// Reads a line, with or without its end.
    ///
    /// # Errors
    /// If it is not a message of the referee.
    pub fn from_line(line: &[u8]) -> Result<Self, BadMessage> {
        read(line, Sender::Referee)
    }
}

impl FromBot {
    /// The message as a line.
    pub fn to_line(&self) -> String {
        line::to_line(self)
    }

    /// Reads a line, with or without its end.
    ///
    /// # Errors
    /// If it is not a message of a bot.
    pub fn from_line(line: &[u8]) -> Result<Self, BadMessage> {
        if let Some(mv) = fast_path::read_move(line) {
            return Ok(FromBot::Move(mv));
        }
        let mut message = match serde_json::from_slice(line) {
            Ok(message) => message,
            Err(error) => match lenient::repaired(line) {
                Some(repaired) => serde_json::from_slice(&repaired)
                    .map_err(|error| bad_message(line, Sender::Bot, &error))?,
                None => return Err(bad_message(line, Sender::Bot, &error)),
            },
        };
        if lenient::may_be_deep(line) {
            match &mut message {
                FromBot::Move(BotMove { info, .. }) => info.iter_mut().for_each(lenient::cut),
                FromBot::Info(info) => info.fields.values_mut().for_each(lenient::cut),
                _ => {}
            }
        }
        Ok(message)
    }
}

/// The side that sends a kind of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sender {
    Referee,
    Bot,
}

impl fmt::Display for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sender::Referee => "the referee",
            Sender::Bot => "a bot",
        })
    }
}

fn read<'a, T: Deserialize<'a>>(line: &'a [u8], sender: Sender) -> Result<T, BadMessage> {
    serde_json::from_slice(line).map_err(|error| bad_message(line, sender, &error))
}

/// Explains why a line could not be read.
fn bad_message(line: &[u8], sender: Sender, error: &serde_json::Error) -> BadMessage {
    let is_json = error.classify() == Category::Data;
    let reason = if line.trim_ascii().is_empty() {
        "an empty line".to_owned()
    } else if !is_json {
        format!("not JSON: {error}")
    } else if !line.trim_ascii_start().starts_with(b"{") {
        format!("not a message of {sender}: those are JSON objects")
    } else {
        format!("not a message of {sender}: {error}")
    };
    // The error quotes the line, however long it is and with its escapes resolved.
    BadMessage {
        hint: hints::hint(line, is_json).filter(|_| sender == Sender::Bot),
        reason: excerpt(reason.as_bytes(), 300),
        line: excerpt(line, 120),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::Wants;

    #[test]
    fn the_contracts_examples_are_read() {
        let hello = r#"{"type":"hello","protocol":1,"name":"alpha","version":"1.2","author":"…","games":["siam"],"wants":{"state":true,"legal":false},"colour":"red"}"#;
        let FromBot::Hello(hello) = FromBot::from_line(hello.as_bytes()).unwrap() else {
            panic!("not a hello")
        };
        assert!(hello.wants.state && !hello.wants.legal);
        let short = FromBot::from_line(br#"{"type":"hello","protocol":1,"name":"x"}"#).unwrap();
        assert!(matches!(short, FromBot::Hello(h) if h.wants == Wants::default()));
        for (text, expected) in [
            (r#"{"type":"ready","more":1}"#, FromBot::Ready {}),
            ("{\"type\":\"resign\"}\r\n", FromBot::Resign {}),
        ] {
            assert_eq!(FromBot::from_line(text.as_bytes()).unwrap(), expected);
        }
        for line in [
            r#"{"type":"move","move":"a1","ply":3,"info":{"depth":2},"more":1}"#,
            r#"{"move":"a1","info":{"depth":2},"ply":3,"type":"move"}"#,
            r#"{"type":"mov\u0065","move":"a\u0031","ply":3,"info":{"depth":2}}"#,
        ] {
            let FromBot::Move(mv) = FromBot::from_line(line.as_bytes()).unwrap() else {
                panic!("not a move")
            };
            let depth = mv.info.map(|info| info["depth"].clone());
            assert_eq!((&*mv.mv, mv.ply, depth), ("a1", Some(3), Some(2.into())));
        }
        let info = FromBot::from_line(br#"{"type":"info","depth":3}"#).unwrap();
        assert!(matches!(info, FromBot::Info(info) if info.fields["depth"] == 3));
    }

    #[test]
    fn bad_lines_say_what_is_wrong() {
        let reason = |line: &[u8]| FromBot::from_line(line).unwrap_err().to_string();
        assert!(reason(b"hello").starts_with("not JSON"));
        assert!(reason(b"\xff\xfe").starts_with("not JSON"));
        assert!(reason(b"{'type': 'ready'}").contains("{'type': 'ready'}"));
        assert!(reason(br#"{"type":"mvoe","move":"a1"}"#).starts_with("not a message of a bot"));
        assert!(reason(br#"{"type":"move","move":7}"#).contains("expected a string"));
        assert!(reason(br#"{"type":"move","move":"a","move":"b"}"#).contains("duplicate field"));
        assert!(reason(b"\r").starts_with("an empty line"));
        assert!(reason(b"1").contains("those are JSON objects"));
        assert!(reason("[".repeat(100_000).as_bytes()).len() < 700);
    }

    #[test]
    fn numbers_of_bots_are_written_as_they_were_read() {
        let line = r#"{"type":"info","value":2.1844674407370954,"other":2.184467440737095}"#;
        let info = FromBot::from_line(line.as_bytes()).unwrap();
        assert_eq!(info.to_line().trim_end(), line);
        assert_eq!(FromBot::from_line(info.to_line().as_bytes()).unwrap(), info);
    }

    #[test]
    fn bad_lines_cannot_flood_logs_or_steer_terminals() {
        let reason = |line: &str| FromBot::from_line(line.as_bytes()).unwrap_err().to_string();
        let long = reason(&format!(r#"{{"type":"{}"}}"#, "x".repeat(100_000)));
        assert!(long.len() < 700, "{}", long.len());
        for line in [r#"{"type":"\u001b[2J\n"}"#, "{\"type\":\"\u{1b}[2J\""] {
            assert!(!reason(line).contains(char::is_control), "{line}");
        }
    }
}

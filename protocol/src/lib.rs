//! The wire: messages between referee and bots, the forward model's requests and answers, and
//! the match log. `PROTOCOL.md` beside this crate tells the same to people who write bots.
//!
//! ```
//! use protocol::{FromBot, ToBot};
//!
//! let line = r#"{"type":"move","move":"d1-d7/g7","ply":0}"#;
//! let FromBot::Move(answer) = FromBot::from_line(line.as_bytes()).unwrap() else { panic!() };
//! assert_eq!(answer.mv, "d1-d7/g7");
//! assert_eq!(ToBot::Quit.to_line(), "{\"type\":\"quit\"}\n");
//! ```

mod log;
mod messages;
mod mistakes;
mod model;
mod move_list;
mod quick;
pub mod schema;
mod shown;
mod time;

pub use log::{
    Conditions, Confined, CpuTimeBy, Enforced, LOG_FORMAT, Load, LoggedMove, Player, Record,
};
pub use messages::{
    BadMessage, BotHello, BotInfo, BotMove, End, Fault, FaultCode, FromBot, Limits, MatchResult,
    MoveText, Opponent, PlayedMove, Start, ToBot, Turn, Wants,
};
pub use model::{Answer, ModelError, Op, Request, Want};
pub use move_list::MoveList;
pub use shown::{excerpt, push_escaped, shown, shown_lines, steers};
pub use time::{ClockKind, ClockState, Millis, TimeControl, in_words};

/// The version of the protocol that this crate speaks.
pub const PROTOCOL: u32 = 1;

/// No line may be longer than this many bytes, the line end not counted.
pub const MAX_LINE: usize = 1 << 20;

/// Appends a JSON line, ended by `\n`.
pub(crate) fn write_line<T: serde::Serialize>(value: &T, out: &mut Vec<u8>) {
    serde_json::to_writer(&mut *out, value).expect("messages have text keys only");
    out.push(b'\n');
}

/// One JSON line, ended by `\n`.
pub(crate) fn line<T: serde::Serialize>(value: &T) -> String {
    let mut line = Vec::new();
    write_line(value, &mut line);
    String::from_utf8(line).expect("JSON is text")
}

//! The wire: messages between referee and bots, the forward model's requests and answers, and
//! the match log, as types. `PROTOCOL.md` beside this crate describes the same for people who write
//! bots.
//!
//! ```
//! use protocol::{FromBot, ToBot};
//!
//! let line = r#"{"type":"move","move":"d1-d7/g7","ply":0}"#;
//! let FromBot::Move(answer) = FromBot::from_line(line.as_bytes()).unwrap() else { panic!() };
//! assert_eq!(answer.mv, "d1-d7/g7");
//! assert_eq!(ToBot::Quit.to_line(), "{\"type\":\"quit\"}\n");
//! ```

mod json;
mod log;
mod messages;
mod model;
pub mod schema;
mod shown;
mod time;

pub use json::scanner::Scanner;
pub use json::state::StateJson;
pub use log::{
    AdjudicatedBy, Adjudication, Conditions, Confined, CpuTimeBy, Enforced, LOG_FORMAT, Load,
    LoggedMove, Machine, MoveAnalysis, Player, Record, RulesOrigin,
};
pub use messages::faults::{self, Failure};
pub use messages::lines::BadMessage;
pub use messages::move_list::MoveList;
pub use messages::search_info::{SearchInfo, SearchLine};
pub use messages::{
    BotHello, BotInfo, BotMove, End, Fault, FaultCode, FromBot, Limits, MatchResult, MoveText,
    NoMove, NoMoveCode, Offer, Opponent, PlayedMove, SeatOffer, Start, ToBot, Turn, Wants,
};
pub use model::request::plain_request;
pub use model::{
    Answer, GameHello, ModelError, ModelErrorCode, ModelHello, Op, Request, StepMoves, Want,
};
pub use shown::{excerpt, push_escaped, shown, shown_lines, steers};
pub use time::wall_time::timestamp;
pub use time::{ClockKind, ClockState, Millis, TimeControl, in_words};

/// The version of the protocol that this crate implements.
pub const PROTOCOL: u32 = 1;

/// `PROTOCOL.md`, which describes the protocol for people who write bots.
pub const GUIDE: &str = include_str!("../PROTOCOL.md");

/// `RULES.md`, which describes the protocol of rules programs.
pub const RULES_GUIDE: &str = include_str!("../RULES.md");

/// `GGP.md`, about game managers and players of General Game Playing over HTTP.
pub const GGP_GUIDE: &str = include_str!("../GGP.md");

/// The most bytes of a line, without the line end.
pub const MAX_LINE: usize = 1 << 20;

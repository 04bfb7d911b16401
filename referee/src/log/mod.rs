//! The match log: written as matches finish, read again for everything else.

mod chain;
mod guard;
mod read;
mod summaries;
mod verify;
mod write;

pub use chain::{Break, ChainBreak};
pub use read::{CutLine, Line, LogError, LogFile, locate};
pub use summaries::each_summary;
pub use verify::{Mismatch, verify};
pub use write::{LogWriter, WriteError};

/// The name of a tournament's log in its folder.
pub const LOG_NAME: &str = "games.jsonl";
/// The id of the match with this number, which is perhaps all that was given of it.
pub(crate) fn whole_id(number: &str) -> Option<String> {
    let parsed: u64 = number.trim_start_matches("m-").parse().ok()?;
    let id = format!("m-{parsed:06}");
    (id != number).then_some(id)
}

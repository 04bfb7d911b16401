//! The match log: written as matches finish, read again for everything else.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

mod adjudicated;
mod backup;
mod chain;
mod choices;
mod in_order;
mod mismatch;
mod model_use;
mod opening_moves;
mod read;
mod remarks;
mod summaries;
mod verify;
mod write;

pub use chain::{Break, ChainBreak};
pub use choices::{MIN_CHOICES, SameAnswers, same_answers};
pub use mismatch::Mismatch;
pub use model_use::{ModelUse, models_of};
pub use opening_moves::opening_moves;
pub use read::{CutLine, LogError, LogFile, LogLine, locate};
pub use remarks::{BotWarning, Remarks, warning_of};
pub use summaries::{Counted, each_summary};
pub use verify::{DealCheck, Versions, verify, verify_deal};
pub use write::{LogWriter, WriteError};

/// The name of a tournament's log in its folder.
pub const LOG_NAME: &str = "games.jsonl";

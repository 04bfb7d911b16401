//! Match summaries: the part of a log's lines that statistics need.

mod fingerprint;
mod game_label;
mod match_summary;
mod number;
mod scan;

pub use fingerprint::Fingerprint;
pub use game_label::game_label;
pub(crate) use match_summary::Author;
pub use match_summary::{
    FaultSummary, Info, MatchSummary, PlayerSummary, Plies, Ply, REMARKS, ResultSummary,
};
pub use number::Number;
pub use scan::ScanMemo;

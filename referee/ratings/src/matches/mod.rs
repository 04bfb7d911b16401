//! Matches as statistics see them: read from lines of a log, summed up, and stored compactly.

mod adjudications;
mod agreement;
mod fingerprint;
mod game_label;
mod machine_load;
mod machines;
mod match_store;
mod match_summary;
mod number;
mod scan;
mod time_use;

pub use adjudications::{Adjudicated, Adjudications};
pub use agreement::Alike;
pub use fingerprint::Fingerprint;
pub use game_label::game_label;
pub use machine_load::{BUSY_STOLEN, BUSY_WAITING, MachineLoad, Share, is_busy};
pub(crate) use machines::{Cell, MachineMatches, Machines, Stratum};
pub(crate) use match_store::StoredMatch;
pub use match_store::{Account, FAULT_CODES, MatchStore, repetition};
pub use match_summary::{FaultSummary, MatchSummary, PlayerSummary, Plies, Ply, ResultSummary};
pub use number::Number;
pub use scan::ScanMemo;
pub use time_use::{Noise, OVERSHOOT_MS, Reported, SHARES, Suspicion, TimeUse};

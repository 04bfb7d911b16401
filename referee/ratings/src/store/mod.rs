//! The match store: all matches of some logs in compact form, and what is summed up as they come.

mod adjudications;
mod agreement;
mod machine_load;
mod machines;
mod match_store;
mod time_use;

pub use adjudications::{Adjudicated, Adjudications};
pub use agreement::Alike;
pub use machine_load::{BUSY_STOLEN, BUSY_WAITING, MachineLoad, Share, is_busy};
pub(crate) use machines::{Cell, MachineMatches, Machines, Stratum};
pub use match_store::{Account, FAULT_CODES, MatchStore, repetition};
pub(crate) use match_store::{StoredMatch, StoredSeat};
pub use time_use::{Noise, OVERSHOOT_MS, Reported, SHARES, Suspicion, TimeUse};

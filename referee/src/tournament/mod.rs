//! Tournaments: schedule, openings, folder, playing, resuming.

mod additions;
pub(crate) mod broadcast;
mod builds;
pub(crate) mod capacity;
mod extension;
pub(crate) mod failures;
pub(crate) mod folder;
pub(crate) mod forecast;
pub(crate) mod match_run;
pub(crate) mod merge;
pub(crate) mod openings;
mod queue;
pub(crate) mod results;
pub(crate) mod resume;
pub(crate) mod runner;
pub(crate) mod schedule;
mod set_aside;
pub(crate) mod slots;

pub use crate::admission::{AdmissionError, LeftOut};
pub use additions::Extension;
pub use merge::{MergeError, Merged, Missing, merge};
pub use runner::{Remains, Surroundings, Tournament, TournamentError};
pub use schedule::Shard;

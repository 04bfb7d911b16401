//! Tournaments: schedule, openings, folder, playing, resuming.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

mod additions;
pub mod admission;
pub mod folder;
pub mod merge;
pub mod playing;
pub mod reports;
pub mod resume;
pub mod runner;
pub mod stop;

pub use crate::admission::{AdmissionError, LeftOut};
pub use crate::playing::backend::{Backend, Playing, Run};
pub use additions::Extension;
pub use merge::{MergeError, Merged, Missing, merge};
pub use reports::WorkersSeen;
pub use runner::{
    AppliedScale, BackendFailure, Remains, Surroundings, Tournament, TournamentError, Yardstick,
};
pub use schedule::Shard;
pub use stop::Stop;

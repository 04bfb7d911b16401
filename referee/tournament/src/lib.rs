//! Tournaments: schedule, openings, folder, playing, resuming.

#![allow(missing_docs, reason = "strangers read the front door, `referee`")]

mod additions;
pub mod admission;
mod backend;
pub mod broadcast;
mod builds;
pub mod capacity;
pub mod dealing;
pub mod earlier_names;
mod extension;
pub mod failures;
pub mod folder;
mod live_record;
pub mod match_run;
pub mod merge;
pub mod one_match;
pub mod openings;
pub mod queue;
pub mod reports;
pub mod results;
pub mod resume;
mod rules_trial;
pub mod runner;
pub mod secret_file;
mod set_aside;
pub mod slots;
pub mod stop;

pub use crate::admission::{AdmissionError, LeftOut};
pub use additions::Extension;
pub use backend::{Backend, Playing, Run};
pub use merge::{MergeError, Merged, Missing, merge};
pub use reports::WorkersSeen;
pub use runner::{
    AppliedScale, BackendFailure, Remains, Surroundings, Tournament, TournamentError, Yardstick,
};
pub use schedule::Shard;
pub use stop::Stop;

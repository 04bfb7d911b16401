//! Tournaments: schedule, openings, folder, playing, resuming.

mod additions;
mod backend;
pub(crate) mod broadcast;
mod builds;
pub(crate) mod capacity;
pub(crate) mod dealing;
pub(crate) mod earlier_names;
mod extension;
pub(crate) mod failures;
pub(crate) mod folder;
pub(crate) mod forecast;
mod live_record;
pub(crate) mod match_run;
pub(crate) mod merge;
pub(crate) mod openings;
pub(crate) mod queue;
pub(crate) mod results;
pub(crate) mod resume;
mod rules_trial;
pub(crate) mod runner;
pub(crate) mod secret_file;
mod set_aside;
pub(crate) mod slots;
pub(crate) mod stop;

pub use crate::admission::{AdmissionError, LeftOut};
pub use additions::Extension;
pub use backend::{Backend, BackendFailure, Playing, Run, WorkersSeen};
pub use merge::{MergeError, Merged, Missing, merge};
pub use runner::{AppliedScale, Remains, Surroundings, Tournament, TournamentError, Yardstick};
pub use schedule::Shard;
pub use stop::Stop;

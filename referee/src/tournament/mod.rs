//! Tournaments: schedule, openings, folder, running, going on.

pub mod capacity;
mod extension;
pub mod failures;
pub mod folder;
pub mod forecast;
pub mod openings;
pub mod plan;
mod queue;
pub mod results;
pub mod resume;
pub mod runner;
pub mod schedule;
pub mod slots;

pub use runner::{Remains, Surroundings, Tournament, TournamentError};

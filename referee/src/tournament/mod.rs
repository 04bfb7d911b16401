//! Tournaments: schedule, openings, folder, running, going on.

pub mod capacity;
mod extension;
pub mod failures;
pub mod folder;
pub mod forecast;
pub mod openings;
pub mod plan;
mod queue;
pub mod resume;
pub mod run;
pub mod schedule;

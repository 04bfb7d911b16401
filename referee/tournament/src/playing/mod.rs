//! Playing: slots take matches from the queue and play them, and one writer keeps the log.

pub(crate) mod backend;
pub mod broadcast;
pub(crate) mod budget;
pub mod capacity;
pub mod failures;
pub(crate) mod live_record;
pub mod match_run;
pub mod one_match;
pub mod openings;
pub mod queue;
pub(crate) mod rules_trial;
pub mod slots;

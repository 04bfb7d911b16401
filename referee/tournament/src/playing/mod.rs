//! Plays matches: slots take them from the queue, and one writer appends to the log.

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
pub(crate) mod warnings;

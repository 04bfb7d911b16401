//! The parts of a turn: the match so far, time, offers, and reports for an audience.

pub(crate) mod analysis;
pub mod clock;
pub(crate) mod current_match;
pub(crate) mod limits;
pub(crate) mod offers;

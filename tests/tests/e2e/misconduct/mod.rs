//! Bots that break the rules of a match, and who is to blame.

pub(crate) mod arena;
mod clocks;
mod failures;
mod faults;
mod hints;

mod shortages;
mod suspension;

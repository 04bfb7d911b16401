//! Matches as scripts of events, without processes and without a clock.
#![allow(clippy::unwrap_used, reason = "these are tests")]

mod clocks;
mod early_ends;
mod hands;
mod script;
mod starting;
mod steps;
mod suspension;
mod turns;

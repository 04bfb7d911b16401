//! Statistics of match logs: ratings with intervals, what seats are worth, tests between two bots,
//! duplicates, faults and the use of time. Pure: what is counted is handed in match by match
//! ([`Matches::add`]), and [`Matches::report`] gives plain data to be shown.
//!
//! The unit of evidence is the swapped pair: all matches of one pairing (or group) at one start,
//! in all seat orders. Matches of a unit depend on each other, units do not.

mod across;
mod bootstrap;
mod choice;
mod differences;
mod digest;
mod discovery;
mod evidence;
mod fingerprint;
mod fit;
mod label;
mod lean;
mod linear;
pub(crate) mod machine;
mod matches;
mod model;
mod nash;
mod openings;
mod ratings;
#[cfg(test)]
mod ratings_tests;
mod report;
#[cfg(test)]
mod report_tests;
mod scale;
pub mod simulate;
pub mod sprt;
mod stage;
mod student;
mod time_use;
#[cfg(test)]
mod truth_tests;
mod wilson;

pub use across::Across;
pub use differences::Difference;
pub use digest::Meeting;
pub use discovery::FALSE_DISCOVERIES;
pub use evidence::{Evidence, Placing};
pub use fingerprint::Fingerprint;
pub use label::game_label;
pub use lean::{Ended, Lapse, Match, Plies, Ply, Seated};
pub use machine::{BUSY_STOLEN, BUSY_WAITING, Machine, Share};
pub use matches::{FAULT_CODES, Matches, Number, repetition};
pub use nash::NashRating;
pub use openings::OpeningReport;
pub use ratings::{Anchor, ELO, Estimate, Ratings, Resampling, rate};
pub use report::{
    BotReport, GameReport, Report, Request, RequestError, Results, SprtReport, SprtRequest,
};
pub use time_use::{Noise, OVERSHOOT_MS, SHARES, Suspicion, TimeUse, Told};
pub use wilson::Score;

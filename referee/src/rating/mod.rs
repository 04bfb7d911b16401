//! Statistics of match logs: ratings with intervals, what seats are worth, tests between two bots,
//! duplicates, faults and the use of time. Pure: what is counted is handed in match by match
//! ([`Matches::add`]), and [`Matches::report`] gives plain data to be shown.
//!
//! A unit is a swapped pair: all matches of one pairing (or group) at one start, in all seat orders.
//! Units depend on each other where matches repeat one another or have the same opening: these are one
//! cluster. Every match counts; how sure anything is depends on the clusters.

mod across;
mod bounds;
mod choice;
mod clusters;
mod dense;
mod differences;
mod digest;
mod discovery;
mod evidence;
mod fingerprint;
mod fit;
mod fitness;
#[cfg(test)]
mod fitness_tests;
mod fixed_order;
mod jackknife;
mod label;
mod lean;
mod linear;
pub(crate) mod machine;
mod matches;
mod model;
mod nash;
mod openings;
mod pattern;
mod random;
mod ratings;
#[cfg(test)]
mod ratings_tests;
mod report;
#[cfg(test)]
mod report_tests;
mod scale;
mod scan;
mod score;
mod sets;
mod settings;
pub mod simulate;
mod spread;
pub mod sprt;
mod stage;
mod strengths;
mod time_use;
mod trial;
#[cfg(test)]
mod truth_tests;

pub use across::Across;
pub use differences::Difference;
pub use digest::Meeting;
pub use discovery::FALSE_DISCOVERIES;
pub use evidence::{Evidence, Placing};
pub use fingerprint::Fingerprint;
pub use fitness::{Drift, Fitness, Residual, Transitivity};
pub use fixed_order::FixedOrder;
pub use label::game_label;
pub use lean::{Ended, Lapse, Match, Plies, Ply, Seated};
pub use machine::{BUSY_STOLEN, BUSY_WAITING, Machine, Share};
pub use matches::{FAULT_CODES, Matches, Number, Summary, repetition};
pub use nash::NashRating;
pub use openings::OpeningReport;
pub use ratings::{Anchor, Bound, ELO, Estimate, Ratings, Resampling, rate};
pub use report::{BotReport, GameReport, Report, Request, RequestError, Results};
pub use scan::ScanMemo;
pub use score::Score;
pub use time_use::{Noise, OVERSHOOT_MS, SHARES, Suspicion, TimeUse, Told};
pub use trial::{SprtReport, SprtRequest};

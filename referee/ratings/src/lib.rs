//! Statistics of matches: ratings with intervals, values of seats, tests between two bots, duplicates,
//! faults and use of time.
//!
//! The crate is pure. Add matches one by one ([`MatchStore::add`]); [`MatchStore::report`] returns plain
//! data. A running tournament uses the same functions.
//!
//! A *unit* is a swapped pair: all matches of one pairing (or group of more than two bots) from one
//! start, in all seat orders. Units depend on each other if their matches repeat one another or share
//! an opening; such units form one *cluster*. Every match counts, and intervals rest on the number of
//! clusters.
//!
//! From the bottom up: `evidence` has the results that ratings are computed from, `inference` intervals
//! and p-values, [`mod@matches`] match summaries; [`mod@standings`] sums them up, and [`store`] stores
//! them. `model` fits the Davidson-Luce model, `results` sorts matches into units and clusters, and
//! [`report`] computes the figures. [`sprt`] tests hypotheses, and [`simulate`] checks all of this against
//! tournaments with known strengths.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

mod evidence;
mod inference;
pub mod matches;
mod model;
pub mod report;
mod results;
pub mod simulate;
pub mod sprt;
pub mod standings;
pub mod store;
#[cfg(test)]
mod tests;

pub use evidence::{Evidence, Placing, RATED_SEATS, is_rated};
pub use matches::{Fingerprint, MatchSummary, Number, ScanMemo, game_label};
pub use report::{Report, Request, RequestError};
pub use standings::{MOST_SEATS, Standings};
pub use store::{FAULT_CODES, MatchStore, repetition};

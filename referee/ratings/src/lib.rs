//! Statistics of matches: ratings with intervals, what seats are worth, tests between two bots,
//! duplicates, faults and the use of time.
//!
//! The crate is pure. Hand in matches one by one ([`MatchStore::add`]); [`MatchStore::report`] gives
//! plain data for others to show. A tournament uses the same functions while it runs.
//!
//! A *unit* is a swapped pair: all matches of one pairing (or group of more than two bots) from one
//! start, in all seat orders. Units depend on each other if their matches repeat one another or share
//! an opening; such units form one *cluster*. Every match counts, and intervals rest on the number of
//! clusters.
//!
//! From the bottom up: [`mod@matches`] reads and stores matches, [`mod@standings`] sums them up, [`results`] sorts them into units and
//! clusters, `model` fits the Davidson-Luce model to them, and [`report`] puts the figures
//! together; [`sprt`] tests hypotheses, and [`simulate`] checks all of this against tournaments
//! whose truth is known.

#![allow(missing_docs, reason = "strangers read the front door, `referee`")]

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

pub use evidence::{Evidence, Placing};
pub use matches::{Fingerprint, MatchSummary, Number, ScanMemo, game_label};
pub use report::{Report, Request, RequestError};
pub use standings::Standings;
pub use store::{FAULT_CODES, MatchStore, repetition};

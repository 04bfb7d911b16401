//! Plays matches: players, the driver of a match, and uses of single matches such as reruns and
//! analyses.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

pub mod analysis;
pub mod ggp;
pub mod match_runner;
pub mod players;
pub mod rerun;

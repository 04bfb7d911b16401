//! Plays matches: who can take a seat, what drives them, and what else is done with a match at a time:
//! to play one side again, to have a bot look at each ply.

#![allow(missing_docs, reason = "strangers read the front door, `referee`")]

pub mod analysis;
pub mod ggp;
pub mod match_runner;
pub mod players;
pub mod rerun;

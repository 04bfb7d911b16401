//! Exact values of positions.
//!
//! [`Solver`] finds who wins a position, or with which scores, if both play best. It takes every game of
//! two seats that says by [`Game::solvable`](games::Game::solvable) that its positions cannot come
//! back. [`elephant_run`] is a faster solver for one question about one game.
//!
//! Nothing here reads a clock or a file: the caller of a search watches the time, and checkpoints are
//! bytes.
#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

mod alpha_beta;
mod check;
mod checkpoint;
pub mod elephant_run;
mod engine;
mod keys;
mod proof_number;
mod rules;
mod search;
mod solve;
mod table;

pub use checkpoint::CheckpointError;
pub use search::{Decided, Method, Progress, Stopped, Watch};
pub use solve::{Question, Solver, Unsolvable, Value, Winner};

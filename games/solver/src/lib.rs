//! Exact values of positions.
//!
//! [`Solver`] finds who wins a position, or with which scores, if both play best. It takes every built-in
//! game of two seats that says by [`Game::solvable`](games::Game::solvable) that its positions cannot
//! come back, and any other game of two seats that take turns as a [`SessionGame`]. [`elephant_run`] is a
//! faster solver for one question about one game.
//!
//! Nothing here reads a clock or a file: the caller of a search watches the time, and checkpoints are
//! bytes.
#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

mod alpha_beta;
mod any_game;
mod check;
mod checkpoint;
mod each_move;
pub mod elephant_run;
mod engine;
mod keys;
mod playable;
mod proof_number;
mod rules;
mod search;
mod solve;
mod table;

pub use any_game::{NoTurns, SessionGame, SessionPosition};
pub use checkpoint::CheckpointError;
pub use each_move::{EachMove, Effort, MoveValue, WatchMoves, save_moves};
pub use playable::{Facts, Keys, Playable, Successor, Unsolvable};
pub use search::{Decided, Method, Progress, Stopped, Watch};
pub use solve::{Question, Solver, Value, Winner};

//! Settlement: what the seats still get once none of them can reach what another one can, by exact
//! counting. Play on separate regions is a puzzle for each seat alone, so the result of best play follows
//! without a look at whose turn it is, but in the Game of the Amazons, where who runs out of moves first
//! loses.
//!
//! [`Game::settled`](crate::Game::settled) returns the result where it can be proven. Evaluations
//! use the parts: a [`PointBoard`] or [`arrows::moves_left`], and an [`EndgameSolver`] that
//! remembers its answers.

pub mod arrows;
mod points;
mod regions;
mod solver;

pub use points::{PointBoard, Slides, Spears, worth};
pub use solver::{Budget, Endgame, EndgameMoves, EndgameSolver, PointRange};

use crate::kit::outcome::{Scores, rank};

/// The result of best play of all seats, proven by counting.
#[derive(Clone, Debug, PartialEq)]
pub struct Settlement {
    /// The final points, one entry a seat.
    pub scores: Vec<i64>,
    /// Their worth in [0, 1], one entry a seat.
    pub outcome: Vec<f64>,
}

impl From<Scores> for Settlement {
    /// The settlement by final points: more points are better.
    fn from(scores: Scores) -> Self {
        Settlement {
            outcome: rank(&scores),
            scores: scores.into_iter().map(i64::from).collect(),
        }
    }
}

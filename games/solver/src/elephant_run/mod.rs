//! Elephant Run, solved with bitboards: how many points the elephant gets from a starting tile if both
//! play best.
//!
//! Every move of the elephant is worth one point, so the question is how often it can move.
//! [`GoalSearch`] answers it for all placements of the farmers at once, and [`ChaseSolver`] for one, with
//! a line of play. Neither knows anything of the other. The generic solver answers the same questions,
//! more slowly.

mod chase;
mod checkpoint;
mod cube;
mod field;
mod goal;
mod line;
mod search;
mod table;
mod tiles;

pub use chase::Chase;
pub use checkpoint::{restore, save};
pub use goal::{Goal, GoalSearch, Stage};
pub use search::{ChaseSolver, Stopped, Watch};
pub use tiles::{MOST_POINTS, StartingTile, board, placements, starting_tiles};

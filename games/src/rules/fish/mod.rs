//! Common parts of Penguins and Amazon Penguins: setting up cells with fish, placing penguins in
//! turn, skipped seats, and the fish under the penguins at the end.

mod fish_game;
mod fish_rules;
mod learning;
mod position;
mod state;

pub use fish_game::{Catch, FishGame, FishGamePosition, PenguinMoves};
pub use fish_rules::{FISH, FishRules, Move, SETUP};
pub use position::{FishPosition, Phase};

//! Penguins: fish caught, fish that a seat reaches before the others, and regions of its own.

use games::kit::board::sliding::lines::Gap;
use games::rules::fish::Phase;
use games::rules::penguins::{Penguins, Position};
use games::settlement::{EndgameSolver, Slides};
use games::{Game, MAX_SEATS};

use crate::evaluation::features::fish;
use crate::evaluation::features::fish::FishBoard;
use crate::evaluation::linear::{FeatureTable, Features};

#[derive(Default)]
pub(crate) struct PenguinsFeatures {
    solver: EndgameSolver<u64>,
    /// The number of seats of the last position, which decides the weights.
    seats: usize,
}

/// The weights with three seats, from games of three.
const WEIGHTS_OF_THREE: &[f32] = &[
    0.105, 0.533, -0.003, 0.389, -0.026, -0.001, 0.056, 0.709, -0.664, -0.138, 0.506, -0.261,
];
/// The weights with four seats, from games of four.
const WEIGHTS_OF_FOUR: &[f32] = &[
    0.023, 0.733, -0.007, 0.367, -0.024, 0.000, 0.032, 1.014, -0.907, -0.389, 0.496, -0.297,
];

/// The position as the features see it. Fish under penguins are certain.
fn fish_board(game: &Penguins, position: &Position) -> FishBoard<u64> {
    let common = position.fish_position();
    FishBoard {
        points: game.point_board(position),
        mover: common.to_move(),
        placing: matches!(common.phase(), Phase::Lay | Phase::Place),
    }
}

impl Features<Penguins> for PenguinsFeatures {
    const WEIGHTS: &'static [f32] = &[
        0.052, 0.501, 0.154, 0.218, -0.181, -0.092, 0.178, 0.811, -0.646, -0.266, 0.304, -0.039,
    ];
    const EXPLORATION: f32 = 0.5;

    fn weights(&self) -> &'static [f32] {
        match self.seats {
            3 => WEIGHTS_OF_THREE,
            4 => WEIGHTS_OF_FOUR,
            _ => Self::WEIGHTS,
        }
    }

    fn count(&mut self, game: &Penguins, position: &Position, table: &mut FeatureTable) {
        self.seats = game.seats();
        let grid = game.grid();
        let slides = |cell| game.lines().count(position.blocked(), cell, Gap::NONE);
        fish_board(game, position).count(grid, slides, table);
    }

    fn certain(&mut self, game: &Penguins, position: &Position) -> Option<[f32; MAX_SEATS]> {
        let grid = game.grid();
        let board = fish_board(game, position);
        let worth = board.points.worth;
        let moves = Slides { grid, worth };
        let points = board.final_points(grid, &mut self.solver, &moves)?;
        fish::certain(board.points.seats, &points)
    }
}

//! Paper Pen-guins: points scored, points that a seat reaches before the other, and regions of its
//! own.

use games::kit::board::sliding::lines::Gap;
use games::rules::paper_penguins::{PaperPenguins, Position};
use games::settlement::{EndgameSolver, Slides};
use games::{Game, MAX_SEATS};

use crate::evaluation::features::fish;
use crate::evaluation::features::fish::FishBoard;
use crate::evaluation::linear::{FeatureTable, Features};

#[derive(Default)]
pub(crate) struct PaperPenguinsFeatures {
    solver: EndgameSolver<u128>,
}

fn fish_board(game: &PaperPenguins, position: &Position) -> FishBoard<u128> {
    FishBoard {
        points: game.point_board(position),
        mover: game.to_move(position),
        placing: position.placing(),
    }
}

impl Features<PaperPenguins> for PaperPenguinsFeatures {
    const WEIGHTS: &'static [f32] = &[
        0.140, 0.241, 0.049, 0.187, -0.064, -0.027, 0.116, 0.447, -0.449, -0.248, 0.137, 0.125,
    ];

    fn count(&mut self, game: &PaperPenguins, position: &Position, table: &mut FeatureTable) {
        let grid = game.grid();
        let slides = |cell| game.lines().count(position.occupied(), cell, Gap::NONE);
        fish_board(game, position).count(grid, slides, table);
    }

    fn certain(&mut self, game: &PaperPenguins, position: &Position) -> Option<[f32; MAX_SEATS]> {
        let grid = game.grid();
        let board = fish_board(game, position);
        let worth = board.points.worth;
        let moves = Slides { grid, worth };
        let points = board.final_points(grid, &mut self.solver, &moves)?;
        fish::certain(board.points.seats, &points)
    }
}

//! Paper Pen-guins: points scored, points that a seat reaches before the other, and regions of its
//! own.

use games::kit::board::bitboard::{Cells, Grid};
use games::kit::board::sliding::lines::Gap;
use games::rules::paper_penguins::{PaperPenguins, Position};
use games::settlement::{EndgameSolver, Slides};
use games::{Game, MAX_SEATS};

use crate::evaluation::features::fish;
use crate::evaluation::features::fish::FishBoard;
use crate::evaluation::linear::{FeatureTable, Features};

#[derive(Default)]
pub(crate) struct PaperPenguinsFeatures {
    /// For boards of at most 64 cells, whose sets the processor shifts in one step.
    small: Sets<u64>,
    large: Sets<u128>,
}

/// The parts that depend on the kind of sets.
struct Sets<S> {
    /// Made at the first position.
    grid: Option<Grid<S>>,
    solver: EndgameSolver<S>,
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
    const EXPLORATION: f32 = 0.5;

    fn count(&mut self, game: &PaperPenguins, position: &Position, table: &mut FeatureTable) {
        let board = fish_board(game, position);
        if is_small(game) {
            self.small.count(game, position, &narrow(board), table);
        } else {
            self.large.count(game, position, &board, table);
        }
    }

    fn certain(&mut self, game: &PaperPenguins, position: &Position) -> Option<[f32; MAX_SEATS]> {
        let board = fish_board(game, position);
        if is_small(game) {
            self.small.certain(game, &narrow(board))
        } else {
            self.large.certain(game, &board)
        }
    }
}

fn is_small(game: &PaperPenguins) -> bool {
    game.board().len() <= 64
}

fn narrow(board: FishBoard<u128>) -> FishBoard<u64> {
    board.map(|set| set as u64)
}

impl<S: Cells> Sets<S> {
    fn count(
        &mut self,
        game: &PaperPenguins,
        position: &Position,
        board: &FishBoard<S>,
        table: &mut FeatureTable,
    ) {
        let grid = self.grid.get_or_insert_with(|| Grid::new(game.board()));
        let slides = |cell| game.lines().count(position.occupied(), cell, Gap::NONE);
        board.count(grid, slides, table);
    }

    fn certain(&mut self, game: &PaperPenguins, board: &FishBoard<S>) -> Option<[f32; MAX_SEATS]> {
        let grid = self.grid.get_or_insert_with(|| Grid::new(game.board()));
        let worth = board.points.worth;
        let moves = Slides { grid, worth };
        let points = board.final_points(grid, &mut self.solver, &moves)?;
        fish::certain(board.points.seats, &points)
    }
}

impl<S> Default for Sets<S> {
    fn default() -> Self {
        Sets {
            grid: None,
            solver: EndgameSolver::default(),
        }
    }
}

//! Paper Pen-guins: points scored, points that a seat reaches before the other, and regions of its
//! own.

use games::kit::sliding::lines::Gap;
use games::rules::paper_penguins::{PaperPenguins, Position};
use games::{Game, MAX_SEATS};

use super::endgame_solver::{Endgame, EndgameMoves, EndgameSolver};
use super::fish_features::{self, FishBoard, worth};
use super::grid::{Cells, Grid};
use super::linear::{FeatureTable, Features};

/// The features of Paper Pen-guins.
#[derive(Default)]
pub(super) struct PaperPenguinsFeatures {
    grid: Option<Grid<u128>>,
    solver: EndgameSolver<u128>,
}

/// The moves of pieces in a region of their own.
struct PaperPenguinsEndgameMoves<'a> {
    grid: &'a Grid<u128>,
    points: [u128; 2],
}

impl EndgameMoves<u128> for PaperPenguinsEndgameMoves<'_> {
    fn each(&self, endgame: Endgame<u128>, visit: &mut dyn FnMut(Endgame<u128>, u32)) {
        for from in endgame.pieces.each() {
            for to in self.grid.slides(1 << from, endgame.open).each() {
                let next = Endgame {
                    pieces: endgame.pieces ^ 1 << from ^ 1 << to,
                    open: endgame.open ^ 1 << to,
                };
                visit(next, worth(self.points, 1 << to));
            }
        }
    }

    fn most(&self, endgame: Endgame<u128>) -> u32 {
        worth(self.points, self.grid.region(endgame.pieces, endgame.open))
    }
}

fn fish_board(game: &PaperPenguins, position: &Position) -> FishBoard<u128> {
    let mut board = FishBoard {
        seats: 2,
        pieces: [0; MAX_SEATS],
        open: position.unclaimed(),
        worth: position.point_sets(),
        points: [0; MAX_SEATS],
        mover: game.to_move(position),
        placing: position.placing(),
    };
    for (seat, points) in game.scores(position).into_iter().enumerate() {
        board.pieces[seat] = position.piece_set(seat);
        board.points[seat] = points as u32;
    }
    board
}

impl Features<PaperPenguins> for PaperPenguinsFeatures {
    const WEIGHTS: &'static [f32] = &[
        0.140, 0.241, 0.049, 0.187, -0.064, -0.027, 0.116, 0.447, -0.449, -0.248, 0.137, 0.125,
    ];

    fn count(&mut self, game: &PaperPenguins, position: &Position, table: &mut FeatureTable) {
        let grid = self.grid.get_or_insert_with(|| Grid::new(game.board()));
        let slides = |cell| game.lines().count(position.occupied(), cell, Gap::NONE);
        fish_board(game, position).count(grid, slides, table);
    }

    fn certain(&mut self, game: &PaperPenguins, position: &Position) -> Option<[f32; MAX_SEATS]> {
        let grid = self.grid.get_or_insert_with(|| Grid::new(game.board()));
        let board = fish_board(game, position);
        let moves = PaperPenguinsEndgameMoves {
            grid,
            points: board.worth,
        };
        let points = board.final_points(grid, &mut self.solver, &moves)?;
        fish_features::certain(board.seats, &points)
    }
}

//! Amazon Penguins: fish speared, fish that a seat reaches before the other, and regions of its own.

use games::kit::board::CellId;
use games::kit::board::sliding::shots::Shot;
use games::rules::amazon_penguins::{AmazonPenguins, Position};
use games::rules::fish::{Move, Phase};
use games::settlement::{EndgameSolver, Spears, worth};
use games::{Game, MAX_SEATS};

use crate::evaluation::features::fish;
use crate::evaluation::features::fish::FishBoard;
use crate::evaluation::features::staged_moves;
use crate::evaluation::features::staged_moves::StagedMoves;
use crate::evaluation::linear::{FeatureTable, Features};

#[derive(Default)]
pub(crate) struct AmazonPenguinsFeatures {
    solver: EndgameSolver<u64>,
}

fn fish_board(game: &AmazonPenguins, position: &Position) -> FishBoard<u64> {
    let common = position.fish_position();
    FishBoard {
        points: game.point_board(position),
        mover: common.to_move(),
        placing: matches!(common.phase(), Phase::Lay | Phase::Place),
    }
}

impl Features<AmazonPenguins> for AmazonPenguinsFeatures {
    const WEIGHTS: &'static [f32] = &[
        0.083, 0.419, -0.003, 0.265, -0.040, 0.007, 0.098, -0.214, 0.491, -0.528, 0.459, -0.154,
        0.051,
    ];

    fn count(&mut self, game: &AmazonPenguins, position: &Position, table: &mut FeatureTable) {
        let grid = game.grid();
        let board = fish_board(game, position);
        board.count(grid, |cell| game.count_slides(position, cell), table);
        let points = board.points;
        for (features, pieces) in table.iter_mut().zip(&points.pieces[..2]) {
            features[fish::FEATURES] = worth(points.worth, *pieces) as f32;
        }
    }

    fn shortlist(
        &mut self,
        game: &AmazonPenguins,
        position: &Position,
        depth: i32,
        moves: &mut Vec<Move<Shot>>,
    ) -> bool {
        position.fish_position().phase() == Phase::Move
            && staged_moves::shortlist(self, (game, position), depth, &STAGED_MOVES, moves)
    }

    fn certain(&mut self, game: &AmazonPenguins, position: &Position) -> Option<[f32; MAX_SEATS]> {
        let grid = game.grid();
        let board = fish_board(game, position);
        let worth = board.points.worth;
        let moves = Spears { grid, worth };
        let points = board.final_points(grid, &mut self.solver, &moves)?;
        fish::certain(board.points.seats, &points)
    }
}

const STAGED_MOVES: StagedMoves<AmazonPenguins, AmazonPenguinsFeatures> = StagedMoves {
    slides: |game, position, slides| {
        for from in position.fish_position().movers() {
            game.each_slide(position, from, |to| slides.push((from, to)));
        }
    },
    moves_after: |game, position, (from, to), moves| {
        let next = game.half_move(position, from, to);
        game.each_slide(&next, to, |target| {
            moves.push(Move::Go(Shot { from, to, target }));
        });
    },
    rate_slide: |features, game, position, (from, to)| {
        let seat = game.to_move(position).unwrap_or_default();
        let next = game.half_move(position, from, to);
        features.lead(game, &next, seat) + best_catch(game, &next, to)
    },
    rate_move: |features, game, position, mv| {
        let seat = game.to_move(position).unwrap_or_default();
        let mut next = *position;
        game.play_unchecked(&mut next, mv);
        features.lead(game, &next, seat)
    },
};

/// The worth of the best shot after a slide, in log odds.
fn best_catch(game: &AmazonPenguins, position: &Position, from: CellId) -> f32 {
    let mut most = 0;
    game.each_slide(position, from, |target| {
        most = most.max(position.fish_position().fish(target));
    });
    f32::from(most) * FISH
}

/// The approximate worth of a fish, in log odds.
const FISH: f32 = 0.3;

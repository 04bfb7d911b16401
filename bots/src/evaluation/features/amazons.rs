//! Game of the Amazons: who reaches which cells first, by queen's and by king's moves, and mobility.

use games::kit::board::grid::{Cells, Grid};
use games::kit::board::sliding::lines::Gap;
use games::kit::board::sliding::shots::Shot;
use games::rules::amazons::{Amazons, Position};
use games::settlement::{Budget, EndgameSolver, arrows};
use games::{Game, MAX_SEATS, Seat};

use crate::evaluation::evaluate::{CERTAIN, EFFORT};
use crate::evaluation::features::flood::Flood;
use crate::evaluation::features::staged_moves;
use crate::evaluation::features::staged_moves::StagedMoves;
use crate::evaluation::linear::{FeatureTable, Features, logarithm};

#[derive(Default)]
pub(crate) struct AmazonsFeatures {
    solver: EndgameSolver<u128>,
}

/// The factor by which a cell is worth less for each move that it takes to reach it.
const DECAY: f32 = 0.5;

impl Features<Amazons> for AmazonsFeatures {
    const WEIGHTS: &'static [f32] = &[
        0.057, -0.092, 0.181, -0.222, 0.004, 0.169, -0.015, 0.002, 0.277, 0.217, -0.020,
    ];

    fn count(&mut self, game: &Amazons, position: &Position, table: &mut FeatureTable) {
        let grid = game.grid();
        let empty = game.empty_cells(position);
        let sides = [position.amazon_set(0), position.amazon_set(1)];
        let queens = sides.map(|set| Flood::new(set, empty, |s, open| grid.slides(s, open)));
        let kings = sides.map(|set| Flood::new(set, empty, |s, open| grid.around(s) & open));
        // 1 while all cells are contested, 0 when none is.
        let contested = (queens[0].all() & queens[1].all()).count() as f32;
        let phase = contested / (empty.count().max(1)) as f32 * (contested / 92.0).min(1.0);
        let mover = game.to_move(position);
        for (seat, features) in table.iter_mut().enumerate().take(2) {
            let (own, other) = (seat, 1 - seat);
            let first = queens[own].before(&queens[other]).count() as f32;
            let near = kings[own].before(&kings[other]).count() as f32;
            let close = closeness(&queens[own]);
            let sooner: u32 = kings[own].within.iter().map(|set| set.count()).sum();
            let alone = queens[own].all().without(queens[other].all()).count() as f32;
            let room = room(game, position, seat, empty, grid);
            let tempo = if mover == Some(seat) { 1.0 } else { 0.0 };
            let list = [
                first,
                first * phase,
                near,
                near * phase,
                close * phase,
                sooner as f32 * phase / 10.0,
                alone,
                room,
                room * phase,
                tempo,
                tempo * phase * 10.0,
            ];
            features[..list.len()].copy_from_slice(&list);
        }
    }

    fn shortlist(
        &mut self,
        game: &Amazons,
        position: &Position,
        depth: i32,
        moves: &mut Vec<Shot>,
    ) -> bool {
        staged_moves::shortlist(self, (game, position), depth, &STAGED_MOVES, moves)
    }

    fn certain(&mut self, game: &Amazons, position: &Position) -> Option<[f32; MAX_SEATS]> {
        let grid = game.grid();
        let mover = game.to_move(position)?;
        let sides = [position.amazon_set(0), position.amazon_set(1)];
        let (empty, mut budget) = (game.empty_cells(position), Budget::a_region(EFFORT));
        let moves = arrows::moves_left(grid, &mut self.solver, sides, empty, &mut budget)?;
        // The first seat that cannot move loses.
        let winner = arrows::winner(moves, mover)?;
        let (own, other) = (moves[winner], moves[1 - winner]);
        let lead = 1 + own.least.saturating_sub(other.most);
        let mut scores = [0.0; MAX_SEATS];
        scores[winner] = CERTAIN + lead as f32;
        Some(scores)
    }
}

const STAGED_MOVES: StagedMoves<Amazons, AmazonsFeatures> = StagedMoves {
    slides: |game, position, slides| {
        for from in game
            .to_move(position)
            .into_iter()
            .flat_map(|s| position.amazons(s))
        {
            let slide = |to, _| slides.push((from, to));
            game.lines()
                .each(position.occupied(), from, Gap::NONE, slide);
        }
    },
    moves_after: |game, position, (from, to), moves| {
        let next = game.half_move(position, from, to);
        let shot = |target, _| moves.push(Shot { from, to, target });
        game.lines().each(next.occupied(), to, Gap::NONE, shot);
    },
    rate_slide: |features, game, position, (from, to)| {
        let seat = game.to_move(position).unwrap_or_default();
        features.lead(game, &game.half_move(position, from, to), seat)
    },
    rate_move: |features, game, position, mv| {
        let seat = game.to_move(position).unwrap_or_default();
        let mut next = *position;
        game.play_unchecked(&mut next, mv);
        features.lead(game, &next, seat)
    },
};

/// The cells that a flood reaches, each worth less the more moves it takes.
fn closeness(flood: &Flood<u128>) -> f32 {
    let mut sum = 0.0;
    let mut before = 0;
    let mut worth = 1.0;
    for set in flood.within {
        let count = set.count();
        if count == before {
            break;
        }
        sum += (count - before) as f32 * worth;
        worth *= DECAY;
        before = count;
    }
    sum
}

/// The mobility of a seat's amazons, as a logarithm for each.
fn room(game: &Amazons, position: &Position, seat: Seat, empty: u128, grid: &Grid<u128>) -> f32 {
    let lines = game.lines();
    let each = position.amazons(seat).map(|cell| {
        let moves = lines.count(position.occupied(), cell, Gap::NONE);
        let steps = (grid.around(1 << cell) & empty).count();
        logarithm(moves + 2 * steps)
    });
    each.sum()
}

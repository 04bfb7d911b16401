//! Game of the Amazons: who reaches which cells first, by queen's and by king's moves, and mobility.

use games::kit::board::CellId;
use games::kit::board::bitboard::{Cells, Grid};
use games::kit::board::sliding::lines::Gap;
use games::kit::board::sliding::shots::Shot;
use games::rules::amazons::{Amazons, Position};
use games::settlement::{Budget, EndgameSolver, arrows};
use games::{Game, MAX_SEATS};

use crate::evaluation::evaluate::{CERTAIN, EFFORT};
use crate::evaluation::features::flood::Flood;
use crate::evaluation::features::staged_moves;
use crate::evaluation::features::staged_moves::StagedMoves;
use crate::evaluation::linear::{FeatureTable, Features, logarithm};

#[derive(Default)]
pub(crate) struct AmazonsFeatures {
    solver: EndgameSolver<u128>,
    /// A board of at most 64 cells, whose sets are shifted in one step; made at the first position.
    small: Option<Grid<u64>>,
}

/// The factor by which a cell is worth less for each move that it takes to reach it.
const DECAY: f32 = 0.5;

impl Features<Amazons> for AmazonsFeatures {
    const WEIGHTS: &'static [f32] = &[
        0.057, -0.092, 0.181, -0.222, 0.004, 0.169, -0.015, 0.002, 0.277, 0.217, -0.020,
    ];
    const EXPLORATION: f32 = 0.4;

    fn count(&mut self, game: &Amazons, position: &Position, table: &mut FeatureTable) {
        let empty = game.empty_cells(position);
        let sides = [position.amazon_set(0), position.amazon_set(1)];
        let slides = |cell| game.lines().count(position.occupied(), cell, Gap::NONE);
        let ground = if game.grid().cells() <= 64 {
            let grid = self.small.get_or_insert_with(|| Grid::new(game.board()));
            Ground::new(grid, sides.map(|set| set as u64), empty as u64, slides)
        } else {
            Ground::new(game.grid(), sides, empty, slides)
        };
        // 1 while all cells are contested, 0 when none is.
        let contested = ground.contested as f32;
        let phase = contested / (empty.count().max(1)) as f32 * (contested / 92.0).min(1.0);
        let mover = game.to_move(position);
        for (seat, features) in table.iter_mut().enumerate().take(2) {
            let side = &ground.sides[seat];
            let (first, near) = (side.first as f32, side.near as f32);
            let tempo = if mover == Some(seat) { 1.0 } else { 0.0 };
            let list = [
                first,
                first * phase,
                near,
                near * phase,
                side.close * phase,
                side.sooner as f32 * phase / 10.0,
                side.alone as f32,
                side.room,
                side.room * phase,
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

/// Which cells each side reaches, and how soon.
struct Ground {
    sides: [SideGround; 2],
    /// The number of cells that both sides reach.
    contested: u32,
}

struct SideGround {
    /// The number of cells that its amazons reach in fewer moves than the other's.
    first: u32,
    /// The same by king's moves.
    near: u32,
    /// The cells that it reaches, each worth less the more moves it takes.
    close: f32,
    /// For each number of king's moves, the number of cells within it.
    sooner: u32,
    /// The number of cells that only this side reaches.
    alone: u32,
    /// The mobility of its amazons, as a logarithm for each.
    room: f32,
}

impl Ground {
    /// `slides` returns the number of slides of the amazon on a cell.
    #[inline]
    fn new<S: Cells>(
        grid: &Grid<S>,
        amazons: [S; 2],
        empty: S,
        slides: impl Fn(CellId) -> u32,
    ) -> Self {
        let lines = grid.open_lines(empty);
        let queens = amazons.map(|set| Flood::new(set, empty, |s, _| grid.slides_along(s, &lines)));
        let kings = amazons.map(|set| Flood::new(set, empty, |s, open| grid.around(s) & open));
        let room = |cell| {
            let steps = (grid.around(S::cell(cell)) & empty).count();
            logarithm(slides(cell) + 2 * steps)
        };
        let side = |own: usize| {
            let other = 1 - own;
            SideGround {
                first: queens[own].before(&queens[other]).count(),
                near: kings[own].before(&kings[other]).count(),
                close: closeness(&queens[own]),
                sooner: kings[own].within.iter().map(|set| set.count()).sum(),
                alone: queens[own].all().without(queens[other].all()).count(),
                room: amazons[own].each().map(room).sum(),
            }
        };
        Ground {
            sides: [side(0), side(1)],
            contested: (queens[0].all() & queens[1].all()).count(),
        }
    }
}

/// The cells that a flood reaches, each worth less the more moves it takes.
fn closeness(flood: &Flood<impl Cells>) -> f32 {
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

//! Game of the Amazons: who gets where first, by queen's and by king's moves, and room to move.

use games::amazons::{Amazons, Position};
use games::lines::Gap;
use games::{Game, Seat};

use super::grid::{Cells, Flood, Grid};
use super::linear::{Features, Table};

/// The territory of each side.
#[derive(Default)]
pub(super) struct Territory {
    grid: Option<Grid<u128>>,
}

/// How fast a cell loses worth with the moves that it takes to get there.
const DECAY: f32 = 0.5;

impl Features<Amazons> for Territory {
    const WEIGHTS: &'static [f32] = &[
        0.20, 0.02, 0.02, 0.05, 0.08, 0.02, 0.03, 0.05, 0.10, 0.3, 0.1,
    ];

    fn count(&mut self, game: &Amazons, position: &Position, table: &mut Table) {
        let grid = self.grid.get_or_insert_with(|| Grid::new(game.board()));
        let empty = !game.lines().blocked_cells(position.occupied());
        let empty = empty & (u128::MAX >> (128 - game.board().len()));
        let sides = [position.amazon_set(0), position.amazon_set(1)];
        let queens = sides.map(|set| Flood::new(set, empty, |s, open| grid.slides(s, open)));
        let kings = sides.map(|set| Flood::new(set, empty, |s, open| grid.around(s) & open));
        // 1 while everything is open, 0 when each cell is one side's own.
        let contested = (queens[0].all() & queens[1].all()).count() as f32;
        let phase = contested / (empty.count().max(1)) as f32 * (contested / 92.0).min(1.0);
        let mover = game.to_move(position);
        for seat in 0..2 {
            let (own, other) = (seat, 1 - seat);
            let features = &mut table[seat];
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
}

/// The cells that a flood reaches, each worth less by the moves that it takes.
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

/// How free the amazons of a seat are: little is gained by more where there is enough.
fn room(game: &Amazons, position: &Position, seat: Seat, empty: u128, grid: &Grid<u128>) -> f32 {
    let lines = game.lines();
    let each = position.amazons(seat).map(|cell| {
        let moves = lines.count(position.occupied(), cell, Gap::NONE);
        let steps = (grid.around(1 << cell) & empty).count();
        ((moves + 2 * steps) as f32 + 1.0).ln()
    });
    each.sum()
}

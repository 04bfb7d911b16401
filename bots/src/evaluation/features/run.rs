//! Run: cows that are out or on their way, and the cowboys that wait for them.

use games::Game;
use games::kit::board::bitboard::{Cells, Grid};
use games::rules::run::{Kind, Move, Position, Run};

use crate::evaluation::linear::{FeatureTable, Features};

/// The board is made at the first position.
#[derive(Default)]
pub(crate) struct RunFeatures {
    board: Option<RunBoard>,
    /// A list of moves, kept to be reused.
    scratch: Vec<Move>,
}

struct RunBoard {
    grid: Grid<u64>,
    /// The rows of the board for each seat, its first row first.
    rows: [Vec<u64>; 2],
}

impl RunBoard {
    fn new(game: &Run) -> Self {
        let row = |cells: &Vec<u8>| cells.iter().fold(0, |set, cell| set | 1u64 << cell);
        let up: Vec<u64> = game.board().rows().iter().map(row).collect();
        let down = up.iter().rev().copied().collect();
        RunBoard {
            grid: Grid::new(game.board()),
            rows: [up, down],
        }
    }
}

impl Features<Run> for RunFeatures {
    const WEIGHTS: &'static [f32] = &[
        1.907, 1.258, -0.426, 0.091, 0.825, 0.311, -0.521, 0.327, 0.080, 0.006, 0.119, 0.008,
        -0.232,
    ];

    /// Captures, those of cows first.
    fn noisy(&mut self, game: &Run, position: &Position, moves: &mut Vec<(i32, Move)>) {
        let mover = game.to_move(position);
        let Some(seat) = mover.filter(|_| position.acted() != Some(Kind::Cowboy)) else {
            return;
        };
        let RunBoard { grid, .. } = self.board.get_or_insert_with(|| RunBoard::new(game));
        let set = |seat, kind| position.piece_set(seat, kind);
        let (cows, cowboys) = (set(1 - seat, Kind::Cow), set(1 - seat, Kind::Cowboy));
        if grid.around(set(seat, Kind::Cowboy)) & (cows | cowboys) == 0 {
            return;
        }
        game.legal(position, &mut self.scratch);
        for &mv in &self.scratch {
            if let Move::Capture(_, to) = mv {
                moves.push(((cows >> to & 1) as i32, mv));
            }
        }
    }

    fn count(&mut self, game: &Run, position: &Position, table: &mut FeatureTable) {
        let RunBoard { grid, rows } = self.board.get_or_insert_with(|| RunBoard::new(game));
        let mover = game.to_move(position);
        let out = game.scores(position);
        for seat in 0..2 {
            let set = |seat, kind| position.piece_set(seat, kind);
            let (cows, cowboys) = (set(seat, Kind::Cow), set(seat, Kind::Cowboy));
            let hunters = set(1 - seat, Kind::Cowboy);
            let danger = grid.around(hunters);
            let (mut progress, mut squares, mut free) = (0.0, 0.0, 0.0);
            let mut ahead = 0;
            for (row, &cells) in rows[seat].iter().enumerate().rev() {
                ahead |= cells;
                let here = (cows & cells).count() as f32;
                progress += here * row as f32;
                squares += here * (row * row) as f32;
                // Cows with no hunter ahead.
                if hunters & ahead == 0 {
                    free += here;
                }
            }
            let tempo = mover == Some(seat);
            let whole = f32::from(u8::from(tempo && position.acted().is_none()));
            let half = |kind: Kind| f32::from(u8::from(tempo && position.acted() == Some(kind)));
            let list = [
                out[seat] as f32,
                (cows.count() + u32::from(position.reserve(seat, Kind::Cow))) as f32,
                progress,
                squares,
                cowboys.count() as f32,
                f32::from(position.reserve(seat, Kind::Cowboy)),
                (cows & danger).count() as f32,
                (cowboys & danger).count() as f32,
                free,
                (grid.around(cowboys) & rows[1 - seat][0]).count() as f32,
                whole,
                half(Kind::Cow),
                half(Kind::Cowboy),
            ];
            table[seat][..list.len()].copy_from_slice(&list);
        }
    }
}

#[cfg(test)]
mod tests {
    use games::Options;
    use serde_json::json;

    use super::*;

    #[test]
    fn captures_are_noisy_until_the_cowboys_have_acted() {
        let game = Run::new(&Options::defaults_of::<Run>()).unwrap();
        let noisy = |acted| {
            let position = game.load(&json!({
                "ply": 21, "to_move": 0, "acted": acted, "scores": [0, 0],
                "black": {
                    "cows": ["f4"], "cowboys": ["e3"], "reserve": {"cows": 6, "cowboys": 4},
                },
                "white": {
                    "cows": ["e2"], "cowboys": ["d2"], "reserve": {"cows": 6, "cowboys": 4},
                },
            }));
            let mut moves = Vec::new();
            RunFeatures::default().noisy(&game, &position.unwrap(), &mut moves);
            moves.sort_by_key(|(promise, _)| -promise);
            let text = |(promise, mv)| {
                let mut text = String::new();
                game.write_move(mv, &mut text);
                (promise, text)
            };
            moves.into_iter().map(text).collect::<Vec<_>>()
        };
        let both = [(1, "e3xe2".to_owned()), (0, "e3xd2".to_owned())];
        assert_eq!(noisy(json!(null)), both);
        assert_eq!(noisy(json!("cow")), both);
        assert_eq!(noisy(json!("cowboy")), []);
    }
}

//! Siam: how soon each rock can be pushed out, whose animals stand behind it, and who is stronger.

use games::Game;
use games::kit::board::CellId;
use games::rules::siam::{Facing, Move, Position, Siam};

use crate::evaluation::linear::{FeatureTable, Features};

const SIZE: i32 = 5;
/// The change of column and row by a step in each direction, clockwise from north.
const STEPS: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

#[derive(Default)]
pub(crate) struct SiamFeatures {
    /// A list of moves, kept to be reused.
    scratch: Vec<Move>,
}

/// The outer cells.
const EDGE: u32 = 0x1f8_c63f;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Rock,
    Animal { seat: usize, facing: Facing },
}

struct SiamBoard([Option<Piece>; 25]);

impl SiamBoard {
    fn new(position: &Position) -> Self {
        let mut board = [None; 25];
        for cell in position.rocks() {
            board[cell as usize] = Some(Piece::Rock);
        }
        for seat in 0..2 {
            for cell in position.animals(seat) {
                let facing = position.facing(cell);
                board[cell as usize] = Some(Piece::Animal { seat, facing });
            }
        }
        SiamBoard(board)
    }

    /// The pieces in an unbroken row from a cell on, without the cell itself.
    fn line(&self, cell: CellId, (dx, dy): (i32, i32)) -> impl Iterator<Item = Piece> + '_ {
        let (mut x, mut y) = (i32::from(cell) % SIZE, i32::from(cell) / SIZE);
        std::iter::from_fn(move || {
            (x, y) = (x + dx, y + dy);
            let inside = (0..SIZE).contains(&x) && (0..SIZE).contains(&y);
            inside.then(|| self.0[(y * SIZE + x) as usize]).flatten()
        })
    }
}

/// The number of pushes in a direction that it takes to push a piece off the board.
fn pushes(cell: CellId, (dx, dy): (i32, i32)) -> usize {
    let (x, y) = (i32::from(cell) % SIZE, i32::from(cell) / SIZE);
    let room = match (dx, dy) {
        (0, 1) => SIZE - y,
        (0, _) => y + 1,
        (1, _) => SIZE - x,
        _ => x + 1,
    };
    room as usize
}

/// The contribution of a piece to a line that is to be pushed: strength and rocks.
fn weigh(piece: Piece, way: Facing) -> (i32, i32) {
    match piece {
        Piece::Rock => (0, 1),
        Piece::Animal { facing, .. } if facing == way => (1, 0),
        Piece::Animal { facing, .. } if facing == (way + 2) % 4 => (-1, 0),
        Piece::Animal { .. } => (0, 0),
    }
}

/// True if a push throws a rock out: the line from the pusher to the edge is full and ends with a
/// rock.
fn throws_out(board: &SiamBoard, mv: Move) -> bool {
    let (Move::Push(cell, way) | Move::EnterPush(cell, way)) = mv else {
        return false;
    };
    let step = STEPS[way as usize];
    let own = board.0[cell as usize];
    let line = own.into_iter().chain(board.line(cell, step));
    let (length, last) = line.fold((0, None), |(length, _), piece| (length + 1, Some(piece)));
    length == pushes(cell, step) && last == Some(Piece::Rock)
}

impl Features<Siam> for SiamFeatures {
    const WEIGHTS: &'static [f32] = &[
        1.593, 0.651, 0.087, -0.011, 0.843, 0.168, -0.264, -0.153, -0.475, 0.379, 0.363, 0.222,
        1.390, 0.132,
    ];

    fn noisy(&mut self, game: &Siam, position: &Position, moves: &mut Vec<(i32, Move)>) {
        if position.rocks().all(|cell| EDGE >> cell & 1 == 0) {
            return;
        }
        let board = SiamBoard::new(position);
        game.legal(position, &mut self.scratch);
        let winning = self.scratch.iter().filter(|mv| throws_out(&board, **mv));
        moves.extend(winning.map(|mv| (0, *mv)));
    }

    fn count(&mut self, game: &Siam, position: &Position, table: &mut FeatureTable) {
        let board = SiamBoard::new(position);
        let mover = game.to_move(position);
        for cell in position.rocks() {
            for (way, &step) in STEPS.iter().enumerate() {
                let way = way as Facing;
                let (mut strength, mut rocks) = (0, 1);
                let mut owner = None;
                for piece in board.line(cell, (-step.0, -step.1)) {
                    let (force, stones) = weigh(piece, way);
                    strength += force;
                    rocks += stones;
                    if let (Piece::Animal { seat, .. }, 1, None) = (piece, force, owner) {
                        owner = Some(seat);
                    }
                }
                let Some(owner) = owner else {
                    continue;
                };
                for piece in board.line(cell, step) {
                    let (force, stones) = weigh(piece, way);
                    strength += force;
                    rocks += stones;
                }
                let soon = (pushes(cell, step) - 1).min(3);
                let strong = strength >= rocks && strength >= 1;
                let features = &mut table[owner];
                features[if strong { soon } else { 4 + soon }] += 1.0;
                if mover == Some(owner) && strong {
                    features[11] += f32::from(u8::from(soon == 1));
                    features[12] += f32::from(u8::from(soon == 0));
                }
            }
        }
        for (seat, features) in table.iter_mut().enumerate().take(2) {
            for cell in position.animals(seat) {
                let (x, y) = (i32::from(cell) % SIZE, i32::from(cell) / SIZE);
                features[8] += 1.0;
                let inner = (1..SIZE - 1).contains(&x) && (1..SIZE - 1).contains(&y);
                features[9] += f32::from(u8::from(inner));
                // Higher for animals that face the middle.
                let step = STEPS[position.facing(cell) as usize];
                features[10] += pushes(cell, step) as f32 / SIZE as f32;
            }
            features[13] = f32::from(u8::from(mover == Some(seat)));
        }
    }
}

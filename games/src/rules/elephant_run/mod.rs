//! Elephant Run: an elephant eats the ground away under farmers who try to stop it.

pub mod board;
mod learning;
mod position;
mod state;

use std::fmt::Write as _;

use serde_json::Value;

use crate::game::{Game, ParseError};
use crate::kit::board::bitset::{self, Sequence};
use crate::kit::board::{Board, CellId};
use crate::kit::info::{Limits, StaticInfo, StaticKind, StaticOption};
use crate::kit::options::{OptionError, Options};
use crate::kit::outcome::{Outcome, Scores, Seat};
use crate::kit::rng::Rng;
use crate::kit::solving::{CellSets, Solvable};
use crate::kit::state::{StateError, next_count};
use crate::kit::view::{Ground, Piece, View};
use crate::kit::zobrist;

use board::{ALL, COLUMNS, DIRECTIONS, ROWS, cells, step};
use position::Phase;
pub use position::Position;

/// The fact in keys that the farmers are to move.
const FARMERS_TO_MOVE: usize = 0;
/// The place of the first cell that is reached with a jump, in sets of [`ElephantRun::farmers_moves`].
const JUMPS: CellId = 32;
/// Added to the elephant's margin when no farmer is left: more than any target.
pub const NO_FARMERS: i32 = 100;

/// One ply of the elephant or of a farmer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// The elephant or a farmer is placed.
    Place(CellId),
    /// A farmer moves, or the elephant steps.
    Go {
        /// Start of the step.
        from: CellId,
        /// End of the step.
        to: CellId,
    },
    /// The elephant jumps over a farmer.
    Capture {
        /// Start of the jump.
        from: CellId,
        /// End of the jump.
        to: CellId,
    },
}

/// The rules for one target, number of farmers and kind of jumps.
#[derive(Debug)]
pub struct ElephantRun {
    board: Board,
    target: u8,
    farmers: u32,
    ranged_jumps: bool,
}

impl ElephantRun {
    /// The board of the game.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The points that the elephant needs to win.
    pub fn target(&self) -> u8 {
        self.target
    }

    /// The number of farmers.
    pub fn farmers(&self) -> u32 {
        self.farmers
    }

    /// Tiles where farmers of `from` land by a jump over another farmer in a direction.
    #[inline]
    fn jumps(&self, position: &Position, from: u32, direction: usize) -> u32 {
        let landing = if self.ranged_jumps {
            let over = position.run(from, direction) & position.farmers;
            position.run(over, direction)
        } else {
            step(step(from, direction) & position.farmers, direction)
        };
        landing & position.free()
    }

    /// The farmers' moves: a set for each direction, of the tiles that they reach without a jump and, behind
    /// [`JUMPS`], of those that they reach with one. In one direction, no two farmers reach the same cell in
    /// the same way.
    #[inline]
    fn farmers_moves(&self, position: &Position) -> Sequence<DIRECTIONS> {
        let mut sequence = Sequence::EMPTY;
        for direction in 0..DIRECTIONS {
            let runs = position.run(position.farmers, direction) & position.free();
            let jumps = self.jumps(position, position.farmers, direction);
            sequence.put(direction, [u64::from(runs) | u64::from(jumps) << JUMPS]);
        }
        sequence
    }

    /// The move with this number of [`ElephantRun::farmers_moves`].
    #[inline]
    fn farmer_move(position: &Position, sequence: &Sequence<DIRECTIONS>, index: u32) -> Move {
        let (direction, place) = sequence.nth(index);
        let (jumps, to) = match place.checked_sub(JUMPS) {
            None => (false, place),
            Some(to) => (true, to),
        };
        let back = (direction + DIRECTIONS / 2) % DIRECTIONS;
        let mut cell = 1 << to;
        for _ in 0..=usize::from(jumps) {
            cell = position.run(cell, back) & position.farmers;
        }
        let from = cell.trailing_zeros() as CellId;
        Move::Go { from, to }
    }

    fn farmers_can_move(&self, position: &Position) -> bool {
        let free = position.free();
        (0..DIRECTIONS).any(|d| {
            position.run(position.farmers, d) & free != 0
                || self.jumps(position, position.farmers, d) != 0
        })
    }

    /// Passes the turn to `seat`, to the elephant if that is the farmers' seat and they cannot move, or
    /// ends the game.
    #[inline]
    fn settle(&self, position: &mut Position, seat: u8) {
        position.seat = 0;
        if position.elephant_targets() == (0, 0) {
            position.phase = Phase::Stuck;
        } else if position.farmers == 0 {
            position.phase = Phase::Gone;
        } else if seat == 1 && self.farmers_can_move(position) {
            position.seat = 1;
        }
    }

    fn place(&self, position: &mut Position, cell: CellId) {
        if position.elephant == 0 {
            position.put_elephant(cell);
            position.seat = 1;
            return;
        }
        position.toggle_farmer(cell);
        if position.farmers.count_ones() == self.farmers {
            position.end_placing();
            self.settle(position, 0);
        }
    }
}

impl Game for ElephantRun {
    type Position = Position;
    type Move = Move;

    const INFO: StaticInfo = StaticInfo {
        id: "elephant-run",
        title: "Elephant Run",
        summary: "The elephant eats tiles and captures farmers until the farmers have shut it \
                  in. It wins with enough points, they win otherwise.",
        roles: &["elephant", "farmers"],
        symmetric: false,
        options: &[
            StaticOption {
                name: "target",
                kind: StaticKind::Int {
                    min: 1,
                    max: 30,
                    default: Some(10),
                },
                help: "Points that the elephant needs to win.",
                unless: None,
            },
            StaticOption {
                name: "farmers",
                kind: StaticKind::Int {
                    min: 4,
                    max: 8,
                    default: Some(6),
                },
                help: "How many farmers there are.",
                unless: None,
            },
            StaticOption {
                name: "ranged_jumps",
                kind: StaticKind::Flag,
                help: "Whether farmers may cross holes before and after a jump.",
                unless: None,
            },
        ],
        notation: &[
            ("c2", "the elephant or a farmer is placed on c2"),
            ("c2-d3", "the elephant or the farmer on c2 goes to d3"),
            (
                "c2xe4",
                "the elephant on c2 captures the farmer on d3 and lands on e4",
            ),
        ],
        limits: Limits::NONE,
    };

    const GUIDE: &'static str = include_str!("elephant_run.md");

    fn new(options: &Options) -> Result<Self, OptionError> {
        Ok(ElephantRun {
            board: Board::square(COLUMNS, ROWS),
            target: options.number("target") as u8,
            farmers: options.number("farmers") as u32,
            ranged_jumps: options.flag("ranged_jumps"),
        })
    }

    fn start(&self, _rng: &mut Rng) -> Position {
        Position::empty()
    }

    fn load(&self, state: &Value) -> Result<Position, StateError> {
        self.read(state)
    }

    fn save(&self, position: &Position) -> Value {
        self.write(position)
    }

    #[inline]
    fn to_move(&self, position: &Position) -> Option<Seat> {
        match position.phase {
            Phase::Place | Phase::Move => Some(position.seat as Seat),
            Phase::Stuck | Phase::Gone => None,
        }
    }

    #[inline]
    fn ply(&self, position: &Position) -> u32 {
        position.ply
    }

    fn scores(&self, position: &Position) -> Scores {
        [i32::from(position.points), 0].into_iter().collect()
    }

    fn outcome(&self, position: &Position) -> Outcome {
        // Farmers stand on tiles, so without tiles there are no farmers either.
        let gone = position.farmers == 0 && position.phase != Phase::Place;
        let elephant_wins = gone || position.points >= self.target;
        let won = f64::from(u8::from(elephant_wins));
        [won, 1.0 - won].into_iter().collect()
    }

    fn reason(&self, position: &Position) -> Option<&'static str> {
        match position.phase {
            Phase::Place | Phase::Move => None,
            Phase::Stuck => Some("elephant_stuck"),
            Phase::Gone => Some("farmers_gone"),
        }
    }

    fn legal(&self, position: &Position, moves: &mut Vec<Move>) {
        moves.clear();
        match (position.phase, position.seat) {
            (Phase::Stuck | Phase::Gone, _) => {}
            (Phase::Place, _) => moves.extend(cells(position.free()).map(Move::Place)),
            (Phase::Move, 0) => {
                let from = position.elephant.trailing_zeros() as CellId;
                let (steps, jumps) = position.elephant_targets();
                moves.extend(cells(steps).map(|to| Move::Go { from, to }));
                moves.extend(cells(jumps).map(|to| Move::Capture { from, to }));
            }
            (Phase::Move, _) => {
                let all = self.farmers_moves(position);
                moves.extend((0..all.len()).map(|index| Self::farmer_move(position, &all, index)));
            }
        }
    }

    fn count_legal(&self, position: &Position) -> u64 {
        let count = match (position.phase, position.seat) {
            (Phase::Stuck | Phase::Gone, _) => 0,
            (Phase::Place, _) => position.free().count_ones(),
            (Phase::Move, 0) => {
                let (steps, jumps) = position.elephant_targets();
                steps.count_ones() + jumps.count_ones()
            }
            (Phase::Move, _) => self.farmers_moves(position).len(),
        };
        u64::from(count)
    }

    fn random_move(&self, position: &Position, rng: &mut Rng, _scratch: &mut Vec<Move>) -> Move {
        let mut draw = |count: u32| rng.below(u64::from(count)) as u32;
        let nth = |set: u32, index| bitset::nth64(u64::from(set), index);
        match (position.phase, position.seat) {
            (Phase::Move, 0) => {
                let from = position.elephant.trailing_zeros() as CellId;
                let (steps, jumps) = position.elephant_targets();
                let drawn = draw(steps.count_ones() + jumps.count_ones());
                match drawn.checked_sub(steps.count_ones()) {
                    None => Move::Go {
                        from,
                        to: nth(steps, drawn),
                    },
                    Some(index) => Move::Capture {
                        from,
                        to: nth(jumps, index),
                    },
                }
            }
            (Phase::Move, _) => {
                let all = self.farmers_moves(position);
                Self::farmer_move(position, &all, draw(all.len()))
            }
            _ => {
                let free = position.free();
                Move::Place(nth(free, draw(free.count_ones())))
            }
        }
    }

    fn is_legal(&self, position: &Position, mv: Move) -> bool {
        let has = |set: u32, cell: CellId| set >> cell & 1 != 0;
        match (position.phase, position.seat, mv) {
            (Phase::Place, _, Move::Place(cell)) => has(position.free(), cell),
            (Phase::Move, 0, Move::Go { from, to }) => {
                has(position.elephant, from) && has(position.elephant_targets().0, to)
            }
            (Phase::Move, 0, Move::Capture { from, to }) => {
                has(position.elephant, from) && has(position.elephant_targets().1, to)
            }
            (Phase::Move, 1, Move::Go { from, to }) => {
                has(position.farmers, from)
                    && has(position.free(), to)
                    && (0..DIRECTIONS).any(|d| {
                        has(position.run(1 << from, d), to)
                            || has(self.jumps(position, 1 << from, d), to)
                    })
            }
            _ => false,
        }
    }

    fn play_unchecked(&self, position: &mut Position, mv: Move) {
        let seat = position.seat;
        position.ply = next_count(position.ply);
        match mv {
            Move::Place(cell) => self.place(position, cell),
            Move::Go { from, to } if seat == 0 => {
                position.move_elephant(from, to);
                position.eat(to);
                self.settle(position, 1);
            }
            Move::Go { from, to } => {
                position.toggle_farmer(from);
                position.toggle_farmer(to);
                self.settle(position, 0);
            }
            Move::Capture { from, to } => {
                position.move_elephant(from, to);
                // The cell between them, since ids are evenly spaced along a line.
                position.toggle_farmer((from + to) / 2);
                self.settle(position, 1);
            }
        }
        if position.seat != seat {
            position.key ^= zobrist::fact(FARMERS_TO_MOVE);
        }
    }

    fn parse_move(&self, text: &str) -> Result<Move, ParseError> {
        let cell = |name: &str| self.board.find(name);
        let pair = |separator| {
            let (from, to) = text.split_once(separator)?;
            Some((cell(from)?, cell(to)?))
        };
        let place = cell(text).map(Move::Place);
        place
            .or_else(|| pair('-').map(|(from, to)| Move::Go { from, to }))
            .or_else(|| pair('x').map(|(from, to)| Move::Capture { from, to }))
            .ok_or_else(|| ParseError::new(&Self::INFO, text))
    }

    fn write_move(&self, mv: Move, out: &mut String) {
        let name = |cell| self.board.name(cell);
        let _ = match mv {
            Move::Place(cell) => write!(out, "{}", name(cell)),
            Move::Go { from, to } => write!(out, "{}-{}", name(from), name(to)),
            Move::Capture { from, to } => write!(out, "{}x{}", name(from), name(to)),
        };
    }

    fn key(&self, position: &Position) -> u64 {
        position.key
    }

    fn write_identity(&self, position: &Position, out: &mut String) {
        let turn = position.seat + 2 * u8::from(position.phase == Phase::Place);
        let Position {
            tiles,
            elephant,
            farmers,
            ..
        } = position;
        let _ = write!(out, "{turn}.{tiles:x}.{elephant:x}.{farmers:x}");
    }

    fn solvable(&self) -> Option<Solvable<'_>> {
        let target = i32::from(self.target);
        Some(Solvable {
            board: &self.board,
            win: target,
            draw: target,
            points: true,
            movement: None,
        })
    }

    fn cell_sets(&self, position: &Position, sets: &mut CellSets) {
        let placing = if position.placing() { ALL } else { 0 };
        let Position {
            tiles,
            elephant,
            farmers,
            ..
        } = *position;
        sets.extend([tiles, elephant, farmers, placing].map(u128::from));
    }

    /// The elephant's points, and as many more as it needs for any target if no farmer is left.
    fn margin(&self, position: &Position) -> i32 {
        let gone = position.farmers == 0 && !position.placing();
        i32::from(position.points) + if gone { NO_FARMERS } else { 0 }
    }

    fn margin_bounds(&self, position: &Position) -> (i32, i32) {
        (i32::from(position.points), i32::MAX)
    }

    fn view(&self, position: &Position) -> View {
        let ground = |cell: CellId| match position.tiles >> cell & 1 {
            0 => Ground::Gone,
            _ => Ground::Open,
        };
        let mut pieces = Vec::new();
        for (seat, set, kind, glyph) in [
            (0, position.elephant, "elephant", 'E'),
            (1, position.farmers, "farmer", 'F'),
        ] {
            pieces.extend(cells(set).map(|cell| Piece {
                cell: self.board.name(cell).to_owned(),
                kind: kind.into(),
                seat: Some(seat),
                glyph,
                facing: None,
            }));
        }
        let mut notes = vec![format!(
            "points of the elephant: {} of {}",
            position.points, self.target
        )];
        if position.phase == Phase::Place {
            let left = self.farmers - position.farmers.count_ones();
            notes.push(format!("farmers to place: {left}"));
        }
        View {
            shape: self.board.shape(),
            cells: self.board.draw_all(ground),
            pieces,
            notes,
        }
    }
}

#[cfg(test)]
mod tests;

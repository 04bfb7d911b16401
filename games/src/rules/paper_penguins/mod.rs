//! Paper Pen-guins: pieces on squared paper that cross out the cells they leave.

mod learning;
mod state;

use std::fmt::Write as _;

use serde_json::Value;

use crate::game::{Game, ParseError};
use crate::kit::board::bitboard::Grid;
use crate::kit::board::bitset;
use crate::kit::board::sliding::lines::{Gap, Lines, Occupancy};
use crate::kit::board::sliding::slide_moves::{self, Slide};
use crate::kit::board::{Board, CellId};
use crate::kit::info::{Limits, StaticInfo, StaticKind, StaticOption};
use crate::kit::options::{OptionError, Options};
use crate::kit::outcome::{MAX_SEATS, Scores, Seat};
use crate::kit::rng::Rng;
use crate::kit::solving::{CellSets, Movement, Solvable};
use crate::kit::state::{self as fields, StateError, next_count};
use crate::kit::view::{Ground, Piece, View};
use crate::kit::zobrist;
use crate::settlement::{Budget, PointBoard, Slides, worth};

/// The highest number of a cell.
const HIGHEST: u8 = 3;
/// The kind of the first seat's pieces in keys; the kinds below it are the numbers of cells.
const PIECE: usize = HIGHEST as usize;

/// One ply: a claim, or a slide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A cell is claimed for a piece.
    Place(CellId),
    /// A piece moves.
    Go(Slide),
}

/// The phase of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Place,
    Move,
    Over,
}

/// Unclaimed cells with their points, the pieces, and the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Cells that are claimed or crossed out.
    occupied: Occupancy<64>,
    /// The unclaimed cells with one or three points, and those with two or three: numbers in
    /// binary.
    points: [u128; 2],
    pieces: [u128; 2],
    key: u64,
    ply: u32,
    scores: [u16; 2],
    /// The seat to move; 0 in a finished game.
    seat: u8,
    phase: Phase,
}

impl Position {
    /// The points of a cell, 0 where it is claimed or crossed out.
    #[inline]
    pub fn points(&self, cell: CellId) -> u8 {
        (self.points[0] >> cell & 1 | (self.points[1] >> cell & 1) << 1) as u8
    }

    /// The cells of a seat's pieces.
    #[inline]
    pub fn pieces(&self, seat: Seat) -> impl Iterator<Item = CellId> + use<> {
        bitset::cells(self.pieces[seat])
    }

    /// Cells that are claimed or crossed out.
    pub fn occupied(&self) -> &Occupancy<64> {
        &self.occupied
    }

    /// A seat's pieces, as a set.
    #[inline]
    pub fn piece_set(&self, seat: Seat) -> u128 {
        self.pieces[seat]
    }

    /// The unclaimed cells with one or three points, and those with two or three: numbers in
    /// binary.
    #[inline]
    pub fn point_sets(&self) -> [u128; 2] {
        self.points
    }

    /// True if pieces are still to be placed.
    pub fn placing(&self) -> bool {
        self.phase == Phase::Place
    }

    /// The cells that are neither claimed nor crossed out.
    #[inline]
    pub fn unclaimed(&self) -> u128 {
        self.points[0] | self.points[1]
    }

    fn put_points(&mut self, cell: CellId, points: u8) {
        self.points[0] |= u128::from(points & 1) << cell;
        self.points[1] |= u128::from(points >> 1) << cell;
        self.key ^= zobrist::piece(points as usize - 1, cell as usize);
    }

    /// Puts a piece on a cell or takes it away.
    #[inline]
    fn toggle_piece(&mut self, seat: Seat, cell: CellId) {
        self.pieces[seat] ^= 1 << cell;
        self.key ^= zobrist::piece(PIECE + seat, cell as usize);
    }

    /// The number of pieces.
    fn placed(&self) -> usize {
        (self.pieces[0] | self.pieces[1]).count_ones() as usize
    }
}

/// The rules for one size of board.
#[derive(Debug)]
pub struct PaperPenguins {
    board: Board,
    grid: Grid<u128>,
    lines: Lines<4, 64>,
    /// The pieces of each seat.
    pieces: usize,
    /// The points of each cell, if they are given.
    given: Option<Vec<u8>>,
}

impl PaperPenguins {
    /// Numbers of cells with one, two and three points on a random board.
    fn supply(&self) -> [usize; HIGHEST as usize] {
        let cells = self.board.len();
        let (ones, twos) = (cells.div_ceil(2), (2 * cells + 3) / 6);
        [ones, twos, cells - ones - twos]
    }

    /// Every cell crossed out.
    fn empty(&self) -> Position {
        let mut occupied = self.lines.free();
        for cell in self.board.cells() {
            self.lines.toggle(&mut occupied, cell);
        }
        Position {
            occupied,
            points: [0; 2],
            pieces: [0; 2],
            key: 0,
            ply: 0,
            scores: [0; 2],
            seat: 0,
            phase: Phase::Place,
        }
    }

    /// Restores the points of a crossed-out cell.
    fn open(&self, position: &mut Position, cell: CellId, points: u8) {
        self.lines.toggle(&mut position.occupied, cell);
        position.put_points(cell, points);
    }

    /// The seat to move puts a piece on an unclaimed cell and scores it.
    #[inline]
    fn claim(&self, position: &mut Position, cell: CellId) {
        let points = position.points(cell);
        let seat = position.seat as Seat;
        position.scores[seat] += u16::from(points);
        position.points[0] &= !(1 << cell);
        position.points[1] &= !(1 << cell);
        position.key ^= zobrist::piece(points as usize - 1, cell as usize);
        position.toggle_piece(seat, cell);
        self.lines.toggle(&mut position.occupied, cell);
    }

    /// In the phase in which pieces move: passes the turn to `seat`, to the other seat if it cannot
    /// move, or ends the game.
    #[inline]
    fn settle(&self, position: &mut Position, seat: u8) {
        let can_move = |seat: u8| {
            let pieces = position.pieces(seat as Seat);
            self.lines.any(&position.occupied, pieces)
        };
        let mover = [seat, 1 - seat].into_iter().find(|seat| can_move(*seat));
        position.seat = mover.unwrap_or_default();
        if mover.is_none() {
            position.phase = Phase::Over;
        }
    }

    /// A position as far as points matter, for counting.
    pub fn point_board(&self, position: &Position) -> PointBoard<u128> {
        let mut board = PointBoard {
            seats: 2,
            pieces: [0; MAX_SEATS],
            open: position.unclaimed(),
            worth: position.points,
            points: [0; MAX_SEATS],
        };
        for seat in 0..2 {
            board.pieces[seat] = position.pieces[seat];
            board.points[seat] = u32::from(position.scores[seat]);
        }
        board
    }

    /// The board of the game.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The board as sets of cells.
    pub fn grid(&self) -> &Grid<u128> {
        &self.grid
    }

    /// The lines of the board, for evaluations.
    pub fn lines(&self) -> &Lines<4, 64> {
        &self.lines
    }
}

impl Game for PaperPenguins {
    type Position = Position;
    type Move = Move;

    const INFO: StaticInfo = StaticInfo {
        id: "paper-penguins",
        title: "Paper Pen-guins",
        summary: "Pieces move like chess queens on squared paper, score each cell they come to \
                  and cross out each cell they leave. Most points win.",
        roles: &["square", "circle"],
        symmetric: true,
        options: &[
            StaticOption {
                name: "size",
                kind: StaticKind::Int {
                    min: 4,
                    max: 11,
                    default: Some(8),
                },
                help: "Columns and rows of the board.",
                unless: None,
            },
            StaticOption {
                name: "points",
                kind: StaticKind::Rows,
                help: "The points of each cell, rows of digits 1 to 3, the top row first; \
                       without it they are random.",
                unless: None,
            },
        ],
        notation: &[
            ("e4", "e4 is claimed as the place of a piece"),
            ("e4-e7", "the piece on e4 goes to e7"),
        ],
        limits: Limits::NONE,
    };

    const GUIDE: &'static str = include_str!("paper_penguins.md");
    const SETTLES: bool = true;

    fn new(options: &Options) -> Result<Self, OptionError> {
        let size = options.number("size");
        let board = Board::square(size, size);
        let lines = Lines::new(&board);
        let given = options.list("points").map(|rows| {
            fields::read_digits(&board, &rows, "123")
                .map_err(|bad| OptionError::new(Self::INFO.id, "points", bad.to_string()))
        });
        Ok(PaperPenguins {
            given: given.transpose()?,
            grid: Grid::new(&board),
            board,
            lines,
            pieces: if size <= 5 { 2 } else { 4 },
        })
    }

    fn start(&self, rng: &mut Rng) -> Position {
        let shuffled = || {
            let numbers = (1..=HIGHEST).zip(self.supply());
            let mut numbers: Vec<u8> = numbers
                .flat_map(|(points, count)| std::iter::repeat_n(points, count))
                .collect();
            rng.shuffle(&mut numbers);
            numbers
        };
        let points = self.given.clone().unwrap_or_else(shuffled);
        let mut position = self.empty();
        for (cell, points) in self.board.cells().zip(points) {
            self.open(&mut position, cell, points);
        }
        position
    }

    fn load(&self, state: &Value) -> Result<Position, StateError> {
        self.read(state)
    }

    fn save(&self, position: &Position) -> Value {
        self.write(position)
    }

    #[inline]
    fn to_move(&self, position: &Position) -> Option<Seat> {
        (position.phase != Phase::Over).then_some(position.seat as Seat)
    }

    #[inline]
    fn ply(&self, position: &Position) -> u32 {
        position.ply
    }

    fn scores(&self, position: &Position) -> Scores {
        position.scores.map(i32::from).into_iter().collect()
    }

    fn settled(&self, position: &Position, budget: &mut Budget) -> Option<Scores> {
        if position.phase != Phase::Move {
            return None;
        }
        let (grid, board) = (&self.grid, self.point_board(position));
        let worth = board.worth;
        board.settled(grid, &Slides { grid, worth }, budget)
    }

    fn reason(&self, position: &Position) -> Option<&'static str> {
        (position.phase == Phase::Over).then_some("no_moves")
    }

    fn legal(&self, position: &Position, moves: &mut Vec<Move>) {
        moves.clear();
        let pieces = position.pieces(position.seat as Seat);
        match position.phase {
            Phase::Place => moves.extend(bitset::cells(position.unclaimed()).map(Move::Place)),
            Phase::Move => slide_moves::each(&self.lines, &position.occupied, pieces, |slide| {
                moves.push(Move::Go(slide));
            }),
            Phase::Over => {}
        }
    }

    fn count_legal(&self, position: &Position) -> u64 {
        let pieces = position.pieces(position.seat as Seat);
        match position.phase {
            Phase::Place => u64::from(position.unclaimed().count_ones()),
            Phase::Move => slide_moves::count(&self.lines, &position.occupied, pieces),
            Phase::Over => 0,
        }
    }

    fn random_move(&self, position: &Position, rng: &mut Rng, _scratch: &mut Vec<Move>) -> Move {
        if position.phase == Phase::Place {
            let unclaimed = position.unclaimed();
            let index = rng.below(u64::from(unclaimed.count_ones()));
            return Move::Place(bitset::nth(unclaimed, index as u32));
        }
        let pieces = position.pieces(position.seat as Seat);
        Move::Go(slide_moves::random(
            &self.lines,
            &position.occupied,
            pieces,
            rng,
        ))
    }

    fn is_legal(&self, position: &Position, mv: Move) -> bool {
        match (position.phase, mv) {
            (Phase::Place, Move::Place(cell)) => position.unclaimed() >> cell & 1 != 0,
            (Phase::Move, Move::Go(Slide { from, to })) => {
                position.pieces[position.seat as usize] >> from & 1 != 0
                    && self
                        .lines
                        .reaches(&position.occupied, from, Gap::NONE, to)
                        .is_some()
            }
            _ => false,
        }
    }

    fn play_unchecked(&self, position: &mut Position, mv: Move) {
        position.ply = next_count(position.ply);
        let next = 1 - position.seat;
        match mv {
            Move::Place(cell) => {
                self.claim(position, cell);
                position.seat = next;
                if position.placed() == 2 * self.pieces {
                    position.phase = Phase::Move;
                    self.settle(position, 0);
                }
            }
            Move::Go(Slide { from, to }) => {
                // The cell that is left stays occupied: it is crossed out.
                position.toggle_piece(position.seat as Seat, from);
                self.claim(position, to);
                self.settle(position, next);
            }
        }
    }

    fn parse_move(&self, text: &str) -> Result<Move, ParseError> {
        let place = self.board.find(text).map(Move::Place);
        place
            .or_else(|| slide_moves::parse(&self.board, text).map(Move::Go))
            .ok_or_else(|| ParseError::new(&Self::INFO, text))
    }

    fn write_move(&self, mv: Move, out: &mut String) {
        match mv {
            Move::Place(cell) => out.push_str(self.board.name(cell)),
            Move::Go(slide) => slide_moves::write(&self.board, slide, out),
        }
    }

    fn key(&self, position: &Position) -> u64 {
        position.key ^ zobrist::fact(position.seat as usize)
    }

    fn write_identity(&self, position: &Position, out: &mut String) {
        let _ = write!(out, "{}", position.seat);
        for set in position.points.iter().chain(&position.pieces) {
            let _ = write!(out, ".{set:x}");
        }
    }

    fn solvable(&self) -> Option<Solvable<'_>> {
        let movement = Movement::SlideAndTake {
            pieces: self.pieces as u32,
            start_on_ones: false,
        };
        Some(Solvable::by_points(&self.board).with_movement(movement))
    }

    fn cell_sets(&self, position: &Position, sets: &mut CellSets) {
        sets.extend(position.points);
        sets.extend(position.pieces);
    }

    fn margin_bounds(&self, position: &Position) -> (i32, i32) {
        let margin = self.margin(position);
        let most = |seat: Seat| {
            let cells = match position.phase {
                // Wherever the pieces come to stand.
                Phase::Place => u128::MAX,
                Phase::Move | Phase::Over => {
                    let pieces = position.pieces[seat];
                    self.grid.region(pieces, position.unclaimed())
                }
            };
            worth(position.points, cells) as i32
        };
        (margin - most(1), margin + most(0))
    }

    fn view(&self, position: &Position) -> View {
        let claimed = position.pieces[0] | position.pieces[1];
        let draw = |cell| match position.points(cell) {
            0 if claimed >> cell & 1 == 0 => self.board.draw(cell, Ground::Gone, None),
            0 => self.board.draw(cell, Ground::Open, None),
            points => self
                .board
                .draw(cell, Ground::Open, Some(points.to_string())),
        };
        let mut pieces = Vec::new();
        let mut notes = Vec::new();
        for (seat, glyph) in [(0, 'S'), (1, 'C')] {
            pieces.extend(position.pieces(seat).map(|cell| Piece {
                cell: self.board.name(cell).to_owned(),
                kind: "piece".into(),
                seat: Some(seat),
                glyph,
                facing: None,
            }));
            if position.phase == Phase::Place {
                let left = self.pieces - position.pieces(seat).count();
                notes.push(format!("pieces of {} to place: {left}", self.role(seat)));
            }
        }
        View {
            shape: self.board.shape(),
            cells: self.board.cells().map(draw).collect(),
            pieces,
            notes,
        }
    }
}

#[cfg(test)]
mod tests;

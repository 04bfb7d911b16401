//! Moves as in Penguins and Paper Pen-guins, on boards of at most 64 cells.

use games::kit::board::Board;
use games::kit::board::bitboard::Grid;
use games::settlement::{Budget, Endgame, EndgameSolver, Slides, worth};
use games::{Game, Seat};

use super::image_keys::{ImageKeys, Images, least};
use super::slides::SlideTable;
use super::{FromGame, Keyed, POINT, SearchRules, cell_sets, cells};
use crate::search::Stopped;

/// The kind of seat 0's pieces in keys; the kinds below it are the points of cells.
const PIECE: usize = 2;
/// At most this many positions are counted to find out what a seat gets in a region of its own.
const MOST_COUNTED: u32 = 500;

pub(crate) struct PenguinsRules {
    grid: Grid<u64>,
    slides: SlideTable,
    keys: ImageKeys<4>,
    /// Cells keep their points, so results hold for all positions of a game.
    endgames: EndgameSolver<u64>,
    /// The number of pieces that both seats place.
    pieces: u32,
    start_on_ones: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pieces: [u64; 2],
    /// The open cells with one or three points, and those with two or three.
    points: [u64; 2],
    /// By how much seat 0 is ahead, with the points of the cells under pieces.
    margin: i16,
    /// The seat to move; 0 if the game is over.
    seat: u8,
}

impl Position {
    fn open(&self) -> u64 {
        self.points[0] | self.points[1]
    }

    fn worth(&self, cells: u64) -> i32 {
        worth(self.points, cells) as i32
    }
}

impl PenguinsRules {
    /// For a board of at most 64 cells.
    pub(crate) fn new(board: &Board, pieces: u32, start_on_ones: bool) -> Self {
        PenguinsRules {
            grid: Grid::new(board),
            slides: SlideTable::new(board),
            keys: ImageKeys::new(board),
            endgames: EndgameSolver::default(),
            pieces: 2 * pieces,
            start_on_ones,
        }
    }

    fn images(&self, position: &Position) -> Images {
        let ([ones, twos], [first, second]) = (position.points, position.pieces);
        self.keys.of([ones, twos, first, second], position.seat)
    }

    fn is_placing(&self, position: &Position) -> bool {
        (position.pieces[0] | position.pieces[1]).count_ones() < self.pieces
    }

    /// The open cells that each seat can ever reach.
    fn reached(&self, position: &Position) -> [u64; 2] {
        let open = position.open();
        position.pieces.map(|own| self.grid.region(own, open))
    }

    /// The open cells where the next piece may be placed.
    fn places(&self, position: &Position) -> u64 {
        match position.points[0] & !position.points[1] {
            ones if self.start_on_ones && ones != 0 => ones,
            _ => position.open(),
        }
    }

    /// The position and its keys after a piece of the seat to move has come onto an open cell. The turn stays.
    fn enter(&self, mut position: Position, mut images: Images, cell: u32) -> (Position, Images) {
        let seat = usize::from(position.seat);
        let bit = 1 << cell;
        let gained = position.worth(bit) as i16;
        position.margin += if seat == 0 { gained } else { -gained };
        for kind in 0..2 {
            if position.points[kind] & bit != 0 {
                position.points[kind] ^= bit;
                self.keys.toggle(&mut images, kind, cell);
            }
        }
        position.pieces[seat] |= bit;
        self.keys.toggle(&mut images, PIECE + seat, cell);
        (position, images)
    }

    /// Passes the turn to `seat` or, if it cannot move, to the other one.
    fn pass_on(&self, mut position: Position, mut images: Images, seat: u8) -> Keyed<Position> {
        let open = position.open();
        let can_move =
            |seat: &u8| self.grid.around(position.pieces[usize::from(*seat)]) & open != 0;
        let next = if self.is_placing(&position) {
            seat
        } else {
            let mover = [seat, 1 - seat].into_iter().find(can_move);
            mover.unwrap_or(0)
        };
        if next != position.seat {
            self.keys.turn(&mut images);
            position.seat = next;
        }
        Keyed {
            position,
            key: least(&images),
        }
    }

    /// The number of slides that the pieces of a seat can make.
    fn slides(&self, position: &Position, seat: Seat) -> u32 {
        let blocked = !position.open();
        let own = cells(position.pieces[seat]);
        own.map(|from| self.slides.reach(from, blocked).count_ones())
            .sum()
    }

    /// The points of a seat from these cells if nobody else can enter them: the least and the most.
    fn count(&mut self, position: &Position, seat: Seat, open: u64) -> (i32, i32) {
        let endgame = Endgame {
            pieces: position.pieces[seat],
            open,
            guarded: 0,
        };
        let (grid, worth) = (&self.grid, position.points);
        let mut budget = Budget::in_all(MOST_COUNTED);
        let range = self
            .endgames
            .solve(grid, &Slides { grid, worth }, endgame, &mut budget);
        (range.least as i32, range.most as i32)
    }
}

impl SearchRules for PenguinsRules {
    type Position = Position;

    fn mover(&self, position: &Position) -> Seat {
        usize::from(position.seat)
    }

    fn margin(&self, position: &Position) -> i32 {
        i32::from(position.margin)
    }

    fn quick_bounds(&self, position: &Position) -> (i32, i32) {
        let reached = if self.is_placing(position) {
            [position.open(); 2]
        } else {
            self.reached(position)
        };
        let [first, second] = reached.map(|cells| position.worth(cells));
        let margin = self.margin(position);
        (margin - second, margin + first)
    }

    /// Cells close for good, so a region that only one seat reaches stays its own.
    fn counted_bounds(&mut self, position: &Position, need: i32) -> (i32, i32) {
        if self.is_placing(position) {
            return (i32::MIN, i32::MAX);
        }
        let margin = self.margin(position);
        let [first, second] = self.reached(position);
        if first & second == 0 {
            let first = self.count(position, 0, first);
            let second = self.count(position, 1, second);
            return (margin + first.0 - second.1, margin + first.1 - second.0);
        }
        let (own, others) = (first & !second, second & !first);
        let mut least = margin + position.worth(own) - position.worth(second);
        if least >= need {
            least = margin + self.count(position, 0, own).0 - position.worth(second);
        }
        let mut most = margin + position.worth(first) - position.worth(others);
        if most < need {
            most = margin + position.worth(first) - self.count(position, 1, others).0;
        }
        (
            if least >= need { least } else { i32::MIN },
            if most < need { most } else { i32::MAX },
        )
    }

    fn mobility(&self, position: &Position) -> u32 {
        if self.is_placing(position) {
            return self.places(position).count_ones();
        }
        self.slides(position, usize::from(position.seat))
    }

    /// Points, those that only one seat can reach, and the moves of both.
    fn outlook(&self, position: &Position) -> i32 {
        let [first, second] = self.reached(position);
        let own = position.worth(first & !second) - position.worth(second & !first);
        let [first, second] = [0, 1].map(|seat| self.slides(position, seat) as i32);
        POINT * self.margin(position) + 2 * own + first - second
    }

    fn key(&self, position: &Position) -> u128 {
        least(&self.images(position))
    }

    fn successors(
        &self,
        position: &Position,
        out: &mut Vec<Keyed<Position>>,
    ) -> Result<(), Stopped> {
        let images = self.images(position);
        let other = 1 - position.seat;
        if self.is_placing(position) {
            out.extend(cells(self.places(position)).map(|cell| {
                let (next, images) = self.enter(*position, images, cell);
                // The first seat places first and then moves first.
                self.pass_on(next, images, other)
            }));
            return Ok(());
        }
        let blocked = !position.open();
        let seat = usize::from(position.seat);
        for from in cells(position.pieces[seat]) {
            let mut images = images;
            self.keys.toggle(&mut images, PIECE + seat, from);
            let mut left = *position;
            left.pieces[seat] ^= 1 << from;
            out.extend(cells(self.slides.reach(from, blocked)).map(|to| {
                let (next, images) = self.enter(left, images, to);
                self.pass_on(next, images, other)
            }));
        }
        Ok(())
    }
}

impl<G: Game> FromGame<G> for PenguinsRules {
    fn position(&self, game: &G, position: &G::Position) -> Position {
        let [ones, twos, first, second] = cell_sets(game, position);
        let (all, pieces) = ([ones, twos], [first, second]);
        let open = !(pieces[0] | pieces[1]);
        let seat = game.to_move(position);
        let under = match seat {
            Some(_) => pieces.map(|own| worth(all, own) as i32),
            // They are counted already.
            None => [0; 2],
        };
        Position {
            pieces,
            points: all.map(|set| set & open),
            margin: (game.margin(position) + under[0] - under[1]) as i16,
            seat: seat.unwrap_or_default() as u8,
        }
    }
}

//! The rules that the games with fish share: the setup, placing penguins, skipping seats, and the end.

use std::fmt::Write as _;

use super::position::{FishPosition, MOST_FISH, Phase};
use crate::kit::board::bitboard::Grid;
use crate::kit::board::{Board, CellId, bitset};
use crate::kit::info::{StaticInfo, StaticKind, StaticOption};
use crate::kit::options::{OptionError, Options};
use crate::kit::outcome::{Scores, Seat};
use crate::kit::rng::Rng;
use crate::kit::solving::{Movement, Solvable};
use crate::kit::state::{self, next_count};
use crate::kit::view::{Ground, Piece, View};
use crate::settlement::worth;

/// The arrangement of the fish, as an option.
pub const SETUP: StaticOption = StaticOption {
    name: "setup",
    kind: StaticKind::Choice(&["random", "laid", "given"]),
    help: "Whether the fish are shuffled, laid by the seats in turn, or given by `fish`.",
    unless: None,
};

/// The given fish, as an option.
pub const FISH: StaticOption = StaticOption {
    name: "fish",
    kind: StaticKind::Rows,
    help: "With `setup` `given`: the fish of each cell, rows of digits 0 to 3 (0 is no cell to \
           stand on), the top row first.",
    unless: None,
};

/// A move, where `M` is what penguins do once they are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move<M> {
    /// A chip is laid on an empty cell.
    Lay {
        /// The cell.
        cell: CellId,
        /// The number of fish on the chip.
        fish: u8,
    },
    /// A penguin is placed.
    Place(CellId),
    /// A penguin moves.
    Go(M),
}

/// The arrangement of the fish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Setup {
    Random,
    Laid,
    /// The fish of each cell.
    Given(Vec<u8>),
}

/// The common part of the rules, under fixed options.
#[derive(Clone, Debug)]
pub struct FishRules {
    pub(super) board: Board,
    grid: Grid<u64>,
    pub(super) setup: Setup,
    /// The number of chips of one, two and three fish, unless the fish are given.
    pub(super) supply: [u32; MOST_FISH as usize],
    pub(super) roles: &'static [&'static str],
    pub(super) seats: usize,
    /// The penguins of each seat.
    pub(super) penguins: usize,
    /// True if penguins start on cells with one fish.
    pub(super) one_fish: bool,
}

impl FishRules {
    /// The common rules under the options `setup` and `fish`, for this number of seats and of penguins a
    /// seat.
    ///
    /// # Errors
    /// If `fish` is missing, not allowed, or not a layout for this board.
    pub fn new(
        info: &StaticInfo,
        options: &Options,
        board: Board,
        seats: usize,
        penguins: usize,
    ) -> Result<Self, OptionError> {
        let error = |message: String| OptionError::new(info.id, FISH.name, message);
        let setup = match (options.choice(SETUP.name), options.list(FISH.name)) {
            ("given", Some(rows)) => {
                let fish = state::read_digits(&board, &rows, "0123");
                let fish = fish.map_err(|bad| error(bad.to_string()))?;
                let (cells, needed) = (fish.iter().filter(|n| **n > 0).count(), seats * penguins);
                if cells < needed {
                    return Err(error(format!(
                        "{cells} cells with fish where at least {needed} are needed to place all \
                         penguins"
                    )));
                }
                Setup::Given(fish)
            }
            ("given", None) => {
                return Err(error(format!(
                    "needed with `setup` `given`: {} rows of digits 0 to 3, the top row first",
                    board.rows().len()
                )));
            }
            (other, Some(_)) => {
                return Err(error(format!(
                    "allowed only with `setup` `given`, not with `{other}`"
                )));
            }
            ("laid", None) => Setup::Laid,
            (_, None) => Setup::Random,
        };
        let supply = match board.len() {
            60 => [30, 20, 10],
            cells => [cells as u32 - 32, 21, 11],
        };
        Ok(FishRules {
            grid: Grid::new(&board),
            board,
            setup,
            supply,
            roles: info.roles,
            seats,
            penguins,
            one_fish: false,
        })
    }

    /// The same rules, but penguins are placed on cells with one fish while there are any.
    pub fn with_one_fish_starts(mut self) -> Self {
        self.one_fish = true;
        self
    }

    /// The board of the game.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The board as sets of cells.
    pub fn grid(&self) -> &Grid<u64> {
        &self.grid
    }

    /// The number of seats.
    pub fn seats(&self) -> usize {
        self.seats
    }

    /// Facts for the solver about games of two seats whose penguins take the cells that they leave.
    pub(super) fn sliding_solvable(&self) -> Solvable<'_> {
        let solvable = Solvable::by_points(&self.board);
        if matches!(self.setup, Setup::Laid) {
            return solvable;
        }
        solvable.with_movement(Movement::SlideAndTake {
            pieces: self.penguins as u32,
            start_on_ones: self.one_fish,
        })
    }

    /// The start of a game.
    pub fn start(&self, rng: &mut Rng) -> FishPosition {
        let mut position = FishPosition::empty();
        let fish = match &self.setup {
            Setup::Laid => return position,
            Setup::Given(fish) => fish.clone(),
            Setup::Random => {
                let chips = (1..=MOST_FISH).zip(self.supply);
                let mut chips: Vec<u8> = chips
                    .flat_map(|(fish, count)| (0..count).map(move |_| fish))
                    .collect();
                rng.shuffle(&mut chips);
                chips
            }
        };
        for (cell, &fish) in fish.iter().enumerate().filter(|(_, fish)| **fish > 0) {
            position.put_fish(cell as CellId, fish);
        }
        position.phase = Phase::Place;
        position
    }

    /// The number of chips with this many fish that are not yet laid.
    fn left(&self, position: &FishPosition, fish: u8) -> u32 {
        self.supply[fish as usize - 1].saturating_sub(position.cells_with(fish).count_ones())
    }

    /// The numbers of fish for which there are chips left to lay.
    fn kinds(&self, position: &FishPosition) -> impl Iterator<Item = u8> {
        (1..=MOST_FISH).filter(|&fish| self.left(position, fish) > 0)
    }

    /// The cells without a chip.
    pub(super) fn empty_cells(&self, position: &FishPosition) -> u64 {
        !position.cells() & u64::MAX >> (64 - self.board.len())
    }

    /// The cells where the next penguin may be placed.
    fn places(&self, position: &FishPosition) -> u64 {
        let free = position.free();
        match free & position.cells_with(1) {
            ones if self.one_fish && ones != 0 => ones,
            _ => free,
        }
    }

    /// Appends the moves of the phases before penguins move.
    pub fn list<M>(&self, position: &FishPosition, moves: &mut Vec<Move<M>>) {
        match position.phase {
            Phase::Lay => {
                for cell in bitset::cells64(self.empty_cells(position)) {
                    moves.extend(self.kinds(position).map(|fish| Move::Lay { cell, fish }));
                }
            }
            Phase::Place => moves.extend(bitset::cells64(self.places(position)).map(Move::Place)),
            Phase::Move | Phase::Over => {}
        }
    }

    /// The number of such moves.
    pub fn count(&self, position: &FishPosition) -> u64 {
        match position.phase {
            Phase::Lay => {
                let cells = self.empty_cells(position).count_ones() as usize;
                (cells * self.kinds(position).count()) as u64
            }
            Phase::Place => u64::from(self.places(position).count_ones()),
            Phase::Move | Phase::Over => 0,
        }
    }

    /// One such move, all equally likely.
    ///
    /// # Panics
    /// If there is none.
    pub fn random<M>(&self, position: &FishPosition, rng: &mut Rng) -> Move<M> {
        if position.phase == Phase::Lay {
            let cells = self.empty_cells(position);
            let drawn = rng.index(cells.count_ones() as usize * self.kinds(position).count());
            let (kind, index) = (
                drawn / cells.count_ones() as usize,
                drawn % cells.count_ones() as usize,
            );
            let fish = self
                .kinds(position)
                .nth(kind)
                .expect("a kind that was counted");
            let cell = bitset::nth64(cells, index as u32);
            return Move::Lay { cell, fish };
        }
        let places = self.places(position);
        let index = rng.below(u64::from(places.count_ones()));
        Move::Place(bitset::nth64(places, index as u32))
    }

    /// True if a move is one of them.
    pub fn is_legal<M>(&self, position: &FishPosition, mv: Move<M>) -> bool {
        match (position.phase, mv) {
            (Phase::Lay, Move::Lay { cell, fish }) => {
                self.empty_cells(position) >> cell & 1 != 0 && self.left(position, fish) > 0
            }
            (Phase::Place, Move::Place(cell)) => self.places(position) >> cell & 1 != 0,
            _ => false,
        }
    }

    /// Lays a chip.
    pub fn lay(&self, position: &mut FishPosition, cell: CellId, fish: u8) {
        position.put_fish(cell, fish);
        self.turn(position);
        if self.empty_cells(position) == 0 {
            position.phase = Phase::Place;
            position.seat = 0;
        }
    }

    /// Places a penguin. If it is the last one, penguins move from then on, and
    /// [`FishRules::settle`] is to be called.
    pub fn place(&self, position: &mut FishPosition, cell: CellId) {
        position.put_penguin(position.seat as Seat, cell);
        self.turn(position);
        if position.all_penguins().count_ones() as usize == self.seats * self.penguins {
            position.phase = Phase::Move;
            position.seat = 0;
        }
    }

    /// Counts a ply and passes the turn to the next seat, whether it can move or not.
    #[inline]
    pub fn turn(&self, position: &mut FishPosition) {
        position.ply = next_count(position.ply);
        position.seat = self.next(position.seat);
    }

    #[inline]
    fn next(&self, seat: u8) -> u8 {
        if seat as usize + 1 == self.seats {
            0
        } else {
            seat + 1
        }
    }

    /// In the phase in which penguins move: passes the turn to the first seat whose penguins can move,
    /// or ends the game and counts for each seat the fish under its penguins.
    #[inline]
    pub fn settle(&self, position: &mut FishPosition, can_move: impl Fn(u64) -> bool) {
        if position.phase != Phase::Move {
            return;
        }
        for _ in 0..self.seats {
            if can_move(position.penguins[position.seat as usize]) {
                return;
            }
            position.seat = self.next(position.seat);
        }
        position.phase = Phase::Over;
        position.seat = 0;
        for seat in 0..self.seats {
            position.scores[seat] += position.fish_under(seat);
        }
    }

    /// Points so far.
    pub fn scores(&self, position: &FishPosition) -> Scores {
        let scores = position.scores[..self.seats].iter();
        scores.map(|fish| i32::from(*fish)).collect()
    }

    /// See [`Game::margin_bounds`](crate::Game::margin_bounds): no seat gets more fish than are under its
    /// penguins and connected with them.
    pub fn margin_bounds(&self, position: &FishPosition) -> (i32, i32) {
        let most = |seat: Seat| {
            let penguins = position.penguins[seat];
            let cells = match position.phase {
                Phase::Lay => return i32::from(u8::MAX),
                Phase::Place => u64::MAX,
                Phase::Move | Phase::Over => penguins | self.grid.region(penguins, position.free()),
            };
            worth(position.fish, cells) as i32
        };
        let margin = i32::from(position.scores[0]) - i32::from(position.scores[1]);
        (margin - most(1), margin + most(0))
    }

    /// Reads a move; `go` reads those of penguins.
    pub fn parse<M>(&self, text: &str, go: impl FnOnce(&str) -> Option<M>) -> Option<Move<M>> {
        if let Some(cell) = self.board.find(text) {
            return Some(Move::Place(cell));
        }
        let Some((cell, fish)) = text.split_once('=') else {
            return go(text).map(Move::Go);
        };
        let fish = match fish {
            "1" => 1,
            "2" => 2,
            "3" => 3,
            _ => return None,
        };
        let cell = self.board.find(cell)?;
        Some(Move::Lay { cell, fish })
    }

    /// Appends a move; `go` appends those of penguins.
    pub fn write<M>(&self, mv: Move<M>, out: &mut String, go: impl FnOnce(M, &mut String)) {
        match mv {
            Move::Lay { cell, fish } => {
                let _ = write!(out, "{}={fish}", self.board.name(cell));
            }
            Move::Place(cell) => out.push_str(self.board.name(cell)),
            Move::Go(mv) => go(mv, out),
        }
    }

    /// The board, for drawing.
    pub fn view(&self, position: &FishPosition) -> View {
        let draw = |cell| match position.fish(cell) {
            0 if position.phase == Phase::Lay => self.board.draw(cell, Ground::Open, None),
            0 => self.board.draw(cell, Ground::Gone, None),
            fish => self.board.draw(cell, Ground::Open, Some(fish.to_string())),
        };
        let penguins = (0..self.seats).flat_map(|seat| {
            let glyph = self.roles[seat].chars().next().unwrap_or('?');
            bitset::cells64(position.penguins[seat]).map(move |cell| Piece {
                cell: self.board.name(cell).to_owned(),
                kind: "penguin".into(),
                seat: Some(seat),
                glyph: glyph.to_ascii_uppercase(),
                facing: None,
            })
        });
        View {
            shape: self.board.shape(),
            cells: self.board.cells().map(draw).collect(),
            pieces: penguins.collect(),
            notes: self.notes(position),
        }
    }

    /// The next thing to lay or place.
    fn notes(&self, position: &FishPosition) -> Vec<String> {
        match position.phase {
            Phase::Lay => (1..=MOST_FISH)
                .map(|fish| format!("chips of {fish} fish to lay: {}", self.left(position, fish)))
                .collect(),
            Phase::Place => (0..self.seats)
                .map(|seat| {
                    let left = self.penguins - position.penguins[seat].count_ones() as usize;
                    format!("penguins of {} to place: {left}", self.roles[seat])
                })
                .collect(),
            Phase::Move | Phase::Over => Vec::new(),
        }
    }
}

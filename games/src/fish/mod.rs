//! What Penguins and Amazon Penguins share: cells with fish that are shuffled, laid or given,
//! penguins placed in turn, skipped seats, and the fish under the penguins at the end.

mod floe;
mod state;

pub use floe::{Floe, Phase};

use std::fmt::Write as _;

use crate::bits;
use crate::board::{Board, CellId};
use crate::game::{Info, Scores, Seat};
use crate::options::{OptionError, OptionKind, OptionSpec, Options};
use crate::rng::Rng;
use crate::state::next_count;
use crate::view::{Ground, Piece, View};

/// The most fish on a cell.
const MOST_FISH: u8 = 3;

/// How the fish come onto the board, as an option.
pub const SETUP: OptionSpec = OptionSpec {
    name: "setup",
    kind: OptionKind::Choice(&["random", "laid", "given"]),
    help: "Whether the fish are shuffled, laid by the seats in turn, or given by `fish`.",
};

/// The given fish, as an option.
pub const FISH: OptionSpec = OptionSpec {
    name: "fish",
    kind: OptionKind::Rows,
    help: "With `setup` `given`: the fish of each cell, rows of digits 0 to 3 (0 is no cell to \
           stand on), the top row first.",
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

/// Where the fish of the start come from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Setup {
    Random,
    Laid,
    /// The fish of each cell.
    Given(Vec<u8>),
}

/// What stays the same through a game.
#[derive(Clone, Debug)]
pub struct Sea {
    board: Board,
    setup: Setup,
    /// How many chips there are of one, two and three fish, unless the fish are given.
    supply: [u32; MOST_FISH as usize],
    roles: &'static [&'static str],
    seats: usize,
    /// The penguins of each seat.
    penguins: usize,
    /// Whether penguins start on cells with one fish.
    one_fish: bool,
}

impl Sea {
    /// The part of the rules that the options `setup` and `fish` govern, for so many seats with
    /// so many penguins each.
    ///
    /// # Errors
    /// If `fish` is missing, not wanted, or not a layout for this board.
    pub fn new(
        info: &Info,
        options: &Options,
        board: Board,
        seats: usize,
        penguins: usize,
    ) -> Result<Self, OptionError> {
        let error = |message: String| OptionError::new(info, FISH.name, message);
        let setup = match (options.choice(SETUP.name), options.rows(FISH.name)) {
            ("given", Some(rows)) => {
                let fish = state::digits(&board, &rows).map_err(error)?;
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
        Ok(Sea {
            board,
            setup,
            supply,
            roles: info.roles,
            seats,
            penguins,
            one_fish: false,
        })
    }

    /// The same, but penguins start on cells with one fish while there are any.
    pub fn with_one_fish_starts(mut self) -> Self {
        self.one_fish = true;
        self
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// How many seats play.
    pub fn seats(&self) -> usize {
        self.seats
    }

    /// The start of a game.
    pub fn start(&self, rng: &mut Rng) -> Floe {
        let mut floe = Floe::empty();
        let fish = match &self.setup {
            Setup::Laid => return floe,
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
            floe.put_fish(cell as CellId, fish);
        }
        floe.phase = Phase::Place;
        floe
    }

    /// How many chips with this many fish are not laid yet.
    fn left(&self, floe: &Floe, fish: u8) -> u32 {
        self.supply[fish as usize - 1].saturating_sub(floe.cells_with(fish).count_ones())
    }

    /// The numbers of fish of which chips are left to lay.
    fn kinds(&self, floe: &Floe) -> impl Iterator<Item = u8> {
        (1..=MOST_FISH).filter(|&fish| self.left(floe, fish) > 0)
    }

    /// The cells without a chip.
    fn empty_cells(&self, floe: &Floe) -> u64 {
        !floe.cells() & u64::MAX >> (64 - self.board.len())
    }

    /// The cells where the next penguin may be placed.
    fn places(&self, floe: &Floe) -> u64 {
        let free = floe.free();
        match free & floe.cells_with(1) {
            ones if self.one_fish && ones != 0 => ones,
            _ => free,
        }
    }

    /// Appends the moves of the phases before penguins move.
    pub fn list<M>(&self, floe: &Floe, moves: &mut Vec<Move<M>>) {
        match floe.phase {
            Phase::Lay => {
                for cell in bits::cells64(self.empty_cells(floe)) {
                    moves.extend(self.kinds(floe).map(|fish| Move::Lay { cell, fish }));
                }
            }
            Phase::Place => moves.extend(bits::cells64(self.places(floe)).map(Move::Place)),
            Phase::Move | Phase::Over => {}
        }
    }

    /// How many such moves there are.
    pub fn count(&self, floe: &Floe) -> u64 {
        match floe.phase {
            Phase::Lay => {
                let cells = self.empty_cells(floe).count_ones() as usize;
                (cells * self.kinds(floe).count()) as u64
            }
            Phase::Place => u64::from(self.places(floe).count_ones()),
            Phase::Move | Phase::Over => 0,
        }
    }

    /// One such move, each equally likely.
    ///
    /// # Panics
    /// If there is none.
    pub fn random<M>(&self, floe: &Floe, rng: &mut Rng) -> Move<M> {
        if floe.phase == Phase::Lay {
            let cells = self.empty_cells(floe);
            let drawn = rng.index(cells.count_ones() as usize * self.kinds(floe).count());
            let (kind, index) = (
                drawn / cells.count_ones() as usize,
                drawn % cells.count_ones() as usize,
            );
            let fish = self.kinds(floe).nth(kind).expect("a kind that was counted");
            let cell = bits::nth64(cells, index as u32);
            return Move::Lay { cell, fish };
        }
        let places = self.places(floe);
        let index = rng.below(u64::from(places.count_ones()));
        Move::Place(bits::nth64(places, index as u32))
    }

    /// Whether a move is one of them.
    pub fn is_legal<M>(&self, floe: &Floe, mv: Move<M>) -> bool {
        match (floe.phase, mv) {
            (Phase::Lay, Move::Lay { cell, fish }) => {
                self.empty_cells(floe) >> cell & 1 != 0 && self.left(floe, fish) > 0
            }
            (Phase::Place, Move::Place(cell)) => self.places(floe) >> cell & 1 != 0,
            _ => false,
        }
    }

    /// Lays a chip.
    pub fn lay(&self, floe: &mut Floe, cell: CellId, fish: u8) {
        floe.put_fish(cell, fish);
        self.turn(floe);
        if self.empty_cells(floe) == 0 {
            floe.phase = Phase::Place;
            floe.seat = 0;
        }
    }

    /// Places a penguin. If it is the last one, penguins move from then on, and
    /// [`Sea::settle`] is to be called.
    pub fn place(&self, floe: &mut Floe, cell: CellId) {
        floe.put_penguin(floe.seat as Seat, cell);
        self.turn(floe);
        if floe.all_penguins().count_ones() as usize == self.seats * self.penguins {
            floe.phase = Phase::Move;
            floe.seat = 0;
        }
    }

    /// Counts a ply and gives the turn to the next seat, whether it can move or not.
    #[inline]
    pub fn turn(&self, floe: &mut Floe) {
        floe.ply = next_count(floe.ply);
        floe.seat = self.next(floe.seat);
    }

    #[inline]
    fn next(&self, seat: u8) -> u8 {
        if seat as usize + 1 == self.seats {
            0
        } else {
            seat + 1
        }
    }

    /// Where penguins move: passes the turn on to the first seat whose penguins can, or ends the
    /// game and gives each seat the fish under its penguins.
    #[inline]
    pub fn settle(&self, floe: &mut Floe, can_move: impl Fn(u64) -> bool) {
        if floe.phase != Phase::Move {
            return;
        }
        for _ in 0..self.seats {
            if can_move(floe.penguins[floe.seat as usize]) {
                return;
            }
            floe.seat = self.next(floe.seat);
        }
        floe.phase = Phase::Over;
        floe.seat = 0;
        for seat in 0..self.seats {
            floe.scores[seat] += floe.fish_under(seat);
        }
    }

    /// Points so far.
    pub fn scores(&self, floe: &Floe) -> Scores {
        let scores = floe.scores[..self.seats].iter();
        scores.map(|fish| i32::from(*fish)).collect()
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
    pub fn view(&self, floe: &Floe) -> View {
        let draw = |cell| match floe.fish(cell) {
            0 if floe.phase == Phase::Lay => self.board.draw(cell, Ground::Open, None),
            0 => self.board.draw(cell, Ground::Gone, None),
            fish => self.board.draw(cell, Ground::Open, Some(fish.to_string())),
        };
        let penguins = (0..self.seats).flat_map(|seat| {
            let glyph = self.roles[seat].chars().next().unwrap_or('?');
            bits::cells64(floe.penguins[seat]).map(move |cell| Piece {
                cell: self.board.name(cell).to_owned(),
                kind: "penguin",
                seat: Some(seat),
                glyph: glyph.to_ascii_uppercase(),
                facing: None,
            })
        });
        View {
            shape: self.board.shape(),
            cells: self.board.cells().map(draw).collect(),
            pieces: penguins.collect(),
            notes: self.notes(floe),
        }
    }

    /// What is still to be laid or placed.
    fn notes(&self, floe: &Floe) -> Vec<String> {
        match floe.phase {
            Phase::Lay => (1..=MOST_FISH)
                .map(|fish| format!("chips of {fish} fish to lay: {}", self.left(floe, fish)))
                .collect(),
            Phase::Place => (0..self.seats)
                .map(|seat| {
                    let left = self.penguins - floe.penguins[seat].count_ones() as usize;
                    format!("penguins of {} to place: {left}", self.roles[seat])
                })
                .collect(),
            Phase::Move | Phase::Over => Vec::new(),
        }
    }
}

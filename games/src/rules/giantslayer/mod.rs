//! Giantslayer: many sliding halogai against six giants, who trample them on their way out.

use std::fmt::Write as _;

use arrayvec::ArrayVec;
use serde_json::{Value, json};

use crate::game::{Game, ParseError};
use crate::kit::board::{Board, CellId, bitset};
use crate::kit::info::{Limits, StaticInfo};
use crate::kit::options::{OptionError, Options};
use crate::kit::outcome::{Scores, Seat};
use crate::kit::rng::Rng;
use crate::kit::state::{self, Fields, StateError, require};
use crate::kit::view::{Ground, Piece, View};
use crate::kit::zobrist;

mod chain;
mod halogai_lines;
mod learning;
mod tables;

pub use chain::Chain;
use halogai_lines::{HalogaiLines, LineNumbers};
use tables::{STONES, Tables};

/// The seats.
const HALOGAI: usize = 0;
const GIANTS: usize = 1;
/// The fact in keys that the giants are to move.
const GIANTS_TO_MOVE: usize = 0;

/// The rules.
#[derive(Debug)]
pub struct Giantslayer {
    tables: Tables,
    lines: HalogaiLines,
}

/// A position. The game is over when no giant stands inside the edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The seats' stones.
    stones: [u64; 2],
    /// The same, by lines.
    lines: LineNumbers,
    key: u64,
    ply: u32,
    /// The seat to move; 0 in a finished game.
    seat: u8,
}

/// One ply of a halogai or a giant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A halogai slides, or a giant makes a step.
    Go(CellId, CellId),
    /// A giant tramples.
    Trample(Chain),
}

impl Position {
    /// The cells of a seat's stones.
    pub fn stones(&self, seat: Seat) -> impl Iterator<Item = CellId> + use<> {
        bitset::cells64(self.stones[seat])
    }

    /// The same cells, as a set.
    pub fn stone_set(&self, seat: Seat) -> u64 {
        self.stones[seat]
    }
}

impl Giantslayer {
    /// The board of the game.
    pub fn board(&self) -> &Board {
        &self.tables.board
    }

    /// The closed cell in the middle of the board.
    pub fn middle(&self) -> CellId {
        self.tables.middle
    }

    fn no_stones(&self) -> Position {
        Position {
            stones: [0; 2],
            lines: self.lines.empty(),
            key: 0,
            ply: 0,
            seat: 0,
        }
    }

    fn empty(&self, position: &Position) -> u64 {
        self.tables.all & !(position.stones[HALOGAI] | position.stones[GIANTS])
    }

    /// Puts a stone on an empty cell.
    fn put(&self, position: &mut Position, seat: Seat, cell: CellId) {
        match seat {
            HALOGAI => self.lines.put(&mut position.lines, cell),
            _ => self.lines.block(&mut position.lines, cell),
        }
        self.toggle(position, seat, cell);
    }

    /// Takes a stone away.
    fn lift(&self, position: &mut Position, seat: Seat, cell: CellId) {
        match seat {
            HALOGAI => self.lines.lift(&mut position.lines, cell),
            _ => self.lines.unblock(&mut position.lines, cell),
        }
        self.toggle(position, seat, cell);
    }

    fn toggle(&self, position: &mut Position, seat: Seat, cell: CellId) {
        position.stones[seat] ^= 1 << cell;
        position.key ^= zobrist::piece(seat, cell as usize);
    }

    /// True if no giant is left inside the edge.
    fn over(&self, position: &Position) -> bool {
        position.stones[GIANTS] & !self.tables.edge == 0
    }

    fn giants_can_move(&self, position: &Position) -> bool {
        let (white, empty) = (position.stones[HALOGAI], self.empty(position));
        position.stones(GIANTS).any(|cell| {
            self.tables.near[cell as usize] & empty != 0
                || self.tables.can_trample(cell, white, empty)
        })
    }

    /// Captures giants, then passes the turn to a seat that can move, unless the game is over.
    fn begin_halogai_turn(&self, position: &mut Position) {
        let white = position.stones[HALOGAI];
        for cell in position.stones(GIANTS) {
            let touching = self.tables.near[cell as usize] & white;
            // At least two of them.
            if touching & touching.wrapping_sub(1) != 0 {
                self.lift(position, GIANTS, cell);
            }
        }
        // If the halogai cannot move the giants can: the stones never fill the board.
        let over = self.over(position);
        position.seat = u8::from(!over && position.lines.count() == 0);
    }

    fn begin_giants_turn(&self, position: &mut Position) {
        position.seat = GIANTS as u8;
        if !self.giants_can_move(position) {
            self.begin_halogai_turn(position);
        }
    }

    fn parse(&self, text: &str) -> Option<Move> {
        let find = |name: &str| self.tables.board.find(name);
        if let Some((from, to)) = text.split_once('-') {
            let (from, to) = (find(from)?, find(to)?);
            let open = from != self.tables.middle && self.tables.clear(from, to, self.tables.all);
            return open.then_some(Move::Go(from, to));
        }
        let mut cells = text.split('x').map(find);
        let from = cells.next()??;
        let mut chain = Chain::new(from);
        let mut at = from;
        for land in cells {
            let jumps = &self.tables.jumps[at as usize];
            at = land?;
            let way = jumps.iter().position(|jump| jump.land == at)?;
            chain = chain.then(way)?;
        }
        (chain.len() > 0 && from != self.tables.middle).then_some(Move::Trample(chain))
    }

    /// The giants' moves: cells, ends of steps, numbers of chains.
    #[inline]
    fn giants_moves<'a>(
        &'a self,
        position: &'a Position,
    ) -> impl Iterator<Item = (CellId, u64, u64)> + 'a {
        let (white, empty) = (position.stones[HALOGAI], self.empty(position));
        position.stones(GIANTS).map(move |cell| {
            let steps = self.tables.near[cell as usize] & empty;
            let chains = self.tables.count_chains(cell, white, empty | 1 << cell);
            (cell, steps, chains)
        })
    }

    fn random_giant(&self, position: &Position, rng: &mut Rng) -> Move {
        struct Giant {
            cell: CellId,
            steps: u64,
            /// The number of moves of all giants before it, and of those with this one.
            before: u64,
            end: u64,
        }
        let mut giants: ArrayVec<Giant, { STONES[GIANTS] }> = ArrayVec::new();
        let mut sum = 0;
        for (cell, steps, chains) in self.giants_moves(position) {
            let before = sum;
            sum += u64::from(steps.count_ones()) + chains;
            giants.push(Giant {
                cell,
                steps,
                before,
                end: sum,
            });
        }
        let index = rng.below(sum);
        let passed = giants.iter().map(|giant| usize::from(giant.end <= index));
        let giant = &giants[passed.sum::<usize>()];
        let (cell, index) = (giant.cell, index - giant.before);
        let steps = u64::from(giant.steps.count_ones());
        if index < steps {
            return Move::Go(cell, bitset::nth64(giant.steps, index as u32));
        }
        let (white, empty) = (position.stones[HALOGAI], self.empty(position) | 1 << cell);
        let start = Chain::new(cell);
        let chain = self
            .tables
            .nth_chain(start, cell, white, empty, index - steps);
        Move::Trample(chain)
    }
}

impl Game for Giantslayer {
    type Position = Position;
    type Move = Move;

    const INFO: StaticInfo = StaticInfo {
        id: "giantslayer",
        title: "Giantslayer",
        summary: "Halogai slide and capture giants that two of them touch; giants trample \
                  halogai and try to get to the edge.",
        roles: &["halogai", "giants"],
        symmetric: false,
        options: &[],
        notation: &[
            (
                "a1-c3",
                "the stone on a1 goes to c3: halogai slide, giants make a step",
            ),
            (
                "c3xe3xg5",
                "the giant on c3 tramples two halogai and lands on e3, then on g5",
            ),
        ],
        limits: Limits {
            max_plies: Some(400),
            repetition: Some(3),
        },
    };

    const GUIDE: &'static str = include_str!("giantslayer.md");

    fn new(_options: &Options) -> Result<Self, OptionError> {
        let tables = Tables::new();
        let lines = HalogaiLines::new(&tables);
        Ok(Giantslayer { tables, lines })
    }

    fn start(&self, _rng: &mut Rng) -> Position {
        let mut position = self.no_stones();
        let middle = self.tables.near[self.tables.middle as usize];
        for (seat, cells) in [(HALOGAI, self.tables.edge), (GIANTS, middle)] {
            bitset::cells64(cells).for_each(|cell| self.put(&mut position, seat, cell));
        }
        position
    }

    fn load(&self, state: &Value) -> Result<Position, StateError> {
        let board = &self.tables.board;
        let mut fields = Fields::new(state)?;
        let ply = fields.ply()?;
        let to_move = fields.to_move(2)?;
        let halogai = fields.cells("halogai", board)?;
        let giants = fields.cells("giants", board)?;
        let scores = fields.ints("scores", 2, 0, STONES[GIANTS] as i64)?;
        fields.end()?;
        state::require_distinct(board, &[("halogai", &halogai), ("giants", &giants)])?;
        let mut position = self.no_stones();
        for (seat, cells) in [(HALOGAI, &halogai), (GIANTS, &giants)] {
            let (field, most) = (Self::INFO.roles[seat], STONES[seat]);
            require(
                cells.len() <= most,
                field,
                format!("{} stones where there are at most {most}", cells.len()),
            )?;
            for &cell in cells {
                require(cell != self.tables.middle, field, "no stone may be on e5")?;
                self.put(&mut position, seat, cell);
            }
        }
        position.ply = ply;
        let over = self.over(&position);
        require(
            to_move.is_some() || over,
            "to_move",
            "null, but there are giants inside the edge",
        )?;
        let captured = (STONES[GIANTS] - giants.len()) as i32;
        let escaped = if to_move.is_none() { giants.len() } else { 0 };
        require(
            scores == [captured, escaped as i32],
            "scores",
            format!("[{captured},{escaped}] is needed with this many giants"),
        )?;
        match to_move {
            _ if over => {}
            Some(HALOGAI) if position.lines.count() > 0 => {}
            _ => self.begin_giants_turn(&mut position),
        }
        Ok(position)
    }

    fn save(&self, position: &Position) -> Value {
        let names = |seat| state::names(&self.tables.board, position.stones(seat));
        json!({
            "ply": position.ply,
            "to_move": self.to_move(position),
            "halogai": names(HALOGAI),
            "giants": names(GIANTS),
            "scores": self.scores(position).as_slice(),
        })
    }

    #[inline]
    fn to_move(&self, position: &Position) -> Option<Seat> {
        (!self.over(position)).then_some(position.seat as Seat)
    }

    #[inline]
    fn ply(&self, position: &Position) -> u32 {
        position.ply
    }

    fn scores(&self, position: &Position) -> Scores {
        let giants = position.stones[GIANTS].count_ones() as i32;
        let escaped = if self.over(position) { giants } else { 0 };
        let captured = STONES[GIANTS] as i32 - giants;
        [captured, escaped].into_iter().collect()
    }

    fn reason(&self, position: &Position) -> Option<&'static str> {
        match position.stones[GIANTS] {
            0 => Some("slain"),
            _ => self.over(position).then_some("escaped"),
        }
    }

    fn legal(&self, position: &Position, moves: &mut Vec<Move>) {
        moves.clear();
        let (white, empty) = (position.stones[HALOGAI], self.empty(position));
        match self.to_move(position) {
            None => {}
            Some(HALOGAI) => {
                let push = |from, to| moves.push(Move::Go(from, to));
                self.lines.each(&position.lines, push);
            }
            Some(_) => {
                for cell in position.stones(GIANTS) {
                    let steps = self.tables.near[cell as usize] & empty;
                    moves.extend(bitset::cells64(steps).map(|to| Move::Go(cell, to)));
                    let push = &mut |chain| moves.push(Move::Trample(chain));
                    let start = Chain::new(cell);
                    self.tables
                        .each_chain(start, cell, white, empty | 1 << cell, push);
                }
            }
        }
    }

    fn count_legal(&self, position: &Position) -> u64 {
        match self.to_move(position) {
            None => 0,
            Some(HALOGAI) => u64::from(position.lines.count()),
            Some(_) => {
                let moves = self.giants_moves(position);
                moves
                    .map(|(_, steps, chains)| u64::from(steps.count_ones()) + chains)
                    .sum()
            }
        }
    }

    fn random_move(&self, position: &Position, rng: &mut Rng, _scratch: &mut Vec<Move>) -> Move {
        match position.seat as usize {
            HALOGAI => {
                let (from, to) = self.lines.random(&position.lines, rng);
                Move::Go(from, to)
            }
            _ => self.random_giant(position, rng),
        }
    }

    fn is_legal(&self, position: &Position, mv: Move) -> bool {
        let seat = position.seat as usize;
        let own = |cell: CellId| position.stones[seat] >> cell & 1 != 0;
        let (white, empty) = (position.stones[HALOGAI], self.empty(position));
        match mv {
            Move::Go(from, to) if seat == HALOGAI => {
                own(from) && self.tables.clear(from, to, empty)
            }
            Move::Go(from, to) => {
                own(from) && self.tables.near[from as usize] & empty & 1 << to != 0
            }
            Move::Trample(chain) => {
                let empty = empty | 1 << chain.from();
                seat == GIANTS && own(chain.from()) && self.tables.is_open(chain, white, empty)
            }
        }
    }

    fn play_unchecked(&self, position: &mut Position, mv: Move) {
        let seat = position.seat as usize;
        match mv {
            Move::Go(from, to) => {
                self.lift(position, seat, from);
                self.put(position, seat, to);
            }
            Move::Trample(chain) => {
                let mut at = chain.from();
                self.lift(position, GIANTS, at);
                for way in chain.ways() {
                    let jump = self.tables.jumps[at as usize][way];
                    self.lift(position, HALOGAI, jump.over);
                    at = jump.land;
                }
                self.put(position, GIANTS, at);
            }
        }
        position.ply = state::next_count(position.ply);
        if seat == HALOGAI {
            self.begin_giants_turn(position);
        } else if self.over(position) {
            position.seat = 0;
        } else {
            self.begin_halogai_turn(position);
        }
    }

    fn parse_move(&self, text: &str) -> Result<Move, ParseError> {
        self.parse(text)
            .ok_or_else(|| ParseError::new(&Self::INFO, text))
    }

    fn write_move(&self, mv: Move, out: &mut String) {
        let name = |cell: CellId| self.tables.board.name(cell);
        match mv {
            Move::Go(from, to) => {
                let _ = write!(out, "{}-{}", name(from), name(to));
            }
            Move::Trample(chain) => {
                let mut at = chain.from();
                out.push_str(name(at));
                for way in chain.ways() {
                    at = self.tables.jumps[at as usize][way].land;
                    let _ = write!(out, "x{}", name(at));
                }
            }
        }
    }

    fn key(&self, position: &Position) -> u64 {
        match position.seat as usize {
            HALOGAI => position.key,
            _ => position.key ^ zobrist::fact(GIANTS_TO_MOVE),
        }
    }

    fn write_identity(&self, position: &Position, out: &mut String) {
        let [halogai, giants] = position.stones;
        let _ = write!(out, "{}.{halogai:x}.{giants:x}", position.seat);
    }

    fn view(&self, position: &Position) -> View {
        let board = &self.tables.board;
        let draw = |cell: CellId| {
            let marked = (self.tables.edge | 1 << self.tables.middle) >> cell & 1 != 0;
            let ground = if marked { Ground::Marked } else { Ground::Open };
            let label = (cell == self.tables.middle).then(|| "x".to_owned());
            board.draw(cell, ground, label)
        };
        let mut pieces = Vec::new();
        for (seat, kind, glyph) in [(HALOGAI, "halogai", 'h'), (GIANTS, "giant", 'G')] {
            pieces.extend(position.stones(seat).map(|cell| Piece {
                cell: board.name(cell).to_owned(),
                kind: kind.into(),
                seat: Some(seat),
                glyph,
                facing: None,
            }));
        }
        let [halogai, giants] = position.stones.map(u64::count_ones);
        View {
            shape: board.shape(),
            cells: board.cells().map(draw).collect(),
            pieces,
            notes: vec![
                format!(
                    "{} of {} halogai trampled",
                    STONES[0] as u32 - halogai,
                    STONES[0]
                ),
                format!(
                    "{} of {} giants captured",
                    STONES[1] as u32 - giants,
                    STONES[1]
                ),
            ],
        }
    }
}

#[cfg(test)]
mod tests;

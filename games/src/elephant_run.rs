//! Elephant Run: an elephant eats the ground away under farmers who try to stop it.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::board::{Board, CellId};
use crate::game::{Game, Info, Limits, Outcome, ParseError, Scores, Seat};
use crate::options::{OptionError, OptionKind, OptionSpec, Options};
use crate::rng::Rng;
use crate::state::{self, Fields, StateError, require};
use crate::view::{Ground, Piece, View};
use crate::{bits, zobrist};

const COLUMNS: usize = 6;
const ROWS: usize = 4;
const CELLS: usize = COLUMNS * ROWS;
/// All cells, as a set. Cell ids go up the board row by row.
const ALL: u32 = (1 << CELLS) - 1;

/// The kinds of things in keys.
const HOLE: usize = 0;
const ELEPHANT: usize = 1;
const FARMER: usize = 2;
/// The fact in keys that the farmers are to move.
const FARMERS_TO_MOVE: usize = 0;
/// The fact in keys that pieces are placed.
const PLACING: usize = 1;

const DIRECTIONS: usize = 8;
/// For each direction, the cells that have a neighbour there and how far a set is rotated to
/// the left to come to these neighbours. The opposite of direction d is d + 4 modulo 8.
const STEPS: [(u32, u32); DIRECTIONS] = steps();

const fn steps() -> [(u32, u32); DIRECTIONS] {
    // Column and row, clockwise from north.
    let deltas = [
        (0, 1),
        (1, 1),
        (1, 0),
        (1, -1),
        (0, -1),
        (-1, -1),
        (-1, 0),
        (-1, 1),
    ];
    let mut steps = [(0, 0); DIRECTIONS];
    let mut d = 0;
    while d < DIRECTIONS {
        let (dx, dy): (i32, i32) = deltas[d];
        let mut cell = 0;
        while cell < CELLS {
            let (x, y) = ((cell % COLUMNS) as i32 + dx, (cell / COLUMNS) as i32 + dy);
            if x >= 0 && x < COLUMNS as i32 && y >= 0 && y < ROWS as i32 {
                steps[d].0 |= 1 << cell;
            }
            cell += 1;
        }
        steps[d].1 = (dx + dy * COLUMNS as i32).rem_euclid(u32::BITS as i32) as u32;
        d += 1;
    }
    steps
}

/// The neighbours of a set of cells in a direction.
#[inline]
fn step(set: u32, direction: usize) -> u32 {
    let (cells, rotation) = STEPS[direction];
    (set & cells).rotate_left(rotation)
}

/// The cells of a set, lowest first.
#[inline]
fn cells(set: u32) -> impl Iterator<Item = CellId> {
    bits::cells64(u64::from(set))
}

/// A move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// The elephant or a farmer is placed.
    Place(CellId),
    /// A farmer moves, or the elephant steps.
    Go {
        /// Where the piece stood.
        from: CellId,
        /// Where it went.
        to: CellId,
    },
    /// The elephant jumps over a farmer.
    Capture {
        /// Where the elephant stood.
        from: CellId,
        /// Where it landed.
        to: CellId,
    },
}

/// What the game is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Place,
    Move,
    /// Over: the elephant cannot move.
    Stuck,
    /// Over: no farmer is left.
    Gone,
}

/// A position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    tiles: u32,
    /// One cell, or none before the elephant is placed.
    elephant: u32,
    farmers: u32,
    ply: u32,
    key: u64,
    /// The seat to move; 0 in a finished game.
    seat: u8,
    points: u8,
    phase: Phase,
}

impl Position {
    /// The tiles that are left, as a set of cells.
    pub fn tiles(&self) -> u32 {
        self.tiles
    }

    /// The elephant's cell, as a set.
    pub fn elephant(&self) -> u32 {
        self.elephant
    }

    /// The farmers, as a set of cells.
    pub fn farmers(&self) -> u32 {
        self.farmers
    }

    /// Tiles without a piece.
    #[inline]
    fn free(&self) -> u32 {
        self.tiles & !self.farmers & !self.elephant
    }

    /// Holes without the elephant.
    #[inline]
    fn holes(&self) -> u32 {
        ALL & !self.tiles & !self.elephant
    }

    /// Where the elephant can step, and where it can land after a jump.
    #[inline]
    fn elephant_targets(&self) -> (u32, u32) {
        let free = self.free();
        let (mut steps, mut jumps) = (0, 0);
        for d in 0..DIRECTIONS {
            let next = step(self.elephant, d);
            steps |= next & free;
            jumps |= step(next & self.farmers, d) & free;
        }
        (steps, jumps)
    }

    /// The cells from next to `from` up to the first one that is no empty hole.
    #[inline]
    fn run(&self, from: u32, direction: usize) -> u32 {
        let holes = self.holes();
        let mut front = step(from, direction);
        let mut reached = front;
        while front & holes != 0 {
            front = step(front & holes, direction);
            reached |= front;
        }
        reached
    }

    fn put_elephant(&mut self, cell: CellId) {
        self.elephant = 1 << cell;
        self.key ^= zobrist::piece(ELEPHANT, cell as usize);
    }

    /// Puts a farmer on a cell or takes it away.
    fn toggle_farmer(&mut self, cell: CellId) {
        self.farmers ^= 1 << cell;
        self.key ^= zobrist::piece(FARMER, cell as usize);
    }

    fn eat(&mut self, cell: CellId) {
        self.tiles ^= 1 << cell;
        self.key ^= zobrist::piece(HOLE, cell as usize);
    }

    /// Before the first ply.
    fn empty() -> Self {
        Position {
            tiles: ALL,
            elephant: 0,
            farmers: 0,
            ply: 0,
            key: zobrist::fact(PLACING),
            seat: 0,
            points: 0,
            phase: Phase::Place,
        }
    }
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
    /// Where farmers of `from` land when they jump over another one in a direction.
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

    /// Where farmers get to in each direction, without and with a jump. In one direction no
    /// two farmers get to the same cell in the same way.
    #[inline]
    fn farmers_targets(&self, position: &Position) -> [[u32; 2]; DIRECTIONS] {
        std::array::from_fn(|d| {
            let runs = position.run(position.farmers, d) & position.free();
            [runs, self.jumps(position, position.farmers, d)]
        })
    }

    /// The move of [`ElephantRun::farmers_targets`] that ends on `to`.
    fn farmer_move(position: &Position, direction: usize, jumps: bool, to: CellId) -> Move {
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

    /// Gives the turn to `seat`, or to the other one if that is the farmers' and they cannot
    /// move, or ends the game.
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
            position.phase = Phase::Move;
            position.key ^= zobrist::fact(PLACING);
            self.settle(position, 0);
        }
    }

    fn move_elephant(position: &mut Position, from: CellId, to: CellId) {
        position.key ^= zobrist::piece(ELEPHANT, from as usize);
        position.put_elephant(to);
        position.points += 1;
    }

    /// Checks what was placed so far.
    fn check_placing(&self, position: &Position, to_move: Option<Seat>) -> Result<(), StateError> {
        let Position {
            elephant, farmers, ..
        } = *position;
        require(
            position.tiles == ALL,
            "tiles",
            "no tile is eaten while pieces are placed",
        )?;
        require(
            elephant != 0 || farmers == 0,
            "farmers",
            "the elephant is placed first",
        )?;
        require(
            farmers.count_ones() < self.farmers,
            "phase",
            "`place`, but all pieces are placed",
        )?;
        let turn = usize::from(elephant != 0);
        require(
            to_move == Some(turn),
            "to_move",
            format!("it is the turn of seat {turn} to place"),
        )
    }
}

impl Game for ElephantRun {
    type Position = Position;
    type Move = Move;

    const INFO: Info = Info {
        id: "elephant-run",
        title: "Elephant Run",
        summary: "The elephant eats tiles and captures farmers until the farmers have shut it \
                  in. It wins with enough points, they win otherwise.",
        roles: &["elephant", "farmers"],
        symmetric: false,
        options: &[
            OptionSpec {
                name: "target",
                kind: OptionKind::Int {
                    min: 1,
                    max: 30,
                    default: Some(10),
                },
                help: "Points that the elephant needs to win.",
            },
            OptionSpec {
                name: "farmers",
                kind: OptionKind::Int {
                    min: 4,
                    max: 8,
                    default: Some(6),
                },
                help: "How many farmers there are.",
            },
            OptionSpec {
                name: "ranged_jumps",
                kind: OptionKind::Flag,
                help: "Whether farmers may cross holes before and after a jump.",
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
        let mut fields = Fields::new(state)?;
        let mut position = Position::empty();
        position.ply = fields.ply()?;
        let to_move = fields.to_move(2)?;
        let placing = fields.choice("phase", &["place", "move"])? == "place";
        let tiles = fields.rows("tiles", &self.board, "#.")?;
        let elephant = fields.optional_cell("elephant", &self.board)?;
        let farmers = fields.cells("farmers", &self.board)?;
        let scores = fields.ints("scores", 2, 0, i64::from(u8::MAX))?;
        fields.end()?;
        let elephants = elephant.as_slice();
        state::require_distinct(
            &self.board,
            &[("elephant", elephants), ("farmers", &farmers)],
        )?;
        for cell in self.board.cells().filter(|c| tiles[*c as usize] == b'.') {
            position.eat(cell);
        }
        if let Some(cell) = elephant {
            position.put_elephant(cell);
        }
        for &cell in &farmers {
            require(
                position.tiles >> cell & 1 != 0,
                "farmers",
                format!("`{}` is a hole", self.board.name(cell)),
            )?;
            position.toggle_farmer(cell);
        }
        let captured = self.farmers.checked_sub(farmers.len() as u32);
        let captured = captured.ok_or_else(|| {
            StateError::new("farmers", format!("at most {} are allowed", self.farmers))
        })?;
        if placing {
            self.check_placing(&position, to_move)?;
        } else {
            require(elephant.is_some(), "elephant", "null after placing")?;
            position.points = (position.tiles ^ ALL).count_ones() as u8 + captured as u8;
        }
        require(
            scores == [i32::from(position.points), 0],
            "scores",
            format!(
                "[{},0] is needed: a point for each hole and each captured farmer",
                position.points
            ),
        )?;
        if placing {
            position.seat = u8::from(elephant.is_some());
        } else {
            position.phase = Phase::Move;
            position.key ^= zobrist::fact(PLACING);
            self.settle(&mut position, to_move.unwrap_or_default() as u8);
        }
        if position.seat == 1 {
            position.key ^= zobrist::fact(FARMERS_TO_MOVE);
        }
        require(
            to_move.is_some() || position.phase != Phase::Move,
            "to_move",
            "null, but the elephant can move and farmers are left",
        )?;
        Ok(position)
    }

    fn save(&self, position: &Position) -> Value {
        let tile = |cell: CellId| {
            if position.tiles >> cell & 1 != 0 {
                '#'
            } else {
                '.'
            }
        };
        let phase = match position.phase {
            Phase::Place => "place",
            _ => "move",
        };
        json!({
            "ply": position.ply,
            "to_move": self.to_move(position),
            "phase": phase,
            "tiles": state::write_rows(&self.board, tile),
            "elephant": cells(position.elephant).next().map(|cell| self.board.name(cell)),
            "farmers": state::names(&self.board, cells(position.farmers)),
            "scores": self.scores(position).as_slice(),
        })
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
                for (d, ways) in self.farmers_targets(position).iter().enumerate() {
                    for (jumps, targets) in [false, true].into_iter().zip(ways) {
                        let all = cells(*targets);
                        moves.extend(all.map(|to| Self::farmer_move(position, d, jumps, to)));
                    }
                }
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
            (Phase::Move, _) => {
                let targets = self.farmers_targets(position);
                targets.as_flattened().iter().map(|t| t.count_ones()).sum()
            }
        };
        u64::from(count)
    }

    fn random_move(&self, position: &Position, rng: &mut Rng, _scratch: &mut Vec<Move>) -> Move {
        let mut draw = |count: u32| rng.below(u64::from(count)) as u32;
        let nth = |set: u32, index| bits::nth64(u64::from(set), index);
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
                let targets = self.farmers_targets(position);
                let targets = targets.as_flattened();
                let mut index = draw(targets.iter().map(|t| t.count_ones()).sum());
                let mut way = 0;
                while index >= targets[way].count_ones() {
                    index -= targets[way].count_ones();
                    way += 1;
                }
                let to = nth(targets[way], index);
                Self::farmer_move(position, way / 2, way % 2 == 1, to)
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

    fn play(&self, position: &mut Position, mv: Move) {
        let seat = position.seat;
        position.ply = position.ply.saturating_add(1);
        match mv {
            Move::Place(cell) => self.place(position, cell),
            Move::Go { from, to } if seat == 0 => {
                Self::move_elephant(position, from, to);
                position.eat(to);
                self.settle(position, 1);
            }
            Move::Go { from, to } => {
                position.toggle_farmer(from);
                position.toggle_farmer(to);
                self.settle(position, 0);
            }
            Move::Capture { from, to } => {
                Self::move_elephant(position, from, to);
                // The cell between, as ids go evenly along a line.
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

    fn view(&self, position: &Position) -> View {
        let ground = |cell: CellId| match position.tiles >> cell & 1 {
            0 => Ground::Gone,
            _ => Ground::Open,
        };
        let all = self.board.cells();
        let mut pieces = Vec::new();
        for (seat, set, kind, glyph) in [
            (0, position.elephant, "elephant", 'E'),
            (1, position.farmers, "farmer", 'F'),
        ] {
            pieces.extend(cells(set).map(|cell| Piece {
                cell: self.board.name(cell).to_owned(),
                kind,
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
            cells: all
                .map(|cell| self.board.draw(cell, ground(cell), None))
                .collect(),
            pieces,
            notes,
        }
    }
}

#[cfg(test)]
mod tests;

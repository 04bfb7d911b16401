//! Siam: animals that push, and rocks that are to be pushed off the board.

use std::fmt::Write as _;

use arrayvec::ArrayVec;
use serde_json::{Map, Value, json};

use crate::game::{Game, ParseError};
use crate::kit::board::{Board, CellId, bitset, cell_name};
use crate::kit::info::{Limits, StaticInfo, StaticKind, StaticOption};
use crate::kit::options::{OptionError, Options};
use crate::kit::outcome::{Scores, Seat, win_as_points};
use crate::kit::rng::Rng;
use crate::kit::state::{self, Fields, StateError, require};
use crate::kit::view::{Ground, Piece, View};
use crate::kit::zobrist;

mod learning;
mod moves;
mod pieces;
mod position;
mod push;

pub use moves::Move;
use moves::{AllMoves, entry};
pub use pieces::Facing;
use pieces::{EDGE, ROCK, SIZE};
pub use position::Position;

/// c1 and c5, which the opening ban closes to animals.
const BANNED: u32 = 1 << 2 | 1 << 22;
/// The plies during which the opening ban lasts.
const BAN_PLIES: u32 = 4;
/// Animals a seat.
const ANIMALS: usize = 5;
/// Rocks at the start.
const ROCKS: usize = 3;
/// The directions' letters, clockwise.
const LETTERS: [&str; 4] = ["n", "e", "s", "w"];
/// The seats' fields in a state.
const FIELDS: [&str; 2] = ["elephants", "rhinos"];
/// Facts in keys; the later ones are followed by a number.
const RHINOS_TO_MOVE: usize = 0;
const OVER: usize = 1;
const EXITS: [usize; 2] = [8, 16];
const BAN_PLY: usize = 24;

/// The rules.
#[derive(Debug)]
pub struct Siam {
    board: Board,
    opening_ban: bool,
    max_exits: Option<u32>,
}

impl Siam {
    fn step(&self, cell: CellId, direction: Facing) -> Option<CellId> {
        self.board.step(cell, 2 * direction as usize)
    }

    /// Cells that animals may not get to now.
    fn banned(&self, position: &Position) -> u32 {
        if self.opening_ban && position.ply < BAN_PLIES {
            BANNED
        } else {
            0
        }
    }

    fn may_exit(&self, position: &Position) -> bool {
        let exits = position.exits[position.seat as usize];
        self.max_exits.is_none_or(|max| exits < max)
    }

    /// Moves the line that starts on `first` one cell on. Returns the winner, if a rock fell off.
    fn push(&self, position: &mut Position, first: CellId, way: Facing) -> Option<u8> {
        let mut line: ArrayVec<CellId, SIZE> = ArrayVec::new();
        let mut next = Some(first);
        while let Some(cell) = next.filter(|cell| position.occupied() >> cell & 1 != 0) {
            line.push(cell);
            next = self.step(cell, way);
        }
        let mut rock_out = false;
        let mut winner = None;
        for &cell in line.iter().rev() {
            let kind = position.lift(cell);
            match next {
                Some(to) => position.put(to, kind),
                None => rock_out = kind == ROCK,
            }
            if rock_out && winner.is_none() && kind != ROCK && kind % 4 == way {
                winner = Some(kind / 4);
            }
            next = Some(cell);
        }
        // No animal of the line faces that way only if the pusher is one that enters.
        rock_out.then(|| winner.unwrap_or(position.seat))
    }

    fn parse(&self, text: &str) -> Option<Move> {
        let target = |text: &str| {
            let (cell, letter) = text.split_at_checked(2)?;
            let facing = LETTERS.iter().position(|l| *l == letter)?;
            Some((self.board.find(cell)?, facing as Facing))
        };
        let edge = |cell: CellId| (EDGE >> cell & 1 != 0).then_some(cell);
        if let Some(rest) = text.strip_prefix("+>") {
            let (cell, way) = target(rest)?;
            let from_outside = self.step(cell, (way + 2) % 4).is_none();
            return from_outside.then_some(Move::EnterPush(cell, way));
        }
        if let Some(rest) = text.strip_prefix('+') {
            let (cell, facing) = target(rest)?;
            return Some(Move::Enter(edge(cell)?, facing));
        }
        let (cell, rest) = text.split_at_checked(2)?;
        let cell = self.board.find(cell)?;
        let way_to = |to: CellId| (0..4).find(|&way| self.step(cell, way) == Some(to));
        match rest.split_at_checked(1)? {
            ("=", letter) => {
                let facing = LETTERS.iter().position(|l| *l == letter)?;
                Some(Move::Turn(cell, facing as Facing))
            }
            (">", to) => Some(Move::Push(cell, way_to(self.board.find(to)?)?)),
            ("-", "out") => Some(Move::Out(edge(cell)?)),
            ("-", to) => {
                let (to, facing) = target(to)?;
                way_to(to).map(|_| Move::Step(cell, to, facing))
            }
            _ => None,
        }
    }

    fn load_animals(
        &self,
        fields: &mut Fields,
        seat: Seat,
    ) -> Result<Vec<(CellId, u8)>, StateError> {
        let field = FIELDS[seat];
        let map = fields.cell_map(field, &self.board)?;
        require(
            map.len() <= ANIMALS,
            field,
            format!("{} animals where a seat has {ANIMALS}", map.len()),
        )?;
        map.iter()
            .map(|(cell, value)| {
                let facing = LETTERS.iter().position(|l| value.as_str() == Some(l));
                let facing = facing.ok_or_else(|| {
                    let name = self.board.name(*cell);
                    let message = format!("{value} is not one of `n`, `e`, `s`, `w`");
                    StateError::new(format!("{field}.{name}"), message)
                })?;
                Ok((*cell, (4 * seat + facing) as u8))
            })
            .collect()
    }

    fn save_animals(&self, position: &Position, seat: Seat) -> Value {
        let names = state::names(&self.board, position.animals(seat));
        let pair = |name: &str| {
            let cell = self.board.find(name)?;
            let letter = LETTERS[position.facing(cell) as usize];
            Some((name.to_owned(), Value::from(letter)))
        };
        Value::Object(names.into_iter().filter_map(pair).collect::<Map<_, _>>())
    }
}

impl Game for Siam {
    type Position = Position;
    type Move = Move;

    const INFO: StaticInfo = StaticInfo {
        id: "siam",
        title: "Siam",
        summary: "Enter, move, turn and push with five animals. Whose animal is nearest behind \
                  the first rock that is pushed off the board wins.",
        roles: &["elephants", "rhinos"],
        symmetric: true,
        options: &[
            StaticOption {
                name: "opening_ban",
                kind: StaticKind::Flag,
                help: "No animal may get onto c1 or c5 during the first two turns of each seat.",
                unless: None,
            },
            StaticOption {
                name: "max_exits",
                kind: StaticKind::Int {
                    min: 1,
                    max: 5,
                    default: None,
                },
                help: "How often a seat may take an animal off the board; null for any number.",
                unless: None,
            },
        ],
        notation: &[
            (
                "+c1n",
                "an animal enters on the empty cell c1 and faces north",
            ),
            ("+>c1n", "an animal enters c1 from the south and pushes"),
            ("c1-c2n", "the animal on c1 goes to c2 and then faces north"),
            ("c1=w", "the animal on c1 turns to the west"),
            ("c1-out", "the animal on c1 leaves the board"),
            ("c2>c3", "the animal on c2 pushes towards c3"),
        ],
        limits: Limits {
            max_plies: Some(300),
            repetition: Some(3),
        },
    };

    const GUIDE: &'static str = include_str!("siam.md");

    fn new(options: &Options) -> Result<Self, OptionError> {
        Ok(Siam {
            board: Board::square(SIZE, SIZE),
            opening_ban: options.flag("opening_ban"),
            max_exits: options.int("max_exits").map(|n| n as u32),
        })
    }

    fn start(&self, _rng: &mut Rng) -> Position {
        let mut position = Position::EMPTY;
        for column in 1..=ROCKS {
            let cell = self.board.find(&cell_name(column, SIZE / 2));
            position.put(cell.expect("a cell of the board"), ROCK);
        }
        position
    }

    fn load(&self, state: &Value) -> Result<Position, StateError> {
        let mut fields = Fields::new(state)?;
        let ply = fields.ply()?;
        let to_move = fields.to_move(2)?;
        let elephants = self.load_animals(&mut fields, 0)?;
        let rhinos = self.load_animals(&mut fields, 1)?;
        let rocks = fields.cells("rocks", &self.board)?;
        let most = self
            .max_exits
            .map_or(i64::from(state::LARGEST_COUNT), i64::from);
        let exits = fields.ints("exits", 2, 0, most)?;
        let scores = fields.ints("scores", 2, 0, 1)?;
        fields.end()?;
        let cells = |animals: &[(CellId, u8)]| animals.iter().map(|a| a.0).collect::<Vec<_>>();
        state::require_distinct(
            &self.board,
            &[
                (FIELDS[0], &cells(&elephants)),
                (FIELDS[1], &cells(&rhinos)),
                ("rocks", &rocks),
            ],
        )?;
        let most = ROCKS - usize::from(to_move.is_none());
        require(
            (most - 2..=most).contains(&rocks.len()),
            "rocks",
            format!(
                "{} rocks where there are {} to {most}",
                rocks.len(),
                most - 2
            ),
        )?;
        let mut position = Position::EMPTY;
        for &(cell, kind) in elephants.iter().chain(&rhinos) {
            position.put(cell, kind);
        }
        for &cell in &rocks {
            position.put(cell, ROCK);
        }
        position.ply = ply;
        position.exits = [exits[0] as u32, exits[1] as u32];
        position.seat = state::seat_or_loser(to_move, &scores)?;
        position.over = to_move.is_none();
        Ok(position)
    }

    fn save(&self, position: &Position) -> Value {
        json!({
            "ply": position.ply,
            "to_move": self.to_move(position),
            "elephants": self.save_animals(position, 0),
            "rhinos": self.save_animals(position, 1),
            "rocks": state::names(&self.board, position.rocks()),
            "exits": position.exits,
            "scores": self.scores(position).as_slice(),
        })
    }

    #[inline]
    fn to_move(&self, position: &Position) -> Option<Seat> {
        (!position.over).then_some(position.seat as Seat)
    }

    #[inline]
    fn ply(&self, position: &Position) -> u32 {
        position.ply
    }

    fn scores(&self, position: &Position) -> Scores {
        win_as_points(position.over.then_some(1 - position.seat as Seat))
    }

    fn reason(&self, position: &Position) -> Option<&'static str> {
        position.over.then_some("rock_out")
    }

    fn legal(&self, position: &Position, moves: &mut Vec<Move>) {
        moves.clear();
        let all = AllMoves::new(&self.choices(position));
        moves.extend((0..all.len()).map(|index| all.nth(position, index)));
    }

    fn count_legal(&self, position: &Position) -> u64 {
        u64::from(AllMoves::new(&self.choices(position)).len())
    }

    fn random_move(&self, position: &Position, rng: &mut Rng, _scratch: &mut Vec<Move>) -> Move {
        let all = AllMoves::new(&self.choices(position));
        all.nth(position, rng.below(u64::from(all.len())) as u32)
    }

    fn is_legal(&self, position: &Position, mv: Move) -> bool {
        let choices = self.choices(position);
        let has = |set: u32, cell: CellId| set >> cell & 1 != 0;
        match mv {
            Move::Enter(cell, _) => has(choices.enter, cell),
            Move::EnterPush(..) => {
                let mut entries = bitset::cells64(u64::from(choices.enter_push));
                entries.any(|bit| entry(bit) == mv)
            }
            Move::Step(from, to, _) => {
                has(choices.turn, from)
                    && (0..4).any(|way| {
                        self.step(from, way) == Some(to) && has(choices.steps[way as usize], to)
                    })
            }
            Move::Turn(cell, facing) => has(choices.turn, cell) && position.facing(cell) != facing,
            Move::Out(cell) => has(choices.out, cell),
            Move::Push(cell, way) => has(choices.push, cell) && position.facing(cell) == way,
        }
    }

    fn play_unchecked(&self, position: &mut Position, mv: Move) {
        let seat = position.seat;
        let mut winner = None;
        match mv {
            Move::Enter(cell, facing) => position.put(cell, 4 * seat + facing),
            Move::EnterPush(cell, way) => {
                winner = self.push(position, cell, way);
                position.put(cell, 4 * seat + way);
            }
            Move::Step(from, to, facing) => {
                position.lift(from);
                position.put(to, 4 * seat + facing);
            }
            Move::Turn(cell, facing) => {
                position.lift(cell);
                position.put(cell, 4 * seat + facing);
            }
            Move::Out(cell) => {
                position.lift(cell);
                let exits = &mut position.exits[seat as usize];
                *exits = state::next_count(*exits);
            }
            Move::Push(cell, way) => winner = self.push(position, cell, way),
        }
        position.ply = state::next_count(position.ply);
        position.over = winner.is_some();
        position.seat = 1 - winner.unwrap_or(seat);
    }

    fn parse_move(&self, text: &str) -> Result<Move, ParseError> {
        self.parse(text)
            .ok_or_else(|| ParseError::new(&Self::INFO, text))
    }

    fn write_move(&self, mv: Move, out: &mut String) {
        let name = |cell: CellId| self.board.name(cell);
        let letter = |facing: Facing| LETTERS[facing as usize];
        let _ = match mv {
            Move::Enter(cell, facing) => write!(out, "+{}{}", name(cell), letter(facing)),
            Move::EnterPush(cell, way) => write!(out, "+>{}{}", name(cell), letter(way)),
            Move::Step(from, to, facing) => {
                write!(out, "{}-{}{}", name(from), name(to), letter(facing))
            }
            Move::Turn(cell, facing) => write!(out, "{}={}", name(cell), letter(facing)),
            Move::Out(cell) => write!(out, "{}-out", name(cell)),
            Move::Push(cell, way) => {
                let to = self.step(cell, way).map_or("", name);
                write!(out, "{}>{to}", name(cell))
            }
        };
    }

    fn key(&self, position: &Position) -> u64 {
        let mut key = position.key;
        if position.over {
            // Which seat lost shows in the scores, which keys leave out.
            key ^= zobrist::fact(OVER);
        } else if position.seat == 1 {
            key ^= zobrist::fact(RHINOS_TO_MOVE);
        }
        if self.max_exits.is_some() {
            for (fact, exits) in EXITS.into_iter().zip(position.exits) {
                key ^= zobrist::fact(fact + exits as usize);
            }
        }
        if self.opening_ban && !position.over && position.ply < BAN_PLIES {
            key ^= zobrist::fact(BAN_PLY + position.ply as usize);
        }
        key
    }

    fn write_identity(&self, position: &Position, out: &mut String) {
        let seat = if position.over { 2 } else { position.seat };
        let [elephants, rhinos] = position.animals;
        let [low, high] = position.facing;
        let rocks = position.rocks;
        let _ = write!(
            out,
            "{seat}.{elephants:x}.{rhinos:x}.{low:x}.{high:x}.{rocks:x}"
        );
        if self.max_exits.is_some() {
            let _ = write!(out, ".{}.{}", position.exits[0], position.exits[1]);
        }
        if self.opening_ban && !position.over {
            let _ = write!(out, ".{}", position.ply.min(BAN_PLIES));
        }
    }

    fn view(&self, position: &Position) -> View {
        let banned = self.banned(position);
        let ground = |cell: CellId| match banned >> cell & 1 {
            0 => Ground::Open,
            _ => Ground::Marked,
        };
        let mut pieces = Vec::new();
        for (seat, kind, glyph) in [(0, "elephant", 'E'), (1, "rhino", 'R')] {
            pieces.extend(position.animals(seat).map(|cell| Piece {
                cell: self.board.name(cell).to_owned(),
                kind: kind.into(),
                seat: Some(seat),
                glyph,
                facing: LETTERS[position.facing(cell) as usize].chars().next(),
            }));
        }
        pieces.extend(position.rocks().map(|cell| Piece {
            cell: self.board.name(cell).to_owned(),
            kind: "rock".into(),
            seat: None,
            glyph: 'o',
            facing: None,
        }));
        let note = |seat: Seat| {
            let reserve = ANIMALS - position.animals(seat).count();
            let mut note = format!("{}: {reserve} off the board", FIELDS[seat]);
            if let Some(max) = self.max_exits {
                let _ = write!(note, ", {} of {max} exits used", position.exits[seat]);
            }
            note
        };
        View {
            shape: self.board.shape(),
            cells: self.board.draw_all(ground),
            pieces,
            notes: vec![note(0), note(1)],
        }
    }
}

#[cfg(test)]
mod tests;

//! Run: cows are driven over the board, cowboys capture; more cows out win.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::game::{Game, ParseError};
use crate::kit::board::{Board, CellId};
use crate::kit::info::{Limits, StaticInfo};
use crate::kit::options::{OptionError, Options};
use crate::kit::outcome::{Scores, Seat};
use crate::kit::rng::Rng;
use crate::kit::state::{self, Fields, StateError, require};
use crate::kit::view::{Ground, Piece, Shape, View};

mod learning;
mod moves;
mod position;

pub use moves::Move;
use moves::TurnMoves;
use position::at_end;
pub use position::{Kind, Position};

/// Rows of the board.
const ROWS: i32 = 7;
/// Cows and cowboys a seat.
const PIECES: [u8; 2] = [7, 5];
/// The kinds' names in moves and states.
const WORDS: [&str; 2] = ["cow", "cowboy"];
const PLURALS: [&str; 2] = ["cows", "cowboys"];

/// The rules.
#[derive(Debug)]
pub struct Run {
    board: Board,
    /// The cells from which a step in each direction stays on the board.
    steps: [u64; 6],
}

/// The 39 hexagons: seven rows of six and five in turn, named as the cells of a larger hexagon.
fn board() -> Board {
    let mut cells = Vec::new();
    for row in 1..=ROWS {
        // Where the row starts in the larger board.
        let first = 1 + [0, 1, 1, 2, 1, 1, 0][row as usize - 1];
        let inset = 1 - row % 2;
        for i in 0..6 - inset {
            let letter = b'a' + ((row - 4).max(0) + first + i - 1) as u8;
            let number = (4 - row).max(0) + first + i;
            let name = format!("{}{number}", letter as char);
            cells.push((name, 2 * i + inset, ROWS - row));
        }
    }
    Board::new(Shape::Hex, cells)
}

impl Run {
    /// The board of the game.
    pub fn board(&self) -> &Board {
        &self.board
    }

    fn direction(&self, from: CellId, to: CellId) -> Option<usize> {
        (0..6).find(|&direction| self.board.step(from, direction) == Some(to))
    }

    fn parse(&self, text: &str) -> Option<Move> {
        let find = |name: &str| self.board.find(name);
        if let Some((kind, name)) = text.split_once('@') {
            let index = WORDS.iter().position(|word| *word == kind)?;
            let cell = find(name).filter(|&cell| at_end(cell))?;
            return Some(Move::Drop(Kind::ALL[index], cell));
        }
        if let Some((from, to)) = text.split_once('x') {
            let (from, to) = (find(from)?, find(to)?);
            return self.direction(from, to).map(|_| Move::Capture(from, to));
        }
        let (from, rest) = text.split_once('-')?;
        let from = find(from)?;
        match rest {
            "out" => at_end(from).then_some(Move::Out(from)),
            "lost" => Some(Move::Lost(from)),
            to => {
                let to = find(to)?;
                self.direction(from, to).map(|_| Move::Go(from, to))
            }
        }
    }

    /// Reads one seat's pieces and reserve into the position; returns the cells of each kind.
    fn load_seat(
        &self,
        position: &mut Position,
        seat: Seat,
        mut fields: Fields,
    ) -> Result<[Vec<CellId>; 2], StateError> {
        let mut reserve = fields.object("reserve")?;
        let mut lists = [Vec::new(), Vec::new()];
        for kind in Kind::ALL {
            let (name, most) = (PLURALS[kind as usize], PIECES[kind as usize]);
            let cells = fields.cells(name, &self.board)?;
            let left = reserve.int(name, 0, i64::from(most))? as u8;
            let all = cells.len() + left as usize;
            require(
                all <= most as usize,
                fields.path(name),
                format!("{all} {name}, the reserve included, where a seat has {most}"),
            )?;
            position.reserve[seat][kind as usize] = left;
            lists[kind as usize] = cells;
        }
        reserve.end()?;
        fields.end()?;
        Ok(lists)
    }

    fn save_seat(&self, position: &Position, seat: Seat) -> Value {
        let names = |kind| state::names(&self.board, position.pieces(seat, kind));
        let [cows, cowboys] = position.reserve[seat];
        json!({
            "cows": names(Kind::Cow),
            "cowboys": names(Kind::Cowboy),
            "reserve": {"cows": cows, "cowboys": cowboys},
        })
    }
}

/// Reads the field `acted`.
fn load_acted(fields: &mut Fields) -> Result<Option<Kind>, StateError> {
    if fields.value("acted")?.is_null() {
        return Ok(None);
    }
    let word = fields.choice("acted", &WORDS)?;
    Ok(Kind::ALL
        .into_iter()
        .find(|kind| WORDS[*kind as usize] == word))
}

impl Game for Run {
    type Position = Position;
    type Move = Move;

    const INFO: StaticInfo = StaticInfo {
        id: "run",
        title: "Run",
        summary: "Each turn play a cow and a cowboy. Cows go forward and off the far side, \
                  cowboys capture. More cows out win.",
        roles: &["black", "white"],
        symmetric: true,
        options: &[],
        notation: &[
            ("cow@e2", "a cow comes from the reserve to e2"),
            ("cowboy@e2", "a cowboy comes from the reserve to e2"),
            ("e4-e5", "the piece on e4 goes to e5"),
            ("e3xe2", "the cowboy on e3 captures the enemy piece on e2"),
            ("e8-out", "the cow on e8 leaves the board and scores"),
            ("e4-lost", "the piece on e4 is given up"),
        ],
        limits: Limits {
            max_plies: Some(600),
            repetition: Some(3),
        },
    };

    const GUIDE: &'static str = include_str!("run.md");

    fn new(_options: &Options) -> Result<Self, OptionError> {
        let board = board();
        let steps = [0, 1, 2, 3, 4, 5].map(|direction| {
            let from = board
                .cells()
                .filter(|&c| board.step(c, direction).is_some());
            from.fold(0, |set, cell| set | 1 << cell)
        });
        Ok(Run { board, steps })
    }

    fn start(&self, _rng: &mut Rng) -> Position {
        Position {
            pieces: [[0; 2]; 2],
            reserve: [PIECES; 2],
            out: [0; 2],
            seat: 0,
            acted: None,
            ply: 0,
            key: 0,
        }
    }

    fn load(&self, state: &Value) -> Result<Position, StateError> {
        let mut fields = Fields::new(state)?;
        let ply = fields.ply()?;
        let to_move = fields.to_move(2)?;
        let acted = load_acted(&mut fields)?;
        let mut position = self.start(&mut Rng::new(0));
        let black = self.load_seat(&mut position, 0, fields.object("black")?)?;
        let white = self.load_seat(&mut position, 1, fields.object("white")?)?;
        let scores = fields.ints("scores", 2, 0, i64::from(PIECES[0]))?;
        fields.end()?;
        state::require_distinct(
            &self.board,
            &[
                ("black.cows", &black[0]),
                ("black.cowboys", &black[1]),
                ("white.cows", &white[0]),
                ("white.cowboys", &white[1]),
            ],
        )?;
        for (seat, lists) in [black, white].into_iter().enumerate() {
            let cows = lists[0].len() + position.reserve[seat][0] as usize;
            require(
                cows + scores[seat] as usize <= PIECES[0] as usize,
                "scores",
                format!(
                    "{} cows of seat {seat} out, but {cows} still there",
                    scores[seat]
                ),
            )?;
            for (kind, cells) in Kind::ALL.into_iter().zip(lists) {
                cells
                    .iter()
                    .for_each(|&cell| position.toggle(seat, kind, cell));
            }
            position.out[seat] = scores[seat] as u8;
        }
        position.ply = ply;
        position.seat = to_move.unwrap_or(0) as u8;
        position.acted = acted;
        if to_move.is_none() {
            require(position.over(), "to_move", "null, but there are cows left")?;
            require(
                acted.is_none(),
                "acted",
                "null is needed in a finished game",
            )?;
        }
        let message = "0, the first turn, of one drop only, but nobody can move then";
        require(position.settle(), "ply", message)?;
        Ok(position)
    }

    fn save(&self, position: &Position) -> Value {
        json!({
            "ply": position.ply,
            "to_move": self.to_move(position),
            "acted": position.acted.map(|kind| WORDS[kind as usize]),
            "black": self.save_seat(position, 0),
            "white": self.save_seat(position, 1),
            "scores": self.scores(position).as_slice(),
        })
    }

    #[inline]
    fn to_move(&self, position: &Position) -> Option<Seat> {
        (!position.over()).then_some(position.seat as Seat)
    }

    #[inline]
    fn ply(&self, position: &Position) -> u32 {
        position.ply
    }

    fn scores(&self, position: &Position) -> Scores {
        position.out.into_iter().map(i32::from).collect()
    }

    fn reason(&self, position: &Position) -> Option<&'static str> {
        position.over().then_some("no_cows")
    }

    fn legal(&self, position: &Position, moves: &mut Vec<Move>) {
        moves.clear();
        let all = TurnMoves::new(position, &self.steps);
        moves.extend((0..all.len()).map(|index| all.nth(index)));
    }

    fn count_legal(&self, position: &Position) -> u64 {
        u64::from(TurnMoves::new(position, &self.steps).len())
    }

    fn random_move(&self, position: &Position, rng: &mut Rng, _scratch: &mut Vec<Move>) -> Move {
        let moves = TurnMoves::new(position, &self.steps);
        moves.nth(rng.below(u64::from(moves.len())) as u32)
    }

    fn is_legal(&self, position: &Position, mv: Move) -> bool {
        let has = |set: u64, cell: CellId| set >> cell & 1 != 0;
        let choices = |kind: Kind| position.choices(kind, &self.steps);
        let own = |cell| has(position.of_seat(position.seat as Seat), cell);
        match mv {
            Move::Drop(kind, cell) => has(choices(kind).drop, cell),
            Move::Go(from, to) | Move::Capture(from, to) => {
                let enemy = has(position.of_seat(1 - position.seat as Seat), to);
                let direction = self.direction(from, to);
                let steps = choices(position.kind(from)).steps;
                own(from)
                    && enemy == matches!(mv, Move::Capture(..))
                    && direction.is_some_and(|direction| has(steps[direction], to))
            }
            Move::Out(cell) => own(cell) && has(choices(position.kind(cell)).out, cell),
            Move::Lost(cell) => own(cell) && has(choices(position.kind(cell)).lost, cell),
        }
    }

    fn play_unchecked(&self, position: &mut Position, mv: Move) {
        let seat = position.seat as Seat;
        let kind = match mv {
            Move::Drop(kind, _) => kind,
            Move::Go(from, _) | Move::Capture(from, _) | Move::Out(from) | Move::Lost(from) => {
                let kind = position.kind(from);
                position.toggle(seat, kind, from);
                kind
            }
        };
        match mv {
            Move::Drop(_, to) => {
                position.reserve[seat][kind as usize] -= 1;
                position.toggle(seat, kind, to);
            }
            Move::Go(_, to) => position.toggle(seat, kind, to),
            Move::Capture(_, to) => {
                position.toggle(1 - seat, position.kind(to), to);
                position.toggle(seat, kind, to);
            }
            Move::Out(_) => position.out[seat] += 1,
            Move::Lost(_) => {}
        }
        if position.acted.is_some() || position.opening() {
            position.seat = 1 - position.seat;
            position.acted = None;
        } else {
            position.acted = Some(kind);
        }
        position.ply = state::next_count(position.ply);
        position.settle();
    }

    fn parse_move(&self, text: &str) -> Result<Move, ParseError> {
        self.parse(text)
            .ok_or_else(|| ParseError::new(&Self::INFO, text))
    }

    fn write_move(&self, mv: Move, out: &mut String) {
        let name = |cell: CellId| self.board.name(cell);
        let _ = match mv {
            Move::Drop(kind, cell) => write!(out, "{}@{}", WORDS[kind as usize], name(cell)),
            Move::Go(from, to) => write!(out, "{}-{}", name(from), name(to)),
            Move::Capture(from, to) => write!(out, "{}x{}", name(from), name(to)),
            Move::Out(cell) => write!(out, "{}-out", name(cell)),
            Move::Lost(cell) => write!(out, "{}-lost", name(cell)),
        };
    }

    fn key(&self, position: &Position) -> u64 {
        position.whole_key()
    }

    fn write_identity(&self, position: &Position, out: &mut String) {
        let turn = match (position.opening(), position.acted) {
            (true, _) => "first",
            (_, None) => "both",
            (_, Some(kind)) => WORDS[!kind as usize],
        };
        let _ = write!(out, "{}.{turn}", position.seat);
        for seat in 0..2 {
            let ([cows, cowboys], [more_cows, more_cowboys]) =
                (position.pieces[seat], position.reserve[seat]);
            let _ = write!(out, ".{cows:x}+{more_cows}.{cowboys:x}+{more_cowboys}");
        }
    }

    fn view(&self, position: &Position) -> View {
        let ground = |cell| {
            if at_end(cell) {
                Ground::Marked
            } else {
                Ground::Open
            }
        };
        let mut pieces = Vec::new();
        for (seat, kind, glyph) in [
            (0, Kind::Cow, 'C'),
            (0, Kind::Cowboy, 'B'),
            (1, Kind::Cow, 'c'),
            (1, Kind::Cowboy, 'b'),
        ] {
            pieces.extend(position.pieces(seat, kind).map(|cell| Piece {
                cell: self.board.name(cell).to_owned(),
                kind: WORDS[kind as usize].into(),
                seat: Some(seat),
                glyph,
                facing: None,
            }));
        }
        let mut notes: Vec<String> = (0..2)
            .map(|seat| {
                let [cows, cowboys] = position.reserve[seat];
                let (role, out) = (self.role(seat), position.out[seat]);
                let count = |number, kind| match number {
                    1 => format!("1 {kind}"),
                    _ => format!("{number} {kind}s"),
                };
                format!(
                    "{role}: {} and {} in reserve, {} out",
                    count(cows, "cow"),
                    count(cowboys, "cowboy"),
                    count(out, "cow")
                )
            })
            .collect();
        if let Some(kind) = position.acted {
            let role = self.role(position.seat as Seat);
            notes.push(format!(
                "{role} has yet to play a {}",
                WORDS[!kind as usize]
            ));
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

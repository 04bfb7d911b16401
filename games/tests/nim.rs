//! A complete small game outside the registry: what adding a game takes. CONTRIBUTING.md shows it.

use games::kit::info::{StaticKind, StaticOption};
use games::kit::state::{Fields, require, seat_or_loser};
use games::kit::view::{Cell, Ground, Shape};
use games::kit::zobrist;
use games::{
    Game, Limits, OptionError, Options, ParseError, Rng, Scores, Seat, StateError, StaticInfo, View,
};
use serde_json::{Value, json};

/// One heap. A move takes one to three; taking the last one wins.
pub struct Nim {
    heap: u8,
}

/// A position: what is left, and whose turn it is, or would be if the game went on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    left: u8,
    seat: u8,
    ply: u32,
}

impl Game for Nim {
    type Position = Position;
    type Move = u8;

    const INFO: StaticInfo = StaticInfo {
        id: "nim",
        title: "Nim",
        summary: "Take one to three of the heap. Who takes the last one wins.",
        roles: &["first", "second"],
        symmetric: true,
        options: &[StaticOption {
            name: "heap",
            kind: StaticKind::Int {
                min: 1,
                max: 100,
                default: Some(21),
            },
            help: "How many there are at the start.",
            unless: None,
        }],
        notation: &[("take2", "take two of the heap")],
        limits: Limits::NONE,
    };

    fn new(options: &Options) -> Result<Self, OptionError> {
        let heap = options.number("heap") as u8;
        Ok(Nim { heap })
    }

    fn start(&self, _rng: &mut Rng) -> Position {
        Position {
            left: self.heap,
            seat: 0,
            ply: 0,
        }
    }

    fn load(&self, state: &Value) -> Result<Position, StateError> {
        let mut fields = Fields::new(state)?;
        let ply = fields.ply()?;
        let to_move = fields.to_move(2)?;
        let left = fields.int("left", 0, i64::from(self.heap))? as u8;
        let scores = fields.ints("scores", 2, 0, 1)?;
        fields.end()?;
        let seat = seat_or_loser(to_move, &scores)?;
        require(
            to_move.is_some() || left == 0,
            "to_move",
            "null, but the heap is not empty",
        )?;
        Ok(Position { left, seat, ply })
    }

    fn save(&self, position: &Position) -> Value {
        json!({
            "ply": position.ply,
            "to_move": self.to_move(position),
            "left": position.left,
            "scores": self.scores(position),
        })
    }

    fn to_move(&self, position: &Position) -> Option<Seat> {
        (position.left > 0).then_some(position.seat as Seat)
    }

    fn ply(&self, position: &Position) -> u32 {
        position.ply
    }

    fn scores(&self, position: &Position) -> Scores {
        let won = |seat: u8| i32::from(position.left == 0 && position.seat != seat);
        [won(0), won(1)].into_iter().collect()
    }

    fn reason(&self, position: &Position) -> Option<&'static str> {
        (position.left == 0).then_some("heap_empty")
    }

    fn legal(&self, position: &Position, moves: &mut Vec<u8>) {
        moves.clear();
        moves.extend(1..=position.left.min(3));
    }

    fn is_legal(&self, position: &Position, mv: u8) -> bool {
        (1..=position.left.min(3)).contains(&mv)
    }

    fn play_unchecked(&self, position: &mut Position, mv: u8) {
        position.left -= mv;
        position.seat = 1 - position.seat;
        position.ply += 1;
    }

    fn parse_move(&self, text: &str) -> Result<u8, ParseError> {
        match text {
            "take1" => Ok(1),
            "take2" => Ok(2),
            "take3" => Ok(3),
            _ => Err(ParseError::new(&Self::INFO, text)),
        }
    }

    fn write_move(&self, mv: u8, out: &mut String) {
        out.push_str(&format!("take{mv}"));
    }

    fn key(&self, position: &Position) -> u64 {
        zobrist::piece(position.seat as usize, position.left as usize)
    }

    fn write_identity(&self, position: &Position, out: &mut String) {
        out.push_str(&format!("{}.{}", position.seat, position.left));
    }

    fn view(&self, position: &Position) -> View {
        let cell = |i: u8| Cell {
            name: format!("{}", i + 1),
            x: 2 * i32::from(i),
            y: 0,
            ground: if i < position.left {
                Ground::Open
            } else {
                Ground::Gone
            },
            label: None,
        };
        View {
            shape: Shape::Square,
            cells: (0..self.heap).map(cell).collect(),
            pieces: Vec::new(),
            notes: vec![format!("{} left", position.left)],
        }
    }
}

games::conformance!(Nim, [{}, {"heap": 1}, {"heap": 100}]);

/// Perft by hand: the game ends when the heap is empty.
#[test]
fn perft_of_a_small_heap() {
    let game = Nim { heap: 4 };
    let start = game.start(&mut Rng::new(1));
    let counts = [1, 2, 3, 4].map(|depth| games::perft::perft(&game, &start, depth));
    assert_eq!(counts, [3, 6, 4, 1]);
}

/// CONTRIBUTING.md shows this very file.
#[test]
fn the_guide_shows_this_game() {
    let guide = include_str!("../../CONTRIBUTING.md");
    let code = include_str!("nim.rs");
    let game = &code[code.find("/// One heap.").unwrap()..code.find("/// Perft by hand").unwrap()];
    assert!(guide.contains(game.trim_end()), "CONTRIBUTING.md is stale");
}

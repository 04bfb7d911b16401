//! Siam: elephants and rhinos push each other and three rocks; the rock that falls
//! off the board decides.

use crate::board::{self, Board, Cell, Dir};
use crate::oracle::Rules;
use crate::outcome::Outcome;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

const BOARD: Board = Board::Square(5, 5);
const ANIMALS: usize = 5;
const WAYS: [char; 4] = ['n', 'e', 's', 'w'];

/// The cells of the opening ban, c1 and c5.
const BANNED: [Cell; 2] = [(3, 1), (3, 5)];

#[derive(Clone)]
pub(crate) struct Siam {
    opening_ban: bool,
    max_exits: Option<i64>,
    ply: i64,
    to_move: Option<usize>,
    /// The animals on the board by seat, each with the way it faces.
    animals: [BTreeMap<Cell, char>; 2],
    rocks: BTreeSet<Cell>,
    exits: Vec<i64>,
    scores: Vec<i64>,
}

#[derive(Clone, Copy)]
enum Piece {
    Animal(usize, char),
    Rock,
}

fn dir_of(way: char) -> Dir {
    match way {
        'n' => (0, 1),
        'e' => (1, 0),
        's' => (0, -1),
        'w' => (-1, 0),
        _ => panic!("not a direction: {way}"),
    }
}

fn opposite(way: char) -> char {
    match way {
        'n' => 's',
        'e' => 'w',
        's' => 'n',
        _ => 'e',
    }
}

fn is_edge(cell: Cell) -> bool {
    WAYS.iter()
        .any(|&way| BOARD.step(cell, dir_of(way)).is_none())
}

pub(crate) fn start(options: &Value) -> Value {
    board::known_options(options, &["opening_ban", "max_exits"]);
    json!({
        "ply": 0,
        "to_move": 0,
        "elephants": {},
        "rhinos": {},
        "rocks": ["b3", "c3", "d3"],
        "exits": [0, 0],
        "scores": [0, 0],
    })
}

fn read_animals(animals: &Value) -> BTreeMap<Cell, char> {
    let animals = animals.as_object().expect("a map of cells to directions");
    let way = |value| board::text(value).chars().next().expect("a direction");
    animals
        .iter()
        .map(|(cell, value)| (board::cell(cell), way(value)))
        .collect()
}

fn write_animals(animals: &BTreeMap<Cell, char>) -> Value {
    let entry = |(&cell, way): (&Cell, &char)| (board::name(cell), json!(way.to_string()));
    Value::Object(animals.iter().map(entry).collect::<Map<_, _>>())
}

impl Siam {
    pub(crate) fn open(options: &Value, state: &Value) -> Self {
        board::known_options(options, &["opening_ban", "max_exits"]);
        let limited = options.get("max_exits").is_some_and(|v| !v.is_null());
        Siam {
            opening_ban: board::flag_option(options, "opening_ban"),
            max_exits: limited.then(|| board::int_option(options, "max_exits", 1, 5, 5)),
            ply: board::int(&state["ply"]),
            to_move: board::seat(&state["to_move"]),
            animals: [
                read_animals(&state["elephants"]),
                read_animals(&state["rhinos"]),
            ],
            rocks: board::cells(&state["rocks"]),
            exits: board::ints(&state["exits"]),
            scores: board::ints(&state["scores"]),
        }
    }

    fn piece(&self, cell: Cell) -> Option<Piece> {
        if self.rocks.contains(&cell) {
            return Some(Piece::Rock);
        }
        let owner = (0..2).find(|&seat| self.animals[seat].contains_key(&cell))?;
        Some(Piece::Animal(owner, self.animals[owner][&cell]))
    }

    fn empty(&self, cell: Cell) -> bool {
        self.piece(cell).is_none()
    }

    /// True if no animal may come onto the cell now.
    fn banned(&self, cell: Cell) -> bool {
        self.opening_ban && self.ply <= 3 && BANNED.contains(&cell)
    }

    /// The pieces in front of a pusher, from the cell it pushes onto up to the first
    /// empty cell or the edge.
    fn line(&self, first: Cell, way: char) -> Vec<(Cell, Piece)> {
        let mut line = Vec::new();
        let mut at = Some(first);
        while let Some(cell) = at
            && let Some(piece) = self.piece(cell)
        {
            line.push((cell, piece));
            at = BOARD.step(cell, dir_of(way));
        }
        line
    }

    /// True if an animal that faces `way` may push onto the occupied cell `first`.
    fn can_push(&self, first: Cell, way: char) -> bool {
        if self.banned(first) {
            return false;
        }
        let mut strength = 1; // the pusher
        let mut rocks = 0;
        for (cell, piece) in self.line(first, way) {
            match piece {
                Piece::Rock => rocks += 1,
                Piece::Animal(_, facing) => {
                    let next = BOARD.step(cell, dir_of(way));
                    if next.is_some_and(|next| self.banned(next)) {
                        return false;
                    }
                    if facing == way {
                        strength += 1;
                    } else if facing == opposite(way) {
                        strength -= 1;
                    }
                }
            }
            if strength < 1 || strength < rocks {
                return false;
            }
        }
        true
    }

    fn add_entries(&self, moves: &mut Vec<String>) {
        for cell in BOARD.cells() {
            if !is_edge(cell) {
                continue;
            }
            for way in WAYS {
                let from_outside = BOARD.step(cell, dir_of(opposite(way))).is_none();
                if self.empty(cell) && !self.banned(cell) {
                    moves.push(format!("+{}{way}", board::name(cell)));
                }
                if !self.empty(cell) && from_outside && self.can_push(cell, way) {
                    moves.push(format!("+>{}{way}", board::name(cell)));
                }
            }
        }
    }

    fn add_moves_of(&self, seat: usize, from: Cell, facing: char, moves: &mut Vec<String>) {
        let name = board::name(from);
        for way in WAYS {
            if way != facing {
                moves.push(format!("{name}={way}"));
            }
            let Some(to) = BOARD.step(from, dir_of(way)) else {
                continue;
            };
            if self.empty(to) && !self.banned(to) {
                for leave in WAYS {
                    moves.push(format!("{name}-{}{leave}", board::name(to)));
                }
            }
            if !self.empty(to) && way == facing && self.can_push(to, way) {
                moves.push(format!("{name}>{}", board::name(to)));
            }
        }
        if is_edge(from) && self.max_exits.is_none_or(|max| self.exits[seat] < max) {
            moves.push(format!("{name}-out"));
        }
    }

    fn remove(&mut self, cell: Cell) {
        self.rocks.remove(&cell);
        for side in &mut self.animals {
            side.remove(&cell);
        }
    }

    fn put(&mut self, cell: Cell, piece: Piece) {
        match piece {
            Piece::Rock => {
                self.rocks.insert(cell);
            }
            Piece::Animal(owner, way) => {
                self.animals[owner].insert(cell, way);
            }
        }
    }

    /// Every piece of the line moves one cell on; then the pusher comes onto `first`.
    /// (It is off the board while this is done.)
    fn push(&mut self, seat: usize, first: Cell, way: char) {
        let line = self.line(first, way);
        for &(cell, _) in &line {
            self.remove(cell);
        }
        for (i, &(cell, piece)) in line.iter().enumerate() {
            match (BOARD.step(cell, dir_of(way)), piece) {
                (Some(next), _) => self.put(next, piece),
                (None, Piece::Animal(..)) => {} // back to its owner
                (None, Piece::Rock) => self.rock_out(seat, way, &line[..i]),
            }
        }
        self.put(first, Piece::Animal(seat, way));
    }

    /// The winner is the owner of the animal nearest to the rock that faces the way of
    /// the push; the pusher itself if there is no other.
    fn rock_out(&mut self, pusher: usize, way: char, before: &[(Cell, Piece)]) {
        let mut winner = pusher;
        for &(_, piece) in before {
            if let Piece::Animal(owner, facing) = piece
                && facing == way
            {
                winner = owner;
            }
        }
        self.scores[winner] = 1;
        self.to_move = None;
    }

    fn act(&mut self, seat: usize, mv: &str) {
        let way = mv.chars().last().expect("a move");
        if let Some(entry) = mv.strip_prefix("+>") {
            self.push(seat, board::cell(&entry[..2]), way);
        } else if let Some(entry) = mv.strip_prefix('+') {
            self.put(board::cell(&entry[..2]), Piece::Animal(seat, way));
        } else {
            let from = board::cell(&mv[..2]);
            let facing = self.animals[seat].remove(&from).expect("an own animal");
            match (&mv[2..3], &mv[3..]) {
                ("=", _) => self.put(from, Piece::Animal(seat, way)),
                (">", to) => self.push(seat, board::cell(to), facing),
                (_, "out") => self.exits[seat] += 1,
                (_, to) => self.put(board::cell(&to[..2]), Piece::Animal(seat, way)),
            }
        }
    }
}

impl Rules for Siam {
    fn write(&self) -> Value {
        json!({
            "ply": self.ply,
            "to_move": self.to_move,
            "elephants": write_animals(&self.animals[0]),
            "rhinos": write_animals(&self.animals[1]),
            "rocks": board::names(&self.rocks),
            "exits": self.exits,
            "scores": self.scores,
        })
    }

    fn to_move(&self) -> Option<usize> {
        self.to_move
    }

    fn moves_of(&self, seat: usize) -> Vec<String> {
        let mut moves = Vec::new();
        if self.animals[seat].len() < ANIMALS {
            self.add_entries(&mut moves);
        }
        for (&from, &facing) in &self.animals[seat] {
            self.add_moves_of(seat, from, facing, &mut moves);
        }
        moves
    }

    fn make(&mut self, seat: usize, mv: &str) {
        self.ply += 1;
        self.to_move = Some(1 - seat);
        self.act(seat, mv);
    }

    fn outcome(&self) -> Outcome {
        board::by_scores(&self.scores, "rock_out")
    }

    fn identity(&self) -> String {
        let mut state = self.write();
        if self.max_exits.is_none() {
            state.as_object_mut().expect("a state").remove("exits");
        }
        // The opening ban depends on the ply while it lasts.
        let ban = (self.opening_ban && self.to_move.is_some()).then_some(self.ply.min(4));
        board::key(state, &json!(ban))
    }
}

#[cfg(test)]
#[path = "siam_tests.rs"]
mod tests;

//! Small helpers shared by all games: cells and their names, directions and lines,
//! reading states and options, and results.

use crate::outcome::Outcome;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A cell by the letter (1 for `a`) and the number in its name.
pub(crate) type Cell = (i32, i32);

/// A direction, as the change of letter and number (but see `Board::step`).
pub(crate) type Dir = (i32, i32);

/// The eight directions of a queen on a square board.
pub(crate) const EIGHT: [Dir; 8] = [
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];

/// The six directions of the hexagonal boards of Giantslayer and Run.
pub(crate) const SIX: [Dir; 6] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)];

/// West, east and the four diagonals of the 60-cell board of the Penguins games.
const ICE_SIX: [Dir; 6] = [(-1, 0), (1, 0), (-1, -1), (1, -1), (-1, 1), (1, 1)];

pub(crate) fn name(cell: Cell) -> String {
    let letter = char::from(b'a' + (cell.0 - 1) as u8);
    format!("{letter}{}", cell.1)
}

pub(crate) fn cell(name: &str) -> Cell {
    let letter = name.as_bytes()[0];
    assert!(letter.is_ascii_lowercase(), "not a cell: {name}");
    let number = name[1..].parse();
    (
        i32::from(letter - b'a') + 1,
        number.unwrap_or_else(|_| panic!("not a cell: {name}")),
    )
}

/// The names of some cells, sorted as strings.
pub(crate) fn names(cells: &BTreeSet<Cell>) -> Vec<String> {
    let mut names: Vec<String> = cells.iter().map(|&c| name(c)).collect();
    names.sort();
    names
}

/// The cells of a JSON list of names.
pub(crate) fn cells(list: &Value) -> BTreeSet<Cell> {
    let list = list.as_array().expect("a list of cells");
    list.iter().map(|c| cell(text(c))).collect()
}

/// The cells of a JSON list of lists of names.
pub(crate) fn cell_lists(lists: &Value) -> Vec<BTreeSet<Cell>> {
    let lists = lists.as_array().expect("lists of cells");
    lists.iter().map(cells).collect()
}

pub(crate) fn plus(cell: Cell, dir: Dir) -> Cell {
    (cell.0 + dir.0, cell.1 + dir.1)
}

/// The boards on which pieces go over lines of cells.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Board {
    /// The numbers of columns and rows.
    Square(i32, i32),
    /// The 60 hexagons of the Penguins games.
    Ice,
}

impl Board {
    pub(crate) fn rows(self) -> i32 {
        match self {
            Board::Square(_, rows) => rows,
            Board::Ice => 8,
        }
    }

    /// The number of cells in a row.
    pub(crate) fn columns(self, row: i32) -> i32 {
        match self {
            Board::Square(columns, _) => columns,
            Board::Ice if row % 2 == 1 => 7,
            Board::Ice => 8,
        }
    }

    pub(crate) fn has(self, cell: Cell) -> bool {
        (1..=self.rows()).contains(&cell.1) && (1..=self.columns(cell.1)).contains(&cell.0)
    }

    pub(crate) fn cells(self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for row in (1..=self.rows()).rev() {
            for column in 1..=self.columns(row) {
                cells.push((column, row));
            }
        }
        cells
    }

    pub(crate) fn dirs(self) -> &'static [Dir] {
        match self {
            Board::Square(..) => &EIGHT,
            Board::Ice => &ICE_SIX,
        }
    }

    /// The next cell in a direction, if the board goes on there.
    pub(crate) fn step(self, from: Cell, dir: Dir) -> Option<Cell> {
        let to = match self {
            Board::Square(..) => plus(from, dir),
            Board::Ice if dir.1 == 0 => plus(from, dir),
            // Index i of a 7-row touches i (to the west) and i+1 (to the east) of the 8-rows.
            Board::Ice if from.1 % 2 == 1 => {
                let column = if dir.0 < 0 { from.0 } else { from.0 + 1 };
                (column, from.1 + dir.1)
            }
            // Index i of an 8-row touches i-1 (to the west) and i (to the east) of the 7-rows.
            Board::Ice => {
                let column = if dir.0 < 0 { from.0 - 1 } else { from.0 };
                (column, from.1 + dir.1)
            }
        };
        self.has(to).then_some(to)
    }

    /// The cells that a queen (on `Ice`: in the six directions) reaches over free cells.
    pub(crate) fn queen(self, from: Cell, free: impl Fn(Cell) -> bool) -> Vec<Cell> {
        let mut reached = Vec::new();
        for &dir in self.dirs() {
            let mut at = from;
            while let Some(next) = self.step(at, dir) {
                if !free(next) {
                    break;
                }
                reached.push(next);
                at = next;
            }
        }
        reached
    }
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

pub(crate) fn int(value: &Value) -> i64 {
    value.as_i64().expect("an integer")
}

pub(crate) fn ints(value: &Value) -> Vec<i64> {
    let list = value.as_array().expect("a list of integers");
    list.iter().map(int).collect()
}

/// Reads a seat or null.
pub(crate) fn seat(value: &Value) -> Option<usize> {
    (!value.is_null()).then(|| int(value) as usize)
}

pub(crate) fn rows(value: &Value) -> Vec<String> {
    let list = value.as_array().expect("a list of rows");
    list.iter().map(|row| text(row).to_string()).collect()
}

/// Checks that there are no options but the known ones.
pub(crate) fn known_options(options: &Value, known: &[&str]) {
    for name in options.as_object().expect("an options object").keys() {
        assert!(known.contains(&name.as_str()), "no option {name}");
    }
}

/// An integer option with its range and default.
pub(crate) fn int_option(options: &Value, name: &str, low: i64, high: i64, default: i64) -> i64 {
    let value = options.get(name).map_or(default, int);
    assert!((low..=high).contains(&value), "{name} out of range");
    value
}

/// A yes-or-no option, no by default.
pub(crate) fn flag_option(options: &Value, name: &str) -> bool {
    options
        .get(name)
        .is_some_and(|v| v.as_bool().expect("true or false"))
}

/// An option that is one of some words, the first by default.
pub(crate) fn word_option<'a>(options: &Value, name: &str, words: &[&'a str]) -> &'a str {
    let Some(value) = options.get(name) else {
        return words[0];
    };
    let word = words.iter().find(|&&w| w == text(value));
    word.unwrap_or_else(|| panic!("{name} out of range"))
}

/// The first seat that is able to act, looking from `seat` on in turn.
pub(crate) fn first_able(seat: usize, seats: usize, able: impl Fn(usize) -> bool) -> Option<usize> {
    (0..seats)
        .map(|i| (seat + i) % seats)
        .find(|&seat| able(seat))
}

/// The result by scores: the higher one beats the lower one.
pub(crate) fn by_scores(scores: &[i64], reason: &str) -> Outcome {
    let mut outcome = Vec::new();
    for (i, mine) in scores.iter().enumerate() {
        let mut sum = 0.0;
        for (j, theirs) in scores.iter().enumerate() {
            if i != j && mine > theirs {
                sum += 1.0;
            } else if i != j && mine == theirs {
                sum += 0.5;
            }
        }
        outcome.push(sum / (scores.len() - 1) as f64);
    }
    Outcome {
        scores: scores.to_vec(),
        outcome,
        reason: reason.to_string(),
    }
}

/// The key of a position: its state without `ply` and `scores`, and other relevant facts.
pub(crate) fn key(mut state: Value, extra: &Value) -> String {
    let fields = state.as_object_mut().expect("a state");
    fields.remove("ply");
    fields.remove("scores");
    json!([state, extra]).to_string()
}

/// Sorts the moves; no two may be written alike.
pub(crate) fn sorted(mut moves: Vec<String>) -> Vec<String> {
    moves.sort();
    assert!(
        moves.windows(2).all(|w| w[0] != w[1]),
        "two moves share a string"
    );
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touching(at: &str) -> Vec<String> {
        let board = Board::Ice;
        let steps = board.dirs().iter();
        names(&steps.filter_map(|&d| board.step(cell(at), d)).collect())
    }

    #[test]
    fn cells_are_sorted_as_strings() {
        assert_eq!(names(&cells(&json!(["a2", "a10"]))), ["a10", "a2"]);
    }

    #[test]
    fn the_ice_has_60_cells_and_six_directions() {
        assert_eq!(Board::Ice.cells().len(), 60);
        assert_eq!(touching("c3"), ["b3", "c2", "c4", "d2", "d3", "d4"]);
        assert_eq!(touching("c4"), ["b3", "b4", "b5", "c3", "c5", "d4"]);
        assert_eq!(touching("h8"), ["g7", "g8"]);
        assert_eq!(touching("a1"), ["a2", "b1", "b2"]);
    }

    #[test]
    fn outcomes_of_three_seats() {
        assert_eq!(by_scores(&[3, 5, 3], "x").outcome, [0.25, 1.0, 0.25]);
    }
}

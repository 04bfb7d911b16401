//! Common parts of Penguins and Amazon Penguins: a board of chips (or tiles) with fish, the
//! penguins on it, and its three ways to be set up.

use crate::board::{self, Board, Cell};
use crate::random::Random;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone)]
pub(crate) struct Ice {
    pub(crate) board: Board,
    /// The fish on every cell; 0 where there is no chip.
    pub(crate) fish: BTreeMap<Cell, i64>,
    pub(crate) penguins: Vec<BTreeSet<Cell>>,
}

/// The numbers of chips of one, two and three fish.
pub(crate) fn chips(board: Board) -> [usize; 3] {
    match board {
        Board::Square(..) => [32, 21, 11],
        Board::Ice => [30, 20, 10],
    }
}

/// Rows of digits of the numbers on all cells.
pub(crate) fn to_rows(board: Board, numbers: &BTreeMap<Cell, i64>) -> Vec<String> {
    let row = |row: i32| {
        let cells = (1..=board.columns(row)).map(|column| (column, row));
        cells.map(|cell| numbers[&cell].to_string()).collect()
    };
    (1..=board.rows()).rev().map(row).collect()
}

/// The numbers on all cells, from rows of digits.
pub(crate) fn from_rows(board: Board, rows: &[String]) -> BTreeMap<Cell, i64> {
    let digits: Vec<char> = rows.concat().chars().collect();
    let cells = board.cells();
    assert_eq!(digits.len(), cells.len(), "as many digits as cells");
    let number = |digit: char| i64::from(digit.to_digit(10).expect("a digit"));
    cells
        .into_iter()
        .zip(digits.into_iter().map(number))
        .collect()
}

/// These numbers of ones, twos and threes, scattered over the cells of a board.
pub(crate) fn shuffled(board: Board, counts: [usize; 3], seed: u64) -> BTreeMap<Cell, i64> {
    let mut numbers = Vec::new();
    for (number, count) in (1..).zip(counts) {
        numbers.extend(std::iter::repeat_n(number, count));
    }
    Random(seed).shuffle(&mut numbers);
    board.cells().into_iter().zip(numbers).collect()
}

/// The start of both games by their options `setup` and `fish`.
pub(crate) fn start(board: Board, seats: usize, options: &Value, seed: u64) -> Value {
    let setup = setup(options);
    let fish = match setup {
        "random" => to_rows(board, &shuffled(board, chips(board), seed)),
        "given" => board::rows(&options["fish"]),
        _ => to_rows(board, &board.cells().into_iter().map(|c| (c, 0)).collect()),
    };
    json!({
        "ply": 0,
        "to_move": 0,
        "phase": if setup == "laid" { "lay" } else { "place" },
        "fish": fish,
        "penguins": vec![Vec::<String>::new(); seats],
        "scores": vec![0; seats],
    })
}

/// The option `setup`; `fish` comes with `given` and only with it.
pub(crate) fn setup(options: &Value) -> &'static str {
    let setup = board::word_option(options, "setup", &["random", "laid", "given"]);
    let fish = options.get("fish").is_some();
    assert_eq!(fish, setup == "given", "fish goes with the setup given");
    setup
}

impl Ice {
    pub(crate) fn open(board: Board, state: &Value) -> Self {
        Ice {
            board,
            fish: from_rows(board, &board::rows(&state["fish"])),
            penguins: board::cell_lists(&state["penguins"]),
        }
    }

    pub(crate) fn rows(&self) -> Vec<String> {
        to_rows(self.board, &self.fish)
    }

    pub(crate) fn penguin_names(&self) -> Vec<Vec<String>> {
        self.penguins.iter().map(board::names).collect()
    }

    pub(crate) fn has_penguin(&self, cell: Cell) -> bool {
        self.penguins.iter().any(|side| side.contains(&cell))
    }

    /// True for a chip without a penguin.
    pub(crate) fn free(&self, cell: Cell) -> bool {
        self.fish[&cell] > 0 && !self.has_penguin(cell)
    }

    pub(crate) fn free_cells(&self) -> Vec<Cell> {
        let cells = self.board.cells().into_iter();
        cells.filter(|&cell| self.free(cell)).collect()
    }

    /// A chip of a value still in supply on a cell without a chip.
    pub(crate) fn lay_moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        for (value, supply) in (1..).zip(chips(self.board)) {
            let laid = self.fish.values().filter(|&&f| f == value).count();
            if laid == supply {
                continue;
            }
            for (&cell, &fish) in &self.fish {
                if fish == 0 {
                    moves.push(format!("{}={value}", board::name(cell)));
                }
            }
        }
        moves
    }

    /// Plays a move of a phase before `move`; returns the next phase if this one is over.
    pub(crate) fn set_up(
        &mut self,
        phase: &str,
        seat: usize,
        mv: &str,
        each: usize,
    ) -> Option<&'static str> {
        if phase == "lay" {
            self.lay(mv);
            return self.all_laid().then_some("place");
        }
        self.penguins[seat].insert(board::cell(mv));
        let all_placed = self.penguins.iter().all(|side| side.len() == each);
        all_placed.then_some("move")
    }

    fn lay(&mut self, mv: &str) {
        let (cell, value) = mv.split_once('=').expect("CELL=FISH");
        let value = value.parse().expect("a number of fish");
        self.fish.insert(board::cell(cell), value);
    }

    fn all_laid(&self) -> bool {
        self.fish.values().all(|&fish| fish > 0)
    }

    /// Takes the chip off a cell and returns its fish.
    pub(crate) fn take(&mut self, cell: Cell) -> i64 {
        self.fish.insert(cell, 0).expect("a cell of the board")
    }

    /// The fish under a seat's penguins.
    pub(crate) fn fish_under(&self, seat: usize) -> i64 {
        self.penguins[seat].iter().map(|cell| self.fish[cell]).sum()
    }
}

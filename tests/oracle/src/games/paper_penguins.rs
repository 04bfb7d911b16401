//! Paper Pen-guins: pieces that cross out the cell they leave and score the cell
//! they reach, on a square grid of numbers.

use crate::board::{self, Board, Cell};
use crate::ice;
use crate::oracle::Rules;
use crate::outcome::Outcome;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone)]
pub(crate) struct PaperPenguins {
    board: Board,
    ply: i64,
    to_move: Option<usize>,
    phase: String,
    /// The number of every cell; 0 where it is claimed or crossed out.
    points: BTreeMap<Cell, i64>,
    pieces: Vec<BTreeSet<Cell>>,
    scores: Vec<i64>,
}

fn board_of(options: &Value) -> Board {
    board::known_options(options, &["size", "points"]);
    let n = board::int_option(options, "size", 4, 11, 8) as i32;
    Board::Square(n, n)
}

/// A fraction rounded, halves up.
fn round(numerator: usize, denominator: usize) -> usize {
    (2 * numerator + denominator) / (2 * denominator)
}

/// The numbers of ones, twos and threes on a random board.
fn counts(board: Board) -> [usize; 3] {
    let cells = board.cells().len();
    let (ones, twos) = (round(cells, 2), round(cells, 3));
    [ones, twos, cells - ones - twos]
}

pub(crate) fn start(options: &Value, seed: u64) -> Value {
    let board = board_of(options);
    let points = match options.get("points") {
        Some(rows) => board::rows(rows),
        None => ice::to_rows(board, &ice::shuffled(board, counts(board), seed)),
    };
    json!({
        "ply": 0,
        "to_move": 0,
        "phase": "place",
        "points": points,
        "pieces": [[], []],
        "scores": [0, 0],
    })
}

impl PaperPenguins {
    pub(crate) fn open(options: &Value, state: &Value) -> Self {
        let board = board_of(options);
        let mut game = PaperPenguins {
            board,
            ply: board::int(&state["ply"]),
            to_move: board::seat(&state["to_move"]),
            phase: board::text(&state["phase"]).to_string(),
            points: ice::from_rows(board, &board::rows(&state["points"])),
            pieces: board::cell_lists(&state["pieces"]),
            scores: board::ints(&state["scores"]),
        };
        game.settle();
        game
    }

    /// Pieces each: four, but two on 4×4 and 5×5.
    fn each(&self) -> usize {
        if self.board.rows() <= 5 { 2 } else { 4 }
    }

    fn unclaimed(&self, cell: Cell) -> bool {
        self.points[&cell] > 0
    }

    /// Puts a piece on an unclaimed cell, whose number is scored at once.
    fn claim(&mut self, seat: usize, cell: Cell) {
        self.pieces[seat].insert(cell);
        self.scores[seat] += self.points[&cell];
        self.points.insert(cell, 0);
    }

    /// Skips seats without a move; if neither has one the game is over.
    fn settle(&mut self) {
        let Some(seat) = self.to_move else { return };
        if self.phase == "move" {
            self.to_move = board::first_able(seat, 2, |s| !self.moves_of(s).is_empty());
        }
    }
}

impl Rules for PaperPenguins {
    fn write(&self) -> Value {
        json!({
            "ply": self.ply,
            "to_move": self.to_move,
            "phase": self.phase,
            "points": ice::to_rows(self.board, &self.points),
            "pieces": [board::names(&self.pieces[0]), board::names(&self.pieces[1])],
            "scores": self.scores,
        })
    }

    fn to_move(&self) -> Option<usize> {
        self.to_move
    }

    fn moves_of(&self, seat: usize) -> Vec<String> {
        if self.phase == "place" {
            let cells = self.board.cells().into_iter();
            let unclaimed = cells.filter(|&cell| self.unclaimed(cell));
            return unclaimed.map(board::name).collect();
        }
        let mut moves = Vec::new();
        for &from in &self.pieces[seat] {
            for to in self.board.queen(from, |cell| self.unclaimed(cell)) {
                moves.push(format!("{}-{}", board::name(from), board::name(to)));
            }
        }
        moves
    }

    fn make(&mut self, seat: usize, mv: &str) {
        self.ply += 1;
        self.to_move = Some(1 - seat);
        if self.phase == "place" {
            self.claim(seat, board::cell(mv));
            if self.pieces.iter().all(|side| side.len() == self.each()) {
                self.phase = "move".to_string();
                self.to_move = Some(0);
            }
        } else {
            let (from, to) = mv.split_once('-').expect("FROM-TO");
            self.pieces[seat].remove(&board::cell(from));
            self.claim(seat, board::cell(to));
        }
        self.settle();
    }

    fn outcome(&self) -> Outcome {
        board::by_scores(&self.scores, "no_moves")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_random_board() {
        assert_eq!(counts(Board::Square(8, 8)), [32, 21, 11]);
        assert_eq!(counts(Board::Square(5, 5)), [13, 8, 4]);
        assert_eq!(counts(Board::Square(4, 4)), [8, 5, 3]);
    }

    #[test]
    fn claims_are_scored_at_once() {
        let options = json!({"size": 4, "points": ["1231", "1231", "1231", "1231"]});
        let mut game = crate::start("paper-penguins", &options, 0);
        for mv in ["c4", "b1", "a1", "d2", "c4-c1"] {
            game.play(mv);
        }
        let state = game.state();
        assert_eq!(state["scores"], json!([7, 3]));
        assert_eq!(state["points"], json!(["1201", "1231", "1230", "0001"]));
        assert_eq!(state["pieces"], json!([["a1", "c1"], ["b1", "d2"]]));
    }
}

//! Amazon Penguins: penguins that move like queens over chips and then spear a chip,
//! whose fish they score.

use crate::board::{self, Board, Cell};
use crate::ice::{self, Ice};
use crate::oracle::Rules;
use crate::outcome::Outcome;
use serde_json::{Value, json};

const PENGUINS: usize = 4;

#[derive(Clone)]
pub(crate) struct AmazonPenguins {
    ply: i64,
    to_move: Option<usize>,
    phase: String,
    ice: Ice,
    scores: Vec<i64>,
}

fn board_of(options: &Value) -> Board {
    board::known_options(options, &["board", "setup", "fish"]);
    match board::word_option(options, "board", &["square", "hex"]) {
        "square" => Board::Square(8, 8),
        _ => Board::Ice,
    }
}

pub(crate) fn start(options: &Value, seed: u64) -> Value {
    ice::start(board_of(options), 2, options, seed)
}

impl AmazonPenguins {
    pub(crate) fn open(options: &Value, state: &Value) -> Self {
        let mut game = AmazonPenguins {
            ply: board::int(&state["ply"]),
            to_move: board::seat(&state["to_move"]),
            phase: board::text(&state["phase"]).to_string(),
            ice: Ice::open(board_of(options), state),
            scores: board::ints(&state["scores"]),
        };
        game.settle();
        game
    }

    fn penguin_moves(&self, seat: usize) -> Vec<String> {
        let board = self.ice.board;
        let mut moves = Vec::new();
        for &from in &self.ice.penguins[seat] {
            // The chip that the penguin leaves is free for its spear.
            let free = |cell: Cell| self.ice.free(cell) || cell == from;
            for to in board.queen(from, free) {
                for speared in board.queen(to, free) {
                    let (from, to) = (board::name(from), board::name(to));
                    moves.push(format!("{from}-{to}/{}", board::name(speared)));
                }
            }
        }
        moves
    }

    /// Skips seats without a move; if neither has one the game is over.
    fn settle(&mut self) {
        let Some(seat) = self.to_move else { return };
        if self.phase != "move" {
            return;
        }
        self.to_move = board::first_able(seat, 2, |s| !self.moves_of(s).is_empty());
        if self.to_move.is_none() {
            for seat in 0..2 {
                self.scores[seat] += self.ice.fish_under(seat);
            }
        }
    }
}

impl Rules for AmazonPenguins {
    fn write(&self) -> Value {
        json!({
            "ply": self.ply,
            "to_move": self.to_move,
            "phase": self.phase,
            "fish": self.ice.rows(),
            "penguins": self.ice.penguin_names(),
            "scores": self.scores,
        })
    }

    fn to_move(&self) -> Option<usize> {
        self.to_move
    }

    fn moves_of(&self, seat: usize) -> Vec<String> {
        match self.phase.as_str() {
            "lay" => self.ice.lay_moves(),
            "place" => self.ice.free_cells().into_iter().map(board::name).collect(),
            _ => self.penguin_moves(seat),
        }
    }

    fn make(&mut self, seat: usize, mv: &str) {
        self.ply += 1;
        self.to_move = Some(1 - seat);
        if self.phase == "move" {
            let (from, rest) = mv.split_once('-').expect("FROM-TO/SPEARED");
            let (to, speared) = rest.split_once('/').expect("FROM-TO/SPEARED");
            self.ice.penguins[seat].remove(&board::cell(from));
            self.ice.penguins[seat].insert(board::cell(to));
            self.scores[seat] += self.ice.take(board::cell(speared));
        } else if let Some(next) = self.ice.set_up(&self.phase, seat, mv, PENGUINS) {
            self.phase = next.to_owned();
            self.to_move = Some(0);
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
    fn chips_by_board() {
        for (board, counts) in [("square", [32, 21, 11]), ("hex", [30, 20, 10])] {
            let start = crate::start("amazon-penguins", &json!({"board": board}), 1);
            let rows = board::rows(&start.state()["fish"]).concat();
            for (digit, count) in ['1', '2', '3'].into_iter().zip(counts) {
                assert_eq!(rows.matches(digit).count(), count);
            }
        }
    }

    #[test]
    fn the_last_fish_are_under_the_penguins() {
        let rows = ["33110000", "00000000", "00000000", "00000000"];
        let rows: Vec<&str> = rows.into_iter().chain(["00000000"; 3]).collect();
        let rows: Vec<&str> = rows.into_iter().chain(["00002221"]).collect();
        let state = json!({"ply": 30, "to_move": 1, "phase": "move", "fish": rows,
            "penguins": [["a8", "b8", "c8", "d8"], ["e1", "f1", "g1"]], "scores": [5, 4]});
        let mut game = crate::open("amazon-penguins", &json!({}), &state);
        assert_eq!(game.legal(), ["g1-h1/g1"]);
        game.play("g1-h1/g1");
        // Now f1 has g1 gone beside it: nobody can move.
        let result = game.result().expect("over");
        assert_eq!(result.scores, [5 + 8, 4 + 2 + 5]);
        assert_eq!(result.outcome, [1.0, 0.0]);
        assert_eq!(game.state()["fish"][7], "00002201");
    }
}

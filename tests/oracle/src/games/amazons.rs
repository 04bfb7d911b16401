//! Game of the Amazons: queens that move and then shoot an arrow; a player who cannot
//! move loses.

use crate::board::{self, Board, Cell};
use crate::oracle::Rules;
use crate::outcome::Outcome;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[derive(Clone)]
pub(crate) struct Amazons {
    columns: i32,
    rows: i32,
    ply: i64,
    to_move: Option<usize>,
    amazons: Vec<BTreeSet<Cell>>,
    arrows: BTreeSet<Cell>,
    scores: Vec<i64>,
}

/// Columns and rows.
pub(crate) fn sides(options: &Value) -> (i32, i32) {
    board::known_options(options, &["size", "columns", "rows", "light", "dark"]);
    if options["columns"].is_null() {
        let size = board::int_option(options, "size", 5, 11, 10) as i32;
        return (size, size);
    }
    let side = |name| board::int_option(options, name, 3, 12, 0) as i32;
    (side("columns"), side("rows"))
}

pub(crate) fn start(options: &Value) -> Value {
    let (n, _) = sides(options);
    let [light, dark] = if options["columns"].is_null() {
        let k = (n - 3) / 2;
        let light = BTreeSet::from([(1, k + 1), (n, k + 1), (k + 1, 1), (n - k, 1)]);
        let dark = light
            .iter()
            .map(|&(column, row)| (column, n + 1 - row))
            .collect();
        [light, dark]
    } else {
        ["light", "dark"].map(|side| board::cells(&options[side]))
    };
    json!({
        "ply": 0,
        "to_move": 0,
        "amazons": [board::names(&light), board::names(&dark)],
        "arrows": [],
        "scores": [0, 0],
    })
}

impl Amazons {
    pub(crate) fn open(options: &Value, state: &Value) -> Self {
        let (columns, rows) = sides(options);
        let mut game = Amazons {
            columns,
            rows,
            ply: board::int(&state["ply"]),
            to_move: board::seat(&state["to_move"]),
            amazons: board::cell_lists(&state["amazons"]),
            arrows: board::cells(&state["arrows"]),
            scores: board::ints(&state["scores"]),
        };
        game.settle();
        game
    }

    /// The seat to move that has no legal move loses.
    fn settle(&mut self) {
        if let Some(seat) = self.to_move
            && self.moves_of(seat).is_empty()
        {
            self.scores[1 - seat] = 1;
            self.to_move = None;
        }
    }
}

impl Rules for Amazons {
    fn write(&self) -> Value {
        json!({
            "ply": self.ply,
            "to_move": self.to_move,
            "amazons": [board::names(&self.amazons[0]), board::names(&self.amazons[1])],
            "arrows": board::names(&self.arrows),
            "scores": self.scores,
        })
    }

    fn to_move(&self) -> Option<usize> {
        self.to_move
    }

    fn moves_of(&self, seat: usize) -> Vec<String> {
        let board = Board::Square(self.columns, self.rows);
        let mut moves = Vec::new();
        for &from in &self.amazons[seat] {
            // The cell that the amazon leaves is empty for its arrow.
            let empty = |cell: Cell| {
                let amazon = self.amazons.iter().any(|side| side.contains(&cell));
                (!amazon || cell == from) && !self.arrows.contains(&cell)
            };
            for to in board.queen(from, empty) {
                for arrow in board.queen(to, empty) {
                    let (from, to, arrow) =
                        (board::name(from), board::name(to), board::name(arrow));
                    moves.push(format!("{from}-{to}/{arrow}"));
                }
            }
        }
        moves
    }

    fn make(&mut self, seat: usize, mv: &str) {
        let (from, rest) = mv.split_once('-').expect("FROM-TO/ARROW");
        let (to, arrow) = rest.split_once('/').expect("FROM-TO/ARROW");
        self.amazons[seat].remove(&board::cell(from));
        self.amazons[seat].insert(board::cell(to));
        self.arrows.insert(board::cell(arrow));
        self.ply += 1;
        self.to_move = Some(1 - seat);
        self.settle();
    }

    fn outcome(&self) -> Outcome {
        board::by_scores(&self.scores, "no_moves")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Oracle;

    fn start_of(options: &Value) -> Box<dyn Oracle> {
        crate::start("amazons", options, 0)
    }

    #[test]
    fn start_of_size_10() {
        let state = start_of(&json!({})).state();
        let places = json!([["a4", "d1", "g1", "j4"], ["a7", "d10", "g10", "j7"]]);
        assert_eq!(state["amazons"], places);
    }

    #[test]
    fn start_of_size_6() {
        let state = start_of(&json!({"size": 6})).state();
        let places = json!([["a2", "b1", "e1", "f2"], ["a5", "b6", "e6", "f5"]]);
        assert_eq!(state["amazons"], places);
    }

    #[test]
    fn the_start_has_2176_legal_moves() {
        let start = start_of(&json!({}));
        assert_eq!(start.legal().len(), 2176);
        assert!(start.legal().contains(&"d1-d7/g7".to_string()));
    }

    /// Half a minute or more in a debug build.
    #[cfg(not(debug_assertions))]
    #[test]
    fn the_start_has_4307152_positions_after_two_plies() {
        assert_eq!(crate::perft(start_of(&json!({})).as_ref(), 2), 4_307_152);
    }

    #[test]
    fn a_seat_without_a_move_has_lost() {
        let state = json!({"ply": 9, "to_move": 0, "amazons": [["a1"], ["e5"]],
            "arrows": ["a2", "b1", "b2"], "scores": [0, 0]});
        let game = crate::open("amazons", &json!({"size": 5}), &state);
        let result = game.result().expect("over");
        assert_eq!(
            (result.scores, result.outcome),
            (vec![0, 1], vec![0.0, 1.0])
        );
        assert_eq!(result.reason, "no_moves");
    }
}

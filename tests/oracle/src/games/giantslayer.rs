//! Giantslayer: the halogai's many stones close in on six giants, who trample them
//! on their way to the edge.

use crate::board::{self, Cell, SIX, plus};
use crate::oracle::{Oracle as _, Rules};
use crate::outcome::Outcome;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const HALOGAI: usize = 0;
const GIANTS: usize = 1;

/// The middle cell, e5, which is closed.
const MIDDLE: Cell = (5, 5);

#[derive(Clone)]
pub(crate) struct Giantslayer {
    ply: i64,
    to_move: Option<usize>,
    halogai: BTreeSet<Cell>,
    giants: BTreeSet<Cell>,
    scores: Vec<i64>,
}

/// The lowest and the highest number of a row (1 for `a`).
fn ends(row: i32) -> (i32, i32) {
    ((row - 4).max(1), (row + 4).min(9))
}

fn on_board(cell: Cell) -> bool {
    if !(1..=9).contains(&cell.0) {
        return false;
    }
    let (low, high) = ends(cell.0);
    (low..=high).contains(&cell.1)
}

/// All cells that a stone may be on.
pub(crate) fn open_cells() -> Vec<Cell> {
    let cells = (1..=9).flat_map(|row| (1..=9).map(move |number| (row, number)));
    cells.filter(|&c| on_board(c) && c != MIDDLE).collect()
}

fn is_edge(cell: Cell) -> bool {
    let (low, high) = ends(cell.0);
    cell.0 == 1 || cell.0 == 9 || cell.1 == low || cell.1 == high
}

fn edge_cells() -> BTreeSet<Cell> {
    open_cells().into_iter().filter(|&c| is_edge(c)).collect()
}

pub(crate) fn start(options: &Value) -> Value {
    board::known_options(options, &[]);
    let giants = SIX.iter().map(|&dir| plus(MIDDLE, dir)).collect();
    json!({
        "ply": 0,
        "to_move": 0,
        "halogai": board::names(&edge_cells()),
        "giants": board::names(&giants),
        "scores": [0, 0],
    })
}

impl Giantslayer {
    pub(crate) fn open(options: &Value, state: &Value) -> Self {
        board::known_options(options, &[]);
        let mut game = Giantslayer {
            ply: board::int(&state["ply"]),
            to_move: board::seat(&state["to_move"]),
            halogai: board::cells(&state["halogai"]),
            giants: board::cells(&state["giants"]),
            scores: board::ints(&state["scores"]),
        };
        // A loaded state with no giant left, or with all on edge cells, is over.
        if game.to_move.is_some() && game.none_left_inside() {
            game.finish();
        }
        game.skip();
        game
    }

    /// True if a stone may come onto the cell.
    fn vacant(&self, cell: Cell) -> bool {
        on_board(cell)
            && cell != MIDDLE
            && !self.halogai.contains(&cell)
            && !self.giants.contains(&cell)
    }

    fn halogai_moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        for &from in &self.halogai {
            for dir in SIX {
                let mut to = plus(from, dir);
                while self.vacant(to) {
                    moves.push(format!("{}-{}", board::name(from), board::name(to)));
                    to = plus(to, dir);
                }
            }
        }
        moves
    }

    fn giant_moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        for &from in &self.giants {
            for dir in SIX {
                let to = plus(from, dir);
                if self.vacant(to) {
                    moves.push(format!("{}-{}", board::name(from), board::name(to)));
                }
            }
            self.add_tramples(from, &board::name(from), &mut moves);
        }
        moves
    }

    /// Adds every trample of the giant on a cell, and all chains that go on from it.
    fn add_tramples(&self, from: Cell, written: &str, moves: &mut Vec<String>) {
        for dir in SIX {
            let over = plus(from, dir);
            let to = plus(over, dir);
            if self.halogai.contains(&over) && self.vacant(to) {
                let written = format!("{written}x{}", board::name(to));
                let mut after = self.clone();
                after.trample(from, to);
                after.add_tramples(to, &written, moves);
                moves.push(written);
            }
        }
    }

    /// One jump of a giant; the white stone under it is removed at once.
    fn trample(&mut self, from: Cell, to: Cell) {
        let over = (from.0.midpoint(to.0), from.1.midpoint(to.1));
        self.giants.remove(&from);
        self.giants.insert(to);
        self.halogai.remove(&over);
    }

    /// True if all giants left are on edge cells, or none is left.
    fn none_left_inside(&self) -> bool {
        self.giants.iter().all(|&giant| is_edge(giant))
    }

    /// The giants on the board count for them if they escaped.
    fn finish(&mut self) {
        self.to_move = None;
        self.scores[GIANTS] = self.giants.len() as i64;
    }

    /// The capture of giants before the halogai move.
    fn start_halogai_turn(&mut self) {
        self.to_move = Some(HALOGAI);
        let white_beside = |giant: Cell| {
            let stones = SIX.iter().map(|&dir| plus(giant, dir));
            stones.filter(|c| self.halogai.contains(c)).count()
        };
        let giants = self.giants.iter().copied();
        let captured: Vec<Cell> = giants.filter(|&g| white_beside(g) >= 2).collect();
        for giant in captured {
            self.giants.remove(&giant);
            self.scores[HALOGAI] += 1;
        }
        if self.none_left_inside() {
            self.finish();
        }
    }

    /// Skips a seat that has no legal move.
    fn skip(&mut self) {
        if self.to_move == Some(GIANTS) && self.giant_moves().is_empty() {
            self.start_halogai_turn();
        }
        if self.to_move == Some(HALOGAI) && self.halogai_moves().is_empty() {
            self.to_move = Some(GIANTS);
        }
        assert!(
            self.to_move.is_none() || !self.legal().is_empty(),
            "both seats are shut in"
        );
    }

    fn play_giants(&mut self, mv: &str) {
        if let Some((from, to)) = mv.split_once('-') {
            self.giants.remove(&board::cell(from));
            self.giants.insert(board::cell(to));
        } else {
            let cells: Vec<Cell> = mv.split('x').map(board::cell).collect();
            for jump in cells.windows(2) {
                self.trample(jump[0], jump[1]);
            }
        }
        if self.none_left_inside() {
            self.finish();
        } else {
            self.start_halogai_turn();
        }
    }
}

impl Rules for Giantslayer {
    fn write(&self) -> Value {
        json!({
            "ply": self.ply,
            "to_move": self.to_move,
            "halogai": board::names(&self.halogai),
            "giants": board::names(&self.giants),
            "scores": self.scores,
        })
    }

    fn to_move(&self) -> Option<usize> {
        self.to_move
    }

    fn moves_of(&self, seat: usize) -> Vec<String> {
        match seat {
            HALOGAI => self.halogai_moves(),
            _ => self.giant_moves(),
        }
    }

    fn make(&mut self, seat: usize, mv: &str) {
        self.ply += 1;
        if seat == HALOGAI {
            let (from, to) = mv.split_once('-').expect("FROM-TO");
            self.halogai.remove(&board::cell(from));
            self.halogai.insert(board::cell(to));
            self.to_move = Some(GIANTS);
        } else {
            self.play_giants(mv);
        }
        self.skip();
    }

    fn outcome(&self) -> Outcome {
        let reason = if self.giants.is_empty() {
            "slain"
        } else {
            "escaped"
        };
        board::by_scores(&self.scores, reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Oracle;

    fn open(to_move: i64, halogai: &[&str], giants: &[&str]) -> Box<dyn Oracle> {
        let state = json!({"ply": 10, "to_move": to_move, "halogai": halogai,
            "giants": giants, "scores": [6 - giants.len(), 0]});
        crate::open("giantslayer", &json!({}), &state)
    }

    #[test]
    fn the_start() {
        let state = crate::start("giantslayer", &json!({}), 0).state();
        assert_eq!(state["halogai"].as_array().expect("a list").len(), 24);
        assert_eq!(state["giants"], json!(["d4", "d5", "e4", "e6", "f5", "f6"]));
        assert_eq!(edge_cells().len(), 24);
    }

    #[test]
    fn every_beginning_of_a_chain_is_a_move() {
        let game = open(1, &["d3", "f4", "i9"], &["c3", "h8"]);
        let legal = game.legal();
        for mv in ["c3xe3", "c3xe3xg5", "c3-b3"] {
            assert!(legal.contains(&mv.to_string()), "{mv}");
        }
        assert!(!legal.contains(&"c3xd3".to_string()));
    }

    #[test]
    fn no_stone_enters_or_passes_the_middle() {
        let game = open(0, &["e1"], &["d2", "f2"]);
        assert!(game.legal().contains(&"e1-e4".to_string()));
        assert!(!game.legal().contains(&"e1-e5".to_string()));
        assert!(!game.legal().contains(&"e1-e6".to_string()));
        let game = open(1, &["e4"], &["e3"]);
        assert!(!game.legal().contains(&"e3xe5".to_string()));
    }

    #[test]
    fn flanked_giants_are_removed_before_the_halogai_move() {
        let mut game = open(1, &["c2", "c3"], &["b2", "f5", "g6"]);
        game.play("f5-f4");
        let state = game.state();
        assert_eq!(state["giants"], json!(["f4", "g6"]));
        assert_eq!(state["scores"], json!([4, 0]));
    }

    #[test]
    fn escape_comes_before_the_capture() {
        let mut game = open(1, &["a1", "b1"], &["b2"]);
        // b2 has two white stones beside it, and so would a2 have.
        game.play("b2-a2");
        let result = game.result().expect("over");
        assert_eq!(
            (result.scores, result.reason.as_str()),
            (vec![5, 1], "escaped")
        );
    }

    #[test]
    fn the_last_giant_is_slain() {
        let mut game = open(1, &["c3", "c4"], &["d5"]);
        assert!(game.legal().contains(&"d5xb3".to_string()));
        game.play("d5-d4");
        let result = game.result().expect("over");
        assert_eq!(
            (result.scores, result.reason.as_str()),
            (vec![6, 0], "slain")
        );
        assert_eq!(result.outcome, [1.0, 0.0]);
    }

    #[test]
    fn a_loaded_state_is_taken_as_it_stands() {
        let game = open(0, &["c3", "c4"], &["d4"]);
        assert_eq!(game.state()["giants"], json!(["d4"]));
        let game = open(0, &["c3"], &["a1", "i9", "e1"]);
        let result = game.result().expect("over");
        assert_eq!(
            (result.scores, result.outcome),
            (vec![3, 3], vec![0.5, 0.5])
        );
        assert_eq!(
            open(1, &["c3"], &[]).result().expect("over").reason,
            "slain"
        );
    }
}

//! Elephant Run: an elephant eats tiles and captures farmers; the farmers try to
//! shut it in before it has its points.

use crate::board::{self, Board, Cell, Dir, EIGHT};
use crate::oracle::Rules;
use crate::outcome::Outcome;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const BOARD: Board = Board::Square(6, 4);

const ELEPHANT: usize = 0;
const FARMERS: usize = 1;

#[derive(Clone)]
pub(crate) struct ElephantRun {
    target: i64,
    number_of_farmers: usize,
    ranged_jumps: bool,
    ply: i64,
    to_move: Option<usize>,
    phase: String,
    tiles: BTreeSet<Cell>,
    elephant: Option<Cell>,
    farmers: BTreeSet<Cell>,
    scores: Vec<i64>,
}

pub(crate) fn start(options: &Value) -> Value {
    board::known_options(options, &["target", "farmers", "ranged_jumps"]);
    json!({
        "ply": 0,
        "to_move": 0,
        "phase": "place",
        "tiles": ["######", "######", "######", "######"],
        "elephant": null,
        "farmers": [],
        "scores": [0, 0],
    })
}

fn move_name(from: Cell, sign: char, to: Cell) -> String {
    format!("{}{sign}{}", board::name(from), board::name(to))
}

impl ElephantRun {
    pub(crate) fn open(options: &Value, state: &Value) -> Self {
        board::known_options(options, &["target", "farmers", "ranged_jumps"]);
        let tiles = board::rows(&state["tiles"]).concat();
        let tiles = BOARD.cells().into_iter().zip(tiles.chars());
        let elephant = &state["elephant"];
        let mut game = ElephantRun {
            target: board::int_option(options, "target", 1, 30, 10),
            number_of_farmers: board::int_option(options, "farmers", 4, 8, 6) as usize,
            ranged_jumps: board::flag_option(options, "ranged_jumps"),
            ply: board::int(&state["ply"]),
            to_move: board::seat(&state["to_move"]),
            phase: board::text(&state["phase"]).to_string(),
            tiles: tiles.filter(|&(_, c)| c == '#').map(|(c, _)| c).collect(),
            elephant: (!elephant.is_null()).then(|| board::cell(board::text(elephant))),
            farmers: board::cells(&state["farmers"]),
            scores: board::ints(&state["scores"]),
        };
        game.settle();
        game
    }

    fn tile_rows(&self) -> Vec<String> {
        let sign = |cell| if self.tiles.contains(&cell) { '#' } else { '.' };
        let row = |row| (1..=6).map(|column| sign((column, row))).collect();
        (1..=4).rev().map(row).collect()
    }

    fn piece_on(&self, cell: Cell) -> bool {
        self.elephant == Some(cell) || self.farmers.contains(&cell)
    }

    fn tile_without_piece(&self, cell: Cell) -> bool {
        self.tiles.contains(&cell) && !self.piece_on(cell)
    }

    fn empty_hole(&self, cell: Cell) -> bool {
        !self.tiles.contains(&cell) && !self.piece_on(cell)
    }

    fn placings(&self) -> Vec<String> {
        let cells = BOARD.cells().into_iter();
        let places = cells.filter(|&cell| self.tile_without_piece(cell));
        places.map(board::name).collect()
    }

    fn elephant_moves(&self) -> Vec<String> {
        let from = self.elephant.expect("a placed elephant");
        let mut moves = Vec::new();
        for dir in EIGHT {
            let Some(next) = BOARD.step(from, dir) else {
                continue;
            };
            if self.tile_without_piece(next) {
                moves.push(move_name(from, '-', next));
            }
            if self.farmers.contains(&next)
                && let Some(beyond) = BOARD.step(next, dir)
                && self.tile_without_piece(beyond)
            {
                moves.push(move_name(from, 'x', beyond));
            }
        }
        moves
    }

    fn farmer_moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        for &from in &self.farmers {
            for dir in EIGHT {
                for to in [self.run(from, dir), self.jump(from, dir)]
                    .into_iter()
                    .flatten()
                {
                    moves.push(move_name(from, '-', to));
                }
            }
        }
        moves
    }

    /// The first cell in a line that is not an empty hole.
    fn over_holes(&self, from: Cell, dir: Dir) -> Option<Cell> {
        let mut at = BOARD.step(from, dir)?;
        while self.empty_hole(at) {
            at = BOARD.step(at, dir)?;
        }
        Some(at)
    }

    /// Moves to the nearest tile in the line, with only empty holes between.
    fn run(&self, from: Cell, dir: Dir) -> Option<Cell> {
        let to = self.over_holes(from, dir)?;
        self.tile_without_piece(to).then_some(to)
    }

    /// Over one farmer onto a tile without a piece.
    fn jump(&self, from: Cell, dir: Dir) -> Option<Cell> {
        let (over, to);
        if self.ranged_jumps {
            over = self.over_holes(from, dir)?;
            to = self.over_holes(over, dir)?;
        } else {
            over = BOARD.step(from, dir)?;
            to = BOARD.step(over, dir)?;
        }
        (self.farmers.contains(&over) && self.tile_without_piece(to)).then_some(to)
    }

    fn elephant_stuck(&self) -> bool {
        self.elephant_moves().is_empty()
    }

    /// Ends the game if it is over, and skips farmers that cannot move.
    fn settle(&mut self) {
        if self.to_move.is_none() || self.phase == "place" {
            return;
        }
        if self.elephant_stuck() || self.farmers.is_empty() {
            self.to_move = None;
        } else if self.to_move == Some(FARMERS) && self.farmer_moves().is_empty() {
            self.to_move = Some(ELEPHANT);
        }
    }

    fn place(&mut self, seat: usize, cell: Cell) {
        if seat == ELEPHANT {
            self.elephant = Some(cell);
            self.to_move = Some(FARMERS);
            return;
        }
        self.farmers.insert(cell);
        if self.farmers.len() == self.number_of_farmers {
            self.phase = "move".to_string();
            self.to_move = Some(ELEPHANT);
        }
    }

    fn move_elephant(&mut self, mv: &str) {
        if let Some((_, to)) = mv.split_once('-') {
            let to = board::cell(to);
            self.elephant = Some(to);
            self.tiles.remove(&to);
        } else {
            let (from, to) = mv.split_once('x').expect("FROMxTO");
            let (from, to) = (board::cell(from), board::cell(to));
            self.elephant = Some(to);
            let over = (from.0.midpoint(to.0), from.1.midpoint(to.1));
            self.farmers.remove(&over);
        }
        self.scores[ELEPHANT] += 1;
    }
}

impl Rules for ElephantRun {
    fn write(&self) -> Value {
        json!({
            "ply": self.ply,
            "to_move": self.to_move,
            "phase": self.phase,
            "tiles": self.tile_rows(),
            "elephant": self.elephant.map(board::name),
            "farmers": board::names(&self.farmers),
            "scores": self.scores,
        })
    }

    fn to_move(&self) -> Option<usize> {
        self.to_move
    }

    fn moves_of(&self, seat: usize) -> Vec<String> {
        match seat {
            _ if self.phase == "place" => self.placings(),
            ELEPHANT => self.elephant_moves(),
            _ => self.farmer_moves(),
        }
    }

    fn make(&mut self, seat: usize, mv: &str) {
        self.ply += 1;
        if self.phase == "place" {
            self.place(seat, board::cell(mv));
        } else if seat == ELEPHANT {
            self.move_elephant(mv);
            self.to_move = Some(FARMERS);
        } else {
            let (from, to) = mv.split_once('-').expect("FROM-TO");
            self.farmers.remove(&board::cell(from));
            self.farmers.insert(board::cell(to));
            self.to_move = Some(ELEPHANT);
        }
        self.settle();
    }

    fn outcome(&self) -> Outcome {
        let won = self.scores[ELEPHANT] >= self.target
            || self.farmers.is_empty()
            || self.tiles.is_empty();
        let reason = if self.elephant_stuck() {
            "elephant_stuck"
        } else {
            "farmers_gone"
        };
        Outcome {
            scores: self.scores.clone(),
            outcome: if won { vec![1.0, 0.0] } else { vec![0.0, 1.0] },
            reason: reason.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Oracle;
    use crate::perft;

    fn open(
        options: &Value,
        to_move: i64,
        tiles: [&str; 4],
        elephant: &str,
        farmers: &[&str],
    ) -> Box<dyn Oracle> {
        let state = json!({"ply": 20, "to_move": to_move, "phase": "move", "tiles": tiles,
            "elephant": elephant, "farmers": farmers, "scores": [3, 0]});
        crate::open("elephant-run", options, &state)
    }

    const FULL: [&str; 4] = ["######"; 4];

    #[test]
    fn perft_of_the_start() {
        let start = crate::start("elephant-run", &json!({}), 0);
        let nodes: Vec<u64> = (1..4).map(|d| perft(start.as_ref(), d)).collect();
        assert_eq!(nodes, [24, 552, 12_144]);
    }

    #[test]
    fn the_elephant_may_be_shut_in_at_once() {
        let mut game = crate::start("elephant-run", &json!({}), 0);
        for mv in ["a1", "a2", "b1", "b2", "a3", "c1", "c3"] {
            game.play(mv);
        }
        let result = game.result().expect("over");
        assert_eq!(result.scores, [0, 0]);
        assert_eq!(result.outcome, [0.0, 1.0]);
        assert_eq!(result.reason, "elephant_stuck");
        assert_eq!(game.state()["phase"], "move");
    }

    #[test]
    fn the_elephant_eats_or_captures() {
        let mut game = open(&json!({}), 0, FULL, "c2", &["d3", "f1"]);
        assert!(game.legal().contains(&"c2xe4".to_string()));
        let mut other = game.clone_box();
        game.play("c2xe4");
        let state = game.state();
        assert_eq!(state["tiles"], json!(FULL));
        assert_eq!(
            (&state["farmers"], &state["elephant"]),
            (&json!(["f1"]), &json!("e4"))
        );
        other.play("c2-d2");
        let tiles = json!(["######", "######", "###.##", "######"]);
        assert_eq!(
            (&other.state()["tiles"], &other.state()["scores"]),
            (&tiles, &json!([4, 0]))
        );
    }

    #[test]
    fn farmers_run_over_holes_and_jump_one_farmer() {
        let tiles = ["######", "######", "#..###", "#..###"];
        let game = open(&json!({}), 1, tiles, "b2", &["a1", "d1", "e1"]);
        let legal = game.legal();
        assert!(!legal.contains(&"a1-d1".to_string()));
        assert!(!legal.contains(&"a1-f1".to_string()));
        // The elephant blocks the rows through b2.
        assert!(!legal.contains(&"a1-c3".to_string()));
        // d1 jumps e1, and e1 cannot jump d1 onto a hole.
        assert!(legal.contains(&"d1-f1".to_string()));
        assert!(
            !legal
                .iter()
                .any(|m| m.starts_with("e1-c1") || m.starts_with("e1-b1"))
        );
        // d1 runs over b1 and c1 no further than a1, which is taken.
        assert!(!legal.iter().any(|m| m == "d1-a1"));
        let game = open(&json!({}), 1, tiles, "b2", &["d1", "e1"]);
        assert!(game.legal().contains(&"d1-a1".to_string()));
    }

    #[test]
    fn ranged_jumps_have_runs_around_them() {
        let tiles = ["######", "######", "#.####", "##..##"];
        let ranged = json!({"ranged_jumps": true});
        // b1 over the holes c1 and d1, over e1, onto f1.
        let game = open(&ranged, 1, tiles, "a4", &["b1", "e1"]);
        assert!(game.legal().contains(&"b1-f1".to_string()));
        // e1 over the holes, over b1, onto a1.
        assert!(game.legal().contains(&"e1-a1".to_string()));
        let game = open(&ranged, 1, tiles, "d1", &["b1", "e1"]);
        assert!(!game.legal().contains(&"b1-f1".to_string()));
    }

    #[test]
    fn stuck_comes_before_gone_in_a_loaded_state() {
        let tiles = ["......", "......", "......", "#....#"];
        let game = open(&json!({}), 0, tiles, "c3", &[]);
        let result = game.result().expect("over");
        assert_eq!(
            (result.reason.as_str(), result.outcome),
            ("elephant_stuck", vec![1.0, 0.0])
        );
    }
}

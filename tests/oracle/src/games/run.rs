//! Run: two cattle drives across one board, cows that only go forwards and cowboys
//! that capture; each turn has an action of either kind.

use crate::board::{self, Cell, Dir, SIX, plus};
use crate::oracle::{Oracle as _, Rules};
use crate::outcome::Outcome;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const COW: usize = 0;
const COWBOY: usize = 1;
const KINDS: [&str; 2] = ["cow", "cowboy"];

const BLACK: usize = 0;
const WHITE: usize = 1;

/// The forward directions of each seat.
const FORWARD: [[Dir; 2]; 2] = [[(0, 1), (-1, 0)], [(0, -1), (1, 0)]];

#[derive(Clone)]
struct Side {
    board: [BTreeSet<Cell>; 2],
    reserve: [i64; 2],
}

#[derive(Clone)]
pub(crate) struct Run {
    ply: i64,
    to_move: Option<usize>,
    /// The kind that the seat to move has already played in this turn.
    acted: Option<usize>,
    sides: [Side; 2],
    scores: Vec<i64>,
}

/// The cells of row r, from 1 at the top to 7.
pub(crate) fn row(r: i32) -> Vec<Cell> {
    let length = [6, 7, 8, 9, 8, 7, 6][(r - 1) as usize];
    let cut = [0, 1, 1, 2, 1, 1, 0][(r - 1) as usize];
    let columns = 1 + cut..=length - cut;
    columns
        .map(|c| ((r - 4).max(0) + c, (4 - r).max(0) + c))
        .collect()
}

fn on_board(cell: Cell) -> bool {
    (1..=7).any(|r| row(r).contains(&cell))
}

fn first_row(seat: usize) -> Vec<Cell> {
    row(if seat == BLACK { 7 } else { 1 })
}

fn last_row(seat: usize) -> Vec<Cell> {
    first_row(1 - seat)
}

pub(crate) fn start(options: &Value) -> Value {
    board::known_options(options, &[]);
    let side = json!({"cows": [], "cowboys": [], "reserve": {"cows": 7, "cowboys": 5}});
    json!({
        "ply": 0,
        "to_move": 0,
        "acted": null,
        "black": side,
        "white": side,
        "scores": [0, 0],
    })
}

fn read_side(side: &Value) -> Side {
    let reserve = &side["reserve"];
    Side {
        board: [board::cells(&side["cows"]), board::cells(&side["cowboys"])],
        reserve: [
            board::int(&reserve["cows"]),
            board::int(&reserve["cowboys"]),
        ],
    }
}

fn write_side(side: &Side) -> Value {
    json!({
        "cows": board::names(&side.board[COW]),
        "cowboys": board::names(&side.board[COWBOY]),
        "reserve": {"cows": side.reserve[COW], "cowboys": side.reserve[COWBOY]},
    })
}

impl Run {
    pub(crate) fn open(options: &Value, state: &Value) -> Self {
        board::known_options(options, &[]);
        let acted = &state["acted"];
        let acted = KINDS.iter().position(|&kind| acted == kind);
        let mut game = Run {
            ply: board::int(&state["ply"]),
            to_move: board::seat(&state["to_move"]),
            acted,
            sides: [read_side(&state["black"]), read_side(&state["white"])],
            scores: board::ints(&state["scores"]),
        };
        game.settle();
        game
    }

    fn piece_on(&self, cell: Cell) -> bool {
        self.sides
            .iter()
            .any(|s| s.board.iter().any(|b| b.contains(&cell)))
    }

    fn empty(&self, cell: Cell) -> bool {
        on_board(cell) && !self.piece_on(cell)
    }

    fn enemy_on(&self, seat: usize, cell: Cell) -> bool {
        self.sides[1 - seat].board.iter().any(|b| b.contains(&cell))
    }

    /// The very first turn of the game is one drop only.
    fn is_first_turn(&self, seat: usize) -> bool {
        self.ply == 0 && seat == BLACK && self.acted.is_none()
    }

    fn drops(&self, seat: usize, kind: usize) -> Vec<String> {
        if self.sides[seat].reserve[kind] == 0 {
            return Vec::new();
        }
        let cells = first_row(seat).into_iter().filter(|&c| self.empty(c));
        cells
            .map(|c| format!("{}@{}", KINDS[kind], board::name(c)))
            .collect()
    }

    fn cow_moves(&self, seat: usize) -> Vec<String> {
        let mut moves = Vec::new();
        for &from in &self.sides[seat].board[COW] {
            for dir in FORWARD[seat] {
                let to = plus(from, dir);
                if self.empty(to) {
                    moves.push(format!("{}-{}", board::name(from), board::name(to)));
                }
            }
            if last_row(seat).contains(&from) {
                moves.push(format!("{}-out", board::name(from)));
            }
        }
        moves
    }

    fn cowboy_moves(&self, seat: usize) -> Vec<String> {
        let mut moves = Vec::new();
        for &from in &self.sides[seat].board[COWBOY] {
            for dir in SIX {
                let to = plus(from, dir);
                if self.empty(to) {
                    moves.push(format!("{}-{}", board::name(from), board::name(to)));
                }
                if self.enemy_on(seat, to) {
                    moves.push(format!("{}x{}", board::name(from), board::name(to)));
                }
            }
        }
        moves
    }

    /// The actions of one kind of piece at this moment.
    fn actions(&self, seat: usize, kind: usize) -> Vec<String> {
        let mut actions = self.drops(seat, kind);
        if kind == COW {
            actions.extend(self.cow_moves(seat));
        } else {
            actions.extend(self.cowboy_moves(seat));
        }
        if actions.is_empty() {
            let pieces = self.sides[seat].board[kind].iter();
            actions = pieces
                .map(|&c| format!("{}-lost", board::name(c)))
                .collect();
        }
        actions
    }

    /// All actions of the seat to move.
    fn has_cow(&self, seat: usize) -> bool {
        self.sides[seat].reserve[COW] > 0 || !self.sides[seat].board[COW].is_empty()
    }

    fn pass_turn(&mut self) {
        self.to_move = self.to_move.map(|seat| 1 - seat);
        self.acted = None;
    }

    /// Ends the game if no cow is left; else passes the turn on for as long as the
    /// seat to move can do nothing (more).
    fn settle(&mut self) {
        if !self.has_cow(BLACK) && !self.has_cow(WHITE) {
            self.to_move = None;
            self.acted = None;
        }
        for _ in 0..3 {
            if self
                .to_move
                .is_some_and(|seat| self.moves_of(seat).is_empty())
            {
                self.pass_turn();
            }
        }
        assert!(
            self.to_move.is_none() || !self.legal().is_empty(),
            "neither seat can act"
        );
    }

    /// The kind of piece that a move is an action of.
    fn kind_of(&self, seat: usize, mv: &str) -> usize {
        if let Some((kind, _)) = mv.split_once('@') {
            return usize::from(kind == KINDS[COWBOY]);
        }
        let (from, _) = mv.split_once(['-', 'x']).expect("FROM-TO or FROMxTO");
        usize::from(self.sides[seat].board[COWBOY].contains(&board::cell(from)))
    }

    fn act(&mut self, seat: usize, kind: usize, mv: &str) {
        if let Some((_, to)) = mv.split_once('@') {
            self.sides[seat].reserve[kind] -= 1;
            self.sides[seat].board[kind].insert(board::cell(to));
            return;
        }
        let (from, to) = mv.split_once(['-', 'x']).expect("FROM-TO or FROMxTO");
        self.sides[seat].board[kind].remove(&board::cell(from));
        match to {
            "out" => self.scores[seat] += 1,
            "lost" => {}
            to => {
                let to = board::cell(to);
                for enemies in &mut self.sides[1 - seat].board {
                    enemies.remove(&to);
                }
                self.sides[seat].board[kind].insert(to);
            }
        }
    }
}

impl Rules for Run {
    fn write(&self) -> Value {
        json!({
            "ply": self.ply,
            "to_move": self.to_move,
            "acted": self.acted.map(|kind| KINDS[kind]),
            "black": write_side(&self.sides[BLACK]),
            "white": write_side(&self.sides[WHITE]),
            "scores": self.scores,
        })
    }

    fn to_move(&self) -> Option<usize> {
        self.to_move
    }

    fn moves_of(&self, seat: usize) -> Vec<String> {
        if self.is_first_turn(seat) {
            return [self.drops(seat, COW), self.drops(seat, COWBOY)].concat();
        }
        let kinds = [COW, COWBOY].into_iter();
        let open = kinds.filter(|&kind| self.acted != Some(kind));
        open.flat_map(|kind| self.actions(seat, kind)).collect()
    }

    fn make(&mut self, seat: usize, mv: &str) {
        let turn_is_over = self.is_first_turn(seat) || self.acted.is_some();
        let kind = self.kind_of(seat, mv);
        self.act(seat, kind, mv);
        self.ply += 1;
        if turn_is_over {
            self.pass_turn();
        } else {
            self.acted = Some(kind);
        }
        self.settle();
    }

    fn outcome(&self) -> Outcome {
        board::by_scores(&self.scores, "no_cows")
    }

    fn identity(&self) -> String {
        let first = self.to_move.is_some_and(|seat| self.is_first_turn(seat));
        board::key(self.write(), &json!(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Oracle;
    use crate::perft;

    fn side(cows: &[&str], cowboys: &[&str], reserve: [i64; 2]) -> Value {
        json!({"cows": cows, "cowboys": cowboys, "reserve": {"cows": reserve[0], "cowboys": reserve[1]}})
    }

    fn open(to_move: i64, acted: Value, black: Value, white: Value) -> Box<dyn Oracle> {
        let state = json!({"ply": 30, "to_move": to_move, "acted": acted,
            "black": black, "white": white, "scores": [0, 0]});
        crate::open("run", &json!({}), &state)
    }

    #[test]
    fn the_rows_of_the_board() {
        let rows = [
            "a4 b5 c6 d7 e8 f9",
            "b4 c5 d6 e7 f8",
            "b3 c4 d5 e6 f7 g8",
            "c3 d4 e5 f6 g7",
            "c2 d3 e4 f5 g6 h7",
            "d2 e3 f4 g5 h6",
            "d1 e2 f3 g4 h5 i6",
        ];
        for (r, names) in (1..).zip(rows) {
            let cells: Vec<String> = row(r).into_iter().map(board::name).collect();
            assert_eq!(cells.join(" "), names);
        }
    }

    #[test]
    fn the_first_turn_is_one_drop_only() {
        let start = crate::start("run", &json!({}), 0);
        let nodes: Vec<u64> = (1..4).map(|d| perft(start.as_ref(), d)).collect();
        assert_eq!(nodes, [12, 12 * 12, 12 * 12 * 5]);
    }

    #[test]
    fn a_black_cow_is_blocked_by_white_cows_ahead() {
        let black = || side(&["e4"], &[], [0, 0]);
        let white = side(&["d4", "e5"], &[], [0, 0]);
        let game = open(0, Value::Null, black(), white);
        assert_eq!(game.legal(), ["e4-lost"]);
        let game = open(0, Value::Null, black(), side(&["d4"], &[], [0, 0]));
        assert_eq!(game.legal(), ["e4-e5"]);
    }

    #[test]
    fn a_white_cow_on_e2_may_leave() {
        let black = || side(&[], &["e3"], [1, 0]);
        let game = open(1, Value::Null, black(), side(&["e2"], &[], [0, 0]));
        assert_eq!(game.legal(), ["e2-out"]);
        let mut after = game.clone_box();
        after.play("e2-out");
        assert_eq!(after.state()["scores"], json!([0, 1]));
        let game = open(0, Value::Null, black(), side(&["e2"], &[], [0, 0]));
        assert!(game.legal().contains(&"e3xe2".to_string()));
    }

    #[test]
    fn a_black_cow_on_e7_can_step_to_e8_or_d7() {
        let game = open(
            0,
            json!("cowboy"),
            side(&["e7"], &[], [0, 0]),
            side(&["a4"], &[], [0, 0]),
        );
        assert_eq!(game.legal(), ["e7-d7", "e7-e8"]);
    }

    #[test]
    fn the_game_ends_with_the_last_cow() {
        let mut game = open(
            0,
            Value::Null,
            side(&["e8"], &["a4"], [0, 2]),
            side(&[], &["d4"], [0, 1]),
        );
        game.play("e8-out");
        let result = game.result().expect("over");
        assert_eq!(
            (result.scores, result.outcome),
            (vec![1, 0], vec![1.0, 0.0])
        );
        assert_eq!(game.state()["acted"], Value::Null);
    }

    #[test]
    fn a_kind_without_an_action_may_get_one_by_the_other() {
        // Black's first row is full of its cows; its cowboys are in reserve.
        let row = ["d1", "e2", "f3", "g4", "h5", "i6"];
        let mut game = open(
            0,
            Value::Null,
            side(&row, &[], [1, 5]),
            side(&["a4"], &[], [0, 0]),
        );
        assert!(game.legal().iter().all(|m| m.contains('-')));
        game.play("d1-d2");
        assert_eq!(game.legal(), ["cowboy@d1"]);
    }
}

//! Penguins (Hey! That's My Fish!): penguins that slide over tiles and score the
//! tile they leave, for two to four seats.

use crate::board::{self, Board, Cell};
use crate::ice::{self, Ice};
use crate::oracle::Rules;
use crate::outcome::Outcome;
use serde_json::{Value, json};

#[derive(Clone)]
pub(crate) struct Penguins {
    seats: usize,
    setup: &'static str,
    placement: &'static str,
    ply: i64,
    to_move: Option<usize>,
    phase: String,
    ice: Ice,
    scores: Vec<i64>,
}

fn players(options: &Value) -> usize {
    board::known_options(options, &["players", "setup", "fish", "placement"]);
    board::int_option(options, "players", 2, 4, 2) as usize
}

pub(crate) fn start(options: &Value, seed: u64) -> Value {
    ice::start(Board::Ice, players(options), options, seed)
}

impl Penguins {
    pub(crate) fn open(options: &Value, state: &Value) -> Self {
        let mut game = Penguins {
            seats: players(options),
            setup: ice::setup(options),
            placement: board::word_option(options, "placement", &["one-fish", "any"]),
            ply: board::int(&state["ply"]),
            to_move: board::seat(&state["to_move"]),
            phase: board::text(&state["phase"]).to_string(),
            ice: Ice::open(Board::Ice, state),
            scores: board::ints(&state["scores"]),
        };
        game.settle();
        game
    }

    /// Penguins of each seat: 4, 3 or 2.
    fn each(&self) -> usize {
        match self.seats {
            2 => 4,
            3 => 3,
            _ => 2,
        }
    }

    fn places(&self) -> Vec<Cell> {
        let any = self.ice.free_cells();
        if self.placement == "any" {
            return any;
        }
        let one_fish: Vec<Cell> = any
            .iter()
            .copied()
            .filter(|cell| self.ice.fish[cell] == 1)
            .collect();
        if self.setup == "given" && one_fish.is_empty() {
            return any;
        }
        one_fish
    }

    fn penguin_moves(&self, seat: usize) -> Vec<String> {
        let mut moves = Vec::new();
        for &from in &self.ice.penguins[seat] {
            for to in self.ice.board.queen(from, |cell| self.ice.free(cell)) {
                moves.push(format!("{}-{}", board::name(from), board::name(to)));
            }
        }
        moves
    }

    /// Skips seats without a move; if no seat has one the game is over.
    fn settle(&mut self) {
        let Some(seat) = self.to_move else { return };
        if self.phase != "move" {
            return;
        }
        self.to_move = board::first_able(seat, self.seats, |s| !self.moves_of(s).is_empty());
        if self.to_move.is_none() {
            for seat in 0..self.seats {
                self.scores[seat] += self.ice.fish_under(seat);
            }
        }
    }
}

impl Rules for Penguins {
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
            "place" => self.places().into_iter().map(board::name).collect(),
            _ => self.penguin_moves(seat),
        }
    }

    fn make(&mut self, seat: usize, mv: &str) {
        self.ply += 1;
        self.to_move = Some((seat + 1) % self.seats);
        if self.phase == "move" {
            let (from, to) = mv.split_once('-').expect("FROM-TO");
            self.ice.penguins[seat].remove(&board::cell(from));
            self.ice.penguins[seat].insert(board::cell(to));
            self.scores[seat] += self.ice.take(board::cell(from));
        } else if let Some(next) = self.ice.set_up(&self.phase, seat, mv, self.each()) {
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
    fn penguins_start_on_one_fish_or_anywhere() {
        let start = crate::start("penguins", &json!({}), 3);
        assert_eq!(start.legal().len(), 30);
        let start = crate::start("penguins", &json!({"placement": "any"}), 3);
        assert_eq!(start.legal().len(), 60);
    }

    #[test]
    fn laying_is_of_any_value_on_any_cell() {
        let start = crate::start("penguins", &json!({"setup": "laid"}), 0);
        assert_eq!(start.legal().len(), 180);
        assert!(start.legal().contains(&"c3=2".to_string()));
    }

    #[test]
    fn given_without_one_fish_tiles_allows_all() {
        let fish = ["00000000", "2222222", "00000000", "0000000"];
        let fish = [fish, ["00000000", "0000000", "00000000", "3333331"]].concat();
        let options = json!({"setup": "given", "fish": fish});
        let mut game = crate::start("penguins", &options, 0);
        assert_eq!(game.legal(), ["g1"]);
        game.play("g1");
        assert_eq!(game.legal().len(), 13);
    }

    #[test]
    fn the_tile_that_is_left_is_scored() {
        let fish = ["00000000", "0000000", "00000000", "0000000"];
        let fish = [fish, ["00000000", "0000000", "00000000", "3100021"]].concat();
        let state = json!({"ply": 20, "to_move": 1, "phase": "move", "fish": fish,
            "penguins": [["a1"], ["f1"]], "scores": [2, 2]});
        let mut game = crate::open("penguins", &json!({}), &state);
        game.play("f1-g1");
        assert_eq!(game.state()["scores"], json!([2, 4]));
        game.play("a1-b1");
        let result = game.result().expect("over");
        assert_eq!(
            (result.scores, result.outcome),
            (vec![6, 5], vec![1.0, 0.0])
        );
    }
}

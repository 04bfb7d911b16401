//! Amazon Penguins: penguins that move like amazons and spear the fish around them.

use crate::kit::board::sliding::lines::{Gap, Lines, Occupancy};
use crate::kit::board::sliding::shots::{self, Shot};
use crate::kit::board::{Board, CellId, bitset};
use crate::kit::info::{Limits, StaticInfo, StaticKind, StaticOption};
use crate::kit::options::{OptionError, Options};
use crate::kit::rng::Rng;
use crate::rules::fish::{
    self, Catch, FishGame, FishGamePosition, FishPosition, FishRules, PenguinMoves,
};

/// The penguins of each seat.
const PENGUINS: usize = 4;

/// The rules for one board and setup.
pub type AmazonPenguins = FishGame<Spearing>;

/// A position of [`AmazonPenguins`].
pub type Position = FishGamePosition<Occupancy<64>>;

/// Penguins move like amazons, and take the fish that they spear. The lines are those of either
/// board, over the same kind of occupancy.
#[derive(Debug)]
pub enum Spearing {
    /// On 8 by 8 squares.
    Square(Lines<4, 64>),
    /// On the hexagons of Penguins.
    Hex(Lines<3, 64>),
}

/// `body` with `lines` bound to the lines of the board.
macro_rules! with_lines {
    ($moves:expr, $lines:ident => $body:expr) => {
        match $moves {
            Spearing::Square($lines) => $body,
            Spearing::Hex($lines) => $body,
        }
    };
}

impl AmazonPenguins {
    /// Calls `visit` with each cell that a penguin on a cell can go to.
    #[inline]
    pub fn each_slide(&self, position: &Position, cell: CellId, mut visit: impl FnMut(CellId)) {
        let blocked = &position.blocked;
        with_lines!(&self.moves, lines => {
            lines.each(blocked, cell, Gap::NONE, |to, _| visit(to));
        });
    }

    /// The number of cells that a penguin on a cell can go to.
    #[inline]
    pub fn count_slides(&self, position: &Position, cell: CellId) -> u32 {
        with_lines!(&self.moves, lines => lines.count(&position.blocked, cell, Gap::NONE))
    }

    /// The position after the slide of a move and before its shot, for evaluations only.
    #[inline]
    pub fn half_move(&self, position: &Position, from: CellId, to: CellId) -> Position {
        let mut next = *position;
        with_lines!(&self.moves, lines => {
            lines.toggle(&mut next.blocked, from);
            lines.toggle(&mut next.blocked, to);
        });
        next.common.walk(from, to);
        next
    }
}

impl PenguinMoves for Spearing {
    type Blocked = Occupancy<64>;
    type Step = Shot;

    const CATCH: Catch = Catch::Speared;

    const INFO: StaticInfo = StaticInfo {
        id: "amazon-penguins",
        title: "Amazon Penguins",
        summary: "Move a penguin like a chess queen, then spear the fish of a cell that it could \
                  go on to; the cell goes. Most fish wins.",
        roles: &["light", "dark"],
        symmetric: true,
        options: &[
            StaticOption {
                name: "board",
                kind: StaticKind::Choice(&["square", "hex"]),
                help: "8 by 8 squares, or the 60 hexagons of Penguins.",
                unless: None,
            },
            fish::SETUP,
            fish::FISH,
        ],
        notation: &[
            (
                "e4=3",
                "a chip of three fish is laid on e4 (with `setup` `laid`)",
            ),
            ("e4", "a penguin is placed on e4"),
            (
                "e4-e7/c5",
                "the penguin on e4 goes to e7 and spears the fish on c5",
            ),
        ],
        limits: Limits::NONE,
    };

    const GUIDE: &'static str = include_str!("amazon_penguins.md");

    fn new(options: &Options) -> Result<(FishRules, Self), OptionError> {
        let (board, moves) = if options.choice("board") == "hex" {
            let board = Board::hex60();
            let lines = Lines::new(&board);
            (board, Spearing::Hex(lines))
        } else {
            let board = Board::square(8, 8);
            let lines = Lines::new(&board);
            (board, Spearing::Square(lines))
        };
        let seats = Self::INFO.roles.len();
        let fish_rules = FishRules::new(&Self::INFO, options, board, seats, PENGUINS)?;
        Ok((fish_rules, moves))
    }

    fn nothing_blocked(&self) -> Occupancy<64> {
        with_lines!(self, lines => lines.free())
    }

    #[inline]
    fn toggle(&self, blocked: &mut Occupancy<64>, cell: CellId) {
        with_lines!(self, lines => lines.toggle(blocked, cell));
    }

    #[inline]
    fn can_move(&self, blocked: &Occupancy<64>, penguins: u64) -> bool {
        with_lines!(self, lines => lines.any(blocked, bitset::cells64(penguins)))
    }

    fn every(board: &Board) -> Vec<Shot> {
        shots::every(board).collect()
    }

    #[inline]
    fn places(shot: Shot) -> [usize; 2] {
        shots::places(shot)
    }

    #[inline]
    fn each(
        &self,
        blocked: &Occupancy<64>,
        pieces: impl Iterator<Item = CellId>,
        visit: impl FnMut(Shot),
    ) {
        with_lines!(self, lines => shots::each(lines, blocked, pieces, visit));
    }

    #[inline]
    fn count(&self, blocked: &Occupancy<64>, pieces: impl Iterator<Item = CellId>) -> u64 {
        with_lines!(self, lines => shots::count(lines, blocked, pieces))
    }

    #[inline]
    fn random(
        &self,
        blocked: &Occupancy<64>,
        pieces: impl Iterator<Item = CellId> + Clone,
        rng: &mut Rng,
    ) -> Shot {
        with_lines!(self, lines => shots::random(lines, blocked, pieces, rng))
    }

    #[inline]
    fn origin(shot: Shot) -> CellId {
        shot.from
    }

    fn is_legal(&self, blocked: &Occupancy<64>, shot: Shot) -> bool {
        with_lines!(self, lines => shots::is_legal(lines, blocked, shot))
    }

    #[inline]
    fn play(&self, blocked: &mut Occupancy<64>, common: &mut FishPosition, shot: Shot) {
        let Shot { from, to, target } = shot;
        for cell in [from, to, target] {
            self.toggle(blocked, cell);
        }
        common.walk(from, to);
        common.take(target);
    }

    fn parse(board: &Board, text: &str) -> Option<Shot> {
        shots::parse(board, text)
    }

    fn write(board: &Board, shot: Shot, out: &mut String) {
        shots::write(board, shot, out);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::kit::outcome::Seat;
    use crate::session::{LoadError, Rules, configure, random_step};

    crate::conformance!(AmazonPenguins, [
        {},
        {"board": "hex"},
        {"setup": "laid"},
        {"board": "hex", "setup": "laid"},
        {"setup": "given", "fish": rows(TWO_ROWS)},
        {"board": "hex", "setup": "given", "fish": rows(HEX)}
    ]);

    const TWO_ROWS: &str =
        "00000000 00000000 00000000 00000000 00000000 00000000 12312312 33211231";
    const HEX: &str = "00000000 0000000 00000000 0011100 00222000 0033000 00000000 0000000";

    fn rows(text: &str) -> Vec<&str> {
        text.split(' ').collect()
    }

    fn rules(options: Value) -> Result<std::sync::Arc<dyn Rules>, OptionError> {
        configure::<AmazonPenguins>(&options)
    }

    fn state(to_move: Option<Seat>, fish: &str, penguins: [&str; 2], scores: [i32; 2]) -> Value {
        let penguins = penguins.map(|list| list.split(' ').collect::<Vec<_>>());
        json!({"ply": 30, "to_move": to_move, "phase": "move", "fish": rows(fish),
               "penguins": penguins, "scores": scores})
    }

    fn refused(options: Value, state: &Value) -> String {
        match rules(options).unwrap().load(state) {
            Err(LoadError::State(error)) => error.field,
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("the state should be refused"),
        }
    }

    #[test]
    fn the_starts_are_those_of_the_rules() {
        for (options, counts, lengths) in [
            (json!({}), [32, 21, 11], [8; 8]),
            (
                json!({"board": "hex"}),
                [30, 20, 10],
                [8, 7, 8, 7, 8, 7, 8, 7],
            ),
        ] {
            let mut state = rules(options).unwrap().start(5).unwrap().state().unwrap();
            let fish = state["fish"].take();
            let fish: Vec<String> = serde_json::from_value(fish).unwrap();
            assert_eq!(fish.iter().map(String::len).collect::<Vec<_>>(), lengths);
            let count = |digit| fish.concat().matches(digit).count();
            assert_eq!(["1", "2", "3"].map(count), counts);
            assert_eq!(
                state,
                json!({"ply": 0, "to_move": 0, "phase": "place", "fish": null,
                       "penguins": [[], []], "scores": [0, 0]})
            );
        }
    }

    #[test]
    fn perft_of_placing_does_not_depend_on_the_fish() {
        let session = rules(json!({})).unwrap().start(1).unwrap();
        assert_eq!(
            [1, 2, 3].map(|n| session.perft_nodes(n).unwrap()),
            [64, 4_032, 249_984]
        );
        let session = rules(json!({"board": "hex"})).unwrap().start(1).unwrap();
        assert_eq!([1, 2].map(|n| session.perft_nodes(n).unwrap()), [60, 3_540]);
    }

    #[test]
    fn laying_goes_over_into_placing_by_light() {
        let mut session = rules(json!({"setup": "laid"})).unwrap().start(0).unwrap();
        assert_eq!(session.legal().unwrap().len(), 192);
        for mv in ["a1=3", "h8=3"] {
            session.play(mv).unwrap();
        }
        assert!(session.play("a1=2").is_err());
        assert!(session.play("a2").is_err());
        assert_eq!(session.state().unwrap()["fish"][7], "30000000");
        let mut rng = Rng::new(8);
        while session.state().unwrap()["phase"] == "lay" {
            let step = random_step(&mut *session, &mut rng).unwrap().unwrap();
            session.play(&step[0]).unwrap();
        }
        assert_eq!((session.ply(), session.to_move().alone()), (64, Some(0)));
        assert_eq!(session.legal().unwrap().len(), 64);
    }

    #[test]
    fn the_chip_that_was_left_stays_and_can_be_speared() {
        let options = json!({"setup": "given", "fish": rows(TWO_ROWS)});
        let mut session = rules(options).unwrap().start(0).unwrap();
        for mv in ["a1", "e1", "b1", "f1", "c1", "g1", "d1", "h1"] {
            session.play(mv).unwrap();
        }
        session.play("a1-a2/a1").unwrap();
        session.play("e1-e2/f2").unwrap();
        let state = session.state().unwrap();
        assert_eq!(state["fish"][6], "12312012");
        assert_eq!(state["fish"][7], "03211231");
        assert_eq!(state["scores"], json!([3, 3]));
        assert_eq!(state["penguins"][1], json!(["e2", "f1", "g1", "h1"]));
    }

    #[test]
    fn the_end_adds_the_fish_under_the_penguins() {
        let fish = "12312312 00000000 00000000 00000000 00000000 00000000 00000000 10000000";
        let options = json!({"setup": "given", "fish": rows(fish)});
        let mut session = rules(options.clone()).unwrap().start(0).unwrap();
        for mv in ["a8", "b8", "c8", "d8", "e8", "f8", "a1"] {
            session.play(mv).unwrap();
        }
        // Light's a1 is alone; dark goes to the end of the row.
        let mut other = session.fork();
        session.play("g8").unwrap();
        assert_eq!(session.to_move().alone(), Some(1));
        assert_eq!(session.legal().unwrap(), ["g8-h8/g8"]);
        session.play("g8-h8/g8").unwrap();
        let end = session.end().unwrap();
        assert_eq!(end.reason, "no_moves");
        assert_eq!(end.tally.scores, [1 + 3 + 2 + 1, 2 + 1 + 3 + 2 + 1]);
        assert_eq!(session.state().unwrap()["fish"][0], "12312302");
        assert_eq!(session.state().unwrap()["phase"], "move");
        other.play("h8").unwrap();
        assert_eq!(other.legal().unwrap(), ["f8-g8/f8", "h8-g8/h8"]);
    }

    #[test]
    fn loaded_states_are_settled_and_checked() {
        let fish = "12312312 00000000 00000000 00000000 00000000 00000000 00000000 10000000";
        let options = || json!({"setup": "given", "fish": rows(fish)});
        let now = fish.replace("12312312", "12312302");
        let penguins = ["a1 a8 c8 e8", "b8 d8 f8 h8"];
        let load = |state: &Value| {
            rules(options())
                .unwrap()
                .load(state)
                .map(|s| s.state().unwrap())
        };
        let over = state(None, &now, penguins, [7, 9]);
        assert_eq!(load(&over).unwrap(), over);
        for seat in 0..2 {
            assert_eq!(
                load(&state(Some(seat), &now, penguins, [0, 1])).unwrap(),
                over
            );
        }
        for (scores, field) in [
            ([6, 10], "scores"),
            ([7, 8], "scores"),
            ([300, 0], "scores"),
        ] {
            assert_eq!(
                refused(options(), &state(None, &now, penguins, scores)),
                field
            );
        }
        let refused = |to_move, fish: &str, penguins, scores| {
            refused(options(), &state(to_move, fish, penguins, scores))
        };
        let three = ["a1 a8 c8", "b8 d8 f8 h8"];
        assert_eq!(refused(Some(0), &now, three, [0, 1]), "penguins[0]");
        let twice = ["a1 a8 c8 e8", "a8 d8 f8 h8"];
        assert_eq!(refused(Some(0), &now, twice, [0, 1]), "penguins[1]");
        let in_water = ["a1 a8 c8 g8", "b8 d8 f8 h8"];
        assert_eq!(refused(Some(0), &now, in_water, [0, 1]), "penguins[0]");
        assert_eq!(refused(Some(0), &now, penguins, [0, 2]), "scores");
        assert_eq!(
            refused(None, fish, ["a1 a8 c8 e8", "b8 d8 f8 g8"], [7, 8]),
            "to_move"
        );
        let other = now.replace("12312302", "12312303");
        assert_eq!(refused(Some(0), &other, penguins, [0, 1]), "fish");
    }

    #[test]
    fn more_chips_than_there_are_or_chips_missing_too_early_are_refused() {
        let mut state = rules(json!({})).unwrap().start(2).unwrap().state().unwrap();
        state["fish"][0] = json!("11111111");
        let field = refused(json!({}), &state);
        assert_eq!(field, "fish");
        state["fish"][0] = json!("00000000");
        assert_eq!(refused(json!({}), &state), "fish");
        state["phase"] = json!("lay");
        assert_eq!(refused(json!({}), &state), "phase");
        let laid = || json!({"setup": "laid"});
        assert!(rules(laid()).unwrap().load(&state).is_ok());
        state["to_move"] = json!(1);
        assert_eq!(refused(laid(), &state), "to_move");
        state["penguins"] = json!([["a1"], []]);
        assert_eq!(refused(laid(), &state), "penguins[0]");
    }

    #[test]
    fn the_option_fish_is_checked() {
        for options in [
            json!({"setup": "given"}),
            json!({"fish": rows(TWO_ROWS)}),
            json!({"board": "hex", "setup": "given", "fish": rows(TWO_ROWS)}),
            json!({"setup": "given", "fish": rows(HEX)}),
        ] {
            assert_eq!(rules(options).err().unwrap().name, "fish");
        }
        let seven = HEX.replace("0011100", "0011000");
        let options = json!({"board": "hex", "setup": "given", "fish": rows(&seven)});
        assert!(rules(options).err().unwrap().message.contains("at least 8"));
    }
}

//! Penguins, known as Hey! That's My Fish!: hexagons of ice that go with the penguins.

use crate::kit::board::sliding::lines::{Gap, Lines, Occupancy};
use crate::kit::board::sliding::slide_moves::{self, Slide};
use crate::kit::board::{Board, CellId, bitset};
use crate::kit::info::{Limits, StaticInfo, StaticKind, StaticOption};
use crate::kit::options::{OptionError, Options};
use crate::kit::rng::Rng;
use crate::rules::fish::{
    self, Catch, FishGame, FishGamePosition, FishPosition, FishRules, PenguinMoves,
};

/// The rules for some seats, setup and placement.
pub type Penguins = FishGame<Sliding>;

/// A position of [`Penguins`].
pub type Position = FishGamePosition<Occupancy<32>>;

impl Penguins {
    /// The lines of the board, for evaluations.
    pub fn lines(&self) -> &Lines<3, 32> {
        &self.moves.0
    }
}

/// Penguins slide along the lines of the board, and take the tile that they leave.
#[derive(Debug)]
pub struct Sliding(Lines<3, 32>);

impl PenguinMoves for Sliding {
    type Blocked = Occupancy<32>;
    type Step = Slide;

    const CATCH: Catch = Catch::Left;

    const INFO: StaticInfo = StaticInfo {
        id: "penguins",
        title: "Penguins",
        summary: "Penguins slide over ice in straight lines and take the fish of each tile that \
                  they leave; the tile goes. Most fish wins.",
        roles: &["red", "blue", "green", "yellow"],
        symmetric: true,
        options: &[
            StaticOption {
                name: "players",
                kind: StaticKind::Int {
                    min: 2,
                    max: 4,
                    default: Some(2),
                },
                help: "Seats; they have 4, 3 or 2 penguins each.",
                unless: None,
            },
            fish::SETUP,
            fish::FISH,
            StaticOption {
                name: "placement",
                kind: StaticKind::Choice(&["one-fish", "any"]),
                help: "Whether penguins start on tiles of one fish or on any tile.",
                unless: None,
            },
        ],
        notation: &[
            (
                "c3=2",
                "a tile of two fish is laid on c3 (with `setup` `laid`)",
            ),
            ("c3", "a penguin is placed on c3"),
            ("c3-c6", "the penguin on c3 goes to c6"),
        ],
        limits: Limits::NONE,
    };

    const GUIDE: &'static str = include_str!("penguins.md");

    fn new(options: &Options) -> Result<(FishRules, Self), OptionError> {
        let seats = options.number("players");
        let mut fish_rules =
            FishRules::new(&Self::INFO, options, Board::hex60(), seats, 6 - seats)?;
        if options.choice("placement") == "one-fish" {
            fish_rules = fish_rules.with_one_fish_starts();
        }
        let lines = Lines::new(fish_rules.board());
        Ok((fish_rules, Sliding(lines)))
    }

    fn nothing_blocked(&self) -> Occupancy<32> {
        self.0.free()
    }

    #[inline]
    fn toggle(&self, blocked: &mut Occupancy<32>, cell: CellId) {
        self.0.toggle(blocked, cell);
    }

    #[inline]
    fn can_move(&self, blocked: &Occupancy<32>, penguins: u64) -> bool {
        self.0.any(blocked, bitset::cells64(penguins))
    }

    fn every(board: &Board) -> Vec<Slide> {
        slide_moves::every(board).collect()
    }

    #[inline]
    fn places(slide: Slide) -> [usize; 2] {
        [slide_moves::place(slide), 0]
    }

    #[inline]
    fn each(
        &self,
        blocked: &Occupancy<32>,
        pieces: impl Iterator<Item = CellId>,
        visit: impl FnMut(Slide),
    ) {
        slide_moves::each(&self.0, blocked, pieces, visit);
    }

    #[inline]
    fn count(&self, blocked: &Occupancy<32>, pieces: impl Iterator<Item = CellId>) -> u64 {
        slide_moves::count(&self.0, blocked, pieces)
    }

    #[inline]
    fn random(
        &self,
        blocked: &Occupancy<32>,
        pieces: impl Iterator<Item = CellId> + Clone,
        rng: &mut Rng,
    ) -> Slide {
        slide_moves::random(&self.0, blocked, pieces, rng)
    }

    #[inline]
    fn origin(slide: Slide) -> CellId {
        slide.from
    }

    fn is_legal(&self, blocked: &Occupancy<32>, Slide { from, to }: Slide) -> bool {
        self.0.reaches(blocked, from, Gap::NONE, to).is_some()
    }

    #[inline]
    fn play(
        &self,
        blocked: &mut Occupancy<32>,
        common: &mut FishPosition,
        Slide { from, to }: Slide,
    ) {
        // The cell that is left stays blocked: it had a penguin, now it has no tile.
        self.0.toggle(blocked, to);
        common.walk(from, to);
        common.take(from);
    }

    fn parse(board: &Board, text: &str) -> Option<Slide> {
        slide_moves::parse(board, text)
    }

    fn write(board: &Board, slide: Slide, out: &mut String) {
        slide_moves::write(board, slide, out);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::game::Game;
    use crate::rules::fish::{Move, Phase};

    crate::conformance!(Penguins, [
        {},
        {"players": 3},
        {"players": 4, "placement": "any"},
        {"setup": "laid"},
        {"setup": "laid", "players": 4},
        {"setup": "given", "fish": rows(FEW_ONES)},
        {"setup": "given", "fish": rows(NINE), "players": 3},
        {"setup": "given", "fish": rows(NINE), "players": 4, "placement": "any"}
    ]);

    /// Three tiles of one fish, so that most penguins start elsewhere.
    const FEW_ONES: &str = "23222322 0000000 33333333 2222222 12222221 3333333 00000000 2222221";
    const NINE: &str = "00000000 0000000 00000000 0011100 00222000 0033300 00000000 0000000";

    fn rows(text: &str) -> Vec<&str> {
        text.split(' ').collect()
    }

    fn game(options: Value) -> Penguins {
        Penguins::new(&Options::of::<Penguins>(&options).unwrap()).unwrap()
    }

    fn option_error(options: Value) -> OptionError {
        Penguins::new(&Options::of::<Penguins>(&options).unwrap()).unwrap_err()
    }

    fn texts(game: &Penguins, position: &Position) -> Vec<String> {
        let mut moves = Vec::new();
        game.legal(position, &mut moves);
        let text = |mv: &Move<Slide>| {
            let mut text = String::new();
            game.write_move(*mv, &mut text);
            text
        };
        let mut texts: Vec<String> = moves.iter().map(text).collect();
        texts.sort();
        texts
    }

    fn play(game: &Penguins, position: &mut Position, moves: &[&str]) {
        for text in moves {
            let mv = game.parse_move(text).unwrap();
            assert!(game.is_legal(position, mv), "{text}");
            game.play_unchecked(position, mv);
        }
    }

    /// The field that a state is refused for.
    fn refused(options: Value, state: Value) -> String {
        game(options).load(&state).unwrap_err().field
    }

    fn with(state: &Value, changes: Value) -> Value {
        let mut state = state.clone();
        for (key, value) in changes.as_object().unwrap() {
            state[key] = value.clone();
        }
        state
    }

    #[test]
    fn a_random_start_has_all_tiles() {
        let game = game(json!({}));
        let state = game.save(&game.start(&mut Rng::new(4)));
        let rows: Vec<&str> = state["fish"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| r.as_str().unwrap())
            .collect();
        let lengths: Vec<usize> = rows.iter().map(|row| row.len()).collect();
        assert_eq!(lengths, [8, 7, 8, 7, 8, 7, 8, 7]);
        for (digit, count) in [("1", 30), ("2", 20), ("3", 10)] {
            assert_eq!(rows.concat().matches(digit).count(), count);
        }
        assert_eq!(
            with(&state, json!({"fish": []})),
            json!({"ply": 0, "to_move": 0, "phase": "place", "fish": [],
                   "penguins": [[], []], "scores": [0, 0]})
        );
        assert_eq!(game.count_legal(&game.start(&mut Rng::new(4))), 30);
    }

    #[test]
    fn laying_takes_every_chip_and_then_seat_0_places() {
        let game = game(json!({"setup": "laid", "players": 3}));
        let mut rng = Rng::new(9);
        let mut position = game.start(&mut rng);
        assert_eq!(game.count_legal(&position), 180);
        play(&game, &mut position, &["a1=3", "h8=3", "c3=2"]);
        assert_eq!(game.to_move(&position), Some(0));
        assert_eq!(game.count_legal(&position), 57 * 3);
        while position.common.phase() == Phase::Lay {
            let mv = game.random_move(&position, &mut rng, &mut Vec::new());
            game.play_unchecked(&mut position, mv);
        }
        assert_eq!(game.ply(&position), 60);
        assert_eq!(game.to_move(&position), Some(0));
        assert_eq!(game.count_legal(&position), 30);
    }

    #[test]
    fn penguins_go_elsewhere_when_no_one_fish_tile_is_left() {
        let game = game(json!({"setup": "given", "fish": rows(FEW_ONES)}));
        let mut position = game.start(&mut Rng::new(0));
        assert_eq!(texts(&game, &position), ["a4", "g1", "h4"]);
        play(&game, &mut position, &["h4", "a4", "g1"]);
        assert_eq!(game.count_legal(&position), 45 - 3);
    }

    /// The line of play goes through a skip and on to the end.
    #[test]
    fn a_seat_without_moves_is_skipped_and_fish_under_penguins_count() {
        let row = rows("10000000 0000000 00000000 0000000 11100000 0000000 00000000 1231231");
        let options = json!({"setup": "given", "fish": row, "placement": "any"});
        let game = game(options);
        let mut position = game.start(&mut Rng::new(0));
        play(
            &game,
            &mut position,
            &["a4", "a1", "b4", "b1", "c4", "c1", "e1", "a8"],
        );
        assert_eq!(game.to_move(&position), Some(0));
        assert_eq!(texts(&game, &position), ["e1-d1", "e1-f1", "e1-g1"]);
        play(&game, &mut position, &["e1-f1"]);
        // Blue's c1 can go to d1.
        assert_eq!(texts(&game, &position), ["c1-d1"]);
        play(&game, &mut position, &["c1-d1"]);
        assert_eq!(texts(&game, &position), ["f1-g1"]);
        play(&game, &mut position, &["f1-g1"]);
        assert_eq!(game.reason(&position), Some("no_moves"));
        let state = game.save(&position);
        assert_eq!(state["scores"], json!([2 + 3 + 3 + 1, 3 + 1 + 2 + 1 + 1]));
        assert_eq!(state["phase"], "move");
        assert_eq!(state["fish"][7], "1201001");
        assert_eq!(game.outcome(&position).as_slice(), [1.0, 0.0]);
    }

    #[test]
    fn the_last_seat_that_can_move_plays_alone() {
        let game = game(
            json!({"setup": "given", "players": 4, "placement": "any", "fish": [
            "00000000", "0000000", "00000000", "0000000", "11111110", "0000000", "00000000",
            "1231231"]}),
        );
        let mut position = game.start(&mut Rng::new(0));
        play(
            &game,
            &mut position,
            &["a4", "b4", "c4", "a1", "d4", "e4", "f4", "b1"],
        );
        // Green moves to g4, then only yellow can move.
        assert_eq!(game.to_move(&position), Some(2));
        play(&game, &mut position, &["f4-g4"]);
        assert_eq!(game.to_move(&position), Some(3));
        play(&game, &mut position, &["b1-c1"]);
        assert_eq!(game.to_move(&position), Some(3));
    }

    #[test]
    fn a_loaded_state_is_settled() {
        let game = game(json!({"setup": "given", "fish": rows(FEW_ONES)}));
        let fish = rows("20202020 0000000 00000000 0000000 12000021 0000000 00000000 2200000");
        let state = json!({"ply": 40, "to_move": 0, "phase": "move", "fish": fish,
            "penguins": [["a8", "c8", "e8", "g8"], ["a1", "b4", "a4", "g4"]], "scores": [0, 0]});
        let all: u32 = FEW_ONES.chars().filter_map(|c| c.to_digit(10)).sum();
        let left: u32 = fish.concat().chars().filter_map(|c| c.to_digit(10)).sum();
        let state = with(&state, json!({"scores": [all - left, 0]}));
        let position = game.load(&state).unwrap();
        // Red cannot move, so blue does.
        assert_eq!(game.to_move(&position), Some(1));
        assert_eq!(
            game.save(&position),
            with(
                &state,
                json!({"to_move": 1,
            "penguins": [["a8", "c8", "e8", "g8"], ["a1", "a4", "b4", "g4"]]})
            )
        );
        // Nor can blue now: the game is over, with the fish under the penguins.
        let stuck = with(
            &state,
            json!({
            "fish": ["20202020", "0000000", "00000000", "0000000", "12000001", "0000000", "00000000", "2000000"],
            "penguins": [["a8", "c8", "e8", "g8"], ["a1", "a4", "b4", "h4"]],
            "scores": [all - left + 4, 0]}),
        );
        let position = game.load(&stuck).unwrap();
        let over = game.save(&position);
        assert_eq!(over["to_move"], Value::Null);
        assert_eq!(over["scores"], json!([all - left + 4 + 8, 6]));
        assert_eq!(game.load(&over).unwrap(), position);
    }

    #[test]
    fn states_that_break_the_rules_are_refused() {
        let start = game(json!({})).save(&game(json!({})).start(&mut Rng::new(1)));
        let refused_with = |changes| refused(json!({}), with(&start, changes));
        assert_eq!(refused_with(json!({"to_move": 1})), "to_move");
        assert_eq!(refused_with(json!({"to_move": null})), "to_move");
        assert_eq!(refused_with(json!({"to_move": 2})), "to_move");
        assert_eq!(refused_with(json!({"phase": "lay"})), "phase");
        assert_eq!(refused_with(json!({"phase": "move"})), "penguins[0]");
        assert_eq!(refused_with(json!({"scores": [1, 0]})), "scores");
        assert_eq!(refused_with(json!({"scores": [0, 0, 0]})), "scores");
        assert_eq!(
            refused_with(json!({"penguins": [["h1"], []]})),
            "penguins[0]"
        );
        assert_eq!(
            refused_with(json!({"penguins": [[], ["a1"]]})),
            "penguins[0]"
        );
        assert_eq!(
            refused_with(json!({"penguins": [["a1"], ["a1"]]})),
            "penguins[1]"
        );
        assert_eq!(refused_with(json!({"penguins": [["a1"]]})), "penguins");
        let mut fewer = start["fish"].clone();
        fewer[0] = json!("00000000");
        assert_eq!(refused_with(json!({"fish": fewer})), "fish");
        fewer[0] = json!("33333333");
        assert_eq!(refused_with(json!({"fish": fewer})), "fish");
        fewer[0] = json!("4");
        assert_eq!(refused_with(json!({"fish": fewer})), "fish");
    }

    #[test]
    fn penguins_placed_on_more_fish_are_refused_only_where_that_is_against_the_rules() {
        let given = json!({"setup": "given", "fish": rows(FEW_ONES)});
        let start = game(given.clone()).save(&game(given.clone()).start(&mut Rng::new(1)));
        let state = with(&start, json!({"penguins": [["a1"], []], "to_move": 1}));
        assert_eq!(refused(given.clone(), state.clone()), "penguins[0]");
        let any = json!({"setup": "given", "fish": rows(FEW_ONES), "placement": "any"});
        assert!(game(any).load(&state).is_ok());
        let late = json!({"penguins": [["a4", "h4"], ["g1", "a1"]]});
        assert!(game(given).load(&with(&start, late)).is_ok());
    }

    #[test]
    fn the_option_fish_goes_with_given_and_is_a_layout() {
        for (options, message) in [
            (json!({"setup": "given"}), "needed with"),
            (json!({"fish": rows(NINE)}), "allowed only with"),
            (
                json!({"setup": "laid", "fish": rows(NINE)}),
                "allowed only with",
            ),
            (
                json!({"setup": "given", "fish": ["1"]}),
                "1 rows where 8 are needed",
            ),
            (
                json!({"setup": "given", "fish": ["4", "", "", "", "", "", "", ""]}),
                "`0123`",
            ),
        ] {
            let error = option_error(options);
            assert_eq!(error.name, "fish");
            assert!(error.message.contains(message), "{error}");
        }
        let mut eight = rows(NINE);
        eight[3] = "0011000";
        let options = json!({"setup": "given", "fish": eight, "players": 3});
        assert!(option_error(options).message.contains("at least 9"));
        game(json!({"setup": "given", "fish": eight, "players": 4}));
    }
}

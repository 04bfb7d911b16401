//! Penguins, known as Hey! That's My Fish!: hexagons of ice that go with the penguins.

use serde_json::Value;

use crate::game::{Game, ParseError};
use crate::kit::bitset;
use crate::kit::board::Board;
use crate::kit::info::{Info, Limits, OptionKind, OptionSpec};
use crate::kit::options::{OptionError, Options};
use crate::kit::outcome::{Scores, Seat};
use crate::kit::rng::Rng;
use crate::kit::sliding::lines::{Gap, Lines, Occupancy};
use crate::kit::sliding::slides::{self, Slide};
use crate::kit::state::StateError;
use crate::kit::view::View;
use crate::rules::fish::{self, FishPosition, FishRules, Move, Phase};

/// The rules for some seats, setup and placement.
#[derive(Debug)]
pub struct Penguins {
    fish_rules: FishRules,
    lines: Lines<3, 32>,
}

/// A position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Cells with a penguin or without a tile.
    occupied: Occupancy<32>,
    /// What both games with fish have.
    common: FishPosition,
}

impl Position {
    /// Fish, penguins and turn.
    pub fn fish_position(&self) -> &FishPosition {
        &self.common
    }

    /// Cells with a penguin or without a tile.
    pub fn occupied(&self) -> &Occupancy<32> {
        &self.occupied
    }
}

impl Penguins {
    fn position(&self, common: FishPosition) -> Position {
        let mut occupied = self.lines.free();
        let free = common.free();
        for cell in self
            .fish_rules
            .board()
            .cells()
            .filter(|c| free >> c & 1 == 0)
        {
            self.lines.toggle(&mut occupied, cell);
        }
        let mut position = Position { occupied, common };
        self.settle(&mut position);
        position
    }

    #[inline]
    fn settle(&self, position: &mut Position) {
        let occupied = &position.occupied;
        self.fish_rules.settle(&mut position.common, |penguins| {
            self.lines.any(occupied, bitset::cells64(penguins))
        });
    }

    /// The board of the game.
    pub fn board(&self) -> &Board {
        self.fish_rules.board()
    }

    /// The lines of the board, for evaluations.
    pub fn lines(&self) -> &Lines<3, 32> {
        &self.lines
    }
}

impl Game for Penguins {
    type Position = Position;
    type Move = Move<Slide>;

    const INFO: Info = Info {
        id: "penguins",
        title: "Penguins",
        summary: "Penguins slide over ice in straight lines and take the fish of each tile that \
                  they leave; the tile goes. Most fish wins.",
        roles: &["red", "blue", "green", "yellow"],
        symmetric: true,
        options: &[
            OptionSpec {
                name: "players",
                kind: OptionKind::Int {
                    min: 2,
                    max: 4,
                    default: Some(2),
                },
                help: "Seats; they have 4, 3 or 2 penguins each.",
            },
            fish::SETUP,
            fish::FISH,
            OptionSpec {
                name: "placement",
                kind: OptionKind::Choice(&["one-fish", "any"]),
                help: "Whether penguins start on tiles of one fish or on any tile.",
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

    fn new(options: &Options) -> Result<Self, OptionError> {
        let seats = options.number("players");
        let fish_rules = FishRules::new(&Self::INFO, options, Board::hex60(), seats, 6 - seats)?;
        let fish_rules = match options.choice("placement") {
            "one-fish" => fish_rules.with_one_fish_starts(),
            _ => fish_rules,
        };
        let lines = Lines::new(fish_rules.board());
        Ok(Penguins { fish_rules, lines })
    }

    fn seats(&self) -> usize {
        self.fish_rules.seats()
    }

    fn start(&self, rng: &mut Rng) -> Position {
        self.position(self.fish_rules.start(rng))
    }

    fn load(&self, state: &Value) -> Result<Position, StateError> {
        self.fish_rules
            .load(state, |common| self.position(common), |p| &mut p.common)
    }

    fn save(&self, position: &Position) -> Value {
        self.fish_rules.save(&position.common)
    }

    #[inline]
    fn to_move(&self, position: &Position) -> Option<Seat> {
        position.common.to_move()
    }

    #[inline]
    fn ply(&self, position: &Position) -> u32 {
        position.common.ply()
    }

    fn scores(&self, position: &Position) -> Scores {
        self.fish_rules.scores(&position.common)
    }

    fn reason(&self, position: &Position) -> Option<&'static str> {
        position.common.reason()
    }

    fn legal(&self, position: &Position, moves: &mut Vec<Move<Slide>>) {
        let Position { occupied, common } = position;
        moves.clear();
        match common.phase() {
            Phase::Move => slides::each(&self.lines, occupied, common.movers(), |slide| {
                moves.push(Move::Go(slide));
            }),
            _ => self.fish_rules.list(common, moves),
        }
    }

    fn count_legal(&self, position: &Position) -> u64 {
        let Position { occupied, common } = position;
        match common.phase() {
            Phase::Move => slides::count(&self.lines, occupied, common.movers()),
            _ => self.fish_rules.count(common),
        }
    }

    fn random_move(
        &self,
        position: &Position,
        rng: &mut Rng,
        _scratch: &mut Vec<Move<Slide>>,
    ) -> Move<Slide> {
        let Position { occupied, common } = position;
        match common.phase() {
            Phase::Move => Move::Go(slides::random(&self.lines, occupied, common.movers(), rng)),
            _ => self.fish_rules.random(common, rng),
        }
    }

    fn is_legal(&self, position: &Position, mv: Move<Slide>) -> bool {
        let Position { occupied, common } = position;
        match (common.phase(), mv) {
            (Phase::Move, Move::Go(Slide { from, to })) => {
                common.movers().any(|cell| cell == from)
                    && self.lines.reaches(occupied, from, Gap::NONE, to).is_some()
            }
            _ => self.fish_rules.is_legal(common, mv),
        }
    }

    fn play_unchecked(&self, position: &mut Position, mv: Move<Slide>) {
        let Position { occupied, common } = position;
        match mv {
            Move::Go(Slide { from, to }) => {
                // The cell that is left stays blocked: it had a penguin, now it has no tile.
                self.lines.toggle(occupied, to);
                common.walk(from, to);
                common.take(from);
                self.fish_rules.turn(common);
            }
            Move::Lay { cell, fish } => {
                self.lines.toggle(occupied, cell);
                self.fish_rules.lay(common, cell, fish);
            }
            Move::Place(cell) => {
                self.lines.toggle(occupied, cell);
                self.fish_rules.place(common, cell);
            }
        }
        self.settle(position);
    }

    fn parse_move(&self, text: &str) -> Result<Move<Slide>, ParseError> {
        self.fish_rules
            .parse(text, |text| slides::parse(self.fish_rules.board(), text))
            .ok_or_else(|| ParseError::new(&Self::INFO, text))
    }

    fn write_move(&self, mv: Move<Slide>, out: &mut String) {
        let go = |slide, out: &mut String| slides::write(self.fish_rules.board(), slide, out);
        self.fish_rules.write(mv, out, go);
    }

    fn key(&self, position: &Position) -> u64 {
        position.common.key()
    }

    fn write_identity(&self, position: &Position, out: &mut String) {
        position.common.write_identity(out);
    }

    fn view(&self, position: &Position) -> View {
        self.fish_rules.view(&position.common)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
        Penguins::new(&Options::read(&Penguins::INFO, &options).unwrap()).unwrap()
    }

    fn option_error(options: Value) -> OptionError {
        Penguins::new(&Options::read(&Penguins::INFO, &options).unwrap()).unwrap_err()
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

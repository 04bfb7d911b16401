//! The conformance suite: properties that every game must have. One line in a game's tests runs it.
//!
//! ```ignore
//! games::conformance!(MyGame, [{}, {"size": 5}]);
//! ```

use std::collections::HashMap;

use serde_json::Value;

use crate::game::{Game, IllegalMove};
use crate::kit::options::Options;
use crate::kit::outcome::{MAX_SEATS, Outcome, rank};
use crate::kit::rng::Rng;
use crate::perft::perft;

/// Makes a test for each property of [`mod@crate::conformance`], which checks the game under each of
/// the options.
#[macro_export]
macro_rules! conformance {
    ($game:ty, [$($options:tt),* $(,)?]) => {
        mod conformance {
            use super::*;
            $crate::conformance!(@each $game, [$($options),*],
                states_load_and_save,
                legal_moves_are_exactly_the_accepted_ones,
                keys_follow_the_position,
                games_end_with_a_result,
                perft_counts_paths,
                drawn_moves_are_uniform,
                broken_states_are_refused,
            );
        }
    };
    (@each $game:ty, $options:tt, $($property:ident,)*) => {
        $(
            #[test]
            fn $property() {
                $crate::conformance!(@run $game, $options, $property);
            }
        )*
    };
    (@run $game:ty, [$($options:tt),*], $property:ident) => {
        $($crate::conformance::$property::<$game>(&::serde_json::json!($options));)*
    };
}

/// The number of random games for each property.
const GAMES: u64 = 12;
/// The most plies of a random game.
const LONGEST: u32 = 500;

fn rules<G: Game>(options: &Value) -> G {
    let options = Options::of::<G>(options).expect("options of the test");
    G::new(&options).expect("options of the test")
}

fn text<G: Game>(game: &G, mv: G::Move) -> String {
    let mut text = String::new();
    game.write_move(mv, &mut text);
    text
}

fn identity<G: Game>(game: &G, position: &G::Position) -> String {
    let mut text = String::new();
    game.write_identity(position, &mut text);
    text
}

/// Calls `visit` with every position of some random games, the last ones included.
fn each_position<G: Game>(game: &G, mut visit: impl FnMut(&G::Position)) {
    for seed in 0..GAMES {
        let mut rng = Rng::from_parts(&[seed, 0xc0]);
        let mut position = game.start(&mut rng);
        let mut moves = Vec::new();
        for _ in 0..LONGEST {
            visit(&position);
            if game.to_move(&position).is_none() {
                break;
            }
            // Not `random_move`: if that is wrong, it could hide moves from the suite.
            game.legal(&position, &mut moves);
            game.play_unchecked(&mut position, moves[rng.index(moves.len())]);
        }
    }
}

/// Saving and loading restores the same position and the same JSON again.
pub fn states_load_and_save<G: Game>(options: &Value) {
    let game = rules::<G>(options);
    each_position(&game, |position| {
        let state = game.save(position);
        let loaded = game.load(&state).unwrap_or_else(|e| panic!("{e}: {state}"));
        assert_eq!(loaded, *position, "{state}");
        assert_eq!(game.save(&loaded), state);
        assert_eq!(state["ply"], game.ply(position));
        assert_eq!(state["to_move"], serde_json::json!(game.to_move(position)));
        assert_eq!(
            state["scores"],
            serde_json::json!(game.scores(position).as_slice())
        );
    });
}

/// `legal`, `is_legal`, `play`, `count_legal` and `parse_move` agree; no two moves share a text; no move
/// of another position is accepted unless it is listed here too.
pub fn legal_moves_are_exactly_the_accepted_ones<G: Game>(options: &Value) {
    let game = rules::<G>(options);
    let mut known: HashMap<String, G::Move> = HashMap::new();
    let mut step = 0u32;
    each_position(&game, |position| {
        let mut moves = Vec::new();
        if game.to_move(position).is_some() {
            game.legal(position, &mut moves);
            assert!(!moves.is_empty(), "who is to move can move: {position:?}");
            assert_eq!(game.count_legal(position), moves.len() as u64);
        }
        let mut listed: HashMap<String, G::Move> = HashMap::new();
        for &mv in &moves {
            let text = text(&game, mv);
            let plain = |c: u8| c.is_ascii_graphic() && c != b'"' && c != b'\\';
            assert!(!text.is_empty() && text.bytes().all(plain), "{text:?}");
            assert_eq!(game.parse_move(&text).as_ref(), Ok(&mv), "{text}");
            assert!(game.is_legal(position, mv), "{text}");
            let (mut checked, mut unchecked) = (*position, *position);
            assert_eq!(game.play(&mut checked, mv), Ok(()), "{text}");
            game.play_unchecked(&mut unchecked, mv);
            assert_eq!(checked, unchecked, "{text}");
            assert!(listed.insert(text.clone(), mv).is_none(), "{text} twice");
        }
        if game.to_move(position).is_some() {
            for (text, &mv) in known.iter().filter(|(text, _)| !listed.contains_key(*text)) {
                let mut played = *position;
                let refused = !game.is_legal(position, mv)
                    && game.play(&mut played, mv) == Err(IllegalMove)
                    && played == *position;
                assert!(refused, "{text} in {}", game.save(position));
            }
        }
        step += 1;
        // All moves of some positions, and one of each of the others: a pool that is large but bounded.
        let keep = if step % 16 == 1 { usize::MAX } else { 1 };
        if known.len() < 20_000 {
            known.extend(listed.into_iter().take(keep));
        }
    });
    let near = known.keys().take(200).flat_map(|text| {
        let mut shorter = text.clone();
        shorter.pop();
        [
            shorter,
            format!("{text}x"),
            format!("{text} "),
            text.to_uppercase(),
        ]
    });
    for wrong in near.chain(["", "-", "é", "a0-a1", "\0", "🐧"].map(String::from)) {
        if let Ok(mv) = game.parse_move(&wrong) {
            assert_eq!(text(&game, mv), wrong, "only one way to write a move");
        }
    }
}

/// The incremental key equals the one of the same state loaded afresh, and positions have the
/// same key exactly when they have the same identity.
pub fn keys_follow_the_position<G: Game>(options: &Value) {
    let game = rules::<G>(options);
    let mut by_key: HashMap<u64, String> = HashMap::new();
    let mut by_identity: HashMap<String, u64> = HashMap::new();
    each_position(&game, |position| {
        let afresh = game.load(&game.save(position)).expect("a saved state");
        assert_eq!(
            game.key(&afresh),
            game.key(position),
            "{}",
            game.save(position)
        );
        let (key, identity) = (game.key(position), identity(&game, position));
        let other = by_key.entry(key).or_insert_with(|| identity.clone());
        assert_eq!(*other, identity, "one key for two positions");
        let other = by_identity.entry(identity).or_insert(key);
        assert_eq!(*other, key, "two keys for one position");
    });
}

/// Each move adds a ply, scores never shrink, and a game that is over has a reason and an outcome with
/// the right sum.
pub fn games_end_with_a_result<G: Game>(options: &Value) {
    let game = rules::<G>(options);
    let seats = game.seats();
    assert!((2..=MAX_SEATS).contains(&seats));
    let mut ended = 0;
    let mut before: Option<G::Position> = None;
    each_position(&game, |position| {
        let scores = game.scores(position);
        assert_eq!(scores.len(), seats);
        match before.filter(|_| game.ply(position) > 0) {
            Some(before) => {
                assert_eq!(game.ply(position), game.ply(&before) + 1);
                let earlier = game.scores(&before);
                assert!(scores.iter().zip(&earlier).all(|(now, then)| now >= then));
            }
            None => assert_eq!(game.ply(position), 0),
        }
        before = Some(*position);
        let outcome = game.outcome(position);
        let sum: f64 = outcome.iter().sum();
        assert!((sum - seats as f64 / 2.0).abs() < 1e-9, "{outcome:?}");
        assert!(outcome.iter().all(|o| (0.0..=1.0).contains(o)));
        if G::INFO.symmetric {
            assert_eq!(outcome, rank::<_, Outcome>(&scores));
        }
        match game.to_move(position) {
            Some(seat) => {
                assert!(seat < seats);
                assert_eq!(game.reason(position), None);
            }
            None => {
                assert!(game.reason(position).is_some());
                ended += 1;
            }
        }
        let view = game.view(position);
        let cells: Vec<&str> = view.cells.iter().map(|cell| &*cell.name).collect();
        let mut taken: Vec<&str> = view.pieces.iter().map(|piece| &*piece.cell).collect();
        assert!(taken.iter().all(|cell| cells.contains(cell)));
        taken.sort_unstable();
        taken.dedup();
        assert_eq!(taken.len(), view.pieces.len(), "one piece a cell");
    });
    assert!(
        ended == GAMES || G::INFO.limits.max_plies.is_some(),
        "only games with a limit may go on for ever"
    );
}

/// Perft, which counts moves in bulk at the last ply, agrees with a count one by one.
pub fn perft_counts_paths<G: Game>(options: &Value) {
    fn walk<G: Game>(game: &G, position: &G::Position, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let mut moves = Vec::new();
        if game.to_move(position).is_some() {
            game.legal(position, &mut moves);
        }
        let play = |&mv: &G::Move| {
            let mut next = *position;
            game.play_unchecked(&mut next, mv);
            walk(game, &next, depth - 1)
        };
        moves.iter().map(play).sum()
    }
    let game = rules::<G>(options);
    let mut step = 0;
    each_position(&game, |position| {
        step += 1;
        let few = game.to_move(position).is_none() || game.count_legal(position) < 40;
        if step % 7 == 0 && few {
            for depth in 0..3 {
                assert_eq!(perft(&game, position, depth), walk(&game, position, depth));
            }
        }
    });
}

/// `random_move` draws every legal move, and all about equally often (chi-squared test).
pub fn drawn_moves_are_uniform<G: Game>(options: &Value) {
    let game = rules::<G>(options);
    let mut rng = Rng::new(11);
    let mut scratch = Vec::new();
    let mut step = 0;
    each_position(&game, |position| {
        step += 1;
        if game.to_move(position).is_none() || step % 9 != 0 {
            return;
        }
        let mut moves = Vec::new();
        game.legal(position, &mut moves);
        if moves.len() > 150 {
            let mv = game.random_move(position, &mut rng, &mut scratch);
            assert!(moves.contains(&mv));
            return;
        }
        let mut seen = vec![0u32; moves.len()];
        let draws = 40 * moves.len();
        for _ in 0..draws {
            let mv = game.random_move(position, &mut rng, &mut scratch);
            let index = moves.iter().position(|other| *other == mv);
            seen[index.expect("a legal move")] += 1;
        }
        let chi: f64 = seen
            .iter()
            .map(|&n| (f64::from(n) - 40.0).powi(2) / 40.0)
            .sum();
        let freedom = (moves.len() - 1) as f64;
        // By chance, the bound is exceeded once in e^16 times (Laurent and Massart) and a move left out
        // once in e^40 times: not with a fixed seed.
        assert!(seen.iter().all(|n| *n > 0), "{seen:?}");
        let bound = freedom + 2.0 * (16.0 * freedom).sqrt() + 2.0 * 16.0;
        assert!(chi <= bound, "{seen:?}");
    });
}

/// A state with a missing, unknown or mistyped field is refused, and the error names the field.
pub fn broken_states_are_refused<G: Game>(options: &Value) {
    let game = rules::<G>(options);
    let mut step = 0;
    each_position(&game, |position| {
        step += 1;
        if step % 20 != 1 {
            return;
        }
        let state = game.save(position);
        let fields = state.as_object().expect("states are objects");
        for name in fields.keys() {
            let mut missing = fields.clone();
            missing.remove(name);
            let error = game
                .load(&Value::Object(missing))
                .expect_err("a field missing");
            assert_eq!(error.field, *name);
            for wrong in [
                Value::from(-1),
                Value::from(1.5),
                Value::from("x"),
                Value::from(vec![7]),
            ] {
                let mut broken = fields.clone();
                broken.insert(name.clone(), wrong.clone());
                let error = game
                    .load(&Value::Object(broken))
                    .expect_err("a field of a wrong type");
                assert!(
                    error.field.starts_with(name.as_str()),
                    "{name} {wrong}: {error}"
                );
            }
        }
        let mut unknown = fields.clone();
        unknown.insert("colour".to_owned(), Value::from("blue"));
        let error = game
            .load(&Value::Object(unknown))
            .expect_err("an unknown field");
        assert_eq!(error.field, "colour");
        for not_a_state in [Value::Null, Value::from("x"), Value::from(vec![1])] {
            assert!(game.load(&not_a_state).is_err());
        }
    });
}

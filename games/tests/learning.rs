//! The numbers of moves: every legal move has one, they never change, and a game that is played by them is
//! the game that is played by texts.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use games::learning::{Learning, NumberedGame};
use games::test_games::Pig;
use games::{Rng, Rules, find, hash_text};
use serde_json::{Value, json};

/// Games with options, the number of their actions, and the hash of all texts in order. A line of this
/// table never changes: networks that were trained depend on it.
fn numberings() -> Vec<(&'static str, Value, usize, u64)> {
    vec![
        ("amazons", json!({}), 86_980, 0x93ab_2b93_6ef3_0e75),
        ("amazons", json!({"size":5}), 4_128, 0x68fd_bb1b_8e50_4687),
        (
            "amazons",
            json!({"size":11}),
            130_400,
            0x80c0_d0b1_d5e3_fe15,
        ),
        ("amazon-penguins", json!({}), 33_408, 0xd2ab_ae77_d120_29cf),
        (
            "amazon-penguins",
            json!({"board":"hex"}),
            19_284,
            0x29e3_fd31_b527_c08b,
        ),
        (
            "amazon-penguins",
            json!({"setup":"laid"}),
            33_600,
            0x3250_5d14_e2e0_342f,
        ),
        ("elephant-run", json!({}), 408, 0x5a6a_6c03_b810_f7cb),
        (
            "elephant-run",
            json!({"ranged_jumps":true,"farmers":8}),
            408,
            0x5a6a_6c03_b810_f7cb,
        ),
        ("giantslayer", json!({}), 1_201, 0x3831_b461_f154_9045),
        ("paper-penguins", json!({}), 1_520, 0x1d31_41e2_0e37_681f),
        (
            "paper-penguins",
            json!({"size":4}),
            168,
            0x7ec0_2b84_0e29_786f,
        ),
        (
            "paper-penguins",
            json!({"size":11}),
            4_081,
            0x5430_2e88_36f5_8061,
        ),
        ("penguins", json!({}), 1_124, 0x4e74_671f_b9d3_cdc7),
        (
            "penguins",
            json!({"players":4,"setup":"laid"}),
            1_304,
            0x38a1_a9d4_df92_c827,
        ),
        (
            "penguins",
            json!({"players":3,"placement":"any"}),
            1_124,
            0x4e74_671f_b9d3_cdc7,
        ),
        ("run", json!({}), 443, 0x5ff7_52c9_c826_7604),
        ("siam", json!({}), 600, 0x2a90_d147_3716_f655),
        (
            "siam",
            json!({"opening_ban":true,"max_exits":2}),
            600,
            0x2a90_d147_3716_f655,
        ),
    ]
}

fn rules(id: &str, options: &Value) -> Arc<dyn Rules> {
    let entry = find(id).expect("a game");
    entry.configure(options).expect("allowed options")
}

fn texts(learning: &dyn Learning) -> Vec<String> {
    (0..learning.actions() as u32)
        .map(|action| learning.text(action).expect("an action"))
        .collect()
}

#[test]
fn the_numbers_never_change() {
    let mut wrong = Vec::new();
    for (id, options, actions, hash) in numberings() {
        let rules = rules(id, &options);
        let texts = texts(rules.learning().unwrap());
        let found = (texts.len(), hash_text(&texts.join(" ")));
        if found != (actions, hash) {
            wrong.push(format!(
                "(\"{id}\", json!({options}), {}, {:#x}),",
                found.0, found.1
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn texts_and_numbers_belong_together() {
    for (id, options, ..) in numberings() {
        let rules = rules(id, &options);
        let learning = rules.learning().unwrap();
        let texts = texts(learning);
        assert_eq!(texts.iter().collect::<HashSet<_>>().len(), texts.len());
        for (text, action) in texts.iter().zip(0..) {
            assert_eq!(learning.action(text), Ok(action), "{id} {text}");
        }
        let beyond = learning.actions() as u32;
        assert_eq!(learning.text(beyond), None);
        assert!(learning.action("nonsense").is_err());
    }
}

fn actions(game: &mut NumberedGame, seat: usize) -> Vec<u32> {
    let mut actions = Vec::new();
    game.list_actions(seat, &mut actions)
        .expect("rules that work");
    actions.into_iter().map(|action| action as u32).collect()
}

fn observation(game: &NumberedGame, seat: usize) -> Vec<f32> {
    let learning = game.rules().learning().expect("numbers");
    let len = learning.planes().expect("planes").len();
    let mut values = vec![f32::NAN; len];
    game.observe(seat, &mut values);
    assert!(values.iter().all(|value| (0.0..=10.0).contains(value)));
    values
}

/// All that can be seen of a game.
fn shown(game: &mut NumberedGame) -> (Value, Vec<u32>, Vec<Vec<f32>>, Vec<u32>) {
    let seats = game.session().seats();
    let seat = game.to_move().alone().unwrap_or(0);
    let seen = (0..seats).map(|seat| observation(game, seat)).collect();
    let state = game.session().state().expect("a state");
    (state, actions(game, seat), seen, game.begun().to_vec())
}

/// Plays a random game by numbers beside the same game by texts.
#[expect(clippy::unwrap_used, reason = "part of a test")]
fn play_by_numbers(rules: &Arc<dyn Rules>, seed: u64, most: usize) {
    let learning = rules.learning().unwrap();
    let mut rng = Rng::new(seed);
    let mut game = NumberedGame::start(rules, seed).unwrap();
    let mut by_text = rules.start(seed).unwrap();
    let mut before = Vec::new();
    while let Some(seat) = game.to_move().alone()
        && before.len() < most
    {
        let legal = actions(&mut game, seat);
        let begun = game.begun().to_vec();
        let expected: BTreeSet<u32> = game
            .legal(seat)
            .unwrap()
            .iter()
            .map(|text| {
                let parts = learning.parts(text).unwrap();
                let stop = learning.actions() as u32 - 1;
                parts.get(begun.len()).copied().unwrap_or(stop)
            })
            .collect();
        assert_eq!(legal.iter().copied().collect::<BTreeSet<_>>(), expected);
        assert_eq!(legal.len(), expected.len(), "each action once");
        let action = legal[rng.index(legal.len())];
        let mut played = begun;
        played.push(action);
        before.push(shown(&mut game));
        let steps = game.session().played();
        game.play_action(action).unwrap();
        if game.session().played() > steps {
            let whole = |text: &String| {
                let parts = learning.parts(text).unwrap();
                parts == played
                    || parts == played[..played.len() - 1]
                        && learning.text(action).unwrap() == "stop"
            };
            let mv = by_text.legal().unwrap().into_iter().find(whole).unwrap();
            by_text.play(&mv).unwrap();
            assert_eq!(game.session().state().unwrap(), by_text.state().unwrap());
        }
    }
    while let Some(earlier) = before.pop() {
        game.undo().unwrap();
        assert!(
            shown(&mut game) == earlier,
            "an action is not taken back exactly"
        );
    }
    assert!(game.undo().is_err());
}

#[test]
fn games_by_numbers_are_games_by_texts() {
    for (id, options, ..) in numberings() {
        let rules = rules(id, &options);
        for seed in 0..6 {
            play_by_numbers(&rules, seed, 400);
        }
    }
}

#[test]
fn what_is_illegal_is_refused_and_changes_nothing() {
    for (id, options, ..) in numberings() {
        let rules = rules(id, &options);
        let mut game = NumberedGame::start(&rules, 1).unwrap();
        let before = shown(&mut game);
        let legal: HashSet<u32> = before.1.iter().copied().collect();
        let all = rules.learning().unwrap().actions() as u32;
        for action in (0..all + 2)
            .filter(|action| !legal.contains(action))
            .step_by(7)
        {
            assert!(game.play_action(action).is_err());
        }
        assert!(game.play(&["nonsense"]).is_err());
        assert!(shown(&mut game) == before);
    }
}

#[test]
fn a_chain_is_several_actions() {
    let rules = rules("giantslayer", &json!({}));
    let learning = rules.learning().unwrap();
    let state = json!({"ply": 9, "to_move": 1, "halogai": ["d3", "f4", "i9"], "giants": ["c3"],
                       "scores": [5, 0]});
    let mut game = NumberedGame::load(&rules, &state, 0).unwrap();
    let error = learning.action("c3xe3xg5").unwrap_err().to_string();
    assert_eq!(error, "`c3xe3xg5` is 2 actions in a row: c3xe3, e3xg5");
    let first = learning.action("c3xe3").unwrap();
    game.play_action(first).unwrap();
    assert_eq!(
        (game.begun(), game.to_move().alone()),
        (&[first][..], Some(1))
    );
    let next: Vec<String> = actions(&mut game, 1)
        .into_iter()
        .map(|action| learning.text(action).unwrap())
        .collect();
    assert_eq!(next, ["e3xg5", "stop"]);
    assert_eq!(game.legal(1).unwrap(), ["c3xe3", "c3xe3xg5"]);
    let refused = game.play(&["c3-c4"]).unwrap_err().to_string();
    assert_eq!(
        refused,
        "`c3-c4` does not go on as the move was begun, with c3xe3"
    );
    let mut stopped = game.copy(None);
    stopped.play(&["stop"]).unwrap_err();
    stopped
        .play_action(learning.action("stop").unwrap())
        .unwrap();
    assert_eq!(stopped.session().state().unwrap()["giants"], json!(["e3"]));
    // After the second jump none is left, so that the move ends by itself.
    game.play_action(learning.action("e3xg5").unwrap()).unwrap();
    assert_eq!(game.session().state().unwrap()["giants"], json!(["g5"]));
    assert_eq!(game.to_move().alone(), Some(0));
    game.undo().unwrap();
    assert_eq!(game.begun(), [first]);
    game.undo().unwrap();
    assert_eq!(game.session().state().unwrap(), state);
}

#[test]
fn chance_is_drawn_at_once_and_taken_back() {
    let rules = games::test_games::rules(Pig::new(20));
    let mut game = NumberedGame::start(&rules, 3).unwrap();
    let start = game.session().state().unwrap();
    let seat = game.to_move().alone().unwrap();
    let mv = game.legal(seat).unwrap().swap_remove(0);
    game.play(&[&mv]).unwrap();
    let after = game.session().state().unwrap();
    assert!(!game.to_move().has_chance());
    game.undo().unwrap();
    assert_eq!(game.session().state().unwrap(), start);
    game.play(&[&mv]).unwrap();
    assert_eq!(
        game.session().state().unwrap(),
        after,
        "the same seed draws the same"
    );
    assert!(rules.learning().is_none());
    assert!(game.play_action(0).is_err());
}

/// The chapter of the book about numbers has the figures and names of these tables.
#[test]
fn the_chapter_says_the_same() {
    let chapter = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../docs/src/reference/numbers.md"
    );
    let Ok(chapter) = std::fs::read_to_string(chapter) else {
        // The package of this crate alone has no documents.
        return;
    };
    let grouped = |number: usize| match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", number / 1000, number % 1000),
    };
    let mut found = 0;
    for (id, options, actions, _) in numberings() {
        let row = format!("| `{id}` | `{options}` | {} |", grouped(actions));
        found += usize::from(chapter.contains(&row));
        let shown = format!("| `{id}` | `{options}` |");
        assert!(chapter.contains(&row) || !chapter.contains(&shown), "{row}");
        if options == json!({}) {
            let rules = rules(id, &options);
            let planes = rules.learning().unwrap().planes().unwrap();
            let names = format!(
                "| {} | {} |",
                rules.info().title.replace("Game of the ", ""),
                planes.names.join("; ")
            );
            assert!(chapter.contains(&names), "{names}");
        }
    }
    assert!(found > 10, "{found}");
}

//! Sessions of every game: undo is exact, and states mean the same for any order of their lists
//! and fields are.

#![expect(
    clippy::unwrap_used,
    reason = "in tests, also in what several tests share"
)]

use games::playout::PlayoutRequest;
use games::session::{UndoError, random_step};
use games::{Rng, Session, ToMove};
use serde_json::{Map, Value, json};

/// Games with options that change how they are played.
fn sets() -> Vec<(&'static str, Value)> {
    let defaults = games::GAMES
        .iter()
        .map(|entry| (entry.info.id.as_str(), json!({})));
    let others = [
        ("amazons", json!({"size": 5})),
        ("amazon-penguins", json!({"board": "hex", "setup": "laid"})),
        ("elephant-run", json!({"ranged_jumps": true, "farmers": 8})),
        ("paper-penguins", json!({"size": 4})),
        ("penguins", json!({"players": 4, "setup": "laid"})),
        ("siam", json!({"opening_ban": true, "max_exits": 1})),
    ];
    defaults.chain(others).collect()
}

fn start(game: &str, options: &Value, seed: u64) -> Box<dyn Session> {
    let entry = games::find(game).expect("a game");
    let rules = entry.configure(options).expect("options");
    rules.start(seed).unwrap()
}

/// Everything that a session exposes about its position.
#[derive(Debug, PartialEq)]
struct Snapshot {
    state: Value,
    identity: String,
    legal: Vec<String>,
    to_move: ToMove,
    outcome: Vec<f64>,
    end: Option<games::session::End>,
    view: games::View,
    played: usize,
}

fn snapshot(session: &mut dyn Session) -> Snapshot {
    Snapshot {
        state: session.state().unwrap(),
        identity: session.identity().unwrap(),
        legal: session.legal().unwrap(),
        to_move: session.to_move(),
        outcome: session.tally().unwrap().outcome,
        end: session.end(),
        view: session.view().unwrap().expect("a drawing"),
        played: session.played(),
    }
}

/// Plays on to the end, or for at most this many plies; returns snapshots from before each.
fn play(session: &mut dyn Session, rng: &mut Rng, plies: usize) -> Vec<Snapshot> {
    let mut all = vec![snapshot(session)];
    while let Some(step) = random_step(session, rng)
        .unwrap()
        .filter(|_| all.len() <= plies)
    {
        session.play(&step[0]).expect("a legal move");
        all.push(snapshot(session));
    }
    all
}

#[test]
fn moves_are_taken_back_one_by_one_and_all_at_once() {
    for (game, options) in sets() {
        for seed in 0..3 {
            let mut session = start(game, &options, seed);
            let mut rng = Rng::from_parts(&[seed, 0xdd]);
            let earlier = play(&mut *session, &mut rng, 150);
            let mut fork = session.fork();
            for expected in earlier.iter().rev() {
                assert_eq!(snapshot(&mut *session), *expected, "{game} {options}");
                let more = expected.played + 1;
                let (count, played) = (more, expected.played);
                assert_eq!(
                    session.undo(more),
                    Err(UndoError::TooMany { count, played })
                );
                assert_eq!(session.undo(1).is_ok(), expected.played > 0);
            }
            for plies in [0, 1, 7, fork.played().saturating_sub(8)] {
                let plies = plies.min(fork.played());
                fork.undo(plies).expect("they were played");
                assert_eq!(snapshot(&mut *fork), earlier[fork.played()]);
            }
            assert_eq!(fork.undo(fork.played()), Ok(()));
            assert_eq!(snapshot(&mut *fork), earlier[0]);
        }
    }
}

#[test]
fn what_is_refused_changes_nothing() {
    for (game, options) in sets() {
        let mut session = start(game, &options, 5);
        let mut rng = Rng::new(5);
        let others: Vec<String> = play(&mut *session, &mut rng, 60)
            .into_iter()
            .flat_map(|snapshot| snapshot.legal.into_iter().take(5))
            .collect();
        let before = snapshot(&mut *session);
        for text in others.iter().filter(|text| !before.legal.contains(text)) {
            assert!(session.play(text).is_err(), "{game}: {text}");
        }
        assert_eq!(snapshot(&mut *session), before);
    }
}

/// The same value with its fields and lists of cells the other way round. Lists of anything else
/// have an order that means something.
fn reversed(value: &Value, cells: &[String]) -> Value {
    let is_cell = |item: &Value| item.as_str().is_some_and(|s| cells.iter().any(|c| c == s));
    match value {
        Value::Object(map) => {
            let fields = map.iter().rev();
            let fields = fields.map(|(key, inner)| (key.clone(), reversed(inner, cells)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Value::Array(items) if items.iter().all(is_cell) => items.iter().rev().cloned().collect(),
        Value::Array(items) => items.iter().map(|item| reversed(item, cells)).collect(),
        other => other.clone(),
    }
}

#[test]
fn states_mean_the_same_in_any_order() {
    for (game, options) in sets() {
        let rules = games::find(game).expect("a game").configure(&options);
        let rules = rules.expect("options");
        let mut session = rules.start(6).unwrap();
        let cells = session
            .view()
            .unwrap()
            .expect("a drawing")
            .cells
            .into_iter()
            .map(|cell| cell.name);
        let cells: Vec<String> = cells.collect();
        for expected in play(&mut *session, &mut Rng::new(6), 100) {
            let state = reversed(&expected.state, &cells);
            let mut loaded = rules.load(&state).expect("a state");
            // As text, because the order of fields is part of what is written.
            assert_eq!(
                loaded.state().unwrap().to_string(),
                expected.state.to_string()
            );
            let played = expected.played;
            assert_eq!(
                Snapshot {
                    played,
                    ..snapshot(&mut *loaded)
                },
                expected,
                "{game}"
            );
        }
    }
}

#[test]
fn counters_at_the_end_of_their_range_stay_there() {
    for (game, options) in sets() {
        let rules = games::find(game).expect("a game").configure(&options);
        let rules = rules.expect("options");
        let mut session = rules.start(7).unwrap();
        let mut rng = Rng::new(7);
        let snapshot = play(&mut *session, &mut rng, 20);
        let mut state = snapshot[snapshot.len() / 2].state.clone();
        state["ply"] = json!(i32::MAX);
        if game == "siam" && options == json!({}) {
            state["exits"] = json!([i32::MAX, i32::MAX]);
        }
        let mut last = rules.load(&state).expect("a state");
        for snapshot in play(&mut *last, &mut rng, 300) {
            assert_eq!(snapshot.state["ply"], i32::MAX, "{game}");
            let again = rules.load(&snapshot.state).expect("a state that was saved");
            assert_eq!(again.state().unwrap(), snapshot.state);
        }
        let request = PlayoutRequest {
            max_plies: Some(100),
            ..PlayoutRequest::new(1, 1)
        };
        let means = last.playout_means(&request).unwrap();
        assert!(means.plies < 1.0, "{game}");
    }
}

//! States that break the rules are refused with `bad_state` and the field that does; states
//! that are changed at random are refused or understood as the oracle does. Never a panic.
//! `DIFFERENTIAL_GAMES` and `DIFFERENTIAL_SEED` work as in `differential.rs`.

mod breakage;
mod pair;

use breakage::{Broken, board_cells};
use oracle::random::Random;
use oracle::{GAMES, scattered, sets, start};
use pair::{Pair, Place};
use serde_json::{Value, json};
use tests::model::ModelClient;

/// Valid states of a game: all of a random game, one after another.
fn states_of_a_game(game: &str, options: &Value, seed: u64) -> Vec<Value> {
    let mut random = Random(seed);
    let mut position = start(game, options, seed);
    let mut states = vec![position.state()];
    while states.len() < 150 {
        let legal = position.legal();
        if legal.is_empty() {
            break;
        }
        let mv = random.pick(&legal);
        position.play(mv);
        states.push(position.state());
    }
    states
}

/// Some of them, the first and the last included, and some with scattered pieces.
fn some_states(game: &str, options: &Value) -> Vec<Value> {
    let all = states_of_a_game(game, options, 5);
    let every = (all.len() / 8).max(1);
    let mut some: Vec<Value> = all.iter().step_by(every).cloned().collect();
    some.extend(all.last().cloned());
    let mut random = Random(6);
    let scattered = (0..4).map(|_| {
        let state = scattered::state(game, options, &mut random);
        oracle::open(game, options, &state).state()
    });
    some.extend(scattered);
    some
}

/// The field that an error of the program is about.
fn named(error: &Value) -> &str {
    let message = error["message"].as_str().expect("a message");
    let name = message
        .strip_prefix("state field `")
        .and_then(|rest| rest.split_once('`'));
    name.unwrap_or_else(|| panic!("no field in `{message}`")).0
}

fn check_refused(model: &mut ModelClient, game: &str, options: &Value, broken: &Broken) {
    let state = &broken.state;
    let answer = model.ask(json!({"op": "new", "game": game, "options": options, "state": state}));
    let what = format!("{}: {game} {options} {state}", broken.what);
    let error = answer
        .get("error")
        .unwrap_or_else(|| panic!("accepted, {what}"));
    assert_eq!(error["code"], "bad_state", "{what}");
    let field = named(error);
    let fits = broken.fields.iter().any(|name| field.starts_with(name));
    assert!(fits, "{error} does not name {:?}: {what}", broken.fields);
}

fn check_game(game: &str) {
    let mut model = ModelClient::start();
    let mut count = 0;
    for options in sets::of(game) {
        let cells = board_cells(&mut model, game, &options);
        for state in some_states(game, &options) {
            for broken in breakage::all(game, &options, &state, &cells) {
                check_refused(&mut model, game, &options, &broken);
                count += 1;
            }
        }
    }
    assert!(count > 500, "only {count} states of {game} were broken");
}

/// Changes valid states at random. Those that are still valid must mean the same to both.
fn change_game(game: &str, changes: u64) {
    let mut model = ModelClient::start();
    let (mut accepted, mut refused) = (0, 0);
    for options in sets::of(game) {
        let cells = board_cells(&mut model, game, &options);
        let mut pair = Pair::new(Place::BuiltIn, game, &options);
        let states = some_states(game, &options);
        for seed in pair::seeds(changes) {
            let mut random = Random(seed);
            let state = breakage::changed(random.pick(&states), &cells, &mut random);
            match pair.open(json!({"state": state})) {
                Ok(mut oracle) => {
                    pair.play_on(oracle.as_mut(), 5, &mut random);
                    accepted += 1;
                }
                Err(error) => {
                    assert_eq!(error["code"], "bad_state", "{error}: {state}");
                    assert!(!named(&error).is_empty(), "{error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(
        accepted > 20 && refused > 20,
        "{game}: {accepted} accepted, {refused} refused"
    );
}

#[test]
fn broken_states_are_refused() {
    for game in GAMES {
        check_game(game);
    }
}

#[test]
fn changed_states_are_refused_or_understood() {
    for game in GAMES {
        change_game(game, 60);
    }
}

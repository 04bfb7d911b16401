//! Values, lines and proofs of small positions against plain minimax on the slow second implementation.

#![expect(clippy::unwrap_used, reason = "in tests")]

use std::collections::HashMap;

use games::kit::solving::Solvable;
use games::rules::amazon_penguins::AmazonPenguins;
use games::rules::amazons::Amazons;
use games::rules::elephant_run::{ElephantRun, NO_FARMERS};
use games::rules::paper_penguins::PaperPenguins;
use games::rules::penguins::Penguins;
use games::{Game, Options, Rng};
use oracle::Oracle;
use serde_json::{Value, json};
use solver::{Method, Question, Solver, Winner};

/// The table of the solvers: small, so that entries are replaced.
const BYTES: usize = 1 << 16;

fn rules<G: Game>(options: &Value) -> G {
    G::new(&Options::of::<G>(options).unwrap()).unwrap()
}

fn scores(position: &dyn Oracle) -> i64 {
    let state = position.state();
    let [mine, others] = [0, 1].map(|seat| state["scores"][seat].as_i64().unwrap());
    mine - others
}

/// By how much the margin grows with best play.
fn minimax(position: &dyn Oracle, known: &mut HashMap<String, i64>) -> i64 {
    let state = position.state();
    if position.result().is_some() {
        let gone = state["farmers"].as_array().is_some_and(Vec::is_empty);
        return if gone { i64::from(NO_FARMERS) } else { 0 };
    }
    let key = position.key();
    if let Some(value) = known.get(&key) {
        return *value;
    }
    let before = scores(position);
    let values = position.legal().into_iter().map(|mv| {
        let mut next = position.clone_box();
        next.play(&mv);
        scores(next.as_ref()) - before + minimax(next.as_ref(), known)
    });
    let value = match state["to_move"].as_u64() {
        Some(0) => values.max(),
        _ => values.min(),
    };
    known.insert(key, value.unwrap());
    value.unwrap()
}

/// The positions of a random game.
fn random_game<G: Game>(game: &G, start: G::Position, seed: u64) -> Vec<G::Position> {
    let mut rng = Rng::from_parts(&[seed, 0x501]);
    let mut scratch = Vec::new();
    let mut positions = vec![start];
    let mut position = start;
    while game.to_move(&position).is_some() {
        let mv = game.random_move(&position, &mut rng, &mut scratch);
        game.play_unchecked(&mut position, mv);
        positions.push(position);
    }
    positions
}

/// Plays a line and returns the margin at its end.
fn end_of<G: Game>(game: &G, start: &G::Position, line: &[G::Move]) -> i32 {
    let mut position = *start;
    for &mv in line {
        game.play(&mut position, mv).unwrap();
    }
    assert_eq!(game.to_move(&position), None, "the line goes to the end");
    game.margin(&position)
}

fn won(about: &Solvable<'_>, margin: i32) -> Winner {
    match margin {
        margin if margin >= about.win => Winner::Seat(0),
        margin if margin < about.draw => Winner::Seat(1),
        _ => Winner::Draw,
    }
}

/// Compares one position, by both methods and both questions.
fn compare<G: Game>(game: &G, options: &Value, position: &G::Position) {
    let state = game.save(position);
    let oracle = oracle::open(G::INFO.id, options, &state);
    let margin = scores(oracle.as_ref()) + minimax(oracle.as_ref(), &mut HashMap::new());
    let about = game.solvable().unwrap();
    let winner = won(&about, margin as i32);
    for question in [Question::Win, Question::Value] {
        for method in [Method::ProofNumber, Method::AlphaBeta] {
            let watch = Box::new(|_: &_| true);
            let mut solver =
                Solver::new(game, *position, question, Some(method), BYTES, watch).unwrap();
            let value = solver.run().unwrap();
            assert_eq!(
                value.winner,
                Some(winner),
                "{state} {question:?} {method:?}"
            );
            if solver.question() == Question::Value {
                assert_eq!(
                    value.bounds,
                    (margin as i32, margin as i32),
                    "{state} {method:?}"
                );
            }
            let end = end_of(game, position, &solver.line().unwrap());
            // The question "who wins" does not yield a margin.
            match solver.question() {
                Question::Win => assert_eq!(won(&about, end), winner, "{state} {method:?}"),
                Question::Value => assert_eq!(end, margin as i32, "{state} {method:?}"),
            }
            let checked = solver.check(1_000_000).unwrap();
            assert!(checked.is_some(), "{state} {question:?} {method:?}");
        }
    }
}

/// Compares positions this many plies before the ends of random games.
fn compare_ends<G: Game>(options: Value, seeds: u64, plies: usize) {
    let game = rules::<G>(&options);
    for seed in 0..seeds {
        let start = game.start(&mut Rng::new(seed));
        let positions = random_game(&game, start, seed);
        let at = positions.len().saturating_sub(plies + 1);
        compare(&game, &options, &positions[at]);
    }
}

#[test]
fn amazons_with_many_arrows() {
    compare_ends::<Amazons>(json!({"size": 5}), 8, 4);
    let options = json!({"size": 5});
    let game = rules::<Amazons>(&options);
    // Amazons, and the cells without an arrow.
    let states = [
        (json!([["a1"], ["e5"]]), "b1 b2 c2 c3 d3 d4 e4"),
        (json!([["a1", "e1"], ["a5", "e5"]]), "b1 b2 c3 d4 d5 b5"),
        (json!([["c3"], ["c1"]]), "b2 c2 d2 b4 c4 d4 d3"),
        (json!([["a1", "b2", "a3"], ["e5"]]), "b1 c2 c3 d3 d4 e4"),
        (json!([["a1"], ["e5", "d1"]]), "a2 b1 b2 c3 d4 e2"),
    ];
    for (amazons, free) in states {
        let held = |cell: &str| amazons.to_string().contains(cell) || free.contains(cell);
        let cells = game.board().cells().map(|cell| game.board().name(cell));
        let arrows: Vec<&str> = cells.filter(|cell| !held(cell)).collect();
        for seat in 0..2 {
            let state = json!({"ply": 10, "to_move": seat, "amazons": amazons, "arrows": arrows,
                               "scores": [0, 0]});
            compare(&game, &options, &game.load(&state).unwrap());
        }
    }
}

#[test]
fn paper_penguins() {
    compare_ends::<PaperPenguins>(json!({"size": 4}), 8, 6);
    compare_ends::<PaperPenguins>(json!({"size": 5}), 8, 6);
    compare_ends::<PaperPenguins>(json!({"size": 6}), 4, 4);
}

/// Rows of a board on which fish are only near the middle.
fn small_square() -> Value {
    json!({"setup": "given", "fish": ["00000000", "00000000", "01231000", "03112000", "01231000",
                                       "02113000", "00000000", "00000000"]})
}

fn small_hex() -> Value {
    json!({"setup": "given", "fish": ["00000000", "0000000", "01213000", "0131200", "01121100",
                                       "0213100", "00000000", "0000000"]})
}

#[test]
fn penguins_on_few_tiles() {
    compare_ends::<Penguins>(small_hex(), 8, 6);
}

#[test]
fn amazon_penguins_on_few_chips() {
    compare_ends::<AmazonPenguins>(small_square(), 8, 4);
}

/// Scattered farmers on the few tiles that are left, and the elephant in a hole or on a tile.
#[test]
fn elephant_run_with_few_tiles() {
    for (at, options) in [
        json!({"target": 20}),
        json!({"target": 18, "farmers": 4}),
        json!({"target": 21, "ranged_jumps": true}),
    ]
    .into_iter()
    .enumerate()
    {
        let game = rules::<ElephantRun>(&options);
        let mut compared = 0;
        for seed in 0..6 {
            let mut rng = Rng::from_parts(&[seed, at as u64]);
            let mut cells: Vec<u8> = game.board().cells().collect();
            rng.shuffle(&mut cells);
            let name = |cell: &u8| game.board().name(*cell).to_owned();
            let mut farmers: Vec<String> = cells[1..4].iter().map(name).collect();
            farmers.sort();
            let tiles = &cells[usize::from(seed % 2 == 0)..9];
            let rows = game.board().rows().iter().rev().map(|row| {
                let tile = |cell: &u8| if tiles.contains(cell) { '#' } else { '.' };
                row.iter().map(tile).collect::<String>()
            });
            let state = json!({"ply": 20, "to_move": 0, "phase": "move",
                "tiles": rows.collect::<Vec<_>>(), "elephant": name(&cells[0]),
                "farmers": farmers, "scores": [24 - tiles.len() as u32 + game.farmers() - 3, 0]});
            // Not if the elephant is stuck.
            if let Ok(position) = game.load(&state) {
                compare(&game, &options, &position);
                compared += 1;
            }
        }
        assert!(compared > 2, "{options}: {compared}");
    }
}

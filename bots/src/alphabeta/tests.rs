//! Tests of the search: what it finds, that it keeps time, and how fast it is.

use std::time::{Duration, Instant};

use games::registry::{self, Visitor};
use games::{GAMES, Options};

use super::*;
use crate::evaluation::CERTAIN;

/// Searches positions of random games, and prints nodes a second and depth:
/// `cargo test --profile campaign -p referee-bots nodes_a_second -- --ignored --nocapture`.
struct Speed;

impl Visitor for Speed {
    type Output = (f64, f64);

    fn visit<G: Game>(self) -> (f64, f64) {
        let game = G::new(&Options::defaults_of::<G>()).unwrap();
        let (mut nodes, mut depth, mut time, mut turns) = (0.0, 0.0, 0.0, 0.0);
        let mut scratch = Vec::new();
        for seed in 0..4 {
            let mut rng = Rng::new(seed);
            let mut position = game.start(&mut rng);
            let mut search: Box<dyn Search<G>> = AlphaBeta::default().new_search();
            for _ in 0..30 {
                let Some(seat) = game.to_move(&position) else {
                    break;
                };
                if game.ply(&position) % 10 == 9 {
                    let start = Instant::now();
                    let question = Question {
                        deadline: Some(start + Duration::from_millis(100)),
                        ..Question::new(&game, &position, seat)
                    };
                    if let Some(info) = search.choose(&question, &mut rng).info {
                        nodes += info["nodes"].as_f64().unwrap();
                        depth += info["depth"].as_f64().unwrap();
                        time += start.elapsed().as_secs_f64();
                        turns += 1.0;
                    }
                }
                let mv = game.random_move(&position, &mut rng, &mut scratch);
                game.play_unchecked(&mut position, mv);
            }
        }
        (nodes / time, depth / turns)
    }
}

#[test]
#[ignore = "measures speed"]
fn nodes_a_second() {
    for game in GAMES.iter() {
        let (speed, depth) =
            registry::visit(&game.info.id, &serde_json::Value::Null, Speed).unwrap();
        println!("{:16} {speed:9.0} nodes/s, depth {depth:.1}", game.info.id);
        assert!(speed > 1000.0 && depth > 1.0, "{}", game.info.id);
    }
}

/// A brute-force search looks at no more nodes than this.
const MOST_NODES: u64 = 200_000;

/// The best outcome that a seat of two can force, by brute force; `None` if that takes too many nodes.
fn brute<G: Game>(game: &G, position: &G::Position, seat: usize, left: &mut u64) -> Option<f64> {
    *left = left.checked_sub(1)?;
    let Some(mover) = game.to_move(position) else {
        return Some(game.outcome(position)[seat]);
    };
    let mut moves = Vec::new();
    game.legal(position, &mut moves);
    let own = mover == seat;
    let mut best: f64 = if own { 0.0 } else { 1.0 };
    for mv in moves {
        let mut next = *position;
        game.play_unchecked(&mut next, mv);
        let value = brute(game, &next, seat, left)?;
        best = if own {
            best.max(value)
        } else {
            best.min(value)
        };
        if best == f64::from(u8::from(own)) {
            break;
        }
    }
    Some(best)
}

/// Checks the ends of random games by brute force. Returns how many evaluations were certain and how
/// many searches were right.
struct Ends {
    options: Json,
    games: u64,
}

impl Visitor for Ends {
    type Output = (u32, u32);

    fn visit<G: Game>(self) -> (u32, u32) {
        let game = G::new(&Options::of::<G>(&self.options).unwrap()).unwrap();
        let mut evaluation = evaluation::evaluation::<G>();
        let (mut certain, mut right) = (0, 0);
        let mut scratch = Vec::new();
        for seed in 0..self.games {
            let mut rng = Rng::new(seed);
            let mut position = game.start(&mut rng);
            let mut line = Vec::new();
            while game.to_move(&position).is_some() && line.len() < 400 {
                line.push(position);
                let mv = game.random_move(&position, &mut rng, &mut scratch);
                game.play_unchecked(&mut position, mv);
            }
            for position in line.iter().rev().take(8) {
                let seat = game.to_move(position).unwrap();
                let mut left = MOST_NODES;
                let Some(best) = brute(&game, position, seat, &mut left) else {
                    break;
                };
                let scores = evaluation.scores(&game, position);
                let lead = scores[seat] - scores[1 - seat];
                if lead.abs() >= CERTAIN {
                    let text = game.save(position);
                    assert_eq!(best, f64::from(u8::from(lead > 0.0)), "{text}");
                    certain += 1;
                }
                let mut search: Box<dyn Search<G>> = AlphaBeta {
                    nodes: Some(100_000),
                    untimed: true,
                }
                .new_search();
                let question = Question::new(&game, position, seat);
                let mv = search.choose(&question, &mut rng).mv;
                let mut next = *position;
                game.play_unchecked(&mut next, mv);
                let mut left = MOST_NODES;
                let Some(value) = brute(&game, &next, seat, &mut left) else {
                    break;
                };
                assert_eq!(value, best, "{}", game.save(position));
                right += 1;
            }
        }
        (certain, right)
    }
}

#[test]
fn endgames_are_played_perfectly_and_certain_evaluations_are_right() {
    let rows = json!([
        "00000000", "00000000", "00000000", "01210000", "02231000", "01312000", "03121000",
        "00000000"
    ]);
    for (game, options, most) in [
        ("amazons", json!({"size": 5}), 8),
        (
            "amazon-penguins",
            json!({"setup": "given", "fish": rows}),
            6,
        ),
        ("elephant-run", json!({"target": 5}), 8),
        ("paper-penguins", json!({"size": 5}), 6),
        ("penguins", json!({}), 6),
    ] {
        let ends = Ends {
            options: options.clone(),
            games: most,
        };
        let (certain, right) = registry::visit(game, &serde_json::Value::Null, ends).unwrap();
        assert!(certain > 0, "{game}: nothing was certain");
        assert!(right > 5, "{game}: {right} searches");
    }
}

/// The move and the `info` of a search in a position.
fn ask<G: Game>(game: &G, state: &Json, nodes: u64) -> (String, Json) {
    let position = game.load(state).unwrap();
    let question = Question::new(game, &position, game.to_move(&position).unwrap());
    let mut search: Box<dyn Search<G>> = AlphaBeta {
        nodes: Some(nodes),
        untimed: true,
    }
    .new_search();
    let decision = search.choose(&question, &mut Rng::new(1));
    (engine::text(game, decision.mv), decision.info.unwrap())
}

fn siam() -> games::rules::siam::Siam {
    let options = Options::defaults_of::<games::rules::siam::Siam>();
    games::rules::siam::Siam::new(&options).unwrap()
}

#[test]
fn a_win_at_once_is_taken() {
    // From the printed rules: two rhinos push two rocks.
    let state = json!({"ply": 30, "to_move": 1, "elephants": {}, "rhinos": {"c2": "n", "c3": "n"},
        "rocks": ["c4", "c5", "a3"], "exits": [0, 0], "scores": [0, 0]});
    let (mv, info) = ask(&siam(), &state, 2000);
    assert_eq!(mv, "c2>c3");
    assert_eq!(info["value"], 1.0);
    assert_eq!(info["pv"], json!(["c2>c3"]));
}

#[test]
fn a_threat_is_parried() {
    // The rhino on c4 throws the rock out unless something is done.
    let state = json!({"ply": 30, "to_move": 0, "elephants": {"b4": "e"}, "rhinos": {"c4": "n"},
        "rocks": ["c5", "a3", "e3"], "exits": [0, 0], "scores": [0, 0]});
    let (mv, info) = ask(&siam(), &state, 20_000);
    let game = siam();
    let mut position = game.load(&state).unwrap();
    game.play_unchecked(&mut position, game.parse_move(&mv).unwrap());
    let mut moves = Vec::new();
    game.legal(&position, &mut moves);
    for reply in moves {
        let mut next = position;
        game.play_unchecked(&mut next, reply);
        assert_eq!(
            game.to_move(&next),
            Some(0),
            "{mv} is answered by {reply:?}: {info}"
        );
    }
}

#[test]
fn what_is_certain_may_not_come_true_before_a_limit() {
    let options = Options::of::<games::rules::amazons::Amazons>(&json!({"size": 5})).unwrap();
    let game = games::rules::amazons::Amazons::new(&options).unwrap();
    // Two regions: light has nine cells left, dark one.
    let state = json!({"ply": 13, "to_move": 0, "amazons": [["a1"], ["a5"]], "arrows": [
        "a3", "b3", "b4", "b5", "c3", "c4", "c5", "d3", "d4", "d5", "e3", "e4", "e5",
    ], "scores": [0, 0]});
    let position = game.load(&state).unwrap();
    let value = |max_plies| {
        let bot = AlphaBeta {
            nodes: Some(20_000),
            untimed: true,
        };
        let mut search: Box<dyn Search<games::rules::amazons::Amazons>> = bot.new_search();
        let question = Question {
            max_plies,
            ..Question::new(&game, &position, 0)
        };
        search.choose(&question, &mut Rng::new(1)).info.unwrap()["value"].as_f64()
    };
    assert_eq!(value(None), Some(1.0));
    assert_eq!(value(Some(15)), Some(0.5));
}

#[test]
fn without_time_the_best_looking_move_is_taken() {
    let game = siam();
    let position = game.start(&mut Rng::new(0));
    let question = Question {
        deadline: Some(Instant::now()),
        ..Question::new(&game, &position, 0)
    };
    let mut search: Box<dyn Search<games::rules::siam::Siam>> = AlphaBeta::default().new_search();
    let info = search.choose(&question, &mut Rng::new(1)).info.unwrap();
    assert_eq!(info["depth"], 1);
    // The moves of the root, and no more nodes than up to the next check of the clock.
    assert!(info["nodes"].as_u64().unwrap() < 200, "{info}");
}

#[test]
fn the_same_nodes_give_the_same_move() {
    let game = siam();
    let state = game.save(&game.start(&mut Rng::new(0)));
    assert_eq!(ask(&game, &state, 3000), ask(&game, &state, 3000));
    assert!(ask(&game, &state, 3000).1["nodes"].as_u64().unwrap() <= 3001);
}

/// Compares the values of the best lines near the ends of random games with brute force. Returns how many
/// positions it compared.
struct ExactLines {
    options: Json,
}

impl Visitor for ExactLines {
    type Output = u32;

    fn visit<G: Game>(self) -> u32 {
        let game = G::new(&Options::of::<G>(&self.options).unwrap()).unwrap();
        let mut scratch = Vec::new();
        let mut compared = 0;
        for seed in 0..4 {
            let mut rng = Rng::new(seed);
            let mut position = game.start(&mut rng);
            let mut line = Vec::new();
            while game.to_move(&position).is_some() {
                line.push(position);
                let mv = game.random_move(&position, &mut rng, &mut scratch);
                game.play_unchecked(&mut position, mv);
            }
            for position in line.iter().rev().take(6) {
                compared += u32::from(lines_are_exact(&game, position));
            }
        }
        compared
    }
}

/// True if brute force takes few nodes; then the lines have the values of the best moves.
fn lines_are_exact<G: Game>(game: &G, position: &G::Position) -> bool {
    const LINES: usize = 4;
    let seat = game.to_move(position).unwrap();
    let mut moves = Vec::new();
    game.legal(position, &mut moves);
    let value = |mv: G::Move| {
        let mut next = *position;
        game.play_unchecked(&mut next, mv);
        brute(game, &next, seat, &mut { MOST_NODES / 10 })
    };
    let values: Option<Vec<f64>> = moves.into_iter().map(value).collect();
    let Some(mut values) = values else {
        return false;
    };
    values.sort_by(|one, other| other.total_cmp(one));
    values.truncate(LINES);
    let mut search: Box<dyn Search<G>> = AlphaBeta {
        nodes: Some(200_000),
        untimed: true,
    }
    .new_search();
    let mut reported: Vec<Json> = Vec::new();
    let mut report = |info: Json| reported.push(info);
    let question = Question::new(game, position, seat);
    let mut analysis = Analysis::new(LINES, &mut report);
    let decision = search.analyse(&question, &mut analysis, &mut Rng::new(1));
    let info = decision.info.unwrap();
    let found: Vec<f64> = info["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["value"].as_f64().unwrap())
        .collect();
    let text = game.save(position);
    assert_eq!(found, values, "{text}");
    assert_eq!(info["lines"][0]["pv"][0], engine::text(game, decision.mv));
    assert_eq!(
        (&info["value"], &info["pv"]),
        (&info["lines"][0]["value"], &info["lines"][0]["pv"])
    );
    assert!(reported.iter().all(|report| report["lines"].is_array()));
    true
}

#[test]
fn best_lines_are_exact() {
    for (game, options) in [
        ("amazons", json!({"size": 5})),
        ("paper-penguins", json!({"size": 5})),
    ] {
        let compared =
            registry::visit(game, &serde_json::Value::Null, ExactLines { options }).unwrap();
        assert!(compared > 8, "{game}: {compared} positions");
    }
}

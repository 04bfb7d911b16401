//! Tests of the search on real games.

use std::time::{Duration, Instant};

use games::registry::{self, Visitor};
use games::rules::amazons::Amazons;
use games::rules::paper_penguins::PaperPenguins;
use games::rules::siam::Siam;
use games::{GAMES, Options};
use serde_json::json;

use super::*;

fn game<G: Game>(options: Value) -> G {
    G::new(&Options::of::<G>(&options).unwrap()).unwrap()
}

fn bot(playouts: u32, threads: usize) -> Mcts {
    Mcts {
        playouts: Some(playouts),
        untimed: true,
        threads,
    }
}

fn new_search<G: Game>(options: Mcts) -> MctsSearch<G> {
    MctsSearch {
        options,
        graph: Mutex::new(SearchGraph::empty()),
        workers: Vec::new(),
    }
}

/// The value for the seat to move, of two, by brute force.
fn solve<G: Game>(game: &G, position: &G::Position) -> f64 {
    let Some(seat) = game.to_move(position) else {
        return f64::NAN;
    };
    let mut moves = Vec::new();
    game.legal(position, &mut moves);
    let mut best: f64 = 0.0;
    for mv in moves {
        let mut next = *position;
        game.play_unchecked(&mut next, mv);
        let value = match game.to_move(&next) {
            None => game.outcome(&next)[seat],
            Some(mover) if mover == seat => solve(game, &next),
            Some(_) => 1.0 - solve(game, &next),
        };
        best = best.max(value);
        if best == 1.0 {
            break;
        }
    }
    best
}

/// Compares proofs a few plies before the end of random games with brute force.
fn proofs_hold<G: Game>(game: &G, before_end: usize) {
    let mut proven = 0;
    for seed in 0..12 {
        let mut rng = Rng::new(seed);
        let mut positions = vec![game.start(&mut rng)];
        let mut scratch = Vec::new();
        while let Some(mut next) = positions
            .last()
            .copied()
            .filter(|p| game.to_move(p).is_some())
        {
            let mv = game.random_move(&next, &mut rng, &mut scratch);
            game.play_unchecked(&mut next, mv);
            positions.push(next);
        }
        let position = positions[positions.len().saturating_sub(before_end + 1)];
        let seat = game.to_move(&position).unwrap();
        let mut search = new_search::<G>(bot(2000, 1));
        let decision = search.choose(&Question::new(game, &position, seat), &mut rng);
        if let Some(sure) = lock(&search.graph).settled(seat) {
            proven += 1;
            let truth = solve(game, &position);
            assert_eq!(f64::from(sure), truth, "seed {seed}: {position:?}");
            let mut next = position;
            game.play_unchecked(&mut next, decision.mv);
            let kept = match game.to_move(&next) {
                None => game.outcome(&next)[seat],
                Some(mover) if mover == seat => solve(game, &next),
                Some(_) => 1.0 - solve(game, &next),
            };
            assert_eq!(kept, truth, "seed {seed}: the move reveals the card");
        }
    }
    assert!(proven >= 6, "{proven}");
}

#[test]
fn what_is_proven_is_true() {
    proofs_hold(&game::<Amazons>(json!({"size": 5})), 5);
    proofs_hold(&game::<PaperPenguins>(json!({"size": 4})), 6);
}

/// Rhinos to move; two in a row can push two rocks.
fn rhinos_can_win() -> Value {
    json!({
        "ply": 11, "to_move": 1, "elephants": {"a1": "n"}, "rhinos": {"c2": "n", "c3": "n"},
        "rocks": ["b3", "c4", "c5"], "exits": [0, 0], "scores": [0, 0],
    })
}

#[test]
fn a_win_is_played_and_reported() {
    let game = game::<Siam>(json!({}));
    let position = game.load(&rhinos_can_win()).unwrap();
    let mut search = new_search::<Siam>(bot(1000, 1));
    let decision = search.choose(&Question::new(&game, &position, 1), &mut Rng::new(1));
    assert_eq!(engine::text(&game, decision.mv), "c2>c3");
    let info = decision.info.unwrap();
    assert_eq!(
        (info["text"].as_str(), info["value"].as_f64()),
        (Some("proven win"), Some(1.0))
    );
    // The win is found at once.
    assert!(info["nodes"].as_u64().unwrap() < 100, "{info}");
}

#[test]
fn a_third_repetition_is_the_end_with_the_scores_as_they_are() {
    let game = game::<Siam>(json!({}));
    let position = game.load(&rhinos_can_win()).unwrap();
    let moves = ["c3=e", "c2=w"].map(|text| game.parse_move(text).unwrap());
    let mut history = Vec::new();
    for mv in moves {
        let mut next = position;
        game.play_unchecked(&mut next, mv);
        history.extend([game.key(&next), 7, game.key(&next)]);
    }
    let question = Question {
        repetition: Some(3),
        history: &history,
        ..Question::new(&game, &position, 1)
    };
    let mut worker = Worker::<Siam>::new(Rng::new(1));
    let mut graph = SearchGraph::empty();
    graph.set_root(2, 1.0, &worker::position_id(&question, &position));
    let budget = PlayoutBudget::new(Some(100), None, false);
    worker.expand_root(&question, &mut graph, &moves, &budget);
    let shared = Mutex::new(graph);
    worker.search(&question, &shared, &budget);
    let graph = lock(&shared);
    assert_eq!(graph.settled(1), Some(0.5));
    assert_eq!(graph.node(1).stage, node::Stage::Over);
}

/// Plays some plies with several threads and almost no time.
struct Hurry;

impl Visitor for Hurry {
    type Output = ();

    fn visit<G: Game>(self) {
        let game = game::<G>(json!({}));
        let mut rng = Rng::new(3);
        let mut position = game.start(&mut rng);
        let mut search = new_search::<G>(bot(60, 3));
        for ply in 0..6 {
            let Some(seat) = game.to_move(&position) else {
                break;
            };
            let question = Question::new(&game, &position, seat);
            let late = Question {
                deadline: Some(Instant::now()),
                ..Question::new(&game, &position, seat)
            };
            let mv = if ply % 2 == 0 {
                search.choose(&question, &mut rng).mv
            } else {
                new_search::<G>(Mcts::default()).choose(&late, &mut rng).mv
            };
            assert!(game.is_legal(&position, mv));
            game.play_unchecked(&mut position, mv);
            search.played(mv);
        }
    }
}

#[test]
fn threads_and_no_time_give_legal_moves() {
    for game in GAMES.iter() {
        registry::visit(&game.info.id, &serde_json::Value::Null, Hurry).unwrap();
    }
}

#[test]
fn the_clock_ends_a_search_and_past_deadlines_begin_none() {
    let game = game::<PaperPenguins>(json!({}));
    let position = game.start(&mut Rng::new(1));
    let choose = |deadline: Instant| {
        let question = Question {
            deadline: Some(deadline),
            ..Question::new(&game, &position, 0)
        };
        new_search::<PaperPenguins>(Mcts::default()).choose(&question, &mut Rng::new(1))
    };
    assert!(choose(Instant::now()).info.is_none());
    let deadline = Instant::now() + Duration::from_millis(30);
    choose(deadline);
    assert!(Instant::now() >= deadline);
}

#[test]
fn one_thread_and_a_number_of_playouts_always_give_the_same_graph() {
    let game = game::<Amazons>(json!({"size": 8}));
    let position = game.start(&mut Rng::new(1));
    let outcome = || {
        let mut search = new_search::<Amazons>(bot(300, 1));
        let decision = search.choose(&Question::new(&game, &position, 0), &mut Rng::new(9));
        let graph = lock(&search.graph);
        let root = graph.node(0);
        let visits: Vec<u32> = root.edges.iter().map(|edge| edge.visits).collect();
        (decision.mv, root.value, visits)
    };
    assert_eq!(outcome(), outcome());
}

#[test]
fn an_analysis_finds_the_same_win_and_goes_on_to_other_lines() {
    let game = game::<Siam>(json!({}));
    let position = game.load(&rhinos_can_win()).unwrap();
    let question = Question::new(&game, &position, 1);
    let analysed = |playouts: u32, lines: usize| {
        let mut report = |_| {};
        let mut analysis = Analysis::new(lines, &mut report);
        let mut search = new_search::<Siam>(bot(playouts, 1));
        let decision = search.analyse(&question, &mut analysis, &mut Rng::new(1));
        (engine::text(&game, decision.mv), decision.info.unwrap())
    };
    let (mv, info) = analysed(1000, 3);
    assert_eq!((&*mv, &info["text"]), ("c2>c3", &json!("proven win")));
    assert_eq!(info["lines"][0]["value"], json!(1.0));
    assert_eq!(info["lines"][0]["pv"][0], json!("c2>c3"));
    assert_eq!(info["value"], json!(1.0));

    // From the start nothing is proven, and the lines differ in their first moves.
    let position = game.start(&mut Rng::new(1));
    let question = Question::new(&game, &position, 0);
    let mut report = |_| {};
    let mut search = new_search::<Siam>(bot(300, 1));
    let mut analysis = Analysis::new(3, &mut report);
    let decision = search.analyse(&question, &mut analysis, &mut Rng::new(1));
    let info = decision.info.unwrap();
    let lines = info["lines"].as_array().unwrap();
    let first: Vec<&Value> = lines.iter().map(|line| &line["pv"][0]).collect();
    assert!(
        lines.len() == 3 && first[0] != first[1] && first[1] != first[2],
        "{info}"
    );
    let visits = |at: usize| lines[at]["nodes"].as_u64().unwrap();
    assert!(visits(0) >= visits(1) && visits(1) >= visits(2), "{info}");
    assert_eq!(info["nodes"], json!(300));
    assert_eq!(engine::text(&game, decision.mv), *first[0]);
}

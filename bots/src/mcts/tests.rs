//! Tests of the search on real games.

use std::time::{Duration, Instant};

use games::amazons::Amazons;
use games::paper_penguins::PaperPenguins;
use games::registry::{self, Visitor};
use games::siam::Siam;
use games::{GAMES, Options};
use serde_json::json;

use super::*;

fn game<G: Game>(options: Value) -> G {
    G::new(&Options::read(&G::INFO, &options).unwrap()).unwrap()
}

fn bot(playouts: u32, threads: usize) -> Mcts {
    Mcts {
        playouts: Some(playouts),
        untimed: true,
        threads,
    }
}

fn searcher<G: Game>(options: Mcts) -> Searcher<G> {
    Searcher {
        options,
        tree: Mutex::new(Tree::empty()),
        workers: Vec::new(),
    }
}

/// What the seat to move of two can get, by looking at everything.
fn solve<G: Game>(game: &G, position: &G::Position) -> f64 {
    let Some(seat) = game.to_move(position) else {
        return f64::NAN;
    };
    let mut moves = Vec::new();
    game.legal(position, &mut moves);
    let mut best: f64 = 0.0;
    for mv in moves {
        let mut next = *position;
        game.play(&mut next, mv);
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

/// Positions a few plies before the end of random games, solved.
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
            game.play(&mut next, mv);
            positions.push(next);
        }
        let position = positions[positions.len().saturating_sub(before_end + 1)];
        let seat = game.to_move(&position).unwrap();
        let mut searcher = searcher::<G>(bot(2000, 1));
        let thought = searcher.choose(&Question::new(game, &position, seat), &mut rng);
        if let Some(sure) = lock(&searcher.tree).settled(seat) {
            proven += 1;
            let truth = solve(game, &position);
            assert_eq!(f64::from(sure), truth, "seed {seed}: {position:?}");
            let mut next = position;
            game.play(&mut next, thought.mv);
            let kept = match game.to_move(&next) {
                None => game.outcome(&next)[seat],
                Some(mover) if mover == seat => solve(game, &next),
                Some(_) => 1.0 - solve(game, &next),
            };
            assert_eq!(kept, truth, "seed {seed}: the move gives it away");
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
fn a_win_is_played_and_told() {
    let game = game::<Siam>(json!({}));
    let position = game.load(&rhinos_can_win()).unwrap();
    let mut mind = searcher::<Siam>(bot(1000, 1));
    let thought = mind.choose(&Question::new(&game, &position, 1), &mut Rng::new(1));
    assert_eq!(thinker::text(&game, thought.mv), "c2>c3");
    let info = thought.info.unwrap();
    assert_eq!(
        (info["text"].as_str(), info["value"].as_f64()),
        (Some("proven win"), Some(1.0))
    );
    // It was seen at once.
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
        game.play(&mut next, mv);
        history.extend([game.key(&next), 7, game.key(&next)]);
    }
    let question = Question {
        repetition: Some(3),
        history: &history,
        ..Question::new(&game, &position, 1)
    };
    let mut worker = Worker::<Siam>::new(Rng::new(1));
    let mut tree = Tree::empty();
    tree.root(2, &worker::spot(&question, &position));
    let stop = Stop::new(Some(100), None, false);
    worker.open(&question, &mut tree, &moves, &stop);
    let shared = Mutex::new(tree);
    worker.search(&question, &shared, &stop);
    let tree = lock(&shared);
    assert_eq!(tree.settled(1), Some(0.5));
    assert_eq!(tree.node(1).stage, tree::Stage::Over);
}

/// Plays some plies of a game with several threads and with almost no time.
struct Hurry;

impl Visitor for Hurry {
    type Output = ();

    fn visit<G: Game>(self) {
        let game = game::<G>(json!({}));
        let mut rng = Rng::new(3);
        let mut position = game.start(&mut rng);
        let mut mind = searcher::<G>(bot(60, 3));
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
                mind.choose(&question, &mut rng).mv
            } else {
                searcher::<G>(Mcts::default()).choose(&late, &mut rng).mv
            };
            assert!(game.is_legal(&position, mv));
            game.play(&mut position, mv);
            mind.played(mv);
        }
    }
}

#[test]
fn threads_and_no_time_give_legal_moves() {
    for game in GAMES {
        registry::visit(game.info.id, Hurry).unwrap();
    }
}

#[test]
fn the_clock_ends_a_search_and_past_deadlines_begin_none() {
    let game = game::<PaperPenguins>(json!({}));
    let position = game.start(&mut Rng::new(1));
    let search = |deadline: Instant| {
        let question = Question {
            deadline: Some(deadline),
            ..Question::new(&game, &position, 0)
        };
        searcher::<PaperPenguins>(Mcts::default()).choose(&question, &mut Rng::new(1))
    };
    assert!(search(Instant::now()).info.is_none());
    let deadline = Instant::now() + Duration::from_millis(30);
    search(deadline);
    assert!(Instant::now() >= deadline);
}

#[test]
fn one_thread_and_a_number_of_playouts_give_the_same_graph_always() {
    let game = game::<Amazons>(json!({"size": 8}));
    let position = game.start(&mut Rng::new(1));
    let tell = || {
        let mut mind = searcher::<Amazons>(bot(300, 1));
        let thought = mind.choose(&Question::new(&game, &position, 0), &mut Rng::new(9));
        let tree = lock(&mind.tree);
        let root = tree.node(0);
        let visits: Vec<u32> = root.edges.iter().map(|edge| edge.visits).collect();
        (thought.mv, root.value, visits)
    };
    assert_eq!(tell(), tell());
}

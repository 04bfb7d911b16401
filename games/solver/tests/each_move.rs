//! Every move of a position by itself has the value that the position after it has.

#![expect(clippy::unwrap_used, reason = "in tests")]

use games::rules::paper_penguins::PaperPenguins;
use games::{Game, Options, Rng};
use serde_json::{Map, json};
use solver::{
    EachMove, Effort, Method, MoveValue, Question, Solver, Stopped, Unsolvable, Value, save_moves,
};

const EFFORT: Effort = Effort {
    threads: 2,
    bytes: 1 << 22,
    positions: u64::MAX,
    verify: None,
};

fn game() -> PaperPenguins {
    let options = Options::of::<PaperPenguins>(&json!({"size": 4})).unwrap();
    PaperPenguins::new(&options).unwrap()
}

/// A position with some cells left, after this many moves.
fn position(game: &PaperPenguins, moves: usize) -> <PaperPenguins as Game>::Position {
    let mut rng = Rng::new(5);
    let mut position = game.start(&mut rng);
    for _ in 0..moves {
        let mv = game.random_move(&position, &mut rng, &mut Vec::new());
        game.play_unchecked(&mut position, mv);
    }
    position
}

fn each<'g>(
    game: &'g PaperPenguins,
    moves: usize,
    question: Question,
) -> EachMove<'g, PaperPenguins> {
    EachMove::new(game, &position(game, moves), question, None).unwrap()
}

fn solved(game: &PaperPenguins, start: <PaperPenguins as Game>::Position) -> Value {
    let watch = Box::new(|_: &_| true);
    let mut solver = Solver::new(game, start, Question::Value, None, 1 << 22, watch).unwrap();
    solver.run().unwrap()
}

#[test]
fn each_move_has_the_value_of_the_position_after_it() {
    let game = game();
    for moves in [5, 6] {
        let start = position(&game, moves);
        let mut search = each(&game, moves, Question::Value);
        search.run(EFFORT, &mut |_| true).unwrap();
        assert!(search.moves().len() > 4);
        for mv in search.moves() {
            let mut after = start;
            game.play(&mut after, game.parse_move(&mv.text).unwrap())
                .unwrap();
            assert!(mv.decided);
            assert_eq!(search.value_after(mv), solved(&game, after), "{}", mv.text);
        }
        let mover = game.to_move(&start).unwrap();
        assert_eq!(search.value(mover), solved(&game, start));
    }
}

#[test]
fn proofs_are_checked_and_the_threads_do_not_matter() {
    let game = game();
    let winners = |threads, verify| {
        let mut search = each(&game, 6, Question::Win);
        let effort = Effort {
            threads,
            verify,
            ..EFFORT
        };
        search.run(effort, &mut |_| true).unwrap();
        let checked = |mv: &MoveValue| mv.checked.is_some_and(|positions| positions > 0);
        assert_eq!(search.moves().iter().any(checked), verify.is_some());
        let moves = search.moves().iter();
        let winners = moves.map(|mv| search.value_after(mv).winner);
        winners.collect::<Vec<_>>()
    };
    let one = winners(1, None);
    assert!(one.iter().all(Option::is_some));
    assert_eq!(winners(3, Some(1_000_000)), one);
}

#[test]
fn what_is_decided_is_kept_and_the_rest_gets_more_positions() {
    let game = game();
    let few = Effort {
        positions: 300,
        ..EFFORT
    };
    let mut search = each(&game, 6, Question::Win);
    search.run(few, &mut |_| true).unwrap();
    let open = |moves: &[MoveValue]| moves.iter().filter(|mv| !mv.decided).count();
    let all = search.moves().len();
    assert!(
        (1..all).contains(&open(search.moves())),
        "{:?}",
        search.moves()
    );
    assert!(
        search
            .moves()
            .iter()
            .all(|mv| mv.decided || mv.tried == 300)
    );
    let mut about = Map::new();
    about.insert("game".into(), "x".into());
    let mut bytes = Vec::new();
    save_moves(&about, search.moves(), &mut bytes).unwrap();

    let mut rest = each(&game, 6, Question::Win);
    rest.restore(&about, &bytes[..]).unwrap();
    assert_eq!(rest.moves(), search.moves());
    rest.run(EFFORT, &mut |_| true).unwrap();
    assert_eq!(open(rest.moves()), 0);
    for (then, now) in search.moves().iter().zip(rest.moves()) {
        assert_eq!(then == now, then.decided, "{then:?} {now:?}");
    }

    let mut other = each(&game, 6, Question::Win);
    let error = other.restore(&Map::new(), &bytes[..]).unwrap_err();
    assert!(
        error.to_string().starts_with("it is of another game"),
        "{error}"
    );
    let mut other = each(&game, 5, Question::Win);
    let error = other.restore(&about, &bytes[..]).unwrap_err();
    assert_eq!(error.to_string(), "it is damaged or cut off");
}

#[test]
fn a_watch_stops_all_threads() {
    let game = game();
    let mut search = each(&game, 2, Question::Value);
    let mut calls = 0;
    let stopped = search.run(EFFORT, &mut |_| {
        calls += 1;
        calls < 3
    });
    assert_eq!(stopped, Err(Stopped::Told));
    assert_eq!(calls, 3);
    assert!(!search.moves().is_empty());
}

#[test]
fn retrograde_analysis_is_refused() {
    let game = game();
    let method = Some(Method::Retrograde);
    let start = position(&game, 6);
    let refused = EachMove::new(&game, &start, Question::Win, method).err();
    assert!(matches!(refused, Some(Unsolvable::Retrograde { .. })));
}

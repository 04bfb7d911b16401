//! Sheets that say more than the language allows are read in the one way that makes sense, with notes.

use games::Session;
use gdl::{Names, SheetGame};

/// A countdown by two roles in turn: `take` counts, `pass` does not.
const COUNTDOWN: &str = "
(role a) (role b)
(init (n 3)) (init (turn a))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal ?r take) (true (turn ?r)))
(<= (legal ?r pass) (true (turn ?r)))
(<= (legal a noop) (true (turn b)))
(<= (legal b noop) (true (turn a)))
(<= (next (n ?m)) (does ?r take) (true (n ?n)) (succ ?m ?n))
(<= (next (n ?n)) (does ?r pass) (true (n ?n)))
(<= (next (turn b)) (true (turn a)))
(<= (next (turn a)) (true (turn b)))
(<= terminal (true (n 0)))
(<= (goal a 100) (true (turn b)))
(<= (goal a 0) (true (turn a)))
(<= (goal b 100) (true (turn a)))
(<= (goal b 0) (true (turn b)))
";

const INFIX: &str = "% the same countdown
role(a)
role(b)
init(n(3))
init(turn(a))
succ(0,1)
succ(1,2)
succ(2,3)
legal(R,take) :- true(turn(R))
legal(R,pass) :- true(turn(R))
legal(a,noop) :- ~true(turn(a))
legal(b,noop) :- true(turn(a))
next(n(M)) :-
    does(R,take) & true(n(N)) & succ(M,N)
next(n(N)) :- does(R,pass) & true(n(N))
next(turn(b)) :- true(turn(a))
next(turn(a)) :- true(turn(b))
terminal :- true(n(0))
goal(a,100) :- true(turn(b))
goal(a,0) :- true(turn(a))
goal(b,100) :- true(turn(a))
goal(b,0) :- true(turn(b))
";

fn game(text: &str) -> SheetGame {
    let names = Names {
        id: "test",
        own_id: "test",
    };
    SheetGame::new(&names, text).unwrap_or_else(|error| panic!("{error}"))
}

fn started(game: &SheetGame) -> Box<dyn Session> {
    game.rules.start(0).expect("rules that work")
}

/// The notes about a sheet with another line; none are about the sheet itself.
fn notes(line: &str) -> Vec<String> {
    game(&format!("{COUNTDOWN}{line}\n")).report.notes
}

#[test]
fn what_has_no_meaning_is_left_out_with_a_note() {
    assert!(game(COUNTDOWN).report.notes.is_empty());
    for (line, note) in [
        (
            "(<= (base (foo ?x)) (succ 0 1))",
            "line 18, column 5: a variable of `(<= (base (foo ?x)) (succ 0 1))` is not bound; nothing asks for it",
        ),
        (
            "(distinct a b)",
            "line 18, column 1: names are distinct without being told; left out: `(distinct a b)`",
        ),
        (
            "(<= (goal a 50) (knows a x))",
            "line 18, column 17: nothing defines `knows`, so it is false",
        ),
        (
            "(<= terminal (does a pass))",
            "line 18, column 14: `terminal` is decided before anybody moves, so `does` is read as empty",
        ),
    ] {
        let found = notes(line);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with(note), "{}", found[0]);
    }
}

#[test]
fn nobody_has_moved_where_something_is_decided() {
    // `passed` is needed with moves by `next`, and without by `legal` and `goal`.
    let text = COUNTDOWN.replace(
        "(<= terminal (true (n 0)))",
        "(<= passed (does ?r pass))
         (<= (next quiet) passed)
         (<= (legal a extra) (true (turn a)) (not passed))
         (<= (legal a never) passed)
         (<= terminal (true (n 0)) (not (does a take)))",
    );
    let game = game(&text);
    assert_eq!(game.report.notes.len(), 2, "{:?}", game.report.notes);
    let mut session = started(&game);
    assert_eq!(session.legal().unwrap(), ["extra", "pass", "take"]);
    session.play("pass").unwrap();
    let facts = session.state().unwrap()["facts"].to_string();
    assert!(facts.contains("quiet"), "{facts}");
    for _ in 0..3 {
        session.play("take").unwrap();
    }
    assert_eq!(session.end().unwrap().reason, "terminal");
}

#[test]
fn percepts_may_ask_for_what_is_next() {
    let text = "
        (role a) (role random)
        (init (n 0)) (succ 0 1) (succ 1 2) (succ 2 3) (num 1) (num 2)
        (<= (legal a (guess ?x)) (num ?x))
        (<= (legal random (roll ?x)) (num ?x))
        (<= (next (n ?m)) (true (n ?n)) (succ ?n ?m))
        (<= (next (rolled ?x)) (does random (roll ?x)))
        (<= (sees a ?x) (next (rolled ?x)))
        (<= terminal (true (n 3)))
        (goal a 50)";
    let mut session = started(&game(text));
    session.play_step(&["(guess 1)", "(roll 2)"]).unwrap();
    assert_eq!(session.sees()[0].last().unwrap(), "2");
}

#[test]
fn the_infix_notation_is_the_same_game() {
    let (usual, infix) = (game(COUNTDOWN), game(INFIX));
    let mut sessions = [started(&usual), started(&infix)];
    for mv in ["take", "pass", "take", "take"] {
        let [one, other] = &mut sessions;
        assert_eq!(one.legal(), other.legal());
        assert_eq!(one.state(), other.state());
        one.play(mv).unwrap();
        other.play(mv).unwrap();
    }
    let ends = sessions.map(|session| session.end());
    assert!(ends[0].is_some());
    assert_eq!(ends[0], ends[1]);
    // Game managers get the usual notation.
    let script = gdl::Script::of(&*infix.rules).expect("a sheet");
    assert!(
        script.text().contains("(legal ?r take)"),
        "{}",
        script.text()
    );
}

#[test]
fn a_goal_that_is_missing_does_not_void_playouts() {
    let text = COUNTDOWN.replace("(<= (goal b 0) (true (turn b)))\n", "");
    let session = started(&game(&text));
    let means = session
        .playout_means(&games::playout::PlayoutRequest::new(50, 1))
        .unwrap();
    assert!((0.0..1.0).contains(&means.outcome[1]));
}

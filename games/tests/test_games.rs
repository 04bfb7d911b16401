//! The small games for tests keep to what rules promise: states come back, steps can be taken back,
//! probabilities sum to one, and states that are drawn for a seat look to it like the real one.

#![allow(clippy::unwrap_used, reason = "these are tests")]

use games::session::{as_strs, random_step};
use games::test_games::{
    ConnectFour, Goofspiel, KuhnPoker, LiarsDice, Pig, Position, RockPaperScissors, rules,
};
use games::{Rng, Rules, Session};

fn check<P: Position>(start: P) {
    let rules = rules(start);
    for seed in 0..5 {
        let mut rng = Rng::new(seed);
        let mut session = rules.start(seed).unwrap();
        while let Some(step) = random_step(&mut *session, &mut rng).unwrap() {
            looks_right(&*rules, &*session);
            let before = session.state().unwrap();
            session.play_step(&as_strs(&step)).unwrap();
            let after = session.state().unwrap();
            session.undo(1).unwrap();
            assert_eq!(session.state().unwrap(), before);
            session.play_step(&as_strs(&step)).unwrap();
            assert_eq!(session.state().unwrap(), after);
        }
        let end = session.end().unwrap();
        assert!(end.tally.outcome.iter().sum::<f64>() == 1.0);
        looks_right(&*rules, &*session);
    }
}

fn looks_right(rules: &dyn Rules, session: &dyn Session) {
    let state = session.state().unwrap();
    let again = rules.load(&state).unwrap();
    assert_eq!(again.state().unwrap(), state);
    assert_eq!(
        (again.ply(), again.to_move()),
        (session.ply(), session.to_move())
    );
    let all: f64 = session.chances().iter().map(|(_, share)| share).sum();
    assert!(!session.to_move().has_chance() || (all - 1.0).abs() < 1e-12);
    for seat in 0..session.seats() {
        let known = session.observation(seat).unwrap();
        for drawn in rules.sample(&known, seat, 1, 4).unwrap() {
            let drawn = rules.load(&drawn).unwrap();
            assert_eq!(drawn.observation(seat).unwrap(), known);
            assert_eq!(drawn.to_move(), session.to_move());
        }
    }
}

#[test]
fn small_games_keep_their_promises() {
    check(ConnectFour::default());
    check(Goofspiel::new(4));
    check(KuhnPoker::default());
    check(LiarsDice::new(2));
    check(Pig::new(15));
    check(RockPaperScissors::with_well(3));
}

//! States as JSON: a byte for the set of options, then the state.

use games::{Rng, Rules, Session};
use oracle::random::Random;
use oracle::scattered;
use serde_json::Value;

use crate::sets;

/// Random play from a state is cut here.
const PLIES: usize = 40;

/// Valid states of a set: of a random game, and with pieces scattered about.
pub(crate) fn examples(set: &sets::Set, rng: &mut Rng) -> Vec<Value> {
    let mut states = Vec::new();
    let mut session = set.rules.start(rng.next_u64()).unwrap();
    sets::random_game(&mut *session, rng, 150, |session| {
        states.push(session.state().unwrap());
    });
    let every = states.len().div_ceil(10);
    let mut examples: Vec<Value> = states.iter().step_by(every).cloned().collect();
    examples.extend(states.last().cloned());
    let mut random = Random(rng.next_u64());
    examples.extend((0..4).map(|_| scattered::state(set.game, &set.options, &mut random)));
    examples
}

pub(crate) fn seeds(rng: &mut Rng) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (index, set) in sets::all().iter().enumerate() {
        for state in examples(set, rng) {
            let mut seed = vec![sets::byte(index)];
            seed.extend(state.to_string().bytes());
            seeds.push(seed);
        }
    }
    seeds
}

pub(crate) fn run(input: &[u8]) -> bool {
    let Some((set, text)) = sets::named(input) else {
        return false;
    };
    let Ok(state) = serde_json::from_slice::<Value>(text) else {
        return false;
    };
    match set.rules.load(&state) {
        Ok(session) => {
            check(&*set.rules, session, input.len() as u64);
            true
        }
        Err(error) => {
            assert!(error.to_string().len() < 2000 + text.len(), "a long error");
            false
        }
    }
}

/// Checks a position that came from outside, and what random play makes of it.
pub(crate) fn check(rules: &dyn Rules, mut session: Box<dyn Session>, seed: u64) {
    let first = session.state().unwrap();
    let mut rng = Rng::new(seed);
    sets::random_game(&mut *session, &mut rng, PLIES, |session| {
        let state = session.state().unwrap();
        let again = rules
            .load(&state)
            .unwrap_or_else(|error| panic!("{error} in {state}, which was saved"));
        assert_eq!(again.state().unwrap(), state, "from {first}");
        assert_eq!(again.identity(), session.identity(), "{state}");
        let tally = session.tally().unwrap();
        assert_eq!(again.tally().unwrap(), tally, "{state}");
        assert_eq!(tally.scores.len(), rules.seats());
        let view = session.view().unwrap().expect("a drawing");
        assert!(!view.cells.is_empty());
        let (to_move, moves) = (session.to_move(), session.perft_nodes(1).unwrap());
        assert_eq!(!to_move.is_over(), moves > 0, "{state}");
        assert_eq!(to_move.is_over(), session.end().is_some(), "{state}");
    });
    check_moves(&mut *session);
    let played = session.played();
    session.undo(played).expect("they were played");
    assert_eq!(session.state().unwrap(), first);
    check_moves(&mut *session);
}

/// As many moves as were counted, and no two alike.
fn check_moves(session: &mut dyn Session) {
    let mut legal = session.legal().unwrap();
    assert_eq!(legal.len() as u64, session.perft_nodes(1).unwrap());
    legal.sort_unstable();
    let all = legal.len();
    legal.dedup();
    assert_eq!(legal.len(), all, "two moves with one text");
}

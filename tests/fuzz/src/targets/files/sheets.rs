//! Sheets in the Game Description Language: valid ones are played for some steps.

use games::session::{as_strs, random_step};
use games::{Rng, Rules};
use gdl::{GroundLimits, Names, SheetGame};

/// Small, so that an input takes a moment.
const LIMITS: GroundLimits = GroundLimits {
    atoms: 4_000,
    literals: 40_000,
    candidates: 400_000,
    depth: 40,
    rewritten: false,
    change: 20,
    steps: 100_000,
    time: None,
    question_time: None,
};
/// Maximum number of steps of a game.
const LONGEST: usize = 12;

const SHEETS: [&str; 6] = [
    include_str!("../../../../../games/sheets/tic-tac-toe.kif"),
    include_str!("../../../../../games/sheets/nim.kif"),
    include_str!("../../../../../games/sheets/lights-out.kif"),
    include_str!("../../../../../games/sheets/rock-paper-scissors.kif"),
    include_str!("../../../../../games/sheets/kuhn-poker.kif"),
    include_str!("../../../../../games/sheets/monty-hall.kif"),
];

pub(crate) fn seeds(_: &mut Rng) -> Vec<Vec<u8>> {
    SHEETS.iter().map(|text| text.bytes().collect()).collect()
}

pub(crate) fn run(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else {
        return false;
    };
    let names = Names {
        id: "fuzz",
        own_id: "fuzz",
    };
    let game = match SheetGame::with_limits(&names, text, &LIMITS) {
        Ok(game) => game,
        Err(error) => {
            let sentence = error.to_string();
            assert!(sentence.starts_with("line "), "{sentence}");
            assert!(!sentence.contains(char::is_control), "{sentence}");
            return false;
        }
    };
    play(&*game.rules, input.len() as u64);
    true
}

fn play(rules: &dyn Rules, seed: u64) {
    let mut rng = Rng::new(seed);
    let Ok(mut session) = rules.start(seed) else {
        return;
    };
    for _ in 0..LONGEST {
        let state = session.state().unwrap();
        let again = rules.load(&state).unwrap();
        assert_eq!(again.state().unwrap(), state);
        assert_eq!(again.to_move(), session.to_move());
        let Some(step) = random_step(&mut *session, &mut rng).unwrap() else {
            assert!(session.end().is_some());
            return;
        };
        if session.play_step(&as_strs(&step)).is_err() {
            // The sheet breaks off; then nothing has changed.
            assert_eq!(session.state().unwrap(), state);
            return;
        }
        let mut back = session.fork();
        back.undo(1).unwrap();
        assert_eq!(back.state().unwrap(), state);
    }
}

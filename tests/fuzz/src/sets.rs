//! Every game under many sets of options, as the oracle's tests have them.

use std::sync::{Arc, LazyLock};

use games::session::{as_strs, random_step};
use games::{Rng, Rules, Session};
use serde_json::Value;

pub struct Set {
    pub game: &'static str,
    /// Without the defaults.
    pub options: Value,
    pub rules: Arc<dyn Rules>,
}

static SETS: LazyLock<Vec<Set>> = LazyLock::new(|| {
    let set = |game: &'static str, options: Value| {
        let entry = games::find(game).expect("a game of the registry");
        let rules = entry.configure(&options).expect("options that are allowed");
        Set {
            game,
            options,
            rules,
        }
    };
    let ids = games::GAMES.iter().map(|entry| entry.info.id.as_str());
    ids.flat_map(|id| oracle::sets::of(id).into_iter().map(move |o| set(id, o)))
        .collect()
});

/// All sets; fewer than 256, so that a byte can name one.
pub fn all() -> &'static [Set] {
    &SETS
}

/// The set that a byte names, and the rest of the input.
pub fn named(input: &[u8]) -> Option<(&'static Set, &[u8])> {
    let (byte, rest) = input.split_first()?;
    Some((&SETS[*byte as usize % SETS.len()], rest))
}

pub fn byte(index: usize) -> u8 {
    debug_assert!(index < SETS.len() && SETS.len() < 256);
    index as u8
}

/// Plays at most `most` random moves and calls `visit` with each position, the first one and the
/// last one included.
pub fn random_game(
    session: &mut dyn Session,
    rng: &mut Rng,
    most: usize,
    mut visit: impl FnMut(&mut dyn Session),
) {
    visit(session);
    for _ in 0..most {
        let Some(step) = random_step(session, rng).unwrap() else {
            return;
        };
        let played = session.play_step(&as_strs(&step));
        played.expect("a move that was drawn is legal");
        visit(session);
    }
}

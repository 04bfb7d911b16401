//! Options of games as JSON: a byte for the game, then the options.

use games::{GAMES, Rng};
use serde_json::Value;

use super::states;
use crate::sets;

pub(crate) fn seeds(_: &mut Rng) -> Vec<Vec<u8>> {
    let seed = |set: &sets::Set| {
        let index = GAMES.iter().position(|entry| entry.info.id == set.game);
        let game = index.unwrap_or_default() as u8;
        [set.options.clone(), set.rules.options().to_json()].map(|options| {
            let mut seed = vec![game];
            seed.extend(options.to_string().bytes());
            seed
        })
    };
    sets::all().iter().flat_map(seed).collect()
}

pub(crate) fn run(input: &[u8]) -> bool {
    let Some((byte, text)) = input.split_first() else {
        return false;
    };
    let entry = &GAMES[*byte as usize % GAMES.len()];
    let Ok(options) = serde_json::from_slice::<Value>(text) else {
        return false;
    };
    let rules = match entry.configure(&options) {
        Ok(rules) => rules,
        Err(error) => {
            assert!(error.to_string().len() < 2000 + text.len(), "a long error");
            return false;
        }
    };
    let complete = rules.options().to_json();
    let again = entry.configure(&complete).expect("options that were taken");
    assert_eq!(again.options().to_json(), complete);
    assert_eq!(rules.roles().len(), rules.seats());
    let start = rules.start(input.len() as u64).unwrap();
    let again = again.start(input.len() as u64).unwrap();
    assert_eq!(start.state(), again.state());
    states::check(&*rules, start, input.len() as u64);
    true
}

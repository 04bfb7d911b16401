//! Random games that are inspected position by position.

use games::session::{as_strs, random_step};
use games::{Rng, Rules, Session};

/// Longer games are cut after this many steps.
const LONGEST: usize = 400;

/// Calls `visit` with positions of some random games, including the first and the last one. Later
/// positions of long games are visited ever more rarely. Returns the number of games that ended.
///
/// # Errors
/// An error of `visit`, or of the rules.
pub(super) fn each_position(
    rules: &dyn Rules,
    games: u32,
    seed: u64,
    mut visit: impl FnMut(&mut dyn Session) -> Result<(), String>,
) -> Result<u32, String> {
    let mut ended = 0;
    for number in 0..u64::from(games) {
        let mut rng = Rng::from_parts(&[seed, number]);
        let start = rules.start(seed.wrapping_add(number));
        let mut session = start.map_err(|broken| broken.to_string())?;
        for step in 0..LONGEST {
            // All of the first ones, then about as many again each time the number doubles.
            if step < 16 || step.is_multiple_of(step.ilog2() as usize) || session.end().is_some() {
                visit(&mut *session)?;
            }
            let choices = random_step(&mut *session, &mut rng);
            let Some(choices) = choices.map_err(|broken| broken.to_string())? else {
                ended += 1;
                break;
            };
            let played = session.play_step(&as_strs(&choices));
            played.map_err(|error| error.to_string())?;
        }
    }
    Ok(ended)
}

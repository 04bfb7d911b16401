//! Random games whose positions are looked at one after another.

use games::session::{as_strs, random_step};
use games::{Rng, Rules, Session};

/// No game is followed further, in steps.
const LONGEST: usize = 400;

/// Calls `visit` with every position of some random games, the first and the last one included. Of
/// long games, later positions are visited more and more rarely. Gives how many games came to an
/// end.
///
/// # Errors
/// What `visit` says, or the rules refuse.
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

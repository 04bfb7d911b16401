//! Steps of any session: random ones, and those that come ply by ply.

use super::Session;
use super::errors::{BrokenRules, MoveError};
use crate::kit::rng::Rng;
use crate::kit::to_move::Actor;

/// A random step: every seat's legal moves are equally likely, chance draws by its probabilities.
/// `None` when the game is over.
///
/// # Errors
/// If rules from outside do not work.
pub fn random_step(
    session: &mut (impl Session + ?Sized),
    rng: &mut Rng,
) -> Result<Option<Vec<String>>, BrokenRules> {
    let mut choices = Vec::new();
    for actor in session.to_move().actors() {
        let choice = match actor {
            Actor::Seat(seat) => session.random_move(seat, rng)?,
            Actor::Chance => draw(session.chances(), rng),
        };
        choices.extend(choice);
    }
    Ok((!choices.is_empty()).then_some(choices))
}

/// One of these outcomes, drawn by their probabilities; `None` if there are none.
pub fn draw(chances: Vec<(String, f64)>, rng: &mut Rng) -> Option<String> {
    let all: f64 = chances.iter().map(|(_, probability)| probability).sum();
    let mut left = rng.unit() * all;
    let mut drawn = None;
    for (outcome, probability) in chances {
        // The last possible one, should rounding leave a rest.
        if probability > 0.0 {
            drawn = Some(outcome);
            left -= probability;
        }
        if left < 0.0 {
            break;
        }
    }
    drawn
}

/// Makes steps of plies that come one by one, as logs and books have them.
#[derive(Clone, Debug, Default)]
pub struct PlyByPly {
    /// The choices of a step that is not complete.
    choices: Vec<String>,
}

impl PlyByPly {
    /// The actor of the next ply; `None` when the game is over.
    pub fn next(&self, session: &dyn Session) -> Option<Actor> {
        session.to_move().actors().nth(self.choices.len())
    }

    /// True if the last step is complete.
    pub fn is_whole(&self) -> bool {
        self.choices.is_empty()
    }

    /// Adds a ply. With the last one of a step, the step is made.
    ///
    /// # Errors
    /// If the ply is not legal, or rules from outside do not work; the session is then as it was.
    pub fn add(&mut self, session: &mut dyn Session, text: &str) -> Result<(), MoveError> {
        let to_move = session.to_move();
        if to_move.count() <= 1 {
            return session.play(text);
        }
        if let Some(Actor::Seat(seat)) = self.next(session) {
            session.check_move(seat, text)?;
        }
        self.choices.push(text.to_owned());
        if self.choices.len() < to_move.count() {
            return Ok(());
        }
        let choices = std::mem::take(&mut self.choices);
        session.play_step(&as_strs(&choices))
    }

    /// Adds plies, all of them.
    ///
    /// # Errors
    /// See [`PlyByPly::add`].
    pub fn add_all(
        &mut self,
        session: &mut dyn Session,
        plies: &[impl AsRef<str>],
    ) -> Result<(), MoveError> {
        plies
            .iter()
            .try_for_each(|text| self.add(session, text.as_ref()))
    }
}

/// A step's choices as [`Session::play_step`] takes them.
pub fn as_strs(choices: &[String]) -> Vec<&str> {
    choices.iter().map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn errors_about_moves_are_short_and_cannot_steer_terminals() {
        let rules = crate::find("amazons").unwrap();
        let mut session = rules
            .configure(&json!({"size": 5}))
            .unwrap()
            .start(0)
            .unwrap();
        let mut rng = crate::Rng::new(1);
        let text = format!("\u{1b}[2J\n{}", "x".repeat(10_000));
        let check = |session: &mut dyn crate::Session| {
            let error = session.play(&text).unwrap_err().to_string();
            assert!(
                error.len() < 200 && !error.contains(char::is_control),
                "{error}"
            );
        };
        check(&mut *session);
        while let Some(step) = super::random_step(&mut *session, &mut rng).unwrap() {
            session.play(&step[0]).unwrap();
        }
        check(&mut *session);
    }
}

//! Evaluations of any game's positions as expected outcomes, for the forward model.

use games::registry::{self, Visitor};
use games::{Game, Outcome, Session, session};
use serde_json::Value;

use crate::evaluation::evaluate::{Evaluate, expected};

pub trait PositionValue: Send {
    /// The expected outcome of each seat, in [0, 1], one entry a seat; in a finished game its outcome.
    ///
    /// # Panics
    /// If the session is one of another game.
    fn value(&mut self, session: &dyn Session) -> Outcome;
}

/// The evaluation that the reference bots use for the game with this id under these options; `None` if
/// there is no such game.
pub fn position_value(game: &str, options: &Value) -> Option<Box<dyn PositionValue>> {
    registry::visit(game, options, Make)
}

struct Make;

impl Visitor for Make {
    type Output = Box<dyn PositionValue>;

    fn visit<G: Game>(self) -> Self::Output {
        Box::new(OfGame::<G>(crate::evaluation::evaluation()))
    }
}

struct OfGame<G>(Box<dyn Evaluate<G>>);

impl<G: Game> PositionValue for OfGame<G> {
    fn value(&mut self, session: &dyn Session) -> Outcome {
        let (game, position) = session::typed::<G>(session).expect("a session of this game");
        expected_outcome(game, position, &mut *self.0)
    }
}

/// The expected outcome of each seat by an evaluation; in a finished game its outcome.
pub(crate) fn expected_outcome<G: Game>(
    game: &G,
    position: &G::Position,
    evaluation: &mut dyn Evaluate<G>,
) -> Outcome {
    if game.to_move(position).is_none() {
        return game.outcome(position);
    }
    let scores = &evaluation.scores(game, position)[..game.seats()];
    let others = (scores.len() - 1).max(1) as f64;
    let against = |seat: usize| {
        let others = scores.iter().enumerate().filter(move |(i, _)| *i != seat);
        others.map(move |(_, other)| f64::from(expected(scores[seat], *other)))
    };
    (0..scores.len())
        .map(|seat| against(seat).sum::<f64>() / others)
        .collect()
}

#[cfg(test)]
mod tests {
    use games::session::random_step;
    use games::{GAMES, Rng};

    use super::*;

    #[test]
    fn values_share_out_what_there_is_to_win() {
        for entry in GAMES.iter() {
            let mut session = entry.configure(&Value::Null).unwrap().start(1).unwrap();
            let mut values = position_value(&entry.info.id, &Value::Null).unwrap();
            let mut rng = Rng::new(1);
            while session.ply() < 300 {
                let value = values.value(&*session);
                let sum: f64 = value.iter().sum();
                assert!((sum - value.len() as f64 / 2.0).abs() < 1e-5, "{value:?}");
                assert!(value.iter().all(|v| (0.0..=1.0).contains(v)), "{value:?}");
                let Some(step) = random_step(&mut *session, &mut rng).unwrap() else {
                    assert_eq!(value.as_slice(), session.tally().unwrap().outcome);
                    break;
                };
                session.play(&step[0]).unwrap();
            }
        }
    }
}

//! Evaluations: what a position is worth to each seat without searching. Each game has its own
//! file; a game without one is judged by points and mobility.

mod amazons;
mod general;
mod grid;
mod linear;

use games::{Game, MAX_SEATS};

pub use general::General;
use linear::Linear;

/// If two scores are farther apart than this, the outcome is certain: the seat with the higher one
/// wins against best play, and the difference beyond it tells by how much.
pub const CERTAIN: f32 = 40.0;

/// Judges positions of one game.
pub trait Evaluate<G: Game>: Send {
    /// How well each seat stands, in units of log odds: with two seats, the logistic function of
    /// the difference is about the expected outcome of the one against the other; with more, the
    /// same holds for each pair. Entries beyond the seats mean nothing. Positions of finished
    /// games may be given, but the outcome tells more about them.
    ///
    /// The same position always gets the same scores.
    fn scores(&mut self, game: &G, position: &G::Position) -> [f32; MAX_SEATS];
}

/// Gives the own evaluation to each game that has one.
macro_rules! own_evaluations {
    ($($game:ty => $evaluation:expr,)*) => {
        fn own<G: Game>() -> Option<Box<dyn Evaluate<G>>> {
            $(if G::INFO.id == <$game as Game>::INFO.id {
                let evaluation: Box<dyn Evaluate<$game>> = Box::new($evaluation);
                // The two types are one, if they are of the same game.
                let evaluation: Box<dyn std::any::Any> = Box::new(evaluation);
                return evaluation.downcast().ok().map(|evaluation| *evaluation);
            })*
            None
        }
    };
}

own_evaluations![
    games::amazons::Amazons => Linear::<amazons::Territory>::default(),
];

/// The game's own evaluation or, for a game without one, the general one.
pub fn evaluation<G: Game>() -> Box<dyn Evaluate<G>> {
    own::<G>().unwrap_or_else(|| Box::new(General::default()))
}

/// Whether a game has no evaluation of its own.
pub(crate) fn is_general<G: Game>() -> bool {
    own::<G>().is_none()
}

/// The expected outcome of the first against the second of two seats with these scores.
///
/// ```
/// assert_eq!(bots::evaluate::expected(1.5, 1.5), 0.5);
/// assert!(bots::evaluate::expected(3.0, 0.0) > 0.95);
/// ```
pub fn expected(one: f32, other: f32) -> f32 {
    1.0 / (1.0 + (other - one).exp())
}

#[cfg(test)]
mod tests {
    use games::registry::{self, Visitor};
    use games::{GAMES, Options, Rng};

    use super::*;

    /// Plays random games and looks at what the evaluation says on the way.
    struct Sane;

    impl Visitor for Sane {
        type Output = ();

        fn visit<G: Game>(self) {
            let game = G::new(&Options::defaults(&G::INFO)).unwrap();
            let mut evaluation = evaluation::<G>();
            let mut scratch = Vec::new();
            for seed in 0..4 {
                let mut rng = Rng::new(seed);
                let mut position = game.start(&mut rng);
                for _ in 0..200 {
                    let scores = evaluation.scores(&game, &position);
                    let seats = &scores[..game.seats()];
                    assert!(seats.iter().all(|score| score.abs() < 1000.0), "{scores:?}");
                    assert_eq!(scores, evaluation.scores(&game, &position));
                    if game.to_move(&position).is_none() {
                        break;
                    }
                    let mv = game.random_move(&position, &mut rng, &mut scratch);
                    game.play(&mut position, mv);
                }
            }
        }
    }

    #[test]
    fn every_evaluation_is_finite_and_the_same_for_the_same_position() {
        for game in GAMES {
            registry::visit(game.info.id, Sane).unwrap();
        }
    }
}

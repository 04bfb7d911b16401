//! The evaluation of a game without one of its own: points and mobility.

use games::{Game, MAX_SEATS, Rng};

use crate::evaluation::evaluate::Evaluate;
use crate::evaluation::mobility;

/// Evaluates by points and by mobility along a random line, which depends on the position alone.
#[derive(Debug)]
pub struct General<M> {
    /// A list of moves, kept to be reused.
    scratch: Vec<M>,
}

impl<M> Default for General<M> {
    fn default() -> Self {
        General {
            scratch: Vec::new(),
        }
    }
}

impl<G: Game> Evaluate<G> for General<G::Move> {
    fn scores(&mut self, game: &G, position: &G::Position) -> [f32; MAX_SEATS] {
        let mut rng = Rng::from_parts(&[game.key(position)]);
        let strengths = mobility::strengths(game, position, &mut rng, &mut self.scratch);
        strengths.map(|strength| strength as f32)
    }
}

//! The evaluation of a game about which nothing is known: points, and who has how many moves.

use games::{Game, MAX_SEATS, Rng};

use super::Evaluate;
use crate::rating;

/// Points and mobility, along a random line that depends on the position only.
#[derive(Debug)]
pub struct General<M> {
    /// Reused for lists of moves.
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
        let strengths = rating::strengths(game, position, &mut rng, &mut self.scratch);
        strengths.map(|strength| strength as f32)
    }
}

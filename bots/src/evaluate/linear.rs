//! Evaluations that are weighted sums of features, so that the weights can be fitted to games.

use std::sync::LazyLock;

use games::{Game, MAX_SEATS};

use super::Evaluate;

/// No evaluation has more features than this.
pub(super) const MOST: usize = 24;

/// The features of each seat.
pub(super) type Table = [[f32; MOST]; MAX_SEATS];

/// What is counted in a position of a game.
pub(super) trait Features<G: Game>: Default + Send {
    /// What each feature weighs, in log odds.
    const WEIGHTS: &'static [f32];

    /// Fills the table, which is all 0 before. What only one seat can have stays 0 for the others.
    fn count(&mut self, game: &G, position: &G::Position, table: &mut Table);

    /// The scores where the outcome is certain; see [`super::CERTAIN`].
    fn certain(&mut self, game: &G, position: &G::Position) -> Option<[f32; MAX_SEATS]> {
        let _ = (game, position);
        None
    }
}

/// The evaluation that features make.
#[derive(Default)]
pub(super) struct Linear<F>(F);

impl<G: Game, F: Features<G>> Evaluate<G> for Linear<F> {
    fn scores(&mut self, game: &G, position: &G::Position) -> [f32; MAX_SEATS] {
        if let Some(scores) = self.0.certain(game, position) {
            return scores;
        }
        let mut table = Table::default();
        self.0.count(game, position, &mut table);
        table.map(|features| {
            let terms = features.iter().zip(F::WEIGHTS);
            let sum: f32 = terms.map(|(feature, weight)| feature * weight).sum();
            sum.clamp(-MOST_GUESSED, MOST_GUESSED)
        })
    }
}

/// The natural logarithm of a small count and one.
#[inline]
pub(super) fn logarithm(count: u32) -> f32 {
    static TABLE: LazyLock<[f32; 64]> =
        LazyLock::new(|| std::array::from_fn(|count| (count as f32 + 1.0).ln()));
    TABLE[(count as usize).min(63)]
}

/// A guess is never as sure as what is certain.
const MOST_GUESSED: f32 = 15.0;

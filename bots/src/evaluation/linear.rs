//! Evaluations that are weighted sums of features. `fit` fits the weights to games.

use std::sync::LazyLock;

use games::{Game, MAX_SEATS, Seat};

use crate::evaluation::evaluate::Evaluate;

/// An evaluation has at most this many features.
pub(crate) const MOST_FEATURES: usize = 24;

/// The features of each seat; entries that an evaluation does not use are 0.
pub(crate) type FeatureTable = [[f32; MOST_FEATURES]; MAX_SEATS];

pub(crate) trait Features<G: Game>: Default + Send {
    /// The weight of each feature, in log odds.
    const WEIGHTS: &'static [f32];
    /// See [`Evaluate::exploration`].
    const EXPLORATION: f32 = 1.0;

    /// See [`Evaluate::asked_by`].
    fn asked_by(&mut self, seat: Seat) {
        let _ = seat;
    }

    fn weights(&self) -> &'static [f32] {
        Self::WEIGHTS
    }

    /// Fills the table, which is all 0 before. A feature that only one seat can have stays 0 for the
    /// others.
    fn count(&mut self, game: &G, position: &G::Position, table: &mut FeatureTable);

    /// See [`Evaluate::shortlist`]. Returns whether it has listed the moves.
    fn shortlist(
        &mut self,
        game: &G,
        position: &G::Position,
        depth: i32,
        moves: &mut Vec<G::Move>,
    ) -> bool {
        let _ = (game, position, depth, moves);
        false
    }

    /// See [`Evaluate::noisy`].
    fn noisy(&mut self, game: &G, position: &G::Position, moves: &mut Vec<(i32, G::Move)>) {
        let _ = (game, position, moves);
    }

    /// The lead of one of two seats over the other, in log odds.
    fn lead(&mut self, game: &G, position: &G::Position, seat: Seat) -> f32 {
        let mut table = FeatureTable::default();
        self.count(game, position, &mut table);
        let terms = (0..Self::WEIGHTS.len())
            .map(|i| Self::WEIGHTS[i] * (table[seat][i] - table[1 - seat][i]));
        terms.sum()
    }

    /// The scores if the outcome is certain; see [`CERTAIN`](crate::evaluation::evaluate::CERTAIN).
    fn certain(&mut self, game: &G, position: &G::Position) -> Option<[f32; MAX_SEATS]> {
        let _ = (game, position);
        None
    }
}

/// The evaluation by a game's features.
#[derive(Default)]
pub(crate) struct Linear<F>(F);

impl<G: Game, F: Features<G>> Evaluate<G> for Linear<F> {
    fn scores(&mut self, game: &G, position: &G::Position) -> [f32; MAX_SEATS] {
        if let Some(scores) = self.0.certain(game, position) {
            return scores;
        }
        let mut table = FeatureTable::default();
        self.0.count(game, position, &mut table);
        let weights = self.0.weights();
        table.map(|features| {
            let terms = features.iter().zip(weights);
            let sum: f32 = terms.map(|(feature, weight)| feature * weight).sum();
            sum.clamp(-MOST_ESTIMATED, MOST_ESTIMATED)
        })
    }

    fn asked_by(&mut self, seat: Seat) {
        self.0.asked_by(seat);
    }

    fn exploration(&self) -> f32 {
        F::EXPLORATION
    }

    fn shortlist(
        &mut self,
        game: &G,
        position: &G::Position,
        depth: i32,
        moves: &mut Vec<G::Move>,
    ) {
        if !self.0.shortlist(game, position, depth, moves) {
            game.legal(position, moves);
        }
    }

    fn noisy(&mut self, game: &G, position: &G::Position, moves: &mut Vec<(i32, G::Move)>) {
        self.0.noisy(game, position, moves);
    }
}

/// The natural logarithm of `count + 1`; counts above 63 are taken as 63.
#[inline]
pub(crate) fn logarithm(count: u32) -> f32 {
    static TABLE: LazyLock<[f32; 64]> =
        LazyLock::new(|| std::array::from_fn(|count| (count as f32 + 1.0).ln()));
    TABLE[(count as usize).min(63)]
}

/// The bound on scores that are not certain, well below [`CERTAIN`](crate::evaluation::evaluate::CERTAIN).
const MOST_ESTIMATED: f32 = 15.0;

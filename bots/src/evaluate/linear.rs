//! Evaluations that are weighted sums of features, so that the weights can be fitted to games.

use std::sync::LazyLock;

use games::{Game, MAX_SEATS, Seat};

use super::Evaluate;

/// No evaluation has more features than this.
pub(super) const MOST: usize = 24;

/// The features of each seat.
pub(super) type Table = [[f32; MOST]; MAX_SEATS];

/// What is counted in a position of a game.
pub(super) trait Features<G: Game>: Default + Send {
    /// What each feature weighs, in log odds.
    const WEIGHTS: &'static [f32];

    /// See [`Evaluate::asked_by`].
    fn asked_by(&mut self, seat: Seat) {
        let _ = seat;
    }

    /// The weights for who asks.
    fn weights(&self) -> &'static [f32] {
        Self::WEIGHTS
    }

    /// Fills the table, which is all 0 before. What only one seat can have stays 0 for the others.
    fn count(&mut self, game: &G, position: &G::Position, table: &mut Table);

    /// See [`Evaluate::shortlist`]. Gives whether it has listed any moves.
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

    /// How much better a seat of two stands than the other one.
    fn lead(&mut self, game: &G, position: &G::Position, seat: Seat) -> f32 {
        let mut table = Table::default();
        self.count(game, position, &mut table);
        let terms = (0..Self::WEIGHTS.len())
            .map(|i| Self::WEIGHTS[i] * (table[seat][i] - table[1 - seat][i]));
        terms.sum()
    }

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
        let weights = self.0.weights();
        table.map(|features| {
            let terms = features.iter().zip(weights);
            let sum: f32 = terms.map(|(feature, weight)| feature * weight).sum();
            sum.clamp(-MOST_GUESSED, MOST_GUESSED)
        })
    }

    fn asked_by(&mut self, seat: Seat) {
        self.0.asked_by(seat);
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

/// The natural logarithm of a small count and one.
#[inline]
pub(super) fn logarithm(count: u32) -> f32 {
    static TABLE: LazyLock<[f32; 64]> =
        LazyLock::new(|| std::array::from_fn(|count| (count as f32 + 1.0).ln()));
    TABLE[(count as usize).min(63)]
}

/// A guess is never as sure as what is certain.
const MOST_GUESSED: f32 = 15.0;

//! Moves that were evaluated, and their priors: how promising each is compared to the others.

use games::MAX_SEATS;

use super::odds::exp;

/// The temperature of the priors, in log odds: the higher, the more alike they are.
const PRIOR_TEMPERATURE: f32 = 0.5;

/// The expected outcome of each seat.
pub(super) type SeatValues = [f32; MAX_SEATS];

/// A move that was evaluated and not yet tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<M> {
    pub(super) mv: M,
    /// The expected outcome for the seat that makes it.
    pub(super) mean: f32,
    /// The same, in log odds.
    pub(super) margin: f32,
    /// Its prior; those of all moves add up to 1.
    pub(super) prior: f32,
    /// The outcome in twelfths, if it is certain.
    pub(super) exact: Option<u8>,
}

/// Softmax of the margins.
pub(super) fn set_priors<M>(candidates: &mut [Candidate<M>]) {
    let margins = candidates.iter().map(|candidate| candidate.margin);
    let most = margins.fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for candidate in candidates.iter_mut() {
        candidate.prior = exp((candidate.margin - most) * (1.0 / PRIOR_TEMPERATURE));
        sum += candidate.prior;
    }
    let share = 1.0 / sum;
    for candidate in candidates {
        candidate.prior *= share;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priors_add_up_and_follow_the_margins() {
        let candidate = |margin| Candidate {
            mv: (),
            mean: 0.5,
            margin,
            prior: 0.0,
            exact: None,
        };
        let mut moves = [3.0, 1.0, -50.0].map(candidate);
        set_priors(&mut moves);
        let [a, b, c] = moves.map(|candidate| candidate.prior);
        assert!((a + b + c - 1.0).abs() < 1e-6);
        assert!((a / b - (2.0f32 / PRIOR_TEMPERATURE).exp()).abs() < 0.01 && c < 1e-6);
    }
}

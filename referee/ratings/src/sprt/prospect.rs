//! Expectations before a test begins: the number of pairs (Wald's approximation), and if a limit
//! leaves it enough.

use serde::Serialize;

use super::passage::{OVERSHOOT, Walk};
use super::{EloModel, Hypotheses, NORMALIZED, expected};

/// Expectation for one true difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Prospect {
    /// The difference, in the scale of the hypotheses.
    pub elo: f64,
    /// The swapped pairs until it is decided, on average, without a limit.
    pub pairs: f64,
    /// The share of such tests that are decided within the limit.
    pub decided: f64,
}

/// Expectations if this share of the matches are drawn, and the two matches of a pair are
/// independent: for the two hypotheses and, in the middle, for half-way between them, where the
/// test takes longest. In normalized Elo, draws change nothing.
pub fn prospect(hypotheses: &Hypotheses, draws: f64, max_pairs: u32) -> [Prospect; 3] {
    let Hypotheses { elo0, elo1, .. } = *hypotheses;
    let [at0, at1] = [elo0, elo1].map(|elo| match hypotheses.model {
        EloModel::Logistic => expected(elo),
        EloModel::Normalized => elo / NORMALIZED * std::f64::consts::SQRT_2,
    });
    let (apart, middle) = (at1 - at0, 0.5 * (at0 + at1));
    let variance = match hypotheses.model {
        // Half of that of a match.
        EloModel::Logistic => 0.5 * (middle * (1.0 - middle) - 0.25 * draws).max(1e-4),
        EloModel::Normalized => 1.0,
    };
    let deviation = variance.sqrt();
    let of = |elo: f64, at: f64| {
        let walk = Walk {
            drift: (at - middle) / deviation,
            up: hypotheses.upper() * deviation / apart + OVERSHOOT,
            down: -hypotheses.lower() * deviation / apart + OVERSHOOT,
        };
        let limit = f64::from(max_pairs);
        Prospect {
            elo,
            pairs: walk.mean_time(),
            decided: (walk.ended_above(limit) + walk.ended_below(limit)).min(1.0),
        }
    };
    [
        of(elo0, at0),
        of(0.5 * (elo0 + elo1), middle),
        of(elo1, at1),
    ]
}

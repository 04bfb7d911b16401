//! Simulated tests between two bots.

use games::Rng;

use super::tournaments::{Setting, first_score, points};
use crate::model::ELO;
use crate::sprt::{Hypotheses, Scores, Verdict, expected};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    pub h0: u32,
    pub h1: u32,
    /// Neither, after as many pairs as were allowed.
    pub open: u32,
    /// All pairs of all tests.
    pub pairs: u64,
}

/// Runs a number of tests between two bots of which the first expects the score that `elo` means, in
/// swapped pairs of a game like the setting's, and stops each when it is decided.
pub fn decisions(
    setting: &Setting,
    hypotheses: &Hypotheses,
    elo: f64,
    tests: u32,
    seed: u64,
) -> Decisions {
    /// No test takes that long.
    const MOST_PAIRS: u64 = 1_000_000;
    let truth = setting.known(&[0.0, -difference(setting, elo)]);
    let mut decisions = Decisions::default();
    for number in 0..tests {
        let mut rng = Rng::from_parts(&[seed, u64::from(number)]);
        let mut scores = Scores::new();
        let mut verdict = Verdict::Running;
        while verdict == Verdict::Running && scores.units() < MOST_PAIRS {
            let pair = setting.unit(&[0, 1], &truth, 0, &[0.0; 2], &mut rng);
            scores.add(first_score(&pair).unwrap_or(0.5));
            verdict = scores.verdict(hypotheses);
        }
        decisions.pairs += scores.units();
        match verdict {
            Verdict::H0 => decisions.h0 += 1,
            Verdict::H1 => decisions.h1 += 1,
            Verdict::Running => decisions.open += 1,
        }
    }
    decisions
}

/// The difference in strength, in the model's Elo, for an expected score over a swapped pair.
fn difference(setting: &Setting, elo: f64) -> f64 {
    let score = |difference: f64| {
        let seats = [setting.advantage, -setting.advantage];
        let points = seats.map(|advantage| points(setting.chances((difference + advantage) / ELO)));
        0.5 * (points[0] + points[1])
    };
    let (mut low, mut high) = (-5000.0, 5000.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if score(middle) < expected(elo) {
            low = middle
        } else {
            high = middle
        }
    }
    0.5 * (low + high)
}

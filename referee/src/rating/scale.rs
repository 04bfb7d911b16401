//! The scale on which people see ratings: Elo by expected score.
//!
//! A bot that is d Elo above another one expects the score 1 / (1 + 10^(−d/400)) against it in
//! equal seats, draws counting half. The model speaks in log-odds: the logarithm of how much
//! likelier a win is than a loss. Without draws both are the same; with 60 % draws, the log-odds of
//! a score of 0.614 are 197 in units of Elo, and the difference by expected score is 81.
//!
//! Differences by expected score do not add up exactly along a chain of bots once there are draws.
//! So ratings are those which, for each bot, give the score that the model expects of it in a round
//! robin among all bots that matches connect, in equal seats. With two bots this is exact.

use super::linear::{Cholesky, Square};
use super::ratings::ELO;

/// How exact ratings are, in units of natural logarithms: a thousandth of an Elo.
const EXACT: f64 = 1e-3 / ELO;
const MOST_STEPS: usize = 60;
/// Scores closer to 0 and 1 than this are beyond what numbers of 64 bits can tell.
const EDGE: f64 = 1e-15;

/// How often equals draw, as games mix it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DrawMix {
    /// The share of a kind of game, and its δ: how much likelier than a win a draw between equals
    /// is.
    games: Vec<(f64, f64)>,
}

impl DrawMix {
    /// From the weight of each game, and its δ.
    pub(crate) fn new(games: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut mix: Vec<(f64, f64)> = Vec::new();
        for (weight, draws) in games {
            match mix.iter_mut().find(|(_, known)| *known == draws) {
                Some((sum, _)) => *sum += weight,
                None => mix.push((weight, draws)),
            }
        }
        let sum: f64 = mix.iter().map(|(weight, _)| weight).sum();
        mix.retain(|(weight, _)| *weight > 0.0);
        for (weight, _) in &mut mix {
            *weight /= sum;
        }
        DrawMix { games: mix }
    }

    /// Whether there are any draws.
    fn is_plain(&self) -> bool {
        self.games.iter().all(|(_, draws)| *draws == 0.0)
    }

    /// The score that log-odds mean in equal seats.
    pub(crate) fn expected(&self, odds: f64) -> f64 {
        let weak = (-0.5 * odds.abs()).exp();
        let loss = self.games.iter().map(|(weight, draws)| {
            let (draw, lost) = (draws * weak, weak * weak);
            weight * (0.5 * draw + lost) / (1.0 + draw + lost)
        });
        let loss: f64 = match self.games.is_empty() {
            true => weak * weak / (1.0 + weak * weak),
            false => loss.sum(),
        };
        match odds >= 0.0 {
            true => 1.0 - loss,
            false => loss,
        }
    }

    /// The difference by expected score, in Elo, that log-odds mean.
    pub(crate) fn elo(&self, odds: f64) -> f64 {
        match self.is_plain() {
            true => ELO * odds,
            false => ELO * logit(self.expected(odds)),
        }
    }
}

fn logit(chance: f64) -> f64 {
    let chance = chance.clamp(EDGE, 1.0 - EDGE);
    (chance / (1.0 - chance)).ln()
}

fn logistic(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

/// Puts bots that matches connect on the scale; made for one set of strengths, it is quick for
/// others near it.
#[derive(Clone, Debug)]
pub(crate) struct Scale {
    /// The ratings that the scale was made for, as natural logarithms.
    near: Vec<f64>,
    /// The log-odds that it was made for.
    odds: Vec<f64>,
    /// The second derivatives there, factored; `None` where nothing has to be solved.
    factored: Option<Cholesky>,
}

impl Scale {
    /// For bots of these strengths, as log-odds.
    pub(crate) fn new(odds: &[f64], draws: &DrawMix) -> Self {
        let mut scale = Scale {
            near: odds.to_vec(),
            odds: odds.to_vec(),
            factored: None,
        };
        if odds.len() < 3 || draws.is_plain() {
            return scale;
        }
        // Each factoring is made at a better place; the last one serves all later calls.
        for _ in 0..4 {
            scale.factored = curvature(&scale.near).factor();
            scale.near = scale.solve(odds, draws);
        }
        scale
    }

    /// The ratings in Elo, with mean 0, of the same bots at these strengths.
    pub(crate) fn elo(&self, odds: &[f64], draws: &DrawMix) -> Vec<f64> {
        let mut ratings = match (odds, draws.is_plain()) {
            (_, true) => odds.to_vec(),
            ([one, other], false) => vec![draws.elo(one - other) / ELO, 0.0],
            _ => self.solve(odds, draws),
        };
        let mean = ratings.iter().sum::<f64>() / ratings.len().max(1) as f64;
        for rating in &mut ratings {
            *rating = ELO * (*rating - mean);
        }
        ratings
    }

    /// Newton's method with the derivatives of where the scale was made.
    fn solve(&self, odds: &[f64], draws: &DrawMix) -> Vec<f64> {
        let Some(factored) = &self.factored else {
            return odds.to_vec();
        };
        let bots = odds.len();
        let mut wanted = vec![0.0; bots];
        for i in 0..bots {
            for j in 0..i {
                let score = draws.expected(odds[i] - odds[j]);
                wanted[i] += score;
                wanted[j] += 1.0 - score;
            }
        }
        let moved = odds.iter().zip(&self.odds).map(|(odds, then)| odds - then);
        let mut at: Vec<f64> = self
            .near
            .iter()
            .zip(moved)
            .map(|(at, by)| at + by)
            .collect();
        let mut fresh: Option<Cholesky> = None;
        let mut last = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let mut step = wanted.clone();
            for i in 0..bots {
                for j in 0..i {
                    let score = logistic(at[i] - at[j]);
                    step[i] -= score;
                    step[j] -= 1.0 - score;
                }
            }
            fresh.as_ref().unwrap_or(factored).solve(&mut step);
            let largest = step.iter().fold(0.0, |most: f64, s| most.max(s.abs()));
            // Far out, parabolas mean little.
            let length = (1.0 / largest).min(1.0);
            for (at, step) in at.iter_mut().zip(&step) {
                *at += length * step;
            }
            if largest < EXACT {
                break;
            }
            if largest > 0.3 * last {
                fresh = curvature(&at).factor();
            }
            last = largest;
        }
        at
    }
}

/// The negative second derivatives; the sum of all ratings, which nothing holds, is held at 0.
fn curvature(at: &[f64]) -> Square {
    let mut curvature = Square::zero(at.len());
    for i in 0..at.len() {
        for j in 0..i {
            let score = logistic(at[i] - at[j]);
            let bend = (score * (1.0 - score)).max(1e-9);
            curvature.add(i, i, bend);
            curvature.add(j, j, bend);
            curvature.add(i, j, -bend + 1e-3);
        }
        curvature.add(i, i, 1e-3);
    }
    curvature
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(delta: f64) -> DrawMix {
        DrawMix::new([(1.0, delta)])
    }

    fn ratings(odds: &[f64], mix: &DrawMix) -> Vec<f64> {
        Scale::new(odds, mix).elo(odds, mix)
    }

    /// The case of the README: 200 more mean three points of four.
    #[test]
    fn differences_of_two_bots_are_their_expected_score() {
        for delta in [0.0, 0.5, 3.0, 20.0] {
            for odds in [-4.0, -0.3, 0.0, 1.0, 2.5] {
                let mix = draws(delta);
                let found = ratings(&[odds, 0.0], &mix);
                let expected = 1.0 / (1.0 + 10_f64.powf(-(found[0] - found[1]) / 400.0));
                assert!(
                    (expected - mix.expected(odds)).abs() < 1e-9,
                    "{delta} {odds}"
                );
            }
        }
        // 60 % draws, a score of 0.614: as log-odds 225, by expected score 81.
        let [win, draw, loss] = [0.314_f64, 0.6, 0.086];
        let odds = (win / loss).ln();
        let mix = draws(draw / (win * loss).sqrt());
        assert!((mix.expected(odds) - 0.614).abs() < 1e-9);
        assert_eq!((ELO * odds).round(), 225.0);
        assert_eq!(mix.elo(odds).round(), 81.0);
    }

    #[test]
    fn without_draws_both_scales_are_the_same() {
        let found = ratings(&[1.0, 0.0, -2.5], &draws(0.0));
        for (found, odds) in found.iter().zip([1.5, 0.5, -2.0]) {
            assert!((found - ELO * odds).abs() < 1e-9);
        }
    }

    /// Each bot's score against the field is what its rating says.
    #[test]
    fn ratings_give_the_expected_score_against_the_field() {
        let odds = [3.0, 1.0, 0.8, 0.0, -0.5, -6.0];
        let mix = DrawMix::new([(3.0, 2.0), (1.0, 0.0), (1.0, 2.0)]);
        let scale = Scale::new(&odds, &mix);
        let shifted = odds.map(|odds| 0.3 + 1.4 * odds);
        for odds in [odds, shifted] {
            let found = scale.elo(&odds, &mix);
            for i in 0..odds.len() {
                let others = || (0..odds.len()).filter(|j| *j != i);
                let wanted: f64 = others().map(|j| mix.expected(odds[i] - odds[j])).sum();
                let given: f64 = others()
                    .map(|j| logistic((found[i] - found[j]) / ELO))
                    .sum();
                assert!((wanted - given).abs() < 1e-4, "{i}: {wanted} {given}");
            }
            assert!(found.iter().sum::<f64>().abs() < 1e-6);
        }
    }

    #[test]
    fn hopeless_differences_are_finite() {
        let mix = draws(1.0);
        let found = ratings(&[40.0, 0.0, -60.0], &mix);
        assert!(found.iter().all(|elo| elo.is_finite()), "{found:?}");
        assert!(found.is_sorted_by(|a, b| a > b));
        assert!(mix.elo(200.0).is_finite());
    }
}

//! A second opinion where results are cyclic: Nash averaging (Balduzzi, Tuyls, Pérolat and Graepel
//! 2018, "Re-evaluating evaluation").
//!
//! Two players each choose a bot, and get what it scores against the other's. The mix of bots that
//! cannot be exploited says which bots matter: a cycle of rock, paper and scissors has a third each,
//! a bot that beats all others has all of it. How a bot scores against that mix is its strength;
//! copies of a bot change nothing.
//!
//! The equilibrium here is the logit one with little noise, which is always there, is the only one,
//! and is near the Nash equilibrium with the greatest entropy.

use serde::Serialize;

/// The noise that is left: choices between bots whose scores differ by less are not exact.
const NOISE: f64 = 0.005;
/// Factor of the noise per step.
const COOLING: f64 = 0.7;
const EXACT: f64 = 1e-10;
const MOST_STEPS: usize = 50;

/// A bot against the Nash mixture, which cannot be exploited.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NashRating {
    pub share: f64,
    /// Score against the mixture, from 0 to 1; ½ for those in it.
    pub score: f64,
}

/// From what each bot scores against each other one, from 0 to 1; two opposite scores add up to 1.
pub(crate) fn nash(scores: &[Vec<f64>]) -> Vec<NashRating> {
    let bots = scores.len();
    let lead = |bot: usize, other: usize| {
        if bot == other {
            0.0
        } else {
            0.5 * (scores[bot][other] - scores[other][bot])
        }
    };
    let leads: Vec<Vec<f64>> = (0..bots)
        .map(|bot| (0..bots).map(|other| lead(bot, other)).collect())
        .collect();
    let mut values = vec![0.0; bots];
    let mut noise = 1.0;
    loop {
        settle(&leads, noise, &mut values);
        if noise <= NOISE {
            break;
        }
        let cooler = (noise * COOLING).max(NOISE);
        // What bots are worth stays about the same.
        for value in &mut values {
            *value *= noise / cooler;
        }
        noise = cooler;
    }
    let mix = shares(&values);
    (0..bots)
        .map(|bot| NashRating {
            share: mix[bot],
            score: 0.5 + dot(&leads[bot], &mix),
        })
        .collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Shares proportional to the exponentials of values.
fn shares(values: &[f64]) -> Vec<f64> {
    let most = values.iter().copied().fold(f64::MIN, f64::max);
    let shares: Vec<f64> = values.iter().map(|value| (value - most).exp()).collect();
    let sum: f64 = shares.iter().sum();
    shares.into_iter().map(|share| share / sum).collect()
}

/// Newton's method for values that are the leads against their own mix, over the noise. The matrix
/// is the identity less one with imaginary eigenvalues only, so that it can always be inverted.
fn settle(leads: &[Vec<f64>], noise: f64, values: &mut [f64]) {
    let bots = values.len();
    let miss = |values: &[f64], mix: &[f64]| -> Vec<f64> {
        let rows = leads.iter().zip(values);
        rows.map(|(row, value)| dot(row, mix) / noise - value)
            .collect()
    };
    let size = |miss: &[f64]| miss.iter().map(|m| m * m).sum::<f64>();
    for _ in 0..MOST_STEPS {
        let mix = shares(values);
        let missed = miss(values, &mix);
        let before = size(&missed);
        if before < EXACT * EXACT {
            return;
        }
        let matrix = (0..bots).map(|row| {
            let mean = dot(&leads[row], &mix);
            let entry = |column: usize| {
                let slope = mix[column] * (leads[row][column] - mean) / noise;
                f64::from(u8::from(row == column)) - slope
            };
            (0..bots).map(entry).collect()
        });
        let step = solve(matrix.collect(), missed);
        let mut length = 1.0;
        loop {
            let trial: Vec<f64> = values
                .iter()
                .zip(&step)
                .map(|(value, step)| value + length * step)
                .collect();
            if size(&miss(&trial, &shares(&trial))) < before || length < 1e-6 {
                values.copy_from_slice(&trial);
                break;
            }
            length *= 0.5;
        }
    }
}

/// Solves a system by Gauss's elimination.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for column in 0..n {
        let largest = (column..n).max_by(|&a, &b| {
            let [a, b] = [a, b].map(|row| matrix[row][column].abs());
            a.total_cmp(&b)
        });
        let pivot = largest.unwrap_or(column);
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let (above, below) = matrix.split_at_mut(column + 1);
        let pivot = &above[column];
        for (offset, row) in below.iter_mut().enumerate() {
            let factor = row[column] / pivot[column];
            for (entry, pivot) in row[column..].iter_mut().zip(&pivot[column..]) {
                *entry -= factor * pivot;
            }
            right[column + 1 + offset] -= factor * right[column];
        }
    }
    for row in (0..n).rev() {
        let known = dot(&matrix[row][row + 1..], &right[row + 1..]);
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::Rng;

    fn near(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 0.02
    }

    /// Scores below the diagonal follow from those above.
    fn whole(above: &[&[f64]]) -> Vec<Vec<f64>> {
        let bots = above.len() + 1;
        let score = |row: usize, column: usize| match row.cmp(&column) {
            std::cmp::Ordering::Less => above[row][column - row - 1],
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 1.0 - above[column][row - column - 1],
        };
        (0..bots)
            .map(|row| (0..bots).map(|column| score(row, column)).collect())
            .collect()
    }

    #[test]
    fn rock_paper_and_scissors_share_equally_and_a_weak_bot_has_nothing() {
        let found = nash(&whole(&[&[0.2, 0.8, 0.9], &[0.2, 0.9], &[0.9]]));
        for bot in &found[..3] {
            assert!(
                near(bot.share, 1.0 / 3.0) && near(bot.score, 0.5),
                "{found:?}"
            );
        }
        assert!(near(found[3].share, 0.0) && near(found[3].score, 0.1));
    }

    /// Leads of 0.1, 0.2 and 0.3 around a cycle: each bot's share is the lead of the other two.
    #[test]
    fn an_uneven_cycle_has_uneven_shares() {
        let found = nash(&whole(&[&[0.6, 0.2], &[0.7]]));
        for (bot, share) in found.iter().zip([2.0 / 6.0, 3.0 / 6.0, 1.0 / 6.0]) {
            assert!(near(bot.share, share), "{found:?}");
        }
    }

    #[test]
    fn a_bot_that_beats_all_others_is_the_mix() {
        let found = nash(&whole(&[&[0.7, 0.9], &[0.8]]));
        assert!(near(found[0].share, 1.0) && near(found[0].score, 0.5));
        assert!(near(found[1].score, 0.3) && near(found[2].score, 0.1));
    }

    #[test]
    fn copies_of_a_bot_change_nothing_for_others() {
        // Scissors twice.
        let found = nash(&whole(&[&[0.2, 0.8, 0.8], &[0.2, 0.2], &[0.5]]));
        assert!(near(found[0].share, 1.0 / 3.0) && near(found[1].share, 1.0 / 3.0));
        assert!(near(found[2].share, 1.0 / 6.0) && near(found[3].share, 1.0 / 6.0));
    }

    #[test]
    fn no_bot_beats_the_mix() {
        let mut rng = Rng::new(3);
        for bots in [1, 2, 5, 12, 30] {
            let mut score = || rng.below(1000) as f64 / 1000.0;
            let rows = (1..bots).rev();
            let rows: Vec<Vec<f64>> = rows
                .map(|len| (0..len).map(|_| score()).collect())
                .collect();
            let scores = match bots {
                1 => vec![vec![0.5]],
                _ => whole(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>()),
            };
            let found = nash(&scores);
            let sum: f64 = found.iter().map(|bot| bot.share).sum();
            assert!((sum - 1.0).abs() < 1e-9);
            for bot in &found {
                assert!(bot.score < 0.5 + 0.02, "{found:?}");
            }
            let mean: f64 = found.iter().map(|bot| bot.share * bot.score).sum();
            assert!((mean - 0.5).abs() < 1e-9);
        }
    }
}

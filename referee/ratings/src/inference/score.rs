//! Mean scores with intervals.

use serde::Serialize;
use statrs::distribution::ContinuousCDF;

use super::student::student;

/// A mean score from 0 to 1, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Score {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
    /// The p-value of a two-sided test that the true mean is one half.
    pub p_value: f64,
}

/// The scores of trials, in clusters of dependent trials.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Trials {
    /// Clusters of one trial: their number, sum, and sum of squares.
    singles: [f64; 3],
    /// Other clusters: sum and number of trials.
    clusters: Vec<[f64; 2]>,
}

/// The standard error of a mean, and the number of clusters of equal size that it rests on.
struct Spread {
    error: f64,
    effective: f64,
}

impl Trials {
    /// Adds a cluster of `count` trials by the sum of their scores.
    pub(crate) fn add(&mut self, sum: f64, count: u64) {
        match count {
            0 => {}
            1 => {
                self.singles[0] += 1.0;
                self.singles[1] += sum;
                self.singles[2] += sum * sum;
            }
            count => self.clusters.push([sum, count as f64]),
        }
    }

    fn total(&self, part: impl Fn(&[f64; 2]) -> f64) -> f64 {
        self.clusters.iter().map(part).sum()
    }

    fn count(&self) -> f64 {
        self.singles[0] + self.total(|[_, count]| *count)
    }

    /// How far the mean of all trials may be off.
    fn spread(&self, mean: f64, trials: f64) -> Spread {
        let [one, sum, squares] = self.singles;
        let effective = trials * trials / (one + self.total(|[_, count]| count * count));
        // Squared deviations, corrected for each cluster's share of the mean.
        let corrected = |off: f64, count: f64| off / (1.0 - count / trials).max(f64::EPSILON);
        let off = squares - 2.0 * mean * sum + one * mean * mean;
        let off = corrected(off.max(0.0), 1.0)
            + self.total(|[sum, count]| corrected((sum - count * mean).powi(2), *count));
        let error = off.sqrt() / trials;
        Spread { error, effective }
    }

    /// The mean of numbers of any size, its standard error and half the length of its 95 % interval. The
    /// last two are `None` if the trials say nothing of them: a single cluster, or equal numbers.
    pub(crate) fn mean(&self) -> Option<(f64, Option<[f64; 2]>)> {
        let trials = self.count();
        if trials == 0.0 {
            return None;
        }
        let mean = (self.singles[1] + self.total(|[sum, _]| *sum)) / trials;
        let Spread { error, effective } = self.spread(mean, trials);
        // Differences of large numbers that are equal leave a rest.
        let varies = error > 1e-6 * mean.abs() && effective > 1.0;
        let reach = || error * student(effective).inverse_cdf(0.975);
        Some((mean, varies.then(|| [error, reach()])))
    }

    /// The mean score with its interval; `None` without trials.
    ///
    /// The interval is Student's, over clusters: trials that are pairs of matches vary less than coins of the
    /// same mean. If all clusters are equal, their spread says nothing; then the bound is exact: a row of
    /// equal results that has a probability of 2.5 %.
    pub(crate) fn score(&self) -> Option<Score> {
        let [one, sum, _] = self.singles;
        let trials = self.count();
        if trials == 0.0 {
            return None;
        }
        let mean = ((sum + self.total(|[sum, _]| *sum)) / trials).clamp(0.0, 1.0);
        let Spread { error, effective } = self.spread(mean, trials);
        /// Far below differences of scores.
        const ROUNDING: f64 = 1e-9;
        let clusters = one + self.clusters.len() as f64;
        let away = (mean - 0.5).abs();
        let (low, high, p_value) = if error > ROUNDING && clusters > 1.0 {
            let student = student(effective);
            let reach = error * student.inverse_cdf(0.975);
            (mean - reach, mean + reach, 2.0 * student.sf(away / error))
        } else {
            let least = 0.025_f64.powf(1.0 / clusters);
            let row = if away > ROUNDING {
                2.0 * 0.5_f64.powf(clusters)
            } else {
                1.0
            };
            (mean * least, 1.0 - (1.0 - mean) * least, row)
        };
        Some(Score {
            mean,
            low: low.max(0.0),
            high: high.min(1.0),
            p_value,
        })
    }
}

impl Score {
    /// The score of the other side.
    pub fn reversed(self) -> Self {
        Score {
            mean: 1.0 - self.mean,
            low: 1.0 - self.high,
            high: 1.0 - self.low,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trials(clusters: &[&[f64]]) -> Trials {
        let mut trials = Trials::default();
        for cluster in clusters {
            trials.add(cluster.iter().sum(), cluster.len() as u64);
        }
        trials
    }

    fn score(clusters: &[&[f64]]) -> Score {
        trials(clusters).score().expect("a score")
    }

    /// 0, ½, 1, ½: the mean's standard error is √(1/6 / 4) = 0.2041, and t is 3.1824.
    #[test]
    fn the_interval_is_students() {
        let score = score(&[&[0.2], &[0.4], &[0.6], &[0.4]]);
        let reach = 3.182_446 * (0.08_f64 / 3.0 / 4.0).sqrt();
        assert!((score.mean - 0.4).abs() < 1e-12);
        assert!((score.low - (0.4 - reach)).abs() < 1e-6, "{score:?}");
        assert!((score.high - (0.4 + reach)).abs() < 1e-6, "{score:?}");
        assert_eq!(Trials::default().score(), None);
    }

    /// 10, 20, 30: the standard error is 10 / √3, and t is 4.3027.
    #[test]
    fn numbers_of_any_size_have_a_mean() {
        let (mean, known) = trials(&[&[10.0], &[20.0], &[30.0]]).mean().unwrap();
        let [error, reach] = known.unwrap();
        assert!((mean - 20.0).abs() < 1e-12);
        assert!((error - 10.0 / 3.0_f64.sqrt()).abs() < 1e-9);
        assert!((reach - 4.302_653 * error).abs() < 1e-4);
        let pairs = trials(&[&[10.0; 2], &[20.0; 2], &[30.0; 2]])
            .mean()
            .unwrap();
        assert!((pairs.1.unwrap()[1] - reach).abs() < 1e-9);
        assert_eq!(trials(&[&[70.0], &[70.0]]).mean(), Some((70.0, None)));
        assert_eq!(trials(&[&[0.0, 100.0]]).mean(), Some((50.0, None)));
        assert_eq!(Trials::default().mean(), None);
    }

    #[test]
    fn copies_change_nothing() {
        let once = score(&[&[0.0], &[0.5], &[1.0], &[1.0], &[0.5]]);
        let thrice = score(&[&[0.0; 3], &[0.5; 3], &[1.0; 3], &[1.0; 3], &[0.5; 3]]);
        for (once, thrice) in [
            (once.mean, thrice.mean),
            (once.low, thrice.low),
            (once.high, thrice.high),
        ] {
            assert!((once - thrice).abs() < 1e-12, "{once} {thrice}");
        }
    }

    /// A row of wins of which 2.5 % are that long.
    #[test]
    fn a_row_has_an_exact_bound() {
        let wins = score(&[&[1.0][..]; 10]);
        assert_eq!(wins.high, 1.0);
        assert!((wins.low.powi(10) - 0.025).abs() < 1e-12, "{wins:?}");
        assert!(wins.low > 0.5 && wins.reversed().high < 0.5);
        let one = score(&[&[1.0; 40]]);
        assert!((one.low - 0.025).abs() < 1e-12, "one cluster says little");
        let even = score(&[&[0.5][..]; 4]);
        assert!(even.low < 0.3 && even.high > 0.7);
    }
}

//! The interval of a score: how far the mean of some trials may be off.

use serde::Serialize;
use statrs::function::erf::erfc;

/// The 97.5th percentile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// A mean score from 0 to 1, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The mean.
    pub mean: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
    /// How often the mean would be this far from one half, or farther, if the truth were one half.
    pub p_value: f64,
}

impl Score {
    /// Of so many trials, each of which gave from 0 to 1; `None` if there are none.
    ///
    /// Wilson's score interval (1927), which is that of coins. Trials that give something in between
    /// vary less than coins of the same mean, so for them the interval is rather too wide.
    pub(crate) fn of(sum: f64, trials: u64) -> Option<Self> {
        if trials == 0 {
            return None;
        }
        let n = trials as f64;
        let mean = (sum / n).clamp(0.0, 1.0);
        let (square, scale) = (Z * Z, 1.0 + Z * Z / n);
        let middle = (mean + square / (2.0 * n)) / scale;
        let reach = Z / scale * (mean * (1.0 - mean) / n + square / (4.0 * n * n)).sqrt();
        let off = 2.0 * (mean - 0.5).abs() * n.sqrt();
        Some(Score {
            mean,
            p_value: erfc(off / std::f64::consts::SQRT_2),
            low: (middle - reach).max(0.0),
            high: (middle + reach).min(1.0),
        })
    }

    /// The same from the other side.
    pub fn reversed(self) -> Self {
        Score {
            mean: 1.0 - self.mean,
            low: 1.0 - self.high,
            high: 1.0 - self.low,
            ..self
        }
    }

    /// Whether it is above one half, with 95 % confidence.
    pub fn is_better(&self) -> bool {
        self.low > 0.5
    }

    /// Whether it is below one half, with 95 % confidence.
    pub fn is_worse(&self) -> bool {
        self.high < 0.5
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(score: Score, low: f64, high: f64) -> bool {
        (score.low - low).abs() < 1e-4 && (score.high - high).abs() < 1e-4
    }

    /// With p = 0 or 1 the interval's inner end is z² / (n + z²) from it; one in the middle by hand.
    #[test]
    fn the_interval_is_wilsons() {
        let z = 3.841_458_820_694_124;
        let all = Score::of(10.0, 10).expect("a score");
        assert!(close(all, 10.0 / (10.0 + z), 1.0), "{all:?}");
        let none = Score::of(0.0, 10).expect("a score");
        assert!(close(none, 0.0, z / (10.0 + z)), "{none:?}");
        let half = Score::of(5.0, 10).expect("a score");
        assert!(close(half, 0.2366, 0.7634), "{half:?}");
        assert_eq!(Score::of(0.0, 0), None);
    }

    #[test]
    fn enough_wins_make_a_bot_better() {
        // 3 of 3 reach down to 0.44, 4 of 4 to 0.51.
        let wins = |n: u64| Score::of(n as f64, n).expect("a score");
        assert!(!wins(3).is_better() && wins(4).is_better());
        assert!(wins(4).reversed().is_worse() && !wins(4).is_worse());
    }

    /// How often the interval holds the truth, summed over all results of some coins.
    #[test]
    fn intervals_of_coins_hold_the_truth() {
        for (n, p) in [(20_u64, 0.5_f64), (30, 0.8), (50, 0.65), (100, 0.9)] {
            let mut chance = (1.0 - p).powi(n as i32);
            let mut inside = 0.0;
            for wins in 0..=n {
                let score = Score::of(wins as f64, n).expect("a score");
                if (score.low..=score.high).contains(&p) {
                    inside += chance;
                }
                chance *= (n - wins) as f64 / (wins + 1) as f64 * p / (1.0 - p);
            }
            assert!((0.92..=0.98).contains(&inside), "{n} {p}: {inside}");
        }
    }
}

//! Exit time and place of a Brownian motion with drift from an interval: a model for the course of
//! a test.

use statrs::function::erf::erfc;

/// A test as a Brownian motion: each unit moves it by `drift` on average, with variance 1. It ends
/// at `up` above the start or at `down` below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    pub(super) drift: f64,
    pub(super) up: f64,
    pub(super) down: f64,
}

/// A walk in steps jumps over the bound by this on average, in standard deviations of a step
/// (Siegmund): its bounds are that much farther off.
pub(super) const OVERSHOOT: f64 = 0.582_597;

impl Walk {
    /// The chance that it has ended above by this time.
    pub(super) fn ended_above(self, time: f64) -> f64 {
        const MOST_IMAGES: i32 = 200;
        let (drift, root) = (self.drift.abs(), time.sqrt());
        let normal = |z: f64| 0.5 * erfc(-z / std::f64::consts::SQRT_2);
        // The first passage of each image of the start in the two bounds.
        let image = |number: i32| {
            let at = self.up + 2.0 * f64::from(number) * (self.up + self.down);
            let far = at.abs();
            let there = |exponent: f64, z: f64| (exponent + normal(z).ln()).exp();
            let along = there(
                self.drift * self.up - drift * far,
                (drift * time - far) / root,
            );
            let against = there(
                self.drift * self.up + drift * far,
                -(drift * time + far) / root,
            );
            at.signum() * (along + against)
        };
        let mut sum = image(0);
        for number in 1..=MOST_IMAGES {
            let both = [image(number), image(-number)];
            sum += both[0] + both[1];
            if both.iter().all(|term| term.abs() < 1e-15) {
                break;
            }
        }
        sum.clamp(0.0, 1.0)
    }

    /// The chance that it has ended below by this time.
    pub(super) fn ended_below(self, time: f64) -> f64 {
        let mirrored = Walk {
            drift: -self.drift,
            up: self.down,
            down: self.up,
        };
        mirrored.ended_above(time)
    }

    pub(super) fn mean_time(self) -> f64 {
        let Walk { drift, up, down } = self;
        if (drift * (up + down)).abs() < 1e-6 {
            return up * down;
        }
        let above = (2.0 * drift * down).exp_m1()
            / ((2.0 * drift * down).exp() - (-2.0 * drift * up).exp());
        (up * above - down * (1.0 - above)) / drift
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::Rng;

    #[test]
    fn passages_are_those_of_a_walk_in_small_steps() {
        let mut rng = Rng::new(3);
        // Steps of ±0.1, a hundredth of a unit of time each.
        for (drift, up, down, time) in [
            (0.0, 1.0, 2.0, 1.5),
            (0.6, 2.0, 1.0, 2.5),
            (-0.4, 1.0, 1.0, 20.0),
        ] {
            let walk = Walk { drift, up, down };
            let chance = 0.5 * (1.0 + 0.1 * drift);
            let (mut above, mut below, mut sum) = (0.0, 0.0, 0.0);
            let walks = 4000;
            for _ in 0..walks {
                let (mut at, mut steps) = (0_i32, 0);
                while f64::from(at) * 0.1 < up - 1e-9 && f64::from(at) * 0.1 > -down + 1e-9 {
                    at += if (rng.below(1 << 30) as f64) < chance * f64::from(1 << 30) {
                        1
                    } else {
                        -1
                    };
                    steps += 1;
                }
                sum += f64::from(steps) * 0.01;
                if f64::from(steps) * 0.01 <= time {
                    *(if at > 0 { &mut above } else { &mut below }) += 1.0;
                }
            }
            let walks = f64::from(walks);
            assert!(
                (walk.ended_above(time) - above / walks).abs() < 0.03,
                "{walk:?}"
            );
            assert!(
                (walk.ended_below(time) - below / walks).abs() < 0.03,
                "{walk:?}"
            );
            assert!(
                (walk.mean_time() / (sum / walks) - 1.0).abs() < 0.06,
                "{walk:?}"
            );
        }
    }

    #[test]
    fn in_the_end_it_is_over() {
        for drift in [-0.3, -1e-9, 0.0, 0.02, 3.0] {
            let walk = Walk {
                drift,
                up: 4.0,
                down: 5.0,
            };
            let long = 1000.0;
            let sum = walk.ended_above(long) + walk.ended_below(long);
            assert!((sum - 1.0).abs() < 1e-6, "{drift}: {sum}");
        }
    }
}

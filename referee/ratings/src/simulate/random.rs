//! Random numbers of some distributions.

use games::Rng;

/// Uniform above 0 and up to 1.
pub(crate) fn uniform(rng: &mut Rng) -> f64 {
    const STEPS: f64 = (1_u64 << 53) as f64;
    ((rng.next_u64() >> 11) + 1) as f64 / STEPS
}

/// Exponential with mean 1.
fn exponential(rng: &mut Rng) -> f64 {
    -uniform(rng).ln()
}

/// Standard normal, by Box and Muller.
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    let radius = (2.0 * exponential(rng)).sqrt();
    radius * (std::f64::consts::TAU * uniform(rng)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_draws_are_standard() {
        const DRAWS: usize = 40_000;
        let mut rng = Rng::new(9);
        let values: Vec<f64> = (0..DRAWS).map(|_| normal(&mut rng)).collect();
        let mean = values.iter().sum::<f64>() / DRAWS as f64;
        let variance = values.iter().map(|value| value * value).sum::<f64>() / DRAWS as f64;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05);
        let beyond = values.iter().filter(|value| value.abs() > 1.959_964);
        let share = beyond.count() as f64 / DRAWS as f64;
        assert!((share - 0.05).abs() < 0.006, "{share}");
    }
}

//! How far ratings could be off, by drawing the units (swapped pairs) again.

use games::Rng;

use super::fit::Fitter;
use super::model::{Model, PRIOR, Weights};

/// How exact the point estimate is, in units of natural logarithms.
const EXACT: f64 = 1e-12;
/// How exact a resample's estimate needs to be: far below what it differs from others.
const NEAR: f64 = 1e-4;

/// A point estimate, and what resampling made of it.
#[derive(Clone, Debug)]
pub(crate) struct Draws {
    /// The maximum for all units.
    pub(crate) point: Vec<f64>,
    /// The maximum for each resample.
    pub(crate) resamples: Vec<Vec<f64>>,
}

/// Fits the model to all units, and to so many resamples of them.
///
/// A resample gives each unit a random weight with mean and variance 1 (exponential: Rubin 1981,
/// "The Bayesian bootstrap") instead of an integer count with the same moments. So nobody's only
/// win is ever left out altogether, which matters where there are few. What the prior holds has
/// random weights as well: who has won everything has an interval, too.
pub(crate) fn draw(model: &Model, resamples: usize, seed: u64) -> Draws {
    let mut fitter = Fitter::new(model);
    let mut point = vec![0.0; model.params];
    let full = model.full();
    fitter.climb(&mut point, &full, EXACT, None);
    let factored = fitter.factor(&point, &full);
    let resample = |number: usize| {
        let mut rng = Rng::from_parts(&[seed, number as u64]);
        let weights = reweigh(model, &mut rng);
        let mut at = point.clone();
        fitter.climb(&mut at, &weights, NEAR, factored.as_ref());
        at
    };
    let resamples = (0..resamples).map(resample).collect();
    Draws { point, resamples }
}

fn reweigh(model: &Model, rng: &mut Rng) -> Weights {
    let mut weights = model.nothing();
    for kind in &model.kinds {
        let weight = gamma(rng, kind.count);
        model.weigh(kind, weight, &mut weights);
    }
    for param in model.held() {
        weights.prior[param] = [PRIOR * prior_weight(rng), PRIOR * prior_weight(rng)];
    }
    for weight in &mut weights.unshared {
        *weight = PRIOR * prior_weight(rng);
    }
    weights
}

/// What the prior holds is weighted, too, with mean 1 but variance ½: with the variance of units,
/// simulated intervals of few matches were too wide, and with half of this, those of bots far apart
/// too narrow.
fn prior_weight(rng: &mut Rng) -> f64 {
    0.5 * gamma(rng, 2)
}

/// Uniform above 0 and up to 1.
pub(crate) fn uniform(rng: &mut Rng) -> f64 {
    const STEPS: f64 = (1_u64 << 53) as f64;
    ((rng.next_u64() >> 11) + 1) as f64 / STEPS
}

/// Exponential with mean 1.
fn exponential(rng: &mut Rng) -> f64 {
    -uniform(rng).ln()
}

/// The sum of so many exponentials: a gamma variable, by Marsaglia and Tsang's method (2000).
fn gamma(rng: &mut Rng, count: u32) -> f64 {
    /// Up to here the product of uniforms is quicker.
    const FEW: u32 = 6;
    if count <= FEW {
        let product: f64 = (0..count).map(|_| uniform(rng)).product();
        return -product.ln();
    }
    let d = f64::from(count) - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && uniform(rng).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// Standard normal, by Box and Muller.
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    let radius = (2.0 * exponential(rng)).sqrt();
    radius * (std::f64::consts::TAU * uniform(rng)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and variance of many draws.
    fn moments(mut draw: impl FnMut() -> f64) -> (f64, f64) {
        const DRAWS: usize = 40_000;
        let values: Vec<f64> = (0..DRAWS).map(|_| draw()).collect();
        let mean = values.iter().sum::<f64>() / DRAWS as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, squares / DRAWS as f64)
    }

    #[test]
    fn a_sum_of_weights_has_their_number_as_mean_and_variance() {
        let mut rng = Rng::new(8);
        for count in [1, 3, 6, 7, 40, 1000] {
            let (mean, variance) = moments(|| gamma(&mut rng, count));
            let expected = f64::from(count);
            assert!((mean / expected - 1.0).abs() < 0.03, "{count}: {mean}");
            assert!(
                (variance / expected - 1.0).abs() < 0.08,
                "{count}: {variance}"
            );
        }
    }

    #[test]
    fn normal_draws_are_standard() {
        let mut rng = Rng::new(9);
        let (mean, variance) = moments(|| normal(&mut rng));
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05);
        let beyond = moments(|| f64::from(u8::from(normal(&mut rng).abs() > 1.959_964)));
        assert!((beyond.0 - 0.05).abs() < 0.006, "{}", beyond.0);
    }
}

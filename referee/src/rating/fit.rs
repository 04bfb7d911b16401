//! The maximum of the likelihood, by Newton's method.

use std::sync::Arc;

use super::linear::{Cholesky, Symmetric};
use super::model::{Model, Weights};
use super::stage::{Slopes, Want};

/// So many steps are made at most. Newton's needs less than ten of them.
const MOST_STEPS: usize = 200;
/// A step that makes the largest change this much smaller than the last one was worth making
/// without new second derivatives.
const GOOD_CHORD: f64 = 0.3;
/// No parameter is changed by more at once: further out, parabolas mean little.
const LONGEST: f64 = 3.0;
/// So short a step cannot miss, and need not be checked.
const SHORT: f64 = 0.05;

/// Finds maxima for several weightings of one model; keeps its work space.
pub(crate) struct Fitter<'a> {
    model: &'a Model,
    slopes: Slopes,
    step: Vec<f64>,
    trial: Vec<f64>,
}

impl<'a> Fitter<'a> {
    pub(crate) fn new(model: &'a Model) -> Self {
        Fitter {
            model,
            slopes: Slopes {
                gradient: vec![0.0; model.params],
                curvature: Symmetric::zero(Arc::clone(&model.pattern)),
            },
            step: vec![0.0; model.params],
            trial: vec![0.0; model.params],
        }
    }

    /// The second derivatives at `at`, factored.
    pub(crate) fn factor(&mut self, at: &[f64], weights: &Weights) -> Option<Cholesky> {
        self.evaluate(at, weights, Want::Curvature);
        self.slopes.curvature.clone().factor()
    }

    fn evaluate(&mut self, at: &[f64], weights: &Weights, want: Want) -> f64 {
        self.model.evaluate(at, weights, want, &mut self.slopes)
    }

    /// Moves `at` to the maximum, until no parameter changes by more than `tolerance`. `start` is
    /// what the second derivatives were somewhere near; they are only made anew when steps with
    /// the old ones do not lead on.
    pub(crate) fn climb(
        &mut self,
        at: &mut [f64],
        weights: &Weights,
        tolerance: f64,
        start: Option<&Cholesky>,
    ) {
        let mut fresh: Option<Cholesky> = None;
        let mut renew = start.is_none();
        let mut last = f64::INFINITY;
        if !renew {
            self.evaluate(at, weights, Want::Slope);
        }
        for _ in 0..MOST_STEPS {
            if renew {
                fresh = self.factor(at, weights);
                if fresh.is_none() {
                    return;
                }
            }
            let Some(factored) = fresh.as_ref().or(start) else {
                return;
            };
            self.step.copy_from_slice(&self.slopes.gradient);
            factored.solve(&mut self.step);
            let largest = self.step.iter().fold(0.0, |most: f64, s| most.max(s.abs()));
            if largest <= SHORT {
                for (at, step) in at.iter_mut().zip(&self.step) {
                    *at += step;
                }
                if largest <= tolerance {
                    return;
                }
                self.evaluate(at, weights, Want::Slope);
                renew = largest > GOOD_CHORD * last;
            } else {
                let whole = self.advance(at, weights, largest);
                renew = !whole || largest > GOOD_CHORD * last;
            }
            last = largest;
        }
    }

    /// Makes the step, or as much of it as does not lead down; leaves the gradient of the point
    /// reached. Says whether it was made as a whole.
    fn advance(&mut self, at: &mut [f64], weights: &Weights, largest: f64) -> bool {
        let value = self.evaluate(at, weights, Want::Value);
        let mut length = (LONGEST / largest).min(1.0);
        loop {
            for ((trial, at), step) in self.trial.iter_mut().zip(&*at).zip(&self.step) {
                *trial = at + length * step;
            }
            let reached = self
                .model
                .evaluate(&self.trial, weights, Want::Value, &mut self.slopes);
            if reached >= value || length * largest < SHORT {
                at.copy_from_slice(&self.trial);
                return length == 1.0;
            }
            length *= 0.5;
        }
    }
}

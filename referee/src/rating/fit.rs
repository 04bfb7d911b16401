//! The maximum of the likelihood, by Newton's method.

use super::linear::{Cholesky, Square};
use super::model::{Model, Weights};

/// So many steps are made at most. Newton's needs less than ten of them.
const MOST_STEPS: usize = 200;
/// A step that makes the largest change this much smaller than the last one was worth making
/// without new second derivatives.
const GOOD_CHORD: f64 = 0.3;

/// Finds maxima for several weightings of one model; keeps its work space.
pub(crate) struct Fitter<'a> {
    model: &'a Model,
    gradient: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
    curvature: Square,
}

impl<'a> Fitter<'a> {
    pub(crate) fn new(model: &'a Model) -> Self {
        Fitter {
            model,
            gradient: vec![0.0; model.params],
            step: vec![0.0; model.params],
            trial: vec![0.0; model.params],
            curvature: Square::zero(model.params),
        }
    }

    /// The second derivatives at `at`, factored.
    pub(crate) fn factor(&mut self, at: &[f64], weights: &Weights) -> Option<Cholesky> {
        let curvature = Some(&mut self.curvature);
        self.model
            .evaluate(at, weights, &mut self.gradient, curvature);
        self.curvature.clone().factor()
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
        let mut value = match renew {
            true => f64::NEG_INFINITY,
            false => self.model.evaluate(at, weights, &mut self.gradient, None),
        };
        for _ in 0..MOST_STEPS {
            if renew {
                let curvature = Some(&mut self.curvature);
                value = self
                    .model
                    .evaluate(at, weights, &mut self.gradient, curvature);
                fresh = self.curvature.clone().factor();
                if fresh.is_none() {
                    return;
                }
            }
            let Some(factored) = fresh.as_ref().or(start) else {
                return;
            };
            self.step.copy_from_slice(&self.gradient);
            factored.solve(&mut self.step);
            let largest = self.step.iter().fold(0.0, |most: f64, s| most.max(s.abs()));
            if largest <= tolerance {
                for (at, step) in at.iter_mut().zip(&self.step) {
                    *at += step;
                }
                return;
            }
            let whole = self.advance(at, weights, &mut value, largest);
            renew = !whole || largest > GOOD_CHORD * last;
            last = largest;
        }
    }

    /// Makes the step, or as much of it as does not lead down; leaves value and gradient at the
    /// point reached. Says whether it was made as a whole.
    fn advance(
        &mut self,
        at: &mut [f64],
        weights: &Weights,
        value: &mut f64,
        largest: f64,
    ) -> bool {
        /// No parameter is changed by more at once: this far out, parabolas mean little.
        const LONGEST: f64 = 3.0;
        /// So short a step cannot miss, and what it gains drowns in rounding.
        const SHORT: f64 = 1e-4;
        let mut length = (LONGEST / largest).min(1.0);
        loop {
            for ((trial, at), step) in self.trial.iter_mut().zip(&*at).zip(&self.step) {
                *trial = at + length * step;
            }
            let trial = &self.trial;
            let reached = self
                .model
                .evaluate(trial, weights, &mut self.gradient, None);
            if reached >= *value || length * largest < SHORT {
                *value = reached;
                at.copy_from_slice(&self.trial);
                return length == 1.0;
            }
            length *= 0.5;
        }
    }
}

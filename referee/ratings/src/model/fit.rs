//! The maximum of the likelihood, by Newton's method.

use super::davidson_luce::{DavidsonLuce, Slopes, Want};
use crate::model::linear::{Cholesky, Conjugate, Symmetric};

/// A limit that is never reached: Newton's method needs fewer than ten steps.
const MOST_STEPS: usize = 200;
/// Second derivatives are kept while each step shrinks the largest change by at least this factor.
const GOOD_CHORD: f64 = 0.3;
/// The largest change of a parameter in one step: further out, the parabola is a poor fit.
const LONGEST: f64 = 3.0;
/// Shorter steps need no check.
const SHORT: f64 = 0.05;
/// Relative precision of steps found by conjugate gradients; the next step makes up for the rest.
const EXACT_STEP: f64 = 1e-6;
/// Precision of the estimate, in natural logarithms.
const EXACT: f64 = 1e-12;

pub(crate) struct Fitter<'a> {
    model: &'a DavidsonLuce,
    slopes: Slopes,
    step: Vec<f64>,
    trial: Vec<f64>,
}

/// Solvers for systems with the second derivatives.
#[derive(Clone, Debug)]
pub(crate) enum Solver {
    Factored(Cholesky),
    /// Used if a factor would be too large.
    Stepwise(Conjugate),
}

impl Solver {
    /// Solves the system in place: the right side becomes the solution.
    pub(crate) fn solve(&self, right: &mut [f64]) {
        match self {
            Solver::Factored(factored) => factored.solve(right),
            Solver::Stepwise(matrix) => {
                let mut one: Vec<[f64; 1]> = right.iter().map(|value| [*value]).collect();
                matrix.solve(&mut one, EXACT_STEP);
                for (right, [value]) in right.iter_mut().zip(one) {
                    *right = value;
                }
            }
        }
    }
}

impl<'a> Fitter<'a> {
    pub(crate) fn new(model: &'a DavidsonLuce) -> Self {
        Fitter {
            model,
            slopes: Slopes::zero(&model.pattern),
            step: vec![0.0; model.params],
            trial: vec![0.0; model.params],
        }
    }

    /// Factors the second derivatives at `at`. With fitted openings the likelihood need not be concave;
    /// then the least that makes it so is added to the diagonal.
    pub(crate) fn factor(&mut self, at: &[f64]) -> Option<Solver> {
        self.evaluate(at, Want::Curvature);
        if !self.model.pattern.has_factor() {
            return Some(Solver::Stepwise(Conjugate::new(
                self.slopes.curvature.clone(),
            )));
        }
        if let Some(factored) = self.slopes.curvature.clone().factor() {
            return Some(Solver::Factored(factored));
        }
        let ridges = (0..20).map(|power| 0.01 * 4_f64.powi(power));
        let mut ridged = ridges.map(|ridge| {
            let mut curvature = self.slopes.curvature.clone();
            for param in 0..self.model.params {
                curvature.add(param, param, ridge);
            }
            curvature.factor().map(Solver::Factored)
        });
        ridged.find_map(|factored| factored)
    }

    /// The second derivatives at the point where they were computed last.
    pub(crate) fn curvature(&self) -> &Symmetric {
        &self.slopes.curvature
    }

    /// The slope and the (negative) curvature of the likelihood without prior, along a line through a
    /// point.
    pub(crate) fn along(&mut self, at: &[f64], line: &[f64]) -> [f64; 2] {
        self.model
            .evaluate_matches(at, Want::Curvature, &mut self.slopes);
        let slope = self.slopes.gradient.iter().zip(line).map(|(a, b)| a * b);
        [slope.sum(), self.slopes.curvature.quadratic(line)]
    }

    /// About the number of operations for one point.
    pub(crate) fn cost(&self) -> usize {
        self.model.cost() + self.slopes.curvature.entries_count()
    }

    fn evaluate(&mut self, at: &[f64], want: Want) -> f64 {
        self.model.evaluate(at, want, &mut self.slopes)
    }

    /// Moves `at` to the maximum. Second derivatives are recomputed only when steps with the old ones
    /// stop making progress.
    pub(crate) fn climb(&mut self, at: &mut [f64]) {
        let mut factored: Option<Solver> = None;
        let mut renew = true;
        let mut last = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            if renew {
                factored = self.factor(at);
            }
            let Some(factored) = &factored else {
                return;
            };
            self.step.copy_from_slice(&self.slopes.gradient);
            factored.solve(&mut self.step);
            let largest = self.step.iter().fold(0.0, |most: f64, s| most.max(s.abs()));
            if largest <= SHORT {
                for (at, step) in at.iter_mut().zip(&self.step) {
                    *at += step;
                }
                if largest <= EXACT {
                    return;
                }
                self.evaluate(at, Want::Slope);
                renew = largest > GOOD_CHORD * last;
            } else {
                let whole = self.advance(at, largest);
                renew = !whole || largest > GOOD_CHORD * last;
            }
            last = largest;
        }
    }

    /// Makes the step, shortened until it does not lead down, and computes the gradient there. True if
    /// the full step was made.
    fn advance(&mut self, at: &mut [f64], largest: f64) -> bool {
        let value = self.evaluate(at, Want::Value);
        let mut length = (LONGEST / largest).min(1.0);
        loop {
            for ((trial, at), step) in self.trial.iter_mut().zip(&*at).zip(&self.step) {
                *trial = at + length * step;
            }
            let reached = self
                .model
                .evaluate(&self.trial, Want::Value, &mut self.slopes);
            if reached >= value || length * largest < SHORT {
                at.copy_from_slice(&self.trial);
                return length == 1.0;
            }
            length *= 0.5;
        }
    }
}

//! The maximum of the likelihood, by Newton's method.

use std::sync::Arc;

use super::choice_set::{Slopes, Want};
use super::conjugate::Conjugate;
use super::davidson_luce::Model;
use super::sparse::{Cholesky, Symmetric};

/// At most this many steps are made. Newton's method needs less than ten of them.
const MOST_STEPS: usize = 200;
/// A step that makes the largest change this much smaller than the last one was worth making
/// without new second derivatives.
const GOOD_CHORD: f64 = 0.3;
/// No parameter is changed by more at once: further out, parabolas mean little.
const LONGEST: f64 = 3.0;
/// So short a step cannot miss, and need not be checked.
const SHORT: f64 = 0.05;
/// A step that is found by conjugate gradients is this exact, relatively: the next one makes up for it.
const EXACT_STEP: f64 = 1e-6;
/// The estimate is this exact, in units of natural logarithms.
const EXACT: f64 = 1e-12;

/// Finds the maximum for a model; keeps its work space.
pub(crate) struct Fitter<'a> {
    model: &'a Model,
    slopes: Slopes,
    step: Vec<f64>,
    trial: Vec<f64>,
}

/// How systems with the second derivatives are solved.
#[derive(Clone, Debug)]
pub(crate) enum Solver {
    /// By a factor.
    Factored(Cholesky),
    /// By conjugate gradients, where a factor would be too large.
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

    /// The second derivatives at `at`, factored. With fitted openings the likelihood need not be
    /// concave everywhere; where it is not, as little is added as makes it so.
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

    /// The second derivatives where they were made last.
    pub(crate) fn curvature(&self) -> &Symmetric {
        &self.slopes.curvature
    }

    /// Along a line through a point: the slope there of what matches alone say, and how much it bends
    /// downwards.
    pub(crate) fn along(&mut self, at: &[f64], line: &[f64]) -> [f64; 2] {
        self.model
            .evaluate_matches(at, Want::Curvature, &mut self.slopes);
        let slope = self.slopes.gradient.iter().zip(line).map(|(a, b)| a * b);
        [slope.sum(), self.slopes.curvature.quadratic(line)]
    }

    /// About how many steps it takes to look at a point.
    pub(crate) fn cost(&self) -> usize {
        self.model.cost() + self.slopes.curvature.entries_count()
    }

    fn evaluate(&mut self, at: &[f64], want: Want) -> f64 {
        self.model.evaluate(at, want, &mut self.slopes)
    }

    /// Moves `at` to the maximum. Second derivatives are only made anew when steps with the old
    /// ones do not lead on.
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

    /// Makes the step, or as much of it as does not lead down; leaves the gradient of the point
    /// reached. Says whether it was made as a whole.
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

//! How far an estimate may be off: each cluster is left out in turn (by one step of Newton's method,
//! not by a new fit), and what that changes is what a cluster is worth.
//!
//! This is the cluster-robust ("sandwich") covariance with Bell and McCaffrey's correction (2002),
//! CR2: it asks nothing of how the matches within a cluster depend on each other, nor of the law of
//! draws, and few clusters do not make it too small. Student's distribution with the effective
//! number of clusters less one as its degrees of freedom says how sure the covariance is itself.

use std::sync::Arc;

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;

use super::choice_set::Slopes;
use super::davidson_luce::{ClusterKind, Model};
use super::dense::Square;
use super::local_slopes::LocalSlopes;
use super::sparse::Symmetric;

/// The prior counts as observations that are half as variable as matches: without, intervals of bots
/// that are far apart are too narrow.
const PRIOR_SHARE: f64 = 0.5;
/// At most this many terms of the series of a cluster's leverage.
const MOST_TERMS: usize = 200;
/// Terms that change less than this much, relatively, are not worth adding.
const SMALL_TERM: f64 = 1e-6;

/// Clusters are worked through in at most this many parts, side by side.
const PARTS: usize = 4;
/// A part has this many clusters at least.
const SMALLEST_PART: usize = 1 << 14;

/// What is known of how far an estimate is off.
#[derive(Clone, Debug)]
pub(crate) struct Jackknife {
    /// The covariance of all parameters.
    pub(crate) covariance: Square,
    /// What the covariance would be if all matches were independent and the model true.
    pub(crate) independent: Square,
    /// How many equal clusters each parameter rests on, effectively.
    pub(crate) clusters: Vec<f64>,
}

impl Jackknife {
    /// Of the estimate `at`.
    pub(crate) fn new(model: &Model, at: &[f64]) -> Self {
        let inverse = inverse(model, at);
        let mut is_spread = vec![false; model.params];
        for param in model.games.iter().filter_map(|game| game.spread()) {
            is_spread[param] = true;
        }
        // Parts of a fixed size, added up in order, give the same sums on any number of cores.
        let size = model.clusters().len().div_ceil(PARTS).max(SMALLEST_PART);
        let parts = model.clusters().par_chunks(size);
        let parts: Vec<Part> = parts
            .map(|clusters| Part::new(model, clusters, at, &inverse, &is_spread))
            .collect();
        let mut sum = Part::zero(model.params);
        for part in &parts {
            sum.join(part);
        }
        let Part {
            mut meat,
            information,
        } = sum;
        add_prior(model, at, &mut meat);
        let effective = |[sum, squares]: [f64; 2]| {
            if squares > 0.0 {
                sum * sum / squares
            } else {
                0.0
            }
        };
        Jackknife {
            covariance: inverse.times(&meat).times(&inverse),
            independent: inverse,
            clusters: information.into_iter().map(effective).collect(),
        }
    }
}

/// What some clusters add.
struct Part {
    /// The sum of the products of what each cluster changes.
    meat: Square,
    /// By parameter: the sum of what clusters say about it, and of the squares.
    information: Vec<[f64; 2]>,
}

impl Part {
    fn zero(params: usize) -> Self {
        Part {
            meat: Square::zero(params),
            information: vec![[0.0; 2]; params],
        }
    }

    fn new(
        model: &Model,
        clusters: &[ClusterKind],
        at: &[f64],
        inverse: &Square,
        is_spread: &[bool],
    ) -> Self {
        let mut part = Part::zero(model.params);
        let mut local = LocalSlopes::default();
        for cluster in clusters {
            local.clear();
            for &(unit, times) in model.members(cluster) {
                let unit = &model.units()[unit as usize];
                model.unit_slopes(unit, at, f64::from(times), &mut local);
            }
            let count = f64::from(cluster.count);
            let adjusted = leave_out(&local, inverse, is_spread);
            for (i, &row) in local.params.iter().enumerate() {
                let known = local.at(i, i).max(0.0);
                let [sum, squares] = &mut part.information[row as usize];
                *sum += count * known;
                *squares += count * known * known;
                for (j, &column) in local.params.iter().enumerate() {
                    let product = count * adjusted[i] * adjusted[j];
                    part.meat.add(row as usize, column as usize, product);
                }
            }
        }
        part
    }

    fn join(&mut self, other: &Part) {
        self.meat.join(&other.meat);
        let sums = self.information.iter_mut().flatten();
        for (sum, other) in sums.zip(other.information.iter().flatten()) {
            *sum += other;
        }
    }
}

/// The inverse of the second derivatives.
fn inverse(model: &Model, at: &[f64]) -> Square {
    let mut fitter = super::newton::Fitter::new(model);
    let mut inverse = Square::zero(model.params);
    let Some(factored) = fitter.factor(at) else {
        return inverse;
    };
    let mut column = vec![0.0; model.params];
    for index in 0..model.params {
        column.fill(0.0);
        column[index] = 1.0;
        factored.solve(&mut column);
        for (row, value) in column.iter().enumerate() {
            inverse.add(row, index, *value);
        }
    }
    inverse
}

/// The slope of a cluster, corrected for what the cluster itself has pulled the estimate:
/// (1 − X)^(−½) g, where X is the cluster's share of the information, as a series. The spread of
/// openings is left as it is: a single cluster need not have a positive share of what is known of it.
fn leave_out(local: &LocalSlopes, inverse: &Square, is_spread: &[bool]) -> Vec<f64> {
    let size = local.params.len();
    let mut sum = local.gradient.clone();
    let mut term = local.gradient.clone();
    for (param, term) in local.params.iter().zip(&mut term) {
        if is_spread[*param as usize] {
            *term = 0.0;
        }
    }
    let most = largest(&term);
    let mut middle = vec![0.0; size];
    let mut factor = 1.0;
    for number in 1..=MOST_TERMS {
        for (i, middle) in middle.iter_mut().enumerate() {
            let row = local.params[i] as usize;
            let products = local.params.iter().zip(&term);
            *middle = if is_spread[row] {
                0.0
            } else {
                products
                    .map(|(column, term)| inverse.at(row, *column as usize) * term)
                    .sum()
            };
        }
        for (i, term) in term.iter_mut().enumerate() {
            let products = middle.iter().enumerate();
            *term = if is_spread[local.params[i] as usize] {
                0.0
            } else {
                products.map(|(j, middle)| local.at(i, j) * middle).sum()
            };
        }
        factor *= (2 * number - 1) as f64 / (2 * number) as f64;
        // A share is less than 1, but for what fitted openings make of a single cluster.
        let now = largest(&term);
        if now > most {
            break;
        }
        for (sum, term) in sum.iter_mut().zip(&term) {
            *sum += factor * term;
        }
        if factor * now <= SMALL_TERM * most {
            break;
        }
    }
    sum
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| most.max(value.abs()))
}

/// What the prior holds varies, too.
fn add_prior(model: &Model, at: &[f64], meat: &mut Square) {
    let mut slopes = Slopes {
        gradient: vec![0.0; model.params],
        curvature: Symmetric::zero(Arc::clone(&model.pattern)),
    };
    model.vary_prior(at, &mut slopes);
    for (row, column, value) in slopes.curvature.entries() {
        let value = PRIOR_SHARE * value;
        meat.add(row, column, value);
        if column != row {
            meat.add(column, row, value);
        }
    }
}

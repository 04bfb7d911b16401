//! The uncertainty of an estimate, by leaving out each cluster in turn (one step of Newton's method, not
//! a new fit).
//!
//! This is the cluster-robust ("sandwich") covariance with Bell and McCaffrey's correction CR2 (2002):
//! it assumes nothing about the dependence of matches within a cluster or about the law of draws, and
//! few clusters do not bias it downwards. Student's distribution, with one degree of freedom less than
//! the effective number of clusters, accounts for the uncertainty of the covariance itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;

use super::covariance::{Changes, Clusters, Covariance};
use super::davidson_luce::{
    ClusterKind, DavidsonLuce, LocalSlopes, Slopes, UnitKind, Want, part_size,
};
use super::fit::{Fitter, Solver};
use crate::model::linear::{Cholesky, Conjugate, FEW, Square, Symmetric};

/// The variance of the prior's observations relative to matches. Without it, intervals of bots that are
/// far apart are too narrow.
const PRIOR_SHARE: f64 = 0.5;
/// Terms of the series of a cluster's leverage.
const MOST_TERMS: usize = 200;
/// The relative change below which terms are left out.
const SMALL_TERM: f64 = 1e-6;

/// With more units, the parameters of a cluster do not all meet each other.
const FEW_UNITS: usize = 64;
/// The largest share of the information that is attributed to a cluster if it is estimated.
const MOST_SHARE: f64 = 0.95;
/// Clusters of up to this many bots hold most of what is known about them.
const FEW_BOTS: usize = 4;

#[derive(Clone, Debug)]
pub(crate) struct Jackknife {
    pub(crate) covariance: Covariance,
    /// By parameter: the effective number of clusters that it rests on.
    pub(crate) clusters: Vec<f64>,
}

impl Jackknife {
    /// `groups` has the group of each bot.
    pub(crate) fn new(model: &DavidsonLuce, at: &[f64], groups: &[usize]) -> Self {
        let mut is_spread = vec![false; model.params];
        for param in model.games.iter().filter_map(|game| game.spread()) {
            is_spread[param] = true;
        }
        if model.params <= FEW {
            return Jackknife::whole(model, at, &is_spread);
        }
        let mut fitter = Fitter::new(model);
        let solver = fitter.factor(at);
        let curvature = fitter.curvature();
        let solver = solver.unwrap_or_else(|| Solver::Stepwise(Conjugate::new(curvature.clone())));
        Jackknife::by_sums(Many::new(model, &is_spread, curvature), at, groups, solver)
    }

    /// For many parameters: the covariance is never computed as a whole.
    fn by_sums(mut all: Many<'_>, at: &[f64], groups: &[usize], solver: Solver) -> Self {
        let covariance = match solver {
            Solver::Factored(factor) => {
                all.add_clusters(at, Some(&factor));
                all.add_prior(at);
                Covariance::solved(factor, all.changes, groups)
            }
            Solver::Stepwise(matrix) => {
                all.add_clusters(at, None);
                all.add_prior(at);
                Covariance::sampled(&matrix, &all.changes, groups)
            }
        };
        Jackknife {
            covariance,
            clusters: all.information.into_iter().map(effective).collect(),
        }
    }

    /// For few parameters: the full covariance.
    fn whole(model: &DavidsonLuce, at: &[f64], is_spread: &[bool]) -> Self {
        let (inverse, curvature) = inverse(model, at);
        let parts = model
            .clusters()
            .par_chunks(part_size(model.clusters().len()));
        let parts: Vec<Part> = parts
            .map(|clusters| Part::new(model, clusters, at, &inverse, is_spread))
            .collect();
        let mut sum = Part::zero(model);
        for part in parts {
            sum.join(part);
        }
        let Part {
            mut meat,
            information,
            mut clusters,
        } = sum;
        clusters.curvature = curvature;
        clusters.prior = held(model, at);
        for (row, column, value) in prior(model, at).entries() {
            let value = PRIOR_SHARE * value;
            meat.add(row, column, value);
            if column != row {
                meat.add(column, row, value);
            }
        }
        Jackknife {
            covariance: Covariance::whole(inverse.times(&meat).times(&inverse), inverse, clusters),
            clusters: information.into_iter().map(effective).collect(),
        }
    }
}

/// The effective number of clusters, by the sum of their information and the sum of its squares.
fn effective([sum, squares]: [f64; 2]) -> f64 {
    if squares > 0.0 {
        sum * sum / squares
    } else {
        0.0
    }
}

/// The sums over clusters for many parameters.
struct Many<'a> {
    model: &'a DavidsonLuce,
    is_spread: &'a [bool],
    /// The diagonal of the second derivatives.
    diagonal: Vec<f64>,
    changes: Changes,
    information: Vec<[f64; 2]>,
}

impl<'a> Many<'a> {
    fn new(model: &'a DavidsonLuce, is_spread: &'a [bool], curvature: &Symmetric) -> Self {
        Many {
            model,
            is_spread,
            diagonal: (0..model.params).map(|at| curvature.at(at, at)).collect(),
            changes: Changes {
                matrix: Symmetric::zero(Arc::clone(&model.pattern)),
                clusters: Vec::new(),
                units: Vec::new(),
            },
            information: vec![[0.0; 2]; model.params],
        }
    }

    fn add_clusters(&mut self, at: &[f64], factor: Option<&Cholesky>) {
        let model = self.model;
        let inverse = factor.map(Cholesky::selected_inverse);
        let several = model
            .clusters()
            .iter()
            .any(|it| model.members(it).len() > 1);
        let mut local = LocalSlopes::default();
        for cluster in model.clusters() {
            let count = f64::from(cluster.count);
            let members = model.members(cluster);
            if let Some(inverse) = inverse.as_ref().filter(|_| members.len() <= FEW_UNITS) {
                local.clear();
                for &(unit, times) in members {
                    let unit = &model.units()[unit as usize];
                    model.unit_slopes(unit, at, f64::from(times), &mut local);
                }
                if inverse.has_all(&local.params) {
                    self.add_exactly(&local, inverse, count);
                    continue;
                }
            }
            self.add_cluster(at, members, count, several && factor.is_none(), &mut local);
        }
    }

    /// Adds a cluster whose parameters all have entries in the matrix.
    fn add_exactly(&mut self, local: &LocalSlopes, inverse: &Symmetric, count: f64) {
        let inverse = |row, column| inverse.at(row, column);
        let adjusted = leave_out(local, inverse, self.is_spread);
        for (i, &row) in local.params.iter().enumerate() {
            self.add_known(row, local.at(i, i), count);
            for (j, &column) in local.params.iter().enumerate().take(i + 1) {
                let product = count * adjusted[i] * adjusted[j];
                self.changes
                    .matrix
                    .add(row as usize, column as usize, product);
            }
        }
    }

    /// Adds a cluster whose share of the information is only estimated.
    fn add_cluster(
        &mut self,
        at: &[f64],
        members: &[(u32, u32)],
        count: f64,
        by_unit: bool,
        local: &mut LocalSlopes,
    ) {
        // By parameter: the slope and the information.
        let mut sums: BTreeMap<u32, [f64; 2]> = BTreeMap::new();
        for &(unit, times) in members {
            local.clear();
            let unit = &self.model.units()[unit as usize];
            self.model.unit_slopes(unit, at, f64::from(times), local);
            let mut alone: BTreeMap<u32, [f64; 2]> = BTreeMap::new();
            for (i, param) in local.params.iter().enumerate() {
                let own = [local.gradient[i], local.at(i, i)];
                for sums in [&mut sums, &mut alone] {
                    let [slope, known] = sums.entry(*param).or_default();
                    *slope += own[0];
                    *known += own[1];
                }
            }
            if by_unit {
                // Equal units are clusters of their own.
                let times = f64::from(times);
                let change = alone
                    .iter()
                    .map(|(param, [slope, _])| (*param, slope / times));
                let change: Vec<(u32, f64)> = change.collect();
                let weight = (times * count).sqrt();
                self.changes.units.push(weighed(change, weight));
            }
        }
        for (param, [_, known]) in &sums {
            self.add_known(*param, *known, count);
        }
        let share = |param: u32, known: f64| {
            let all = self.diagonal[param as usize];
            if all > 0.0 && !self.is_spread[param as usize] {
                (known / all).clamp(0.0, MOST_SHARE)
            } else {
                0.0
            }
        };
        // Few bots that meet share most of their information about each other in this cluster; many
        // bots get most of it from other clusters.
        let is_bot = |param: u32| (param as usize) < self.model.bots;
        let bots = || sums.iter().filter(|(param, _)| is_bot(**param));
        let together = if bots().count() <= FEW_BOTS {
            let shares = bots().map(|(param, [_, known])| share(*param, *known));
            shares.sum::<f64>().min(MOST_SHARE)
        } else {
            0.0
        };
        let change = sums.iter().map(|(&param, [slope, known])| {
            let own = share(param, *known);
            let share = if own > 0.0 { own.max(together) } else { 0.0 };
            (param, slope / (1.0 - share).sqrt())
        });
        let change = weighed(change.collect(), count.sqrt());
        self.changes.clusters.push(change);
    }

    /// Adds the information of `count` clusters about a parameter.
    fn add_known(&mut self, param: u32, known: f64, count: f64) {
        let known = known.max(0.0);
        let [sum, squares] = &mut self.information[param as usize];
        *sum += count * known;
        *squares += count * known * known;
    }

    /// The prior's observations vary, too.
    fn add_prior(&mut self, at: &[f64]) {
        for (row, column, value) in prior(self.model, at).entries() {
            self.changes.matrix.add(row, column, PRIOR_SHARE * value);
        }
    }
}

fn weighed(mut change: Vec<(u32, f64)>, weight: f64) -> Vec<(u32, f64)> {
    for (_, by) in &mut change {
        *by *= weight;
    }
    change
}

/// The sums over some clusters.
struct Part {
    /// The sum of the products of their scores.
    meat: Square,
    /// By parameter: the sum of the clusters' information about it, and of its squares.
    information: Vec<[f64; 2]>,
    clusters: Clusters,
}

impl Part {
    fn zero(model: &DavidsonLuce) -> Self {
        Part {
            meat: Square::zero(model.params),
            information: vec![[0.0; 2]; model.params],
            clusters: Clusters {
                changes: Vec::new(),
                supposed: Symmetric::zero(Arc::clone(&model.pattern)),
                curvature: Symmetric::zero(Arc::clone(&model.pattern)),
                prior: Symmetric::zero(Arc::clone(&model.pattern)),
            },
        }
    }

    fn new(
        model: &DavidsonLuce,
        clusters: &[ClusterKind],
        at: &[f64],
        inverse: &Square,
        is_spread: &[bool],
    ) -> Self {
        let mut part = Part::zero(model);
        let (mut local, mut alone) = (LocalSlopes::default(), LocalSlopes::default());
        for cluster in clusters {
            local.clear();
            for &(unit, times) in model.members(cluster) {
                let unit = &model.units()[unit as usize];
                model.unit_slopes(unit, at, f64::from(times), &mut local);
            }
            let count = f64::from(cluster.count);
            match model.members(cluster) {
                // Known already.
                &[(unit, 1)] => part.suppose(model, &model.units()[unit as usize], count, &local),
                members => {
                    for &(unit, times) in members {
                        let unit = &model.units()[unit as usize];
                        let times = f64::from(times);
                        alone.clear();
                        model.unit_slopes(unit, at, times, &mut alone);
                        part.suppose(model, unit, count * times, &alone);
                    }
                }
            }
            let adjusted = leave_out(&local, |row, column| inverse.at(row, column), is_spread);
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
            let change = local.params.iter().copied().zip(adjusted);
            part.clusters.changes.push((count, change.collect()));
        }
        part
    }

    /// Adds the score that a unit would have if the model were true and equal units copies; `share` is
    /// how often it counts.
    fn suppose(&mut self, model: &DavidsonLuce, unit: &UnitKind, share: f64, local: &LocalSlopes) {
        let share = share * model.game_of(unit).map_or(1.0, |game| game.weight);
        for (i, &row) in local.params.iter().enumerate() {
            for (j, &column) in local.params.iter().enumerate().take(i + 1) {
                let value = share * local.at(i, j);
                self.clusters
                    .supposed
                    .add(row as usize, column as usize, value);
            }
        }
    }

    fn join(&mut self, other: Part) {
        self.meat.join(&other.meat);
        self.clusters.supposed.join(&other.clusters.supposed);
        self.clusters.changes.extend(other.clusters.changes);
        let sums = self.information.iter_mut().flatten();
        for (sum, other) in sums.zip(other.information.iter().flatten()) {
            *sum += other;
        }
    }
}

/// The second derivatives, after their inverse.
fn inverse(model: &DavidsonLuce, at: &[f64]) -> (Square, Symmetric) {
    let mut fitter = Fitter::new(model);
    let mut inverse = Square::zero(model.params);
    let Some(factored) = fitter.factor(at) else {
        return (inverse, fitter.curvature().clone());
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
    (inverse, fitter.curvature().clone())
}

/// The slope of a cluster, corrected for the cluster's own pull on the estimate: (1 − X)^(−½) g as a
/// series, where X is the cluster's share of the information. The spread of openings is not corrected:
/// a single cluster need not have a positive share of the information about it.
fn leave_out(
    local: &LocalSlopes,
    inverse: impl Fn(usize, usize) -> f64,
    is_spread: &[bool],
) -> Vec<f64> {
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
                    .map(|(column, term)| inverse(row, *column as usize) * term)
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
        // The share is below 1, except with fitted openings.
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

/// The second derivatives of the prior.
fn held(model: &DavidsonLuce, at: &[f64]) -> Symmetric {
    let mut slopes = Slopes::zero(&model.pattern);
    model.evaluate_prior(at, Want::Curvature, &mut slopes);
    slopes.curvature
}

/// The variance that the prior's slopes would have if they were matches.
fn prior(model: &DavidsonLuce, at: &[f64]) -> Symmetric {
    let mut slopes = Slopes::zero(&model.pattern);
    model.vary_prior(at, &mut slopes);
    slopes.curvature
}

#[cfg(test)]
mod tests {
    use games::Rng;

    use super::*;
    use crate::evidence::{Evidence, Placing};
    use crate::model::Direction;

    /// Bots that meet those a few places away, some of them in clusters of several units.
    fn ladder(bots: usize) -> Evidence {
        let mut rng = Rng::new(8);
        let mut evidence = Evidence::new(bots, vec![2]);
        for number in 0..8 * bots {
            let first = number % bots;
            let second = (first + 1 + rng.index(3)) % bots;
            let mut unit = || {
                [[first, second], [second, first]].map(|seats| {
                    let points = [0.0, 0.5, 0.5, 1.0][rng.index(4)];
                    Placing::new(0, &seats, &[points, 1.0 - points])
                })
            };
            if number % 10 == 0 {
                evidence.add_cluster(&[unit(), unit()]);
            } else {
                evidence.add(&unit());
            }
        }
        evidence
    }

    /// The same variances come from the covariance as a whole and from a factor; random samples bound
    /// them.
    #[test]
    fn all_kinds_of_covariance_agree() {
        const BOTS: usize = 60;
        let model = DavidsonLuce::new(&ladder(BOTS));
        let mut at = vec![0.0; model.params];
        Fitter::new(&model).climb(&mut at);
        let groups = vec![0; BOTS];
        let is_spread = vec![false; model.params];
        let whole = Jackknife::whole(&model, &at, &is_spread);
        let by_sums = |solver: &dyn Fn(Solver, &Symmetric) -> Solver| {
            let mut fitter = Fitter::new(&model);
            let factored = fitter.factor(&at).expect("a factor");
            let solver = solver(factored, fitter.curvature());
            let many = Many::new(&model, &is_spread, fitter.curvature());
            Jackknife::by_sums(many, &at, &groups, solver)
        };
        let solved = by_sums(&|factored, _| factored);
        let sampled = by_sums(&|_, matrix| Solver::Stepwise(Conjugate::new(matrix.clone())));
        assert_eq!(sampled.covariance.samples(), 256);
        let mut bounds = Vec::new();
        for bot in 0..BOTS {
            let (mut plain, mut short) = (Direction::default(), Direction::default());
            for other in 0..BOTS {
                plain.add(other, f64::from(u8::from(bot == other)) - 1.0 / BOTS as f64);
            }
            short.add(bot, 1.0);
            short.add_mean(0, -1.0);
            let expected = whole.covariance.variance(&plain);
            let ratio = solved.covariance.variance(&short) / expected;
            assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
            bounds.push(sampled.covariance.variance(&short) / expected);
            assert!((whole.clusters[bot] - solved.clusters[bot]).abs() < 1e-9);
            assert!((whole.clusters[bot] - sampled.clusters[bot]).abs() < 1e-9);
        }
        let below = bounds.iter().filter(|bound| **bound < 1.0).count();
        let mean = bounds.iter().sum::<f64>() / BOTS as f64;
        assert!(below <= BOTS / 6, "{below}: {bounds:?}");
        assert!((1.05..1.4).contains(&mean), "{mean}");
    }
}

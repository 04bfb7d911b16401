//! The variance of sums of parameters.
//!
//! The covariance of all parameters is the sandwich H⁻¹ M H⁻¹ of the second derivatives H and the
//! products M of the clusters' scores. With few parameters it is computed as a whole. With many, each
//! sum is one system solved with a factor of H. Where a factor would be too large, the variance is
//! bounded by random samples of that covariance (each cluster's score with a random sign).

use std::collections::BTreeMap;

use games::Rng;
use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator,
};
use rayon::slice::ParallelSlice;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::model::linear::{Cholesky, Conjugate, Square, Symmetric};

/// Systems solved side by side.
const LANES: usize = 8;
/// Random samples, each in a lane.
const SAMPLES: usize = 256;
/// Relative precision of samples, far below their random error.
const EXACT_SAMPLE: f64 = 1e-4;
/// The share of sampled bounds that may be below the true variance.
const TOO_LOW: f64 = 0.05;
/// The rounding error of slopes that cancel out.
const NO_SLOPE: f64 = 1e-9;

/// A weighted sum of parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Direction {
    terms: BTreeMap<usize, f64>,
    /// A group of bots and the weight of its mean strength in the sum.
    mean: Option<(usize, f64)>,
}

impl Direction {
    pub(crate) fn add(&mut self, param: usize, times: f64) {
        *self.terms.entry(param).or_default() += times;
    }

    /// Adds the mean strength of a group.
    pub(crate) fn add_mean(&mut self, group: usize, times: f64) {
        let before = self.mean.map_or(0.0, |(_, before)| before);
        self.mean = Some((group, before + times));
    }
}

/// The members of each group, whose mean strength is a term of ratings.
#[derive(Clone, Debug)]
struct Groups {
    members: Vec<Vec<usize>>,
}

impl Groups {
    fn new(groups: &[usize]) -> Self {
        let mut members = vec![Vec::new(); groups.iter().max().map_or(0, |most| most + 1)];
        for (bot, group) in groups.iter().enumerate() {
            members[*group].push(bot);
        }
        Groups { members }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Changes {
    /// The prior and, with a factor, clusters of one unit.
    pub(super) matrix: Symmetric,
    /// The scores of other clusters; without a factor, of all.
    pub(super) clusters: Vec<Vec<(u32, f64)>>,
    /// The scores of single units, if some share clusters and there is no factor.
    pub(super) units: Vec<Vec<(u32, f64)>>,
}

/// Each cluster's share, if there are few parameters.
#[derive(Clone, Debug)]
pub(crate) struct Clusters {
    /// Distinct scores of clusters, each with its count.
    pub(super) changes: Vec<(f64, Vec<(u32, f64)>)>,
    /// M if the model were true and matches independent, except that matches of a cluster with the same
    /// seats and results count as copies.
    pub(super) supposed: Symmetric,
    /// The second derivatives, and the prior's part of them.
    pub(super) curvature: Symmetric,
    pub(super) prior: Symmetric,
}

/// The uncertainty of a sum of parameters.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    /// The cluster-robust variance.
    pub(crate) robust: f64,
    /// The variance if the model is true; see [`Clusters::supposed`].
    pub(crate) supposed: f64,
    /// The effective number of clusters with a score: those that went as expected say nothing of how
    /// much results vary.
    pub(crate) active: f64,
    /// The direction in which the most important parameters move with the sum, while others stay; empty
    /// if unknown.
    pub(crate) line: Vec<f64>,
    /// The variance of results along the line relative to that of matches alone, per unit of the sum's
    /// variance. It exceeds 1 if matches depend on each other, or if other parameters are uncertain.
    pub(crate) inflation: f64,
    /// The derivative of the sum along the line, and the information of matches about it.
    pub(crate) rate: f64,
    pub(crate) known: f64,
}

/// About the most steps spent on clusters to find spreads.
const MOST_STEPS: usize = 200_000_000;

#[derive(Clone, Debug)]
pub(crate) struct Covariance(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Whole {
        covariance: Square,
        independent: Square,
        clusters: Clusters,
    },
    Solved {
        factor: Cholesky,
        changes: Changes,
        groups: Groups,
    },
    Sampled {
        clusters: Samples,
        /// `None` if each unit is a cluster.
        units: Option<Samples>,
    },
}

impl Covariance {
    /// A full matrix; `independent` is what it would be if the model were true and all matches independent.
    pub(super) fn whole(covariance: Square, independent: Square, clusters: Clusters) -> Self {
        Covariance(Kind::Whole {
            covariance,
            independent,
            clusters,
        })
    }

    pub(super) fn solved(factor: Cholesky, changes: Changes, groups: &[usize]) -> Self {
        Covariance(Kind::Solved {
            factor,
            changes,
            groups: Groups::new(groups),
        })
    }

    pub(super) fn sampled(matrix: &Conjugate, changes: &Changes, groups: &[usize]) -> Self {
        let groups = Groups::new(groups);
        let units = !changes.units.is_empty();
        Covariance(Kind::Sampled {
            clusters: Samples::new(matrix, &changes.clusters, &changes.matrix, &groups),
            units: units.then(|| Samples::new(matrix, &changes.units, &changes.matrix, &groups)),
        })
    }

    /// Random samples drawn; 0 unless sampled.
    pub(crate) fn samples(&self) -> usize {
        match &self.0 {
            Kind::Whole { .. } | Kind::Solved { .. } => 0,
            Kind::Sampled { .. } => SAMPLES,
        }
    }

    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.0, Kind::Whole { .. })
    }

    /// The variance of the difference of two parameters.
    pub(crate) fn of_difference(&self, one: usize, other: usize) -> f64 {
        if let Kind::Whole { covariance, .. } = &self.0 {
            let both = covariance.at(one, one) + covariance.at(other, other);
            return both - 2.0 * covariance.at(one, other);
        }
        let mut sum = Direction::default();
        sum.add(one, 1.0);
        sum.add(other, -1.0);
        self.variance(&sum)
    }

    /// The variance of each sum, and what it would be if all matches (when sampled, all units) were
    /// independent.
    pub(crate) fn variances(&self, sums: &[Direction]) -> Vec<[f64; 2]> {
        match &self.0 {
            Kind::Whole {
                covariance,
                independent,
                ..
            } => {
                let both = [covariance, independent];
                let variances = sums
                    .iter()
                    .map(|sum| both.map(|it| entry_by_entry(it, sum)));
                variances.collect()
            }
            Kind::Solved {
                factor,
                changes,
                groups,
            } => {
                let blocks = sums.par_chunks(LANES);
                blocks
                    .flat_map_iter(|block| solve(factor, changes, groups, block))
                    .collect()
            }
            Kind::Sampled { clusters, units } => {
                let variances = sums.iter().map(|sum| {
                    let variance = clusters.variance(sum);
                    let units = units.as_ref().map(|units| units.variance(sum));
                    [variance, units.unwrap_or(variance)]
                });
                variances.collect()
            }
        }
    }

    /// The uncertainty of each sum, with lines along which the `chosen` parameters move. With too many sums
    /// to visit all clusters for each, all clusters count as active.
    pub(crate) fn spreads(
        &self,
        sums: &[Direction],
        chosen: &(dyn Fn(usize) -> bool + Sync),
    ) -> Vec<Spread> {
        let variances = self.variances(sums);
        let (clusters, inverse) = match &self.0 {
            Kind::Whole {
                clusters,
                independent,
                ..
            } => (clusters, independent),
            _ => return variances.into_iter().map(Spread::rough).collect(),
        };
        let size: usize = clusters
            .changes
            .iter()
            .map(|(_, change)| change.len())
            .sum();
        if sums
            .len()
            .saturating_mul(size + clusters.supposed.entries_count())
            > MOST_STEPS
        {
            return variances.into_iter().map(Spread::rough).collect();
        }
        let spreads = sums.par_iter().zip(variances);
        let spreads = spreads.map(|(sum, [robust, model])| {
            let mut line = inverse.times_sparse(sum.terms.iter().map(|(at, by)| (*at, *by)));
            let (mut squares, mut fourths) = (0.0, 0.0);
            for (count, change) in &clusters.changes {
                let by = change.iter().map(|(param, by)| by * line[*param as usize]);
                let square = by.sum::<f64>().powi(2);
                squares += count * square;
                fourths += count * square * square;
            }
            let supposed = clusters.supposed.quadratic(&line);
            // The prior makes estimates vary less than results.
            let by_matches = model - clusters.prior.quadratic(&line);
            for (param, by) in line.iter_mut().enumerate() {
                *by *= f64::from(u8::from(chosen(param)));
            }
            let rate: f64 = sum.terms.iter().map(|(param, by)| by * line[*param]).sum();
            let alone = clusters.curvature.quadratic(&line);
            Spread {
                robust,
                supposed,
                inflation: model * alone / (rate * rate) / by_matches,
                rate,
                known: alone - clusters.prior.quadratic(&line),
                active: if fourths > 0.0 {
                    squares * squares / fourths
                } else {
                    0.0
                },
                line,
            }
        });
        spreads.collect()
    }

    pub(crate) fn variance(&self, sum: &Direction) -> f64 {
        let [variance, _] = self.variances(std::slice::from_ref(sum))[0];
        variance
    }
}

impl Spread {
    /// Without a visit to each cluster.
    fn rough([robust, _]: [f64; 2]) -> Self {
        Spread {
            robust,
            supposed: robust,
            inflation: 0.0,
            rate: 0.0,
            known: 0.0,
            active: f64::INFINITY,
            line: Vec::new(),
        }
    }
}

fn entry_by_entry(matrix: &Square, sum: &Direction) -> f64 {
    let terms = sum.terms.iter().filter(|(_, times)| times.abs() > NO_SLOPE);
    let terms: Vec<(usize, f64)> = terms.map(|(param, times)| (*param, *times)).collect();
    let mut variance = 0.0;
    for &(row, a) in &terms {
        for &(column, b) in &terms {
            variance += a * b * matrix.at(row, column);
        }
    }
    variance
}

/// The variances of a few sums s: with x = H⁻¹ s, x · M x and s · x.
fn solve(
    factor: &Cholesky,
    changes: &Changes,
    groups: &Groups,
    sums: &[Direction],
) -> impl Iterator<Item = [f64; 2]> + use<> {
    let size = changes.matrix.size();
    let mut asked = vec![[0.0; LANES]; size];
    for (lane, sum) in sums.iter().enumerate() {
        for (param, times) in &sum.terms {
            asked[*param][lane] += times;
        }
        if let Some((group, times)) = sum.mean {
            let members = &groups.members[group];
            for member in members {
                asked[*member][lane] += times / members.len() as f64;
            }
        }
    }
    let mut x = asked.clone();
    factor.solve_all(&mut x);
    let mut product = vec![[0.0; LANES]; size];
    changes.matrix.times(&x, &mut product);
    let mut found = [[0.0; 2]; LANES];
    for at in 0..size {
        for (lane, [varied, usual]) in found.iter_mut().enumerate() {
            *varied += x[at][lane] * product[at][lane];
            *usual += x[at][lane] * asked[at][lane];
        }
    }
    for cluster in &changes.clusters {
        for (lane, [varied, _]) in found.iter_mut().enumerate() {
            let change = cluster
                .iter()
                .map(|(param, by)| by * x[*param as usize][lane]);
            *varied += change.sum::<f64>().powi(2);
        }
    }
    found.into_iter().take(sums.len())
}

/// Samples side by side: by parameter, and by group.
type Block = (Vec<[f64; LANES]>, Vec<[f64; LANES]>);

/// Random deviations of the parameters from the estimate.
#[derive(Clone, Debug)]
struct Samples {
    /// By block: each parameter, then the mean of each group.
    blocks: Vec<Block>,
    /// The factor that turns the mean of their squares into a bound.
    bound: f64,
}

impl Samples {
    fn new(
        matrix: &Conjugate,
        changes: &[Vec<(u32, f64)>],
        prior: &Symmetric,
        groups: &Groups,
    ) -> Self {
        let held: Vec<f64> = (0..prior.size())
            .map(|param| prior.at(param, param).max(0.0).sqrt())
            .collect();
        let block = |number: usize| {
            let mut rng = Rng::from_parts(&[0x05a3_b1e5, number as u64]);
            let mut x: Vec<[f64; LANES]> = held
                .iter()
                .map(|held| signs(&mut rng).map(|sign| sign * held))
                .collect();
            for cluster in changes {
                let signs = signs(&mut rng);
                for (param, by) in cluster {
                    for (x, sign) in x[*param as usize].iter_mut().zip(signs) {
                        *x += sign * by;
                    }
                }
            }
            matrix.solve(&mut x, EXACT_SAMPLE);
            let means = groups.members.iter().map(|members| {
                let mut sum = [0.0; LANES];
                for member in members {
                    for (sum, x) in sum.iter_mut().zip(x[*member]) {
                        *sum += x;
                    }
                }
                sum.map(|sum| sum / members.len() as f64)
            });
            let means = means.collect();
            (x, means)
        };
        let samples = SAMPLES as f64;
        let lowest = ChiSquared::new(samples).map_or(samples, |law| law.inverse_cdf(TOO_LOW));
        Samples {
            blocks: (0..SAMPLES / LANES).into_par_iter().map(block).collect(),
            bound: samples / lowest,
        }
    }

    fn variance(&self, sum: &Direction) -> f64 {
        let mut squares = 0.0;
        for (params, means) in &self.blocks {
            let mut values = [0.0; LANES];
            let mut add = |by: f64, x: &[f64; LANES]| {
                for (value, x) in values.iter_mut().zip(x) {
                    *value += by * x;
                }
            };
            for (param, times) in &sum.terms {
                add(*times, &params[*param]);
            }
            if let Some((group, times)) = sum.mean {
                add(times, &means[group]);
            }
            squares += values.iter().map(|value| value * value).sum::<f64>();
        }
        self.bound * squares / SAMPLES as f64
    }
}

fn signs(rng: &mut Rng) -> [f64; LANES] {
    let bits = rng.next_u64();
    std::array::from_fn(|lane| if bits >> lane & 1 == 1 { 1.0 } else { -1.0 })
}

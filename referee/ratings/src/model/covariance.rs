//! How far what follows from several parameters may be off, given the matches: the variance of a sum
//! of parameters.
//!
//! The covariance of all parameters is H⁻¹ M H⁻¹, with the second derivatives H and what clusters
//! change M. For few parameters it is there as a whole. For many, each sum is a system with a factor
//! of H; and where a factor would be too large, sums vary as they do among random samples of that
//! covariance (each cluster's change with a random sign), which gives a bound.

use std::collections::BTreeMap;

use games::Rng;
use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator,
};
use rayon::slice::ParallelSlice;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::conjugate::Conjugate;
use super::dense::Square;
use super::sparse::{Cholesky, Symmetric};

/// Systems are solved this many side by side.
const LANES: usize = 8;
/// How many samples there are, each in a lane.
const SAMPLES: usize = 256;
/// Samples are this exact, relatively: they are random by far more.
const EXACT_SAMPLE: f64 = 1e-4;
/// Of the variances that samples give, this share is below the true one.
const TOO_LOW: f64 = 0.05;
/// Slopes that cancel out may be this far from 0, by rounding.
const NO_SLOPE: f64 = 1e-9;

/// A sum of parameters, each so often.
#[derive(Clone, Debug, Default)]
pub(crate) struct Direction {
    terms: BTreeMap<usize, f64>,
    /// A group of bots, and how often the sum has the mean of their strengths.
    mean: Option<(usize, f64)>,
}

impl Direction {
    /// Adds a parameter, so often.
    pub(crate) fn add(&mut self, param: usize, times: f64) {
        *self.terms.entry(param).or_default() += times;
    }

    /// Adds the mean of the strengths of a group, so often.
    pub(crate) fn add_mean(&mut self, group: usize, times: f64) {
        let before = self.mean.map_or(0.0, |(_, before)| before);
        self.mean = Some((group, before + times));
    }
}

/// The groups of bots, whose means are part of ratings.
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

/// What clusters change: M.
#[derive(Clone, Debug)]
pub(crate) struct Changes {
    /// What clusters of one unit change, and the prior, as a matrix. Without a factor, only the prior.
    pub(super) matrix: Symmetric,
    /// What other clusters change, and without a factor those of one unit, too.
    pub(super) clusters: Vec<Vec<(u32, f64)>>,
    /// What units change, each by itself, where some are in clusters together and there is no factor.
    pub(super) units: Vec<Vec<(u32, f64)>>,
}

/// What is known of each cluster, where there are few parameters.
#[derive(Clone, Debug)]
pub(crate) struct Clusters {
    /// What clusters change, and how many are like that.
    pub(super) changes: Vec<(f64, Vec<(u32, f64)>)>,
    /// What they would change if the model were true, and matches independent but for those of a
    /// cluster with the same seats and results, which count as copies.
    pub(super) supposed: Symmetric,
    /// The second derivatives, and the part of them that is the prior's.
    pub(super) curvature: Symmetric,
    pub(super) prior: Symmetric,
}

/// How far a sum of parameters is off.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    /// Its variance by what clusters change.
    pub(crate) robust: f64,
    /// The same if the model is true; see [`Clusters::supposed`].
    pub(crate) supposed: f64,
    /// How many equal clusters change it as much as these do, effectively: those that went as expected
    /// say nothing of how much results vary.
    pub(crate) active: f64,
    /// In which direction the parameters that matter most move with the sum, while others stand still;
    /// empty where that is not known.
    pub(crate) line: Vec<f64>,
    /// How much more results vary along it than matches alone have it: this for each unit of the sum's
    /// variance, since they do not depend on each other as the model has it, or since other parameters
    /// are not known either.
    pub(crate) inflation: f64,
    /// By how much the sum changes along it, and how much matches say about that.
    pub(crate) rate: f64,
    pub(crate) known: f64,
}

/// What of clusters is looked at for spreads takes at most about this many steps.
const MOST_STEPS: usize = 200_000_000;

/// The covariance of all parameters.
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
    /// As a whole: as it is, and as it would be if all matches were independent and the model true.
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

    /// How many samples there are; 0 where none are needed.
    pub(crate) fn samples(&self) -> usize {
        match &self.0 {
            Kind::Whole { .. } | Kind::Solved { .. } => 0,
            Kind::Sampled { .. } => SAMPLES,
        }
    }

    /// Whether the covariance is there as a whole.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.0, Kind::Whole { .. })
    }

    /// The variance of how far two parameters are apart.
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

    /// The variances of some sums: as they are, and as they would be if all matches were independent
    /// (by samples, all units).
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

    /// How far some sums are off, with lines along which those parameters move that are `chosen`. Where
    /// there are too many sums to look at each cluster for each of them, all clusters count as active.
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
            // The prior makes estimates less variable than results are.
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

    /// The variance of a sum.
    pub(crate) fn variance(&self, sum: &Direction) -> f64 {
        let [variance, _] = self.variances(std::slice::from_ref(sum))[0];
        variance
    }
}

impl Spread {
    /// Of what is known without a look at each cluster.
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

/// Parameters as they might have come out, less the estimate.
#[derive(Clone, Debug)]
struct Samples {
    /// By block: by parameter, then by group its mean.
    blocks: Vec<Block>,
    /// What the mean of their squares is to be multiplied with, so that it is a bound.
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

/// Random signs.
fn signs(rng: &mut Rng) -> [f64; LANES] {
    let bits = rng.next_u64();
    std::array::from_fn(|lane| if bits >> lane & 1 == 1 { 1.0 } else { -1.0 })
}

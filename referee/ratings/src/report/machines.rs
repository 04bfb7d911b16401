//! Tests if results on one machine agree with those on the others.

use std::collections::HashMap;

use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::standings::Totals;
use crate::store::{Cell, MachineLoad, MachineMatches, Machines, Stratum};

/// A difference is reported if chance alone would make one like it, on any of the machines, this
/// often at most.
const MOST_CHANCE: f64 = 0.01;
/// With fewer matches of known load, a machine is never called noisy.
const LEAST_MATCHES: u64 = 20;
/// A machine is noisy if it was busy during more than this share of its matches.
const NOISY: f64 = 0.25;
/// A variance of this many squared points is one of rounding.
const NOTHING: f64 = 1e-9;
/// With more bots, their covariances would take long.
const MOST_BOTS: usize = 300;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MachineReport {
    /// `None` for matches without a machine in the log.
    pub name: Option<String>,
    /// The model of its CPU, if it is known.
    pub cpu: Option<String>,
    pub cores: Option<u32>,
    /// Mean speed by the yardstick over its matches, where known.
    pub speed: Option<f64>,
    pub matches: u64,
    pub load: MachineLoad,
    /// Points of the bots on this machine, in the order of the report; empty unless requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bots: Vec<Totals>,
    /// The same test for each bot alone: how often chance would make its score differ as much.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub p_values: Vec<Option<f64>>,
    /// Homogeneity of the results across machines; `None` unless requested, and if nothing can be
    /// compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub homogeneity: Option<Homogeneity>,
}

/// A chi-square test of whether the bots score on a machine as elsewhere: pairings, seat orders and games
/// each by themselves, and then all together (a test of Cochran, Mantel and Haenszel).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Homogeneity {
    pub chi_square: f64,
    pub freedom: u64,
    /// Probability of differences at least as large by chance alone.
    pub p_value: f64,
}

impl MachineReport {
    /// True if other load makes results by the clock doubtful.
    pub fn is_noisy(&self) -> bool {
        is_noisy(&self.load)
    }

    /// True if the deviation is significant, corrected for the number of machines.
    pub fn is_different(&self, machines: usize) -> bool {
        let least = MOST_CHANCE / machines.max(1) as f64;
        self.homogeneity.is_some_and(|test| test.p_value < least)
    }
}

/// True if other load makes results by the clock doubtful.
pub fn is_noisy(load: &MachineLoad) -> bool {
    load.matches >= LEAST_MATCHES && load.busy as f64 > NOISY * load.matches as f64
}

/// The machines by name; those that the log does not name come last. `bots` are the standings' bots in
/// the order of the report.
pub(super) fn machines(machines: &Machines, bots: &[usize]) -> Vec<MachineReport> {
    let places = bots.iter().enumerate().map(|(place, bot)| (*bot, place));
    let places: HashMap<usize, usize> = places.collect();
    let report = |(place, found): (usize, &MachineMatches)| {
        let plain = plain(found);
        let Some(results) = &machines.results else {
            return plain;
        };
        let of_bot = |bot: &usize| found.bots.get(*bot).copied().unwrap_or_default();
        let bots = bots.iter().map(of_bot).collect();
        if places.len() > MOST_BOTS {
            return MachineReport { bots, ..plain };
        }
        let comparison = Comparison::new(results.values(), place, &places);
        MachineReport {
            bots,
            p_values: comparison.p_values(),
            homogeneity: comparison.test(),
            ..plain
        }
    };
    let mut all: Vec<MachineReport> = machines.list.iter().enumerate().map(report).collect();
    all.sort_by_key(|it| (it.name.is_none(), it.name.clone()));
    all
}

fn plain(found: &MachineMatches) -> MachineReport {
    let (machine, (sum, known)) = (found.machine.as_ref(), found.speeds);
    MachineReport {
        name: machine.map(|machine| machine.name.clone()),
        cpu: machine.and_then(|machine| machine.cpu.clone()),
        cores: machine.map(|machine| machine.cores),
        speed: (known > 0).then(|| sum / known as f64),
        matches: found.matches,
        load: found.load,
        bots: Vec::new(),
        p_values: Vec::new(),
        homogeneity: None,
    }
}

/// Compares the points of the bots on a machine with those of the same pairings on all machines,
/// under the permutation distribution: matches dealt to machines by lot, within each pairing, seat
/// order and game (the strata). Exact however few matches there are.
struct Comparison {
    /// A bot each: its points there less the expected ones.
    excess: Vec<f64>,
    /// The variances and covariances of these, row by row.
    covariance: Vec<Vec<f64>>,
}

impl Comparison {
    fn new<'a>(
        strata: impl Iterator<Item = &'a Stratum>,
        machine: usize,
        places: &HashMap<usize, usize>,
    ) -> Self {
        let mut comparison = Comparison {
            excess: vec![0.0; places.len()],
            covariance: vec![vec![0.0; places.len()]; places.len()],
        };
        for stratum in strata {
            comparison.add(stratum, machine, places);
        }
        comparison
    }

    fn add(&mut self, stratum: &Stratum, machine: usize, places: &HashMap<usize, usize>) {
        let seats = stratum.bots.len();
        let places: Vec<usize> = stratum.bots.iter().map(|bot| places[bot]).collect();
        let is_there = |cell: &&Cell| cell.machine == machine;
        let all = stratum.cells.iter().map(|cell| cell.count).sum::<u64>() as f64;
        let there = stratum.cells.iter().filter(is_there);
        let there = there.map(|cell| cell.count).sum::<u64>() as f64;
        if there == 0.0 || there == all {
            return;
        }
        let mut sums = vec![[0.0; 2]; seats];
        for cell in &stratum.cells {
            for (seat, [everywhere, here]) in sums.iter_mut().enumerate() {
                let points = cell.points(seat) * cell.count as f64;
                *everywhere += points;
                *here += if cell.machine == machine { points } else { 0.0 };
            }
        }
        let spread = there * (all - there) / (all * (all - 1.0));
        for one in 0..seats {
            let mean = |seat: usize| sums[seat][0] / all;
            self.excess[places[one]] += sums[one][1] - there * mean(one);
            for other in 0..seats {
                let products = stratum.cells.iter().map(|cell| {
                    let away = |seat: usize| cell.points(seat) - mean(seat);
                    cell.count as f64 * away(one) * away(other)
                });
                self.covariance[places[one]][places[other]] += spread * products.sum::<f64>();
            }
        }
    }

    /// One p-value for each bot alone; `None` if it cannot differ.
    fn p_values(&self) -> Vec<Option<f64>> {
        let one = ChiSquared::new(1.0).ok();
        let bots = self.excess.iter().enumerate();
        let p_value = |(bot, excess): (usize, &f64)| {
            let variance = self.covariance[bot][bot];
            let statistic = (variance > NOTHING).then(|| excess * excess / variance)?;
            Some(one?.sf(statistic))
        };
        bots.map(p_value).collect()
    }

    /// One test for all bots together.
    fn test(mut self) -> Option<Homogeneity> {
        let (mut chi_square, mut freedom) = (0.0, 0);
        let mut left: Vec<usize> = (0..self.excess.len()).collect();
        // Elimination, the largest variance first. What is left in the end is determined by the others:
        // the points of a match have a fixed sum.
        while let Some(at) = (0..left.len()).max_by(|&one, &other| {
            let variance = |at: usize| self.covariance[left[at]][left[at]];
            variance(one).total_cmp(&variance(other))
        }) {
            let pivot = left.swap_remove(at);
            let variance = self.covariance[pivot][pivot];
            if variance <= NOTHING {
                break;
            }
            let excess = self.excess[pivot];
            chi_square += excess * excess / variance;
            freedom += 1;
            let row = self.covariance[pivot].clone();
            for &bot in &left {
                let factor = self.covariance[bot][pivot] / variance;
                self.excess[bot] -= factor * excess;
                for &other in &left {
                    self.covariance[bot][other] -= factor * row[other];
                }
            }
        }
        let distribution = ChiSquared::new(freedom as f64).ok()?;
        Some(Homogeneity {
            chi_square,
            freedom,
            p_value: distribution.sf(chi_square),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Ranks;
    use games::Rng;

    /// Matches of two bots that the first one won, or not.
    fn cell(machine: usize, won: bool, count: u64) -> Cell {
        let ranks = Some(Ranks::from_slice(&[u8::from(!won), u8::from(won)]));
        Cell {
            machine,
            ranks,
            count,
        }
    }

    fn stratum(bots: [usize; 2], cells: &[Cell]) -> Stratum {
        Stratum {
            bots: bots.to_vec(),
            cells: cells.to_vec(),
        }
    }

    fn compare(strata: &[Stratum], machine: usize) -> Comparison {
        let places = (0..4).map(|bot| (bot, bot)).collect();
        Comparison::new(strata.iter(), machine, &places)
    }

    #[test]
    fn a_table_has_the_statistic_of_the_books() {
        // Of a 2 by 2 table with 10, 20 and 30, 40: 0.79365 by Pearson, by lot 99 / 100 of it.
        let cells = [
            cell(0, true, 10),
            cell(0, false, 20),
            cell(1, true, 30),
            cell(1, false, 40),
        ];
        let table = [stratum([0, 1], &cells)];
        for machine in [0, 1] {
            let comparison = compare(&table, machine);
            let alone = comparison.p_values();
            let test = comparison.test().expect("a test");
            assert!((test.chi_square - 0.79365 * 0.99).abs() < 1e-4, "{test:?}");
            assert_eq!(test.freedom, 1, "one bot's points are the other's");
            assert!((test.p_value - 0.3755).abs() < 1e-3, "{test:?}");
            assert!(alone[0].is_some_and(|alone| (alone - test.p_value).abs() < 1e-9));
            assert_eq!((alone[0], alone[2]), (alone[1], None));
        }
        let same = [stratum([0, 1], &[cell(0, true, 10), cell(1, true, 30)])];
        assert_eq!(compare(&same, 0).test(), None, "nothing differs");
        assert_eq!(compare(&table, 2).test(), None, "it has no match");
    }

    /// Number of 400 tests that find a difference at 5 %. Four bots play each other in both seat
    /// orders, this many matches or up to three more, on three machines; on the first one, the
    /// first bot wins with the given chance.
    fn found(chance: f64, least: usize, seed: u64) -> usize {
        let mut rng = Rng::new(seed);
        let mut tests = 0;
        for _ in 0..400 {
            let mut strata = Vec::new();
            let pairs = (0..4).flat_map(|one| (0..4).map(move |other| [one, other]));
            for bots in pairs.filter(|[one, other]| one != other) {
                let matches = least + rng.below(4) as usize;
                let cells: Vec<Cell> = (0..matches)
                    .map(|_| {
                        let machine = rng.below(3) as usize;
                        let chance = match (machine, bots) {
                            (0, [0, _]) => chance,
                            (0, [_, 0]) => 1.0 - chance,
                            _ => 0.5,
                        };
                        cell(machine, rng.unit() < chance, 1)
                    })
                    .collect();
                strata.push(stratum(bots, &cells));
            }
            let test = compare(&strata, 0).test();
            tests += usize::from(test.is_some_and(|test| test.p_value < 0.05));
        }
        tests
    }

    #[test]
    fn chance_alone_is_seldom_taken_for_a_difference() {
        for matches in [2, 10] {
            let false_alarms = found(0.5, matches, 1);
            assert!((4..=30).contains(&false_alarms), "{false_alarms} of 400");
        }
        let alarms = found(0.05, 10, 2);
        assert!(alarms >= 360, "{alarms} of 400");
    }

    #[test]
    fn noise_is_told_after_enough_matches() {
        let load = |matches, busy| MachineLoad {
            matches,
            busy,
            ..MachineLoad::default()
        };
        assert!(is_noisy(&load(20, 6)));
        assert!(!is_noisy(&load(20, 5)) && !is_noisy(&load(19, 19)));
    }
}

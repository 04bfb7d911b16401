//! One-sided bounds of ratings: a bot that has won all its matches may be any amount stronger than the
//! others, and a finite rating of it comes from the prior, not from results.

use std::collections::BTreeMap;

use super::davidson_luce::{ClusterKind, DavidsonLuce, UnitKind};
use super::reach::Reach;
use crate::evidence::{DisjointSets, Placing};
use crate::model::linear::FEW;

/// The log-likelihood at the end of an interval, below that at infinity: ln 40, so 2.5 %. Exact where
/// one bot has won all its matches.
const UNLIKELY: f64 = 3.688_879_454_113_936;
/// Search distance from the others' strengths, in natural logarithms.
const FARTHEST: f64 = 60.0;

/// Wins between bots, direct or through others.
#[derive(Clone, Debug)]
pub(crate) struct Paths {
    reach: Reach,
    ends: Vec<[bool; 2]>,
    groups: Vec<usize>,
    /// By bot: true if it has conceded no point, and true if it has scored none.
    perfect: Vec<[bool; 2]>,
}

impl Paths {
    pub(crate) fn new(model: &DavidsonLuce) -> Self {
        let bots = model.bots;
        let mut direct = vec![Vec::new(); bots];
        let counts = |unit: &&UnitKind| model.game_of(unit).is_some_and(|game| game.weight > 0.0);
        for unit in model.units().iter().filter(counts) {
            for placing in model.placings(unit) {
                let seats = model.games[placing.game as usize].seats;
                for seat in 0..seats {
                    for other in (0..seats).filter(|other| *other != seat) {
                        if placing.ranks[seat] <= placing.ranks[other] {
                            direct[placing.bots[seat] as usize].push(placing.bots[other].into());
                        }
                    }
                }
            }
            // Bounds the lists while there are many matches.
            for placing in model.placings(unit) {
                for &bot in &placing.bots {
                    let others: &mut Vec<u32> = &mut direct[bot as usize];
                    if others.len() > 2 * bots + 64 {
                        others.sort_unstable();
                        others.dedup();
                    }
                }
            }
        }
        let groups = groups(&direct);
        let reach = Reach::new(&direct);
        let mut paths = Paths {
            ends: reach.ends(&groups),
            reach,
            groups,
            perfect: vec![[true; 2]; bots],
        };
        for (bot, others) in direct.iter().enumerate() {
            for other in others.iter().filter(|other| **other as usize != bot) {
                paths.perfect[*other as usize][0] = false;
                paths.perfect[bot][1] = false;
            }
        }
        paths
    }

    /// The group of each bot. Matches connect the bots of a group, and only they can be compared. Groups
    /// are numbered by their first bots.
    pub(crate) fn groups(&self) -> &[usize] {
        &self.groups
    }

    /// True if `bot` has scored against `other`, or against a bot that has, and so on. If not, `other` may
    /// be any amount stronger.
    pub(crate) fn leads(&self, bot: usize, other: usize) -> bool {
        self.reach.leads(bot, other)
    }

    /// [`Paths::leads`] from a bot to all others of its group, and from all others to it.
    pub(crate) fn leads_all(&self, bot: usize) -> [bool; 2] {
        self.ends[bot]
    }
}

/// See [`Paths::groups`].
fn groups(direct: &[Vec<u32>]) -> Vec<usize> {
    let mut sets = DisjointSets::new(direct.len());
    for (bot, others) in direct.iter().enumerate() {
        for &other in others {
            sets.join(bot, other as usize);
        }
    }
    let mut numbers = BTreeMap::new();
    let mut groups = Vec::with_capacity(direct.len());
    for bot in 0..direct.len() {
        let next = numbers.len();
        groups.push(*numbers.entry(sets.root(bot)).or_insert(next));
    }
    groups
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The end that a bot without a conceded point has.
    Low,
    /// The end that a bot without a point has.
    High,
}

pub(crate) struct OwnClusters {
    /// By bot, indices of clusters.
    clusters: Vec<Vec<u32>>,
}

impl OwnClusters {
    pub(crate) fn new(model: &DavidsonLuce) -> Self {
        let mut clusters: Vec<Vec<u32>> = vec![Vec::new(); model.bots];
        for (index, cluster) in (0..).zip(model.clusters()) {
            for (unit, _) in model.members(cluster) {
                for placing in model.placings(&model.units()[*unit as usize]) {
                    for bot in seated(model, placing) {
                        let own = &mut clusters[usize::from(bot)];
                        if own.last() != Some(&index) {
                            own.push(index);
                        }
                    }
                }
            }
        }
        OwnClusters { clusters }
    }
}

fn seated(model: &DavidsonLuce, placing: &Placing) -> impl Iterator<Item = u16> + use<> {
    let seats = model.games[placing.game as usize].seats;
    placing.bots.into_iter().take(seats)
}

/// The only end of the interval of a bot that has won, or lost, everything; `None` for other bots. A
/// cluster counts as one unit, whatever its size.
pub(crate) fn bound_of(
    model: &DavidsonLuce,
    paths: &Paths,
    clusters: &OwnClusters,
    point: &[f64],
    bot: usize,
    side: Side,
    value: &dyn Fn(&[f64]) -> f64,
) -> Option<f64> {
    let [given_none, got_none] = paths.perfect[bot];
    let way = match side {
        Side::Low if given_none => 1.0,
        Side::High if got_none => -1.0,
        Side::Low | Side::High => return None,
    };
    let clusters = clusters.clusters[bot].iter();
    let clusters: Vec<&ClusterKind> = clusters.map(|at| &model.clusters()[*at as usize]).collect();
    // Matches among the others do not depend on the bot. Where there are many, skip them.
    let matters = |unit: &UnitKind| {
        let placings = model.placings(unit).iter();
        let mut bots = placings.flat_map(|placing| seated(model, placing));
        model.params <= FEW || bots.any(|it| usize::from(it) == bot)
    };
    let chance = |at: &[f64]| -> f64 {
        let chances = clusters.iter().map(|cluster| {
            let members = model.members(cluster);
            let units: f64 = members.iter().map(|(_, times)| f64::from(*times)).sum();
            let own = members
                .iter()
                .map(|(unit, times)| (&model.units()[*unit as usize], *times));
            let own = own.filter(|(unit, _)| matters(unit));
            let sum: f64 = own
                .map(|(unit, times)| f64::from(times) * model.log_chance(unit, at))
                .sum();
            f64::from(cluster.count) * sum / units
        });
        chances.sum()
    };
    let mut at = point.to_vec();
    let mut with = |strength: f64| {
        at[bot] = strength;
        chance(&at)
    };
    let farthest = way * FARTHEST;
    let most = with(farthest);
    let (mut unlikely, mut likely) = (-farthest, farthest);
    for _ in 0..60 {
        let middle = 0.5 * (unlikely + likely);
        if with(middle) < most - UNLIKELY {
            unlikely = middle
        } else {
            likely = middle
        }
    }
    at[bot] = likely;
    Some(value(&at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Evidence;

    #[test]
    fn groups_are_what_matches_connect() {
        let mut evidence = Evidence::new(6, vec![2, 3]);
        evidence.add(&[Placing::new(0, &[4, 1], &[1.0, 0.0])]);
        evidence.add(&[Placing::new(1, &[5, 0, 4], &[1.0, 0.5, 0.0])]);
        let model = DavidsonLuce::new(&evidence);
        assert_eq!(Paths::new(&model).groups(), [0, 0, 1, 2, 0, 0]);
        assert_eq!(Paths::new(&model.without(1)).groups(), [0, 1, 2, 3, 1, 4]);
    }
}

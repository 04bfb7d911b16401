//! Results that say only on which side a rating is: a bot that has won all its matches may be any
//! amount stronger than the others, and what the prior makes of that is not known from matches.

use std::collections::BTreeMap;

use super::davidson_luce::{ClusterKind, Model, UnitKind};
use super::pattern::FEW;
use super::reach::Reach;
use crate::results::{DisjointSets, Placing};

/// At the end of an interval, the results are this much less likely than at infinity, as a
/// logarithm: a chance of 2.5 %, which is exact where one bot has won all its matches.
const UNLIKELY: f64 = 3.688_879_454_113_936;
/// Ends are searched this far from the others' strengths, in natural logarithms.
const FARTHEST: f64 = 60.0;

/// Which bots have made points against which others, directly or through others.
#[derive(Clone, Debug)]
pub(crate) struct Paths {
    reach: Reach,
    /// See [`Paths::leads_all`].
    ends: Vec<[bool; 2]>,
    groups: Vec<usize>,
    /// Whether a bot has given no point to any other one, and whether it has got none.
    perfect: Vec<[bool; 2]>,
}

impl Paths {
    pub(crate) fn new(model: &Model) -> Self {
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
            // Keeps the lists short while there are many matches.
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

    /// The sets of bots that are connected by matches, as an index for each bot: two bots can be
    /// compared only if theirs are equal. DisjointSets are numbered by their first bot.
    pub(crate) fn groups(&self) -> &[usize] {
        &self.groups
    }

    /// Whether points lead from a bot to another one: it made some against it, or against one that
    /// did, and so on. If not, the other one may be any amount stronger.
    pub(crate) fn leads(&self, bot: usize, other: usize) -> bool {
        self.reach.leads(bot, other)
    }

    /// Whether points lead from a bot to all others of its group, and whether they lead from all
    /// others to it.
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

/// An end of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// That of a bot that has given no point.
    Low,
    /// That of a bot that has got no point.
    High,
}

/// The clusters of each bot.
pub(crate) struct OwnClusters {
    /// By bot, indices of clusters.
    clusters: Vec<Vec<u32>>,
}

impl OwnClusters {
    pub(crate) fn new(model: &Model) -> Self {
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

/// The bots of a match.
fn seated(model: &Model, placing: &Placing) -> impl Iterator<Item = u16> + use<> {
    let seats = model.games[placing.game as usize].seats;
    placing.bots.into_iter().take(seats)
}

/// The end of the interval of a bot that has won, or lost, everything; `None` if it has not. A cluster
/// counts as much as one unit, however many it has.
pub(crate) fn bound_of(
    model: &Model,
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
    // What others do among themselves does not depend on the bot; where there are many, it would
    // take long.
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
    use crate::results::Evidence;

    #[test]
    fn groups_are_what_matches_connect() {
        let mut evidence = Evidence::new(6, vec![2, 3]);
        evidence.add(&[Placing::new(0, &[4, 1], &[1.0, 0.0])]);
        evidence.add(&[Placing::new(1, &[5, 0, 4], &[1.0, 0.5, 0.0])]);
        let model = Model::new(&evidence);
        assert_eq!(Paths::new(&model).groups(), [0, 0, 1, 2, 0, 0]);
        assert_eq!(Paths::new(&model.without(1)).groups(), [0, 1, 2, 3, 1, 4]);
    }
}

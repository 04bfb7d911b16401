//! Clusters of dependent units: with matches that repeat one another move by move, or of one
//! opening, no matter who plays it.
//!
//! Dropping repetitions would bias results if repetition depends on the outcome: a bot that always wins by
//! the same moves, and loses by varied ones, would lose its wins. So all matches count, but dependent ones
//! are a single observation of the variance.

use rayon::slice::ParallelSliceMut;

use crate::evidence::DisjointSets;
use crate::store::StoredMatch;

/// The partition of matches into units and clusters.
#[derive(Clone, Debug)]
pub(crate) struct Clusters {
    /// By match: the number of its unit.
    unit: Vec<u32>,
    /// By unit: the lowest number of a unit of its cluster.
    cluster: Vec<u32>,
    /// By unit: the number of units of its cluster.
    size: Vec<u32>,
    /// By match: true if it repeats one with a lower number.
    pub(crate) duplicate: Vec<bool>,
    /// By game: true if it was started from several openings.
    pub(crate) several: Vec<bool>,
}

impl Clusters {
    pub(crate) fn new(stored: &[StoredMatch], games: usize) -> Self {
        let mut unit = vec![0; stored.len()];
        let mut units = 0;
        for equal in equals(stored, |stored| Some(stored.unit)).chunk_by(|a, b| a.0 == b.0) {
            for &(_, index) in equal {
                unit[index as usize] = units;
            }
            units += 1;
        }
        let mut sets = DisjointSets::new(units as usize);
        let mut duplicate = vec![false; stored.len()];
        let moves = equals(stored, |stored| stored.moves.map(|moves| moves.get()));
        for equal in moves.chunk_by(|a, b| a.0 == b.0) {
            let first = equal.iter().min_by_key(|(_, index)| {
                let stored = &stored[*index as usize];
                (stored.number, stored.unit)
            });
            for (_, index) in equal {
                duplicate[*index as usize] = first.is_some_and(|(_, first)| first != index);
                sets.join(
                    unit[equal[0].1 as usize] as usize,
                    unit[*index as usize] as usize,
                );
            }
        }
        let several = join_openings(stored, games, &unit, &mut sets);
        let cluster: Vec<u32> = (0..units as usize)
            .map(|unit| sets.root(unit) as u32)
            .collect();
        let mut count = vec![0; units as usize];
        for root in &cluster {
            count[*root as usize] += 1;
        }
        Clusters {
            size: cluster.iter().map(|root| count[*root as usize]).collect(),
            unit,
            cluster,
            duplicate,
            several,
        }
    }

    pub(crate) fn count(&self) -> u64 {
        let clusters = self.cluster.iter().zip(0..);
        clusters.filter(|(root, unit)| *root == unit).count() as u64
    }

    /// The cluster of a match, and its number of units.
    pub(crate) fn of(&self, index: u32) -> (u32, u32) {
        let unit = self.unit[index as usize] as usize;
        (self.cluster[unit], self.size[unit])
    }
}

/// Joins units of the same opening, in games with several openings. With a single one, such as the usual
/// start, results are about that opening, and its matches are independent. Returns which games have
/// several.
fn join_openings(
    stored: &[StoredMatch],
    games: usize,
    unit: &[u32],
    sets: &mut DisjointSets,
) -> Vec<bool> {
    let openings = equals(stored, |stored| Some(stored.opening));
    let mut count = vec![0_u32; games];
    for equal in openings.chunk_by(|a, b| a.0 == b.0) {
        count[usize::from(stored[equal[0].1 as usize].game)] += 1;
    }
    for equal in openings.chunk_by(|a, b| a.0 == b.0) {
        let first = equal[0].1 as usize;
        if count[usize::from(stored[first].game)] > 1 {
            for (_, index) in equal {
                sets.join(unit[first] as usize, unit[*index as usize] as usize);
            }
        }
    }
    count.into_iter().map(|count| count > 1).collect()
}

/// The matches with a key, sorted by it.
fn equals(stored: &[StoredMatch], key: impl Fn(&StoredMatch) -> Option<u64>) -> Vec<(u64, u32)> {
    let keyed = stored.iter().zip(0..);
    let mut keyed: Vec<(u64, u32)> = keyed
        .filter_map(|(stored, index)| Some((key(stored)?, index)))
        .collect();
    keyed.par_sort_unstable();
    keyed
}

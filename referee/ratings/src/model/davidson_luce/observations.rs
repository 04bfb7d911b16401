//! The results of some evidence in flat arrays.

use crate::evidence::{Evidence, Placing};

/// A distinct unit, with how often it occurred.
#[derive(Clone, Debug)]
pub(crate) struct UnitKind {
    pub(crate) count: u32,
    pub(super) start: u32,
    pub(super) len: u32,
}

/// A distinct cluster, with how often it occurred.
#[derive(Clone, Debug)]
pub(crate) struct ClusterKind {
    pub(crate) count: u32,
    pub(super) start: u32,
    pub(super) len: u32,
}

/// The results, shared by models with fewer games.
#[derive(Debug, Default)]
pub(super) struct Observations {
    pub(super) units: Vec<UnitKind>,
    pub(super) placings: Vec<Placing>,
    pub(super) clusters: Vec<ClusterKind>,
    /// The units of clusters, each with its count.
    pub(super) members: Vec<(u32, u32)>,
}

impl Observations {
    pub(super) fn new(evidence: &Evidence) -> Self {
        let mut data = Observations::default();
        for (unit, count) in evidence.singles() {
            let kind = data.add_unit(unit, count);
            data.add_cluster([(kind, 1)], count);
        }
        for (cluster, count) in evidence.clusters() {
            let units: Vec<(u32, u32)> = cluster
                .iter()
                .map(|(unit, times)| (data.add_unit(unit, times * count), *times))
                .collect();
            data.add_cluster(units, count);
        }
        data
    }

    fn add_unit(&mut self, unit: &[Placing], count: u32) -> u32 {
        self.units.push(UnitKind {
            count,
            start: self.placings.len() as u32,
            len: unit.len() as u32,
        });
        self.placings.extend(unit);
        (self.units.len() - 1) as u32
    }

    fn add_cluster(&mut self, units: impl IntoIterator<Item = (u32, u32)>, count: u32) {
        let start = self.members.len();
        self.members.extend(units);
        self.clusters.push(ClusterKind {
            count,
            start: start as u32,
            len: (self.members.len() - start) as u32,
        });
    }
}

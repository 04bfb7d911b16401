//! Crowding: the number of matches that count as one because they depend on each other.

use super::DavidsonLuce;
use super::game_params::GameParams;

impl DavidsonLuce {
    /// Sets the crowding by parameter, between 1 and the mean size of a cluster.
    pub(crate) fn set_crowding(&mut self, measured: &[f64]) {
        let sizes = self.cluster_sizes();
        let sizes = sizes.into_iter().chain(std::iter::repeat(1.0));
        let all = measured.iter().zip(sizes);
        self.crowding = all
            .map(|(measured, size)| (measured.clamp(1.0, size) * size).sqrt())
            .collect();
    }

    /// By parameter: the mean number of units of the clusters that involve it.
    fn cluster_sizes(&self) -> Vec<f64> {
        let mut counts = vec![[0.0; 2]; self.params];
        let mut params: Vec<usize> = Vec::new();
        for cluster in self.clusters() {
            let count = f64::from(cluster.count);
            let mut touched: Vec<usize> = Vec::new();
            for &(unit, times) in self.members(cluster) {
                params.clear();
                for placing in self.placings(&self.units()[unit as usize]) {
                    let game = &self.games[placing.game as usize];
                    params.extend(placing.bots[..game.seats].iter().map(|bot| *bot as usize));
                    params.extend((1..game.seats).filter_map(|seat| game.seat(seat)));
                    params.extend((2..=game.seats).filter_map(|size| game.tie(size)));
                }
                params.sort_unstable();
                params.dedup();
                for &param in &params {
                    counts[param][0] += count * f64::from(times);
                }
                touched.extend(&params);
            }
            touched.sort_unstable();
            touched.dedup();
            for param in touched {
                counts[param][1] += count;
            }
        }
        let mean = |[units, clusters]: [f64; 2]| {
            if clusters > 0.0 {
                units / clusters
            } else {
                1.0
            }
        };
        counts.into_iter().map(mean).collect()
    }

    pub(crate) fn crowding(&self, param: usize) -> f64 {
        self.crowding.get(param).copied().unwrap_or(1.0)
    }

    pub(super) fn crowding_of(&self, game: &GameParams) -> f64 {
        game.seat(1).map_or(1.0, |seat| self.crowding(seat))
    }
}

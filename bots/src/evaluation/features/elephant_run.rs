//! Elephant Run: the points that the elephant still needs against the ground that is left to it.

use games::kit::board::bitboard::{Cells, Grid};
use games::rules::elephant_run::{ElephantRun, Position};
use games::{Game, MAX_SEATS};

use crate::evaluation::evaluate::CERTAIN;
use crate::evaluation::features::flood::Flood;
use crate::evaluation::linear::{FeatureTable, Features};

/// The grid is made at the first position.
#[derive(Default)]
pub(crate) struct ElephantRunFeatures {
    grid: Option<Grid<u64>>,
}

/// The elephant's seat, which has all the features.
const ELEPHANT: usize = 0;

impl Features<ElephantRun> for ElephantRunFeatures {
    const WEIGHTS: &'static [f32] = &[
        -0.028, -0.105, -0.177, 0.082, 0.870, 0.014, -0.132, 1.730, -0.128, -0.016, 0.617, -0.036,
    ];

    fn count(&mut self, game: &ElephantRun, position: &Position, table: &mut FeatureTable) {
        let grid = self.grid.get_or_insert_with(|| Grid::new(game.board()));
        let tiles = u64::from(position.tiles());
        let elephant = u64::from(position.elephant());
        let farmers = u64::from(position.farmers());
        let free = tiles & !elephant & !farmers;
        let missing = f32::from(game.target().saturating_sub(position.points()));
        let flood = Flood::new(elephant, free, |set, open| grid.around(set) & open);
        let steps = flood.within[0].count() as f32;
        let jumps = grid.jumps(elephant, farmers, free).count() as f32;
        let near = (grid.around(elephant) & farmers).count() as f32;
        // Farmers next to cells that the elephant can step to.
        let guards = (grid.around(flood.within[0]) & farmers).count() as f32;
        let tempo = f32::from(u8::from(game.to_move(position) == Some(ELEPHANT)));
        let list = [
            1.0,
            f32::from(position.points()),
            missing,
            steps.min(1.0) + (steps + 1.0).ln(),
            jumps,
            flood.within[1].count() as f32,
            flood.within[2].count() as f32 / 2.0,
            (flood.all().count() as f32 / (missing + 1.0)).min(3.0),
            near,
            guards + position.farmers().count_ones() as f32,
            tempo,
            tempo * (steps + jumps),
        ];
        table[ELEPHANT][..list.len()].copy_from_slice(&list);
    }

    fn certain(&mut self, game: &ElephantRun, position: &Position) -> Option<[f32; MAX_SEATS]> {
        // Points are never lost.
        let enough = position.points() >= game.target();
        enough.then(|| [CERTAIN + 1.0 + f32::from(position.points()), 0.0, 0.0, 0.0])
    }
}

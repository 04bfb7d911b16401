//! Giantslayer: how far the giants are from the edge, and how near the halogai are to them.

use games::kit::board::bitboard::Cells;
use games::rules::giantslayer::{Giantslayer, Position};
use games::{Game, Seat};

use crate::evaluation::linear::{FeatureTable, Features};

const HALOGAI: usize = 0;
const GIANTS: usize = 1;
/// The number of rings around the middle cell, itself included; the last one is the edge.
const RINGS: usize = 5;

/// The board is made at the first position.
#[derive(Default)]
pub(crate) struct GiantslayerFeatures {
    board: Option<GiantslayerBoard>,
    /// True if the seat that asks is that of the giants.
    asked_by_giants: bool,
}

/// The weights for the giants, from games in which the halogai play many random moves, so that the
/// giants win some.
const WEIGHTS_OF_GIANTS: &[f32] = &[
    0.075, 4.743, 1.002, -0.327, -0.007, 0.928, 0.406, -0.179, 0.040, 0.057, -1.022, -0.083,
    -0.074, 0.230, 0.073,
];

struct GiantslayerBoard {
    /// The cells next to each cell, by direction.
    steps: Vec<[u64; 6]>,
    near: Vec<u64>,
    rings: [u64; RINGS],
    middle: u64,
}

impl GiantslayerBoard {
    fn new(game: &Giantslayer) -> Self {
        let board = game.board();
        let set = |cell| board.neighbours(cell).fold(0u64, |set, c| set | 1 << c);
        let near: Vec<u64> = board.cells().map(set).collect();
        let mut rings = [1u64 << game.middle(); RINGS];
        let mut inside = rings[0];
        for ring in &mut rings[1..] {
            let wider = inside
                .each()
                .fold(inside, |all, cell| all | near[cell as usize]);
            *ring = wider & !inside;
            inside = wider;
        }
        let step = |cell, way| board.step(cell, way).map_or(0, |next| 1u64 << next);
        let ways = |cell| [0, 1, 2, 3, 4, 5].map(|way| step(cell, way));
        GiantslayerBoard {
            steps: board.cells().map(ways).collect(),
            near,
            rings,
            middle: 1 << game.middle(),
        }
    }
}

impl GiantslayerBoard {
    /// The number of single tramples of the giants.
    fn tramples(&self, white: u64, black: u64, empty: u64) -> u32 {
        let mut count = 0;
        for giant in black.each() {
            let ways = &self.steps[giant as usize];
            for (way, over) in ways
                .iter()
                .enumerate()
                .filter(|(_, over)| *over & white != 0)
            {
                let land = self.steps[over.lowest() as usize][way];
                count += u32::from(land & empty != 0);
            }
        }
        count
    }
}

impl Features<Giantslayer> for GiantslayerFeatures {
    const WEIGHTS: &'static [f32] = &[
        0.246, 6.748, 2.386, 0.470, 0.594, 0.109, 0.036, -0.161, -0.108, -0.069, -0.294, -0.457,
        0.0, 0.05, 0.0,
    ];

    fn asked_by(&mut self, seat: Seat) {
        self.asked_by_giants = seat == GIANTS;
    }

    fn weights(&self) -> &'static [f32] {
        if self.asked_by_giants {
            WEIGHTS_OF_GIANTS
        } else {
            Self::WEIGHTS
        }
    }

    fn count(&mut self, game: &Giantslayer, position: &Position, table: &mut FeatureTable) {
        let board = self
            .board
            .get_or_insert_with(|| GiantslayerBoard::new(game));
        let white = position.stone_set(HALOGAI);
        let black = position.stone_set(GIANTS);
        let empty = !(white | black | board.middle);
        let mover = game.to_move(position);
        let tempo = |seat| f32::from(u8::from(mover == Some(seat)));
        table[HALOGAI][0] = white.count() as f32;
        table[HALOGAI][1] = 1.0;
        table[HALOGAI][9] = tempo(HALOGAI);
        // Halogai on the edge cannot be trampled.
        table[HALOGAI][14] = (white & board.rings[4]).count() as f32;
        let features = &mut table[GIANTS];
        features[2] = black.count() as f32;
        features[3] = (black & board.rings[2]).count() as f32;
        features[4] = (black & board.rings[3]).count() as f32;
        features[5] = (black & board.rings[4]).count() as f32;
        features[9] = tempo(GIANTS);
        // The giants that are still on their way; their goal is reached at 0.
        let inside = (black & !board.rings[4]).count() as f32;
        features[12] = -inside;
        features[13] = board.tramples(white, black, empty) as f32;
        for cell in black.each() {
            let near = board.near[cell as usize];
            let touched = (near & white).count();
            match touched {
                0 => {}
                1 => features[6] += 1.0,
                _ => features[7] += 1.0,
            }
            let room = (near & empty).count();
            features[8] += room as f32;
            features[10] += f32::from(u8::from(room == 0));
            features[11] += f32::from(u8::from(near & black != 0));
        }
    }
}

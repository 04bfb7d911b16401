//! Penguins: fish caught, fish within reach before the others, and floes of one's own.

use games::fish::{Floe, Phase};
use games::lines::Gap;
use games::penguins::{Penguins, Position};
use games::{Game, MAX_SEATS};

use super::catch::{self, Sea, worth};
use super::grid::{Cells, Grid};
use super::linear::{Features, Table};
use super::solo::{Moves, Place, Solo};

/// Fish within reach.
#[derive(Default)]
pub(super) struct Reach {
    grid: Option<Grid<u64>>,
    solo: Solo<u64>,
    /// How many play.
    seats: usize,
}

/// The weights with three seats, from games of three.
const OF_THREE: &[f32] = &[
    0.105, 0.533, -0.003, 0.389, -0.026, -0.001, 0.056, 0.709, -0.664, -0.138, 0.506, -0.261,
];
/// The weights with four seats, from games of four.
const OF_FOUR: &[f32] = &[
    0.023, 0.733, -0.007, 0.367, -0.024, 0.000, 0.032, 1.014, -0.907, -0.389, 0.496, -0.297,
];

/// Penguins on a floe of their own: each tile that is stood on is caught in the end.
struct Alone<'a> {
    grid: &'a Grid<u64>,
    fish: [u64; 2],
}

impl Moves<u64> for Alone<'_> {
    fn each(&self, place: Place<u64>, visit: &mut dyn FnMut(Place<u64>, u32)) {
        for from in place.pieces.each() {
            for to in self.grid.slides(1 << from, place.open).each() {
                let next = Place {
                    pieces: place.pieces ^ 1 << from ^ 1 << to,
                    open: place.open ^ 1 << to,
                };
                visit(next, worth(self.fish, 1 << to));
            }
        }
    }

    fn most(&self, place: Place<u64>) -> u32 {
        worth(self.fish, self.grid.region(place.pieces, place.open))
    }
}

/// What the floe of a game looks like to the features. Fish under penguins are sure.
fn sea(game: &Penguins, position: &Position) -> Sea<u64> {
    let floe: &Floe = position.floe();
    let seats = game.seats();
    let fish = floe.fish_sets();
    let mut sea = Sea {
        seats,
        pieces: [0; MAX_SEATS],
        open: floe.free(),
        worth: fish,
        points: [0; MAX_SEATS],
        mover: floe.to_move(),
        placing: matches!(floe.phase(), Phase::Lay | Phase::Place),
    };
    for (seat, points) in game.scores(position).into_iter().enumerate() {
        sea.pieces[seat] = floe.penguins(seat);
        sea.points[seat] = points as u32;
        if floe.phase() != Phase::Over {
            sea.points[seat] += worth(fish, floe.penguins(seat));
        }
    }
    sea
}

impl Features<Penguins> for Reach {
    const WEIGHTS: &'static [f32] = &[
        0.052, 0.501, 0.154, 0.218, -0.181, -0.092, 0.178, 0.811, -0.646, -0.266, 0.304, -0.039,
    ];

    fn weights(&self) -> &'static [f32] {
        match self.seats {
            3 => OF_THREE,
            4 => OF_FOUR,
            _ => Self::WEIGHTS,
        }
    }

    fn count(&mut self, game: &Penguins, position: &Position, table: &mut Table) {
        self.seats = game.seats();
        let grid = self.grid.get_or_insert_with(|| Grid::new(game.board()));
        let slides = |cell| game.lines().count(position.occupied(), cell, Gap::NONE);
        sea(game, position).count(grid, slides, table);
    }

    fn certain(&mut self, game: &Penguins, position: &Position) -> Option<[f32; MAX_SEATS]> {
        let grid = self.grid.get_or_insert_with(|| Grid::new(game.board()));
        let sea = sea(game, position);
        let alone = Alone {
            grid,
            fish: sea.worth,
        };
        let points = sea.final_points(grid, &mut self.solo, &alone)?;
        catch::certain(sea.seats, &points)
    }
}

//! Paper Pen-guins: points scored, points within reach before the other, and regions of one's own.

use games::lines::Gap;
use games::paper_penguins::{PaperPenguins, Position};
use games::{Game, MAX_SEATS};

use super::catch::{self, Sea, worth};
use super::grid::{Cells, Grid};
use super::linear::{Features, Table};
use super::solo::{Moves, Place, Solo};

/// Points within reach.
#[derive(Default)]
pub(super) struct Reach {
    grid: Option<Grid<u128>>,
    solo: Solo<u128>,
}

/// Pieces in a region of their own.
struct Alone<'a> {
    grid: &'a Grid<u128>,
    points: [u128; 2],
}

impl Moves<u128> for Alone<'_> {
    fn each(&self, place: Place<u128>, visit: &mut dyn FnMut(Place<u128>, u32)) {
        for from in place.pieces.each() {
            for to in self.grid.slides(1 << from, place.open).each() {
                let next = Place {
                    pieces: place.pieces ^ 1 << from ^ 1 << to,
                    open: place.open ^ 1 << to,
                };
                visit(next, worth(self.points, 1 << to));
            }
        }
    }

    fn most(&self, place: Place<u128>) -> u32 {
        worth(self.points, self.grid.region(place.pieces, place.open))
    }
}

fn sea(game: &PaperPenguins, position: &Position) -> Sea<u128> {
    let mut sea = Sea {
        seats: 2,
        pieces: [0; MAX_SEATS],
        open: position.unclaimed(),
        worth: position.point_sets(),
        points: [0; MAX_SEATS],
        mover: game.to_move(position),
        placing: position.placing(),
    };
    for (seat, points) in game.scores(position).into_iter().enumerate() {
        sea.pieces[seat] = position.piece_set(seat);
        sea.points[seat] = points as u32;
    }
    sea
}

impl Features<PaperPenguins> for Reach {
    const WEIGHTS: &'static [f32] = &[
        0.140, 0.241, 0.049, 0.187, -0.064, -0.027, 0.116, 0.447, -0.449, -0.248, 0.137, 0.125,
    ];

    fn count(&mut self, game: &PaperPenguins, position: &Position, table: &mut Table) {
        let grid = self.grid.get_or_insert_with(|| Grid::new(game.board()));
        let slides = |cell| game.lines().count(position.occupied(), cell, Gap::NONE);
        sea(game, position).count(grid, slides, table);
    }

    fn certain(&mut self, game: &PaperPenguins, position: &Position) -> Option<[f32; MAX_SEATS]> {
        let grid = self.grid.get_or_insert_with(|| Grid::new(game.board()));
        let sea = sea(game, position);
        let alone = Alone {
            grid,
            points: sea.worth,
        };
        let points = sea.final_points(grid, &mut self.solo, &alone)?;
        catch::certain(sea.seats, &points)
    }
}

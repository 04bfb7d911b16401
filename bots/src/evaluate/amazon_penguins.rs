//! Amazon Penguins: fish speared, fish within reach before the other, and regions of one's own.

use games::amazon_penguins::{AmazonPenguins, Position};
use games::board::CellId;
use games::fish::{Move, Phase};
use games::shots::Shot;
use games::{Game, MAX_SEATS};

use super::catch::{self, Sea, worth};
use super::grid::{Cells, Grid};
use super::halves::{self, Halves};
use super::linear::{Features, Table};
use super::solo::{Moves, Place, Solo};

/// Fish within reach.
#[derive(Default)]
pub(super) struct Reach {
    grid: Option<Grid<u64>>,
    solo: Solo<u64>,
}

/// Penguins in a region of their own: what is speared and what they stand on in the end counts.
struct Alone<'a> {
    grid: &'a Grid<u64>,
    fish: [u64; 2],
}

impl Moves<u64> for Alone<'_> {
    fn each(&self, place: Place<u64>, visit: &mut dyn FnMut(Place<u64>, u32)) {
        for from in place.pieces.each() {
            for to in self.grid.slides(1 << from, place.open).each() {
                let pieces = place.pieces ^ 1 << from ^ 1 << to;
                let open = place.open ^ 1 << to | 1 << from;
                for target in self.grid.slides(1 << to, open).each() {
                    let next = Place {
                        pieces,
                        open: open ^ 1 << target,
                    };
                    visit(next, worth(self.fish, 1 << target));
                }
            }
        }
    }

    fn most(&self, place: Place<u64>) -> u32 {
        let open = self.grid.region(place.pieces, place.open);
        worth(self.fish, open | place.pieces)
    }

    fn rest(&self, place: Place<u64>) -> u32 {
        worth(self.fish, place.pieces)
    }
}

fn sea(game: &AmazonPenguins, position: &Position) -> Sea<u64> {
    let floe = position.floe();
    let fish = floe.fish_sets();
    let mut sea = Sea {
        seats: 2,
        pieces: [0; MAX_SEATS],
        open: floe.free(),
        worth: fish,
        points: [0; MAX_SEATS],
        mover: floe.to_move(),
        placing: matches!(floe.phase(), Phase::Lay | Phase::Place),
    };
    for (seat, points) in game.scores(position).into_iter().enumerate() {
        sea.pieces[seat] = floe.penguins(seat);
        // Without the fish under penguins: they count in the end only.
        sea.points[seat] = points as u32;
    }
    sea
}

impl Features<AmazonPenguins> for Reach {
    const WEIGHTS: &'static [f32] = &[
        0.083, 0.419, -0.003, 0.265, -0.040, 0.007, 0.098, -0.214, 0.491, -0.528, 0.459, -0.154,
        0.051,
    ];

    fn count(&mut self, game: &AmazonPenguins, position: &Position, table: &mut Table) {
        let grid = self.grid.get_or_insert_with(|| Grid::new(game.board()));
        let sea = sea(game, position);
        sea.count(grid, |cell| game.count_slides(position, cell), table);
        for (features, pieces) in table.iter_mut().zip(&sea.pieces[..2]) {
            features[catch::FEATURES] = worth(sea.worth, *pieces) as f32;
        }
    }

    fn shortlist(
        &mut self,
        game: &AmazonPenguins,
        position: &Position,
        depth: i32,
        moves: &mut Vec<Move<Shot>>,
    ) -> bool {
        position.floe().phase() == Phase::Move
            && halves::shortlist(self, (game, position), depth, &HALVES, moves)
    }

    fn certain(&mut self, game: &AmazonPenguins, position: &Position) -> Option<[f32; MAX_SEATS]> {
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

const HALVES: Halves<AmazonPenguins, Reach> = Halves {
    slides: |game, position, slides| {
        for from in position.floe().movers() {
            game.each_slide(position, from, |to| slides.push((from, to)));
        }
    },
    after: |game, position, (from, to), moves| {
        let next = game.half_move(position, from, to);
        game.each_slide(&next, to, |target| {
            moves.push(Move::Go(Shot { from, to, target }));
        });
    },
    judge_slide: |reach, game, position, (from, to)| {
        let seat = game.to_move(position).unwrap_or_default();
        let next = game.half_move(position, from, to);
        reach.lead(game, &next, seat) + best_catch(game, &next, to)
    },
    judge: |reach, game, position, mv| {
        let seat = game.to_move(position).unwrap_or_default();
        let mut next = *position;
        game.play(&mut next, mv);
        reach.lead(game, &next, seat)
    },
};

/// What the best shot after a slide gives.
fn best_catch(game: &AmazonPenguins, position: &Position, from: CellId) -> f32 {
    let mut most = 0;
    game.each_slide(position, from, |target| {
        most = most.max(position.floe().fish(target));
    });
    f32::from(most) * FISH
}

/// About what a fish is worth, in log odds.
const FISH: f32 = 0.3;

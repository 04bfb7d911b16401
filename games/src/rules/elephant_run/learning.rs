//! Numbers of moves and planes of Elephant Run.

use super::board::{CELLS, DIRECTIONS, cells};
use super::{ElephantRun, Move, Position};
use crate::game::Game;
use crate::kit::board::CellId;
use crate::kit::board::sliding::slide_moves::{self, Slide};
use crate::kit::outcome::Seat;
use crate::learning::{Learnable, Planes, Writer};

impl ElephantRun {
    /// The jumps over a neighbour.
    fn captures(&self, from: CellId) -> impl Iterator<Item = Move> + '_ {
        (0..DIRECTIONS).filter_map(move |direction| {
            let over = self.board.step(from, direction)?;
            let to = self.board.step(over, direction)?;
            Some(Move::Capture { from, to })
        })
    }
}

impl Learnable for ElephantRun {
    fn every_move(&self) -> Vec<Move> {
        let places = self.board.cells().map(Move::Place);
        let lines = slide_moves::every(&self.board).map(|Slide { from, to }| Move::Go { from, to });
        let captures = self.board.cells().flat_map(|from| self.captures(from));
        places.chain(lines).chain(captures).collect()
    }

    fn places(mv: Move) -> [usize; 2] {
        let pair = |from: CellId, to: CellId| from as usize * CELLS + to as usize;
        let place = match mv {
            Move::Place(cell) => cell as usize,
            Move::Go { from, to } => CELLS + pair(from, to),
            Move::Capture { from, to } => CELLS + CELLS * CELLS + pair(from, to),
        };
        [place, 0]
    }

    fn planes(&self) -> Planes {
        let names = [
            "the elephant",
            "farmers",
            "tiles",
            "placing pieces",
            "the elephant's points / its target",
            "the elephant's turn",
            "own side is the elephant",
        ];
        Planes::of_board(&self.board, names)
    }

    fn observe(&self, position: &Position, _: &[Move], seat: Seat, planes: &mut Writer<'_>) {
        planes.cells(cells(position.elephant()));
        planes.cells(cells(position.farmers()));
        planes.cells(cells(position.tiles()));
        planes.flag(position.placing());
        planes.all(f32::from(position.points()) / f32::from(self.target));
        planes.flag(self.to_move(position) == Some(0));
        planes.flag(seat == 0);
    }
}

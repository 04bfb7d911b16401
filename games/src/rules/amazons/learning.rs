//! Numbers of moves and planes of Amazons.

use super::OnBoard;
use crate::kit::board::bitboard::Cells;
use crate::kit::board::sliding::shots::{self, Shot};
use crate::kit::outcome::Seat;
use crate::learning::{Learnable, Planes, Writer};

impl<S: Cells, const L: usize> Learnable for OnBoard<S, L> {
    fn every_move(&self) -> Vec<Shot> {
        shots::every(&self.board).collect()
    }

    #[inline]
    fn places(mv: Shot) -> [usize; 2] {
        shots::places(mv)
    }

    #[inline]
    fn each_legal(&self, position: &Self::Position, _: &mut Vec<Shot>, take: impl FnMut(Shot)) {
        let amazons = position.amazons(position.seat as Seat);
        shots::each(&self.lines, &position.occupied, amazons, take);
    }

    fn planes(&self) -> Planes {
        let names = ["own amazons", "other's amazons", "arrows", "own turn"];
        Planes::of_board(&self.board, names)
    }

    fn observe(&self, position: &Self::Position, _: &[Shot], seat: Seat, planes: &mut Writer<'_>) {
        planes.cells(position.amazons(seat));
        planes.cells(position.amazons(1 - seat));
        planes.cells(self.arrows(position));
        planes.flag(!position.over && position.seat as Seat == seat);
    }
}

//! Numbers of moves and planes of Paper Pen-guins.

use super::{HIGHEST, Move, PaperPenguins, Phase, Position};
use crate::kit::board::sliding::slide_moves;
use crate::kit::board::{NO_CELL, bitset};
use crate::kit::outcome::Seat;
use crate::learning::{Learnable, Planes, Writer};

/// Points in planes are divided by this.
const POINTS: f32 = 100.0;

impl Learnable for PaperPenguins {
    fn every_move(&self) -> Vec<Move> {
        let places = self.board.cells().map(Move::Place);
        places
            .chain(slide_moves::every(&self.board).map(Move::Go))
            .collect()
    }

    #[inline]
    fn places(mv: Move) -> [usize; 2] {
        match mv {
            Move::Place(cell) => [cell as usize, 0],
            Move::Go(slide) => [NO_CELL as usize + slide_moves::place(slide), 0],
        }
    }

    fn planes(&self) -> Planes {
        let names = [
            "own pieces",
            "other's pieces",
            "unclaimed cells of 1 point",
            "unclaimed cells of 2 points",
            "unclaimed cells of 3 points",
            "placing pieces",
            "own points / 100",
            "other's points / 100",
            "own turn",
            "other's turn",
        ];
        Planes::of_board(&self.board, names)
    }

    fn observe(&self, position: &Position, _: &[Move], seat: Seat, planes: &mut Writer<'_>) {
        let seats = [seat, 1 - seat];
        seats
            .into_iter()
            .for_each(|seat| planes.cells(position.pieces(seat)));
        let [low, high] = position.points;
        for points in 1..=HIGHEST {
            let bit = |set: u128, place: u8| if points >> place & 1 != 0 { set } else { !set };
            let with = (low | high) & bit(low, 0) & bit(high, 1);
            planes.cells(bitset::cells(with));
        }
        planes.flag(position.phase == Phase::Place);
        seats
            .into_iter()
            .for_each(|seat| planes.all(f32::from(position.scores[seat]) / POINTS));
        let over = position.phase == Phase::Over;
        seats
            .into_iter()
            .for_each(|seat| planes.flag(!over && position.seat as Seat == seat));
    }
}

//! Numbers of moves and planes of Run.

use super::position::at_end;
use super::{Kind, Move, PIECES, Position, Run};
use crate::kit::board::CellId;
use crate::kit::outcome::Seat;
use crate::learning::{Learnable, Planes, Writer};

/// More than the cells of the board.
const CELLS: usize = 64;

impl Learnable for Run {
    fn every_move(&self) -> Vec<Move> {
        let cells = || self.board.cells();
        let ends = || cells().filter(|cell| at_end(*cell));
        let drops = |kind| ends().map(move |cell| Move::Drop(kind, cell));
        let near = |cell: CellId| self.board.neighbours(cell).map(move |to| (cell, to));
        let steps = || cells().flat_map(near);
        drops(Kind::Cow)
            .chain(drops(Kind::Cowboy))
            .chain(steps().map(|(from, to)| Move::Go(from, to)))
            .chain(steps().map(|(from, to)| Move::Capture(from, to)))
            .chain(ends().map(Move::Out))
            .chain(cells().map(Move::Lost))
            .collect()
    }

    fn places(mv: Move) -> [usize; 2] {
        let pair = |kind: usize, from: CellId, to: CellId| {
            (kind * CELLS + from as usize) * CELLS + to as usize
        };
        let place = match mv {
            Move::Drop(kind, cell) => pair(0, kind as CellId, cell),
            Move::Go(from, to) => pair(1, from, to),
            Move::Capture(from, to) => pair(2, from, to),
            Move::Out(cell) => pair(3, 0, cell),
            Move::Lost(cell) => pair(3, 1, cell),
        };
        [place, 0]
    }

    fn planes(&self) -> Planes {
        let names = [
            "own cows",
            "own cowboys",
            "other's cows",
            "other's cowboys",
            "own cows in reserve / 7",
            "own cowboys in reserve / 5",
            "other's cows in reserve / 7",
            "other's cowboys in reserve / 5",
            "own cows out / 7",
            "other's cows out / 7",
            "first turn, of one drop",
            "a cow is played in this turn",
            "a cowboy is played in this turn",
            "own turn",
            "own side is black",
        ];
        Planes::of_board(&self.board, names)
    }

    fn observe(&self, position: &Position, _: &[Move], seat: Seat, planes: &mut Writer<'_>) {
        let seats = [seat, 1 - seat];
        for (seat, kind) in seats
            .into_iter()
            .flat_map(|s| Kind::ALL.map(|kind| (s, kind)))
        {
            planes.cells(position.pieces(seat, kind));
        }
        for (seat, kind) in seats
            .into_iter()
            .flat_map(|s| Kind::ALL.map(|kind| (s, kind)))
        {
            let left = position.reserve(seat, kind);
            planes.all(f32::from(left) / f32::from(PIECES[kind as usize]));
        }
        seats
            .into_iter()
            .for_each(|seat| planes.all(f32::from(position.out[seat]) / f32::from(PIECES[0])));
        planes.flag(position.opening());
        Kind::ALL
            .into_iter()
            .for_each(|kind| planes.flag(position.acted() == Some(kind)));
        planes.flag(!position.over() && position.seat as Seat == seat);
        planes.flag(seat == 0);
    }
}

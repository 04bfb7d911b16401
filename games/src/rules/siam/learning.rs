//! Numbers of moves and planes of Siam.

use super::{ANIMALS, BAN_PLIES, EDGE, Facing, Move, Position, SIZE, Siam};
use crate::kit::board::CellId;
use crate::kit::board::bitset::cells64;
use crate::kit::outcome::Seat;
use crate::learning::{Learnable, Planes, Writer};

const CELLS: usize = SIZE * SIZE;
const FACINGS: [Facing; 4] = [0, 1, 2, 3];

impl Siam {
    fn ways(&self, cell: CellId) -> impl Iterator<Item = (Facing, CellId)> + '_ {
        let step = move |way| Some((way, self.step(cell, way)?));
        FACINGS.into_iter().filter_map(step)
    }
}

impl Learnable for Siam {
    fn every_move(&self) -> Vec<Move> {
        let cells = || self.board.cells();
        let edge = || cells().filter(|cell| EDGE >> cell & 1 != 0);
        let facing = |cell| FACINGS.map(|facing| (cell, facing));
        let mut moves = Vec::new();
        moves.extend(edge().flat_map(facing).map(|(c, f)| Move::Enter(c, f)));
        let from_outside =
            |(cell, way): &(CellId, Facing)| self.step(*cell, (way + 2) % 4).is_none();
        let entries = edge().flat_map(facing).filter(from_outside);
        moves.extend(entries.map(|(cell, way)| Move::EnterPush(cell, way)));
        for from in cells() {
            for (_, to) in self.ways(from) {
                moves.extend(FACINGS.map(|facing| Move::Step(from, to, facing)));
            }
        }
        moves.extend(cells().flat_map(facing).map(|(c, f)| Move::Turn(c, f)));
        moves.extend(edge().map(Move::Out));
        for from in cells() {
            moves.extend(self.ways(from).map(|(way, _)| Move::Push(from, way)));
        }
        moves
    }

    fn places(mv: Move) -> [usize; 2] {
        let place = |kind: usize, from: CellId, to: CellId, facing: Facing| {
            ((kind * CELLS + from as usize) * CELLS + to as usize) * 4 + facing as usize
        };
        let place = match mv {
            Move::Step(from, to, facing) => place(0, from, to, facing),
            Move::Enter(cell, facing) => place(1, 0, cell, facing),
            Move::EnterPush(cell, way) => place(1, 1, cell, way),
            Move::Turn(cell, facing) => place(1, 2, cell, facing),
            Move::Out(cell) => place(1, 3, cell, 0),
            Move::Push(cell, way) => place(1, 4, cell, way),
        };
        [place, 0]
    }

    fn planes(&self) -> Planes {
        let mut names = Vec::new();
        for whose in ["own", "other's"] {
            let ways = ["north", "east", "south", "west"];
            names.extend(ways.map(|way| format!("{whose} animals that face {way}")));
        }
        let rest = [
            "rocks",
            "own animals off the board / 5",
            "other's animals off the board / 5",
            "own exits / the most allowed",
            "other's exits / the most allowed",
            "cells closed by the opening ban",
            "plies of the opening ban left / 4",
            "own turn",
            "own side is the elephants",
        ];
        names.extend(rest.map(String::from));
        Planes::of_board(&self.board, names)
    }

    fn observe(&self, position: &Position, _: &[Move], seat: Seat, planes: &mut Writer<'_>) {
        let seats = [seat, 1 - seat];
        for seat in seats {
            for facing in FACINGS {
                let bit = |set: u32, place: u8| if facing >> place & 1 != 0 { set } else { !set };
                let [low, high] = position.facing;
                let set = position.animals[seat] & bit(low, 0) & bit(high, 1);
                planes.cells(cells64(u64::from(set)));
            }
        }
        planes.cells(position.rocks());
        for seat in seats {
            let on_board = position.animals[seat].count_ones() as f32;
            planes.all(1.0 - on_board / ANIMALS as f32);
        }
        for seat in seats {
            // Exits matter only where their number is limited.
            let share = |max| position.exits[seat] as f32 / max as f32;
            planes.all(self.max_exits.map_or(0.0, share));
        }
        planes.cells(cells64(u64::from(self.banned(position))));
        let ban = if self.opening_ban { BAN_PLIES } else { 0 };
        planes.all(ban.saturating_sub(position.ply) as f32 / BAN_PLIES as f32);
        planes.flag(!position.over && position.seat as Seat == seat);
        planes.flag(seat == 0);
    }
}

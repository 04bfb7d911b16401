//! Numbers of moves and planes of Giantslayer. A trample of several stones is as many actions, and one
//! that ends it where it could go on.

use super::tables::NOWHERE;
use super::{Chain, GIANTS, Giantslayer, HALOGAI, Move, Position};
use crate::game::Game;
use crate::kit::board::CellId;
use crate::kit::board::bitset::cells64;
use crate::kit::board::sliding::slide_moves::{self, Slide};
use crate::kit::outcome::Seat;
use crate::learning::{Learnable, Planes, Writer};

/// More than the cells of the board.
const CELLS: usize = 64;

impl Learnable for Giantslayer {
    const IN_PARTS: bool = true;

    fn every_move(&self) -> Vec<Move> {
        let (board, middle) = (&self.tables.board, self.tables.middle);
        // No line leads through the middle.
        let open = |Slide { from, to }: &Slide| {
            *from != middle && self.tables.clear(*from, *to, self.tables.all)
        };
        let lines = slide_moves::every(board).filter(open);
        let starts = board.cells().filter(|cell| *cell != middle);
        let jumps = starts.flat_map(|from| {
            let jumps = self.tables.jumps[from as usize].iter().enumerate();
            let lands = jumps.filter(|(_, jump)| jump.land != NOWHERE);
            lands.filter_map(move |(way, _)| Chain::new(from).then(way))
        });
        let lines = lines.map(|Slide { from, to }| Move::Go(from, to));
        lines.chain(jumps.map(Move::Trample)).collect()
    }

    fn parts(&self, mv: Move, parts: &mut Vec<Move>) {
        let Move::Trample(chain) = mv else {
            parts.push(mv);
            return;
        };
        let mut at = chain.from();
        for way in chain.ways() {
            parts.extend(Chain::new(at).then(way).map(Move::Trample));
            at = self.tables.jumps[at as usize][way].land;
        }
    }

    fn places(mv: Move) -> [usize; 2] {
        // Parts have one jump, and a direction is less than the number of a cell.
        let (kind, from, to) = match mv {
            Move::Go(from, to) => (0, from, to),
            Move::Trample(chain) => (1, chain.from(), chain.ways().next().unwrap_or(0) as CellId),
        };
        [(kind * CELLS + from as usize) * CELLS + to as usize, 0]
    }

    fn planes(&self) -> Planes {
        let names = [
            "halogai",
            "giants",
            "the giant that may trample on",
            "the closed cell",
            "the halogai's turn",
            "own side is the halogai",
        ];
        Planes::of_board(&self.tables.board, names)
    }

    fn observe(&self, position: &Position, begun: &[Move], seat: Seat, planes: &mut Writer<'_>) {
        let [mut halogai, mut giants] = position.stones;
        let mut tramples = 0;
        for part in begun {
            let Move::Trample(chain) = part else { continue };
            let from = chain.from();
            for way in chain.ways() {
                let jump = self.tables.jumps[from as usize][way];
                halogai &= !(1 << jump.over);
                giants = giants & !(1 << from) | 1 << jump.land;
                tramples = 1 << jump.land;
            }
        }
        planes.cells(cells64(halogai));
        planes.cells(cells64(giants));
        planes.cells(cells64(tramples));
        planes.cells([self.tables.middle]);
        planes.flag(self.to_move(position) == Some(HALOGAI));
        planes.flag(seat != GIANTS);
    }
}

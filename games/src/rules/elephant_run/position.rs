//! A position of Elephant Run: elephant, farmers and tiles as sets of bits, and moves along lines.

use super::board::{self, ALL, longest, step};
use crate::kit::board::CellId;
use crate::kit::zobrist;

/// The kinds of things in keys.
const HOLE: usize = 0;
const ELEPHANT: usize = 1;
const FARMER: usize = 2;
/// The fact in keys that pieces are placed.
const PLACING: usize = 1;

/// The phase of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Place,
    Move,
    /// Over: the elephant cannot move.
    Stuck,
    /// Over: no farmer is left.
    Gone,
}

/// The tiles that are left, the pieces, and the phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub(super) tiles: u32,
    /// One cell, or none before the elephant is placed.
    pub(super) elephant: u32,
    pub(super) farmers: u32,
    pub(super) ply: u32,
    pub(super) key: u64,
    /// The seat to move; 0 in a finished game.
    pub(super) seat: u8,
    pub(super) points: u8,
    pub(super) phase: Phase,
}

impl Position {
    /// The tiles that are left, as a set of cells.
    pub fn tiles(&self) -> u32 {
        self.tiles
    }

    /// The elephant's cell, as a set.
    pub fn elephant(&self) -> u32 {
        self.elephant
    }

    /// The farmers, as a set of cells.
    pub fn farmers(&self) -> u32 {
        self.farmers
    }

    /// The elephant's points.
    pub fn points(&self) -> u8 {
        self.points
    }

    /// True if pieces are still to be placed.
    pub fn placing(&self) -> bool {
        self.phase == Phase::Place
    }

    /// Tiles without a piece.
    #[inline]
    pub(super) fn free(&self) -> u32 {
        self.tiles & !self.farmers & !self.elephant
    }

    /// Holes without the elephant.
    #[inline]
    pub(super) fn holes(&self) -> u32 {
        ALL & !self.tiles & !self.elephant
    }

    /// Sets of tiles that the elephant reaches by a step and by a jump.
    #[inline]
    pub(super) fn elephant_targets(&self) -> (u32, u32) {
        board::elephant_targets(self.elephant, self.farmers, self.free())
    }

    /// The cells from next to `from` up to the first that is not an empty hole.
    #[inline]
    pub(super) fn run(&self, from: u32, direction: usize) -> u32 {
        let holes = self.holes();
        let mut reached = step(from, direction);
        // A line of n cells has n - 1 steps, of which one is done. All are tried, since a processor cannot foresee
        // where a run ends.
        for _ in 2..longest(direction) {
            reached |= step(reached & holes, direction);
        }
        reached
    }

    pub(super) fn put_elephant(&mut self, cell: CellId) {
        self.elephant = 1 << cell;
        self.key ^= zobrist::piece(ELEPHANT, cell as usize);
    }

    /// Moves the elephant; each of its moves is worth a point.
    pub(super) fn move_elephant(&mut self, from: CellId, to: CellId) {
        self.key ^= zobrist::piece(ELEPHANT, from as usize);
        self.put_elephant(to);
        self.points += 1;
    }

    /// Ends the placing of pieces; from now on they move.
    pub(super) fn end_placing(&mut self) {
        self.phase = Phase::Move;
        self.key ^= zobrist::fact(PLACING);
    }

    /// Puts a farmer on a cell or takes it away.
    pub(super) fn toggle_farmer(&mut self, cell: CellId) {
        self.farmers ^= 1 << cell;
        self.key ^= zobrist::piece(FARMER, cell as usize);
    }

    pub(super) fn eat(&mut self, cell: CellId) {
        self.tiles ^= 1 << cell;
        self.key ^= zobrist::piece(HOLE, cell as usize);
    }

    /// The position before the first ply.
    pub(super) fn empty() -> Self {
        Position {
            tiles: ALL,
            elephant: 0,
            farmers: 0,
            ply: 0,
            key: zobrist::fact(PLACING),
            seat: 0,
            points: 0,
            phase: Phase::Place,
        }
    }
}

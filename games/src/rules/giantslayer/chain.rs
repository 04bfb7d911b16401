//! Chains of tramples: a depth-first walk counts, draws and lists them.

use super::tables::{Jump, NOWHERE, STONES, Tables};
use crate::kit::board::{CellId, bitset};

/// Every jump removes a halogai, so there are no longer chains.
const LONGEST: usize = STONES[0];

/// One or more tramples of one giant: where it starts and the direction of each jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chain {
    from: CellId,
    len: u8,
    /// Two directions a byte.
    ways: [u8; LONGEST / 2],
}

impl Chain {
    /// A chain of no jumps yet.
    pub(super) fn new(from: CellId) -> Self {
        Chain {
            from,
            len: 0,
            ways: [0; LONGEST / 2],
        }
    }

    /// The chain with one more jump; `None` if no chain is that long.
    #[inline]
    pub(super) fn then(mut self, way: usize) -> Option<Self> {
        let len = self.len as usize;
        *self.ways.get_mut(len / 2)? |= (way as u8) << (4 * (len % 2));
        self.len += 1;
        Some(self)
    }

    /// The giant's cell.
    pub fn from(self) -> CellId {
        self.from
    }

    /// The number of halogai that it tramples.
    #[expect(clippy::len_without_is_empty, reason = "no move is empty")]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// The directions of the jumps.
    pub(super) fn ways(self) -> impl Iterator<Item = usize> {
        (0..self.len()).map(move |i| (self.ways[i / 2] >> (4 * (i % 2)) & 15) as usize)
    }
}

/// The directions, those to cells with low numbers first, which is the same order from every cell: south-west,
/// south-east, west, east, north-west, north-east. Chains are counted in it, so another order would change the
/// games of a seed.
const BY_CELL: [usize; 6] = [3, 2, 4, 1, 5, 0];

/// In all of these, `white` are the halogai that are left and `empty` the vacant cells; the cell that
/// the giant started from is vacant.
impl Tables {
    /// The directions in which a giant on a cell can trample, with the jumps.
    #[inline(always)]
    fn tramples(
        &self,
        cell: CellId,
        white: u64,
        empty: u64,
    ) -> impl Iterator<Item = (usize, Jump)> + '_ {
        let jumps = &self.jumps[cell as usize];
        // All directions are looked at without branches; few of them turn out to be possible.
        let mut possible = 0;
        for (bit, way) in BY_CELL.into_iter().enumerate() {
            let Jump { over, land } = jumps[way];
            possible |= (white >> over & empty >> land & 1) << bit;
        }
        bitset::cells64(possible).map(move |bit| {
            let way = BY_CELL[bit as usize % BY_CELL.len()];
            (way, jumps[way])
        })
    }

    pub(super) fn can_trample(&self, cell: CellId, white: u64, empty: u64) -> bool {
        self.tramples(cell, white, empty).next().is_some()
    }

    /// The number of chains that go on from a cell.
    #[inline]
    pub(super) fn count_chains(&self, cell: CellId, white: u64, empty: u64) -> u64 {
        // Most giants touch no halogai.
        match self.near[cell as usize] & white {
            0 => 0,
            _ => self.walk_chains(cell, white, empty),
        }
    }

    fn walk_chains(&self, cell: CellId, white: u64, empty: u64) -> u64 {
        let mut sum = 0;
        for (_, Jump { over, land }) in self.tramples(cell, white, empty) {
            sum += 1 + self.count_chains(land, white ^ 1 << over, empty | 1 << over);
        }
        sum
    }

    /// The chain with this number of those that go on from `cell`, after `chain`.
    pub(super) fn nth_chain(
        &self,
        chain: Chain,
        cell: CellId,
        white: u64,
        empty: u64,
        mut index: u64,
    ) -> Chain {
        for (way, Jump { over, land }) in self.tramples(cell, white, empty) {
            let Some(longer) = chain.then(way) else {
                break;
            };
            if index == 0 {
                return longer;
            }
            index -= 1;
            let (white, empty) = (white ^ 1 << over, empty | 1 << over);
            let more = self.count_chains(land, white, empty);
            if index < more {
                return self.nth_chain(longer, land, white, empty, index);
            }
            index -= more;
        }
        chain
    }

    /// Calls `visit` with each chain that goes on from `cell`, after `chain`.
    pub(super) fn each_chain(
        &self,
        chain: Chain,
        cell: CellId,
        white: u64,
        empty: u64,
        visit: &mut impl FnMut(Chain),
    ) {
        for (way, Jump { over, land }) in self.tramples(cell, white, empty) {
            let Some(longer) = chain.then(way) else {
                break;
            };
            visit(longer);
            self.each_chain(longer, land, white ^ 1 << over, empty | 1 << over, visit);
        }
    }

    /// True if every jump of a chain is possible.
    pub(super) fn is_open(&self, chain: Chain, mut white: u64, mut empty: u64) -> bool {
        let mut at = chain.from();
        for way in chain.ways() {
            let Jump { over, land } = self.jumps[at as usize][way];
            if land == NOWHERE || white >> over & empty >> land & 1 == 0 {
                return false;
            }
            white ^= 1 << over;
            empty |= 1 << over;
            at = land;
        }
        true
    }
}

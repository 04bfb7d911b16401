//! Sets of cells as the bits of an integer, with cell 0 as the lowest bit.

use crate::kit::board::CellId;

/// The cells of a set, lowest first.
#[inline]
pub fn cells(mut set: u128) -> impl Iterator<Item = CellId> + Clone {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let cell = set.trailing_zeros() as CellId;
        set &= set - 1;
        Some(cell)
    })
}

/// The cells of a set on a board of at most 64 cells.
#[inline]
pub fn cells64(mut set: u64) -> impl Iterator<Item = CellId> + Clone {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let cell = set.trailing_zeros() as CellId;
        set &= set - 1;
        Some(cell)
    })
}

/// The set of these cells.
pub fn set(cells: &[CellId]) -> u128 {
    cells.iter().fold(0, |set, cell| set | 1 << cell)
}

/// The set of these cells of a board of at most 64 cells.
pub fn set64(cells: &[CellId]) -> u64 {
    cells.iter().fold(0, |set, cell| set | 1 << cell)
}

/// The cell with number `index` of a set, lowest first. Found without branches, since a processor cannot foresee
/// a number that was drawn.
#[inline]
pub fn nth64(set: u64, index: u32) -> CellId {
    const EVERY_SECOND: u64 = ONES * 0x55;
    const EVERY_OTHER_TWO: u64 = ONES * 0x33;
    const LOW_HALVES: u64 = ONES * 0x0f;
    let pairs = set - ((set >> 1) & EVERY_SECOND);
    let fours = (pairs & EVERY_OTHER_TWO) + ((pairs >> 2) & EVERY_OTHER_TWO);
    let bytes = (fours + (fours >> 4)) & LOW_HALVES;
    let (shift, index) = find(totals(bytes), index);
    let byte = (set >> shift) as usize & 0xff;
    shift as CellId + NTH[byte][index as usize & 7]
}

/// The cell with number `index` of a set, lowest first.
#[inline]
pub fn nth(set: u128, index: u32) -> CellId {
    let (low, high) = (set as u64, (set >> 64) as u64);
    match index.checked_sub(low.count_ones()) {
        None => nth64(low, index),
        Some(rest) => 64 + nth64(high, rest),
    }
}

/// Some sets one after another, each lowest cell first; at most eight with at most 128 cells in all.
#[derive(Clone, Copy, Debug)]
pub struct Sequence<const N: usize> {
    sets: [u64; N],
    /// Byte i is the number of cells of that set.
    lens: u64,
}

impl<const N: usize> Sequence<N> {
    /// No cell.
    pub const EMPTY: Self = Sequence {
        sets: [0; N],
        lens: 0,
    };

    /// Puts sets in the place of empty ones, from number `first` on.
    #[inline(always)]
    pub fn put<const M: usize>(&mut self, first: usize, sets: [u64; M]) {
        const { assert!(N <= 8, "a byte each") };
        for (which, set) in (first..).zip(sets) {
            debug_assert_eq!(self.lens >> (8 * which) & 0xff, 0, "an empty one");
            self.sets[which] = set;
            self.lens |= u64::from(set.count_ones()) << (8 * which);
        }
    }

    /// The number of cells of all sets.
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> u32 {
        (totals(self.lens) >> 56) as u32
    }

    /// The cell with this number, below [`Sequence::len`], and which of the sets it is in.
    #[inline]
    pub fn nth(&self, index: u32) -> (usize, CellId) {
        debug_assert!(index < self.len() && self.len() <= 128);
        let (shift, index) = find(totals(self.lens), index);
        let which = shift as usize / 8 % N;
        (which, nth64(self.sets[which], index))
    }
}

/// Every byte 1.
const ONES: u64 = u64::MAX / 255;
/// The highest bit of every byte.
const HIGH: u64 = ONES << 7;

/// `NTH[byte][index]`: the place of the bit with that number in a byte.
static NTH: [[u8; 8]; 256] = nth_in_bytes();

const fn nth_in_bytes() -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut index, mut place) = (0, 0);
        while place < 8 {
            if byte >> place & 1 != 0 {
                table[byte][index] = place as u8;
                index += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    table
}

/// For each byte the sum of those up to it, where the sum of all is at most 255.
#[inline]
pub fn totals(bytes: u64) -> u64 {
    bytes.wrapping_mul(ONES)
}

/// The first byte of some [`totals`] of at most 128 that is greater than `index`, as the number of bits before it,
/// and by how much `index` is greater than the byte before that.
#[inline]
pub fn find(totals: u64, index: u32) -> (u32, u32) {
    // The high bit of each byte says whether it is at most the index.
    let passed = ((u64::from(index) * ONES) | HIGH).wrapping_sub(totals);
    let shift = ((!passed & HIGH) | 1 << 63).trailing_zeros() & 56;
    let before = (totals << 8 >> shift) as u32 & 0xff;
    (shift, index.wrapping_sub(before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::rng::Rng;

    #[test]
    fn a_cell_has_its_number() {
        let mut rng = Rng::new(1);
        for density in 0..6 {
            let sparse = |rng: &mut Rng| (0..density).fold(u64::MAX, |set, _| set & rng.next_u64());
            // Of 25 cells each, so that there are no more than 128.
            let sets = [(); 5].map(|()| sparse(&mut rng) & 0x0303_ffff_0f00_0001);
            let mut sequence = Sequence::<5>::EMPTY;
            sequence.put(0, [sets[0], sets[1]]);
            sequence.put(2, [sets[2], sets[3], sets[4]]);
            let numbered = sets.iter().enumerate();
            let all: Vec<_> = numbered
                .flat_map(|(which, set)| cells64(*set).map(move |cell| (which, cell)))
                .collect();
            assert_eq!(sequence.len() as usize, all.len());
            for (index, cell) in all.into_iter().enumerate() {
                assert_eq!(sequence.nth(index as u32), cell);
            }
            let full = [u64::MAX; 2];
            let mut sequence = Sequence::<8>::EMPTY;
            sequence.put(6, full);
            for index in 0..128 {
                let place = (6 + index as usize / 64, (index % 64) as CellId);
                assert_eq!(sequence.nth(index), place);
            }
            let [low, high] = [(); 2].map(|()| sparse(&mut rng));
            let wide = u128::from(low) | u128::from(high) << 64;
            for (index, cell) in super::cells(wide).enumerate() {
                assert_eq!(nth(wide, index as u32), cell);
            }
        }
    }
}

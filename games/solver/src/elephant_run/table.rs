//! A table of positions of Elephant Run. A position with its bounds takes 64 bits, so nothing is ever
//! taken for something else.

use super::chase::Chase;

/// The bits of tiles, elephant, farmers and the side to move.
const KEY_BITS: u32 = 24 + 5 + 24 + 1;
const KEY: u64 = (1 << KEY_BITS) - 1;
/// The entries that a position may be in.
const BUCKET: usize = 4;
/// More points than any game has.
pub(super) const MOST: u8 = 31;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) at_least: u8,
    pub(super) at_most: u8,
}

pub(super) struct Table {
    entries: Vec<u64>,
}

pub(super) fn key(chase: Chase, farmers_to_move: bool) -> u64 {
    u64::from(chase.tiles)
        | u64::from(chase.elephant.trailing_zeros()) << 24
        | u64::from(chase.farmers) << 29
        | u64::from(farmers_to_move) << 53
}

fn known(entry: u64) -> Known {
    Known {
        at_least: (entry >> KEY_BITS & 31) as u8,
        at_most: (entry >> (KEY_BITS + 5)) as u8,
    }
}

/// The part of the board that is left: the more, the more work is in an entry.
fn tiles_left(entry: u64) -> u32 {
    (entry & 0xff_ffff).count_ones()
}

impl Table {
    /// A table of at most this many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let buckets = (bytes / 8 / BUCKET).max(1);
        Table {
            entries: vec![0; buckets * BUCKET],
        }
    }

    fn bucket(&self, key: u64) -> usize {
        let buckets = (self.entries.len() / BUCKET) as u64;
        let mixed = (key ^ key >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((u128::from(mixed) * u128::from(buckets)) >> 64) as usize * BUCKET
    }

    pub(super) fn get(&self, key: u64) -> Known {
        let at = self.bucket(key);
        let entries = &self.entries[at..at + BUCKET];
        match entries.iter().find(|entry| **entry & KEY == key) {
            Some(entry) => known(*entry),
            None => Known {
                at_least: 0,
                at_most: MOST,
            },
        }
    }

    /// Stores bounds; if there is no room, in place of the entry with the fewest tiles.
    pub(super) fn put(&mut self, key: u64, known: Known) {
        let at = self.bucket(key);
        let entries = &mut self.entries[at..at + BUCKET];
        let value = key
            | u64::from(known.at_least) << KEY_BITS
            | u64::from(known.at_most) << (KEY_BITS + 5);
        let worst = entries.iter_mut().min_by_key(|entry| match **entry {
            same if same & KEY == key => 0,
            0 => 1,
            other => 2 + tiles_left(other),
        });
        if let Some(worst) = worst {
            *worst = value;
        }
    }

    pub(super) fn filled(&self) -> f64 {
        let sample = &self.entries[..self.entries.len().min(4096)];
        let used = sample.iter().filter(|entry| **entry != 0).count();
        used as f64 / sample.len() as f64
    }
}

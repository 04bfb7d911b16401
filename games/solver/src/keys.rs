//! Keys of positions in the table: 128 bits, the same for mirror images.

use games::Game;
use games::kit::board::{Board, CellId};
use games::kit::solving::{CellSets, MOST_SETS};

/// A set of cells in eight bits at a time.
const BYTES: usize = 16;

/// A symmetry of the board, as the image of each byte of a set.
struct Image(Vec<[u128; 256]>);

impl Image {
    fn new(to: &[CellId]) -> Self {
        let image = |byte: usize, bits: usize| {
            let inside = (0..8).filter(|bit| bits >> bit & 1 != 0);
            let cells = inside.filter_map(|bit| to.get(8 * byte + bit));
            cells.fold(0, |set, cell| set | 1 << cell)
        };
        let table = |byte| std::array::from_fn(|bits| image(byte, bits));
        Image((0..to.len().div_ceil(8)).map(table).collect())
    }

    #[inline]
    fn of(&self, set: u128) -> u128 {
        let bytes = set.to_le_bytes();
        debug_assert!(self.0.len() <= BYTES);
        let parts = self.0.iter().zip(bytes);
        parts.fold(0, |image, (table, byte)| image | table[byte as usize])
    }
}

pub(crate) struct Keys {
    /// The symmetries of the board, without the one that leaves it as it is.
    images: Vec<Image>,
}

impl Keys {
    pub(crate) fn new(board: &Board) -> Self {
        let images = board.symmetries();
        Keys {
            images: images.iter().map(|to| Image::new(to)).collect(),
        }
    }

    /// The key of a position that is not over. Positions with the same key have the same further play, or
    /// its mirror image.
    pub(crate) fn key<G: Game>(&self, game: &G, position: &G::Position) -> u128 {
        let mut sets = CellSets::new();
        game.cell_sets(position, &mut sets);
        let mut least = sets.clone();
        for image in &self.images {
            let mapped: CellSets = sets.iter().map(|set| image.of(*set)).collect();
            if mapped < least {
                least = mapped;
            }
        }
        let seat = game.to_move(position).unwrap_or_default();
        let words = least
            .iter()
            .flat_map(|set| [*set as u64, (*set >> 64) as u64]);
        debug_assert!(least.len() <= MOST_SETS);
        hash(words.chain([seat as u64]))
    }
}

/// The key of a text that names a position.
pub(crate) fn of_text(text: &str) -> u128 {
    let words = text.as_bytes().chunks(8).map(|part| {
        let bytes = part.iter().rev();
        bytes.fold(0, |word, byte| word << 8 | u64::from(*byte))
    });
    hash(words.chain([text.len() as u64]))
}

fn hash(words: impl Iterator<Item = u64>) -> u128 {
    let (mut low, mut high) = (0x243f_6a88_85a3_08d3u64, 0x1319_8a2e_0370_7344u64);
    for word in words {
        low = fold(low ^ word, 0x9e37_79b9_7f4a_7c15);
        high = fold(high.rotate_left(23) ^ word, 0xd6e8_feb8_6659_fd93);
        low = low.wrapping_add(word.rotate_left(17));
        high = high.wrapping_add(word.wrapping_mul(0xa076_1d64_78bd_642f));
    }
    u128::from(finish(low)) | u128::from(finish(high)) << 64
}

/// Combines a key with a number that matters beside the position.
pub(crate) fn with(key: u128, number: i32) -> u128 {
    let number = number as u32;
    hash([key as u64, (key >> 64) as u64, u64::from(number)].into_iter())
}

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

fn finish(mut word: u64) -> u64 {
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

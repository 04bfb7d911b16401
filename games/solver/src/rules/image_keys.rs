//! Keys of positions made of sets of cells: 128 bits, the same for mirror images, changed by a few `xor`s
//! with every move.

use games::kit::board::{Board, CellId};
use games::kit::zobrist;

use super::cells;

/// The most symmetries of a board, the identity included.
const MOST: usize = 8;
/// The second half of a key uses the numbers of kinds from here on.
const SECOND_HALF: usize = 7;

/// The keys of a position and its mirror images.
pub(super) type Images = [u128; MOST];

#[derive(Debug)]
pub(super) struct ImageKeys<const KINDS: usize> {
    /// By kind and cell. Boards with fewer symmetries have some of them more than once.
    cells: Box<[[Images; 64]; KINDS]>,
    /// For seat 1 to move.
    turn: u128,
}

fn number(kind: usize, cell: CellId) -> u128 {
    let half = |kind| u128::from(zobrist::piece(kind, usize::from(cell)));
    half(kind) | half(kind + SECOND_HALF) << 64
}

impl<const KINDS: usize> ImageKeys<KINDS> {
    /// For a board of at most 64 cells.
    pub(super) fn new(board: &Board) -> Self {
        const { assert!(KINDS <= SECOND_HALF) };
        let mut images: Vec<Vec<CellId>> = vec![board.cells().collect()];
        images.extend(board.symmetries());
        let mut cells = Box::new([[[0; MOST]; 64]; KINDS]);
        for (kind, cells) in cells.iter_mut().enumerate() {
            for cell in board.cells() {
                let image = |at: usize| images[at % images.len()][usize::from(cell)];
                cells[usize::from(cell)] = std::array::from_fn(|at| number(kind, image(at)));
            }
        }
        let turn = u128::from(zobrist::fact(0)) | u128::from(zobrist::fact(1)) << 64;
        ImageKeys { cells, turn }
    }

    /// The keys of a position with these sets of cells, one for each kind.
    pub(super) fn of(&self, sets: [u64; KINDS], seat: u8) -> Images {
        let mut images = [0; MOST];
        for (kind, set) in sets.into_iter().enumerate() {
            for cell in cells(set) {
                self.toggle(&mut images, kind, cell);
            }
        }
        if seat == 1 {
            self.turn(&mut images);
        }
        images
    }

    /// Puts a cell into the set of this kind, or takes it out.
    #[inline]
    pub(super) fn toggle(&self, images: &mut Images, kind: usize, cell: u32) {
        let numbers = &self.cells[kind][cell as usize % 64];
        for (image, number) in images.iter_mut().zip(numbers) {
            *image ^= number;
        }
    }

    #[inline]
    pub(super) fn turn(&self, images: &mut Images) {
        for image in images {
            *image ^= self.turn;
        }
    }
}

/// The key that all mirror images share.
#[inline]
pub(super) fn least(images: &Images) -> u128 {
    images.iter().fold(u128::MAX, |least, key| least.min(*key))
}

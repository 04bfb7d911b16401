//! The cells and kinds of pieces of Siam, as numbers.

/// Columns and rows.
pub(super) const SIZE: usize = 5;
/// All cells.
pub(super) const ALL: u32 = (1 << (SIZE * SIZE)) - 1;
/// The outer 16 cells.
pub(super) const EDGE: u32 = ALL & !(0b01110_01110_01110 << SIZE);
/// Kinds of pieces, in keys too: 4 × seat + facing for an animal, and this for a rock.
pub(super) const ROCK: u8 = 8;

/// A direction: 0 to 3 for north, east, south, west.
pub type Facing = u8;

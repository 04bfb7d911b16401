//! Games and books of openings, set up from their tables.

pub(crate) mod book;
pub mod game;

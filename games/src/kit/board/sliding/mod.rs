//! Moves along lines of free cells, by table, for the games that have them.

pub mod lines;
pub mod shots;
pub mod slide_moves;

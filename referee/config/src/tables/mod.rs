//! Tables of a configuration as they are written.

pub(crate) mod book;
pub mod file;
pub mod game;

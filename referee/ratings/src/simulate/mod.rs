//! Tournaments of bots whose strengths are known, played by dice: what intervals and tests are
//! checked against.

mod grid;
mod random;
mod settings;
mod tournaments;
#[cfg(test)]
mod truth_tests;

pub use grid::{Row, grid};
#[cfg(test)]
pub(crate) use random::{normal, uniform};
pub use settings::{Named, settings};
pub use tournaments::{
    Coverage, Decisions, Draws, PLAIN, Pairing, Played, Repeats, Setting, Truth, decisions,
};

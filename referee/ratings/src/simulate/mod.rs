//! Simulated tournaments of bots with known strengths, for checks of intervals and tests.

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

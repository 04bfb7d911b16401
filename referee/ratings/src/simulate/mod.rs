//! Simulated tournaments of bots with known strengths, for checks of intervals and tests.

mod coverage;
mod decisions;
mod grid;
mod random;
mod settings;
mod tournaments;
#[cfg(test)]
mod truth_tests;

pub use coverage::Coverage;
pub use decisions::{Decisions, decisions};
pub use grid::{Row, grid};
#[cfg(test)]
pub(crate) use random::{normal, uniform};
pub use settings::{Named, settings};
pub use tournaments::{Draws, PLAIN, Pairing, Played, Repeats, Setting, Truth};

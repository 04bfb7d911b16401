//! Fuzz targets for everything that reads text from outside, on stable Rust. A run is made from
//! a seed and can be repeated; the program in `main.rs` looks for long, the tests for a moment.

#![allow(missing_docs, reason = "only tests read this")]
#![expect(
    clippy::unwrap_used,
    reason = "a target panics where something is wrong"
)]

use peak_alloc::PeakAlloc;

pub mod mutate;
mod probe;
pub mod run;
pub mod sets;
pub mod targets;

pub use targets::{TARGETS, Target};

/// Tracks the peak of allocated memory, so that an input that blows memory up is a failure.
#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

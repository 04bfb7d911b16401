//! The machine that matches run on: what it is, how fast and how busy, its cores, its memory.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

pub mod cores;
pub mod identity;
pub mod load;
pub mod memory;
pub mod program;
pub mod yardstick;

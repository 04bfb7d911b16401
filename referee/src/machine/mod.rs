//! The machine that matches run on: what it is, how fast and how busy, its cores, its memory.

pub(crate) mod cores;
pub(crate) mod identity;
pub(crate) mod load;
pub(crate) mod memory;
pub(crate) mod yardstick;

//! The machine that matches run on: its cores, how busy it is, its memory.

pub(crate) mod cores;
pub(crate) mod load;
pub(crate) mod memory;

//! A child process with all its descendants. A supervisor, a process of its own between the referee
//! and the child, starts it, watches its limits and ends it; the referee has a handle.

pub(crate) mod cores;
pub(crate) mod cpu_meter;
mod events;
pub(crate) mod forked;
pub(crate) mod freezer;
pub(crate) mod handle;
pub(crate) mod plan;
pub(crate) mod prepare;
pub(crate) mod stall;
pub mod supervisor;
pub(crate) mod threads;
pub(crate) mod time_slice;

//! The tricks, by their targets.

pub(super) mod clock;
pub(super) mod escapes;
pub(super) mod files;
pub(super) mod forgery;
pub(super) mod kernel;
pub(super) mod limits;
pub(super) mod memory;
pub(super) mod network;
pub(super) mod processes;

//! Files from people.

pub(super) mod bundles;
pub(super) mod clocks;
pub(super) mod config;
pub(super) mod log;
pub(super) mod sheets;
pub(super) mod submissions;

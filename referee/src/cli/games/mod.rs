//! Games: their rules, perft, exact values, the forward model.

pub(crate) mod games;
pub(crate) mod model;
pub(crate) mod perft;
pub(crate) mod rules;
pub(crate) mod solve;

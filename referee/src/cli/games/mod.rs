//! Games: their rules, perft, exact values, the forward model.

#[expect(
    clippy::module_inception,
    reason = "the group has the name of its first command"
)]
pub(crate) mod games;
pub(crate) mod model;
pub(crate) mod perft;
pub(crate) mod rules;
pub(crate) mod solve;

//! Within a match: moves, options, states, lines.

pub(super) mod messages;
pub(super) mod model;
pub(super) mod moves;
pub(super) mod options;
pub(super) mod states;

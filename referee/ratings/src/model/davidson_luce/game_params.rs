//! The parameters of a game, as indices.

use crate::evidence::RATED_SEATS;

pub(super) const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(crate) struct GameParams {
    pub(crate) seats: usize,
    pub(crate) weight: f64,
    /// The log-strength of each seat relative to the first one, which has no parameter.
    pub(super) seat: [u32; RATED_SEATS],
    /// ln δ by size of the tie; [`NONE`] for sizes that never occurred.
    pub(super) tie: [u32; RATED_SEATS + 1],
    /// The standard deviation of the second seat's log-strength between openings.
    pub(super) spread: u32,
}

impl GameParams {
    pub(crate) fn seat(&self, seat: usize) -> Option<usize> {
        let index = self.seat[seat];
        (index != NONE).then_some(index as usize)
    }

    pub(crate) fn tie(&self, size: usize) -> Option<usize> {
        let index = self.tie[size];
        (index != NONE).then_some(index as usize)
    }

    pub(crate) fn spread(&self) -> Option<usize> {
        (self.spread != NONE).then_some(self.spread as usize)
    }
}

//! Which parameters of the model belong to a game.

use games::MAX_SEATS;

/// No parameter.
pub(super) const NONE: u32 = u32::MAX;

/// The parameters of a game.
#[derive(Clone, Debug)]
pub(crate) struct GameParams {
    pub(crate) seats: usize,
    /// What a match counts.
    pub(crate) weight: f64,
    /// What a seat is worth beyond the first one; the first seat has none.
    pub(super) seat: [u32; MAX_SEATS],
    /// ln δ by size of the tie, for sizes that occurred.
    pub(super) tie: [u32; MAX_SEATS + 1],
    /// How far what the second seat is worth differs between openings, as a standard deviation.
    pub(super) spread: u32,
}

impl GameParams {
    /// The index of a seat's parameter; the first seat has none, it is the measure of the others.
    pub(crate) fn seat(&self, seat: usize) -> Option<usize> {
        let index = self.seat[seat];
        (index != NONE).then_some(index as usize)
    }

    /// The index of the parameter for ties of a size, if such occurred.
    pub(crate) fn tie(&self, size: usize) -> Option<usize> {
        let index = self.tie[size];
        (index != NONE).then_some(index as usize)
    }

    /// The index of the parameter for the spread of openings, if it is fitted.
    pub(crate) fn spread(&self) -> Option<usize> {
        (self.spread != NONE).then_some(self.spread as usize)
    }
}

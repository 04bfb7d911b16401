//! Nodes of the search tree and the windows that they are searched with.

use super::value::Value;

/// A node of the search tree: who is to move there, and how deep to search below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// 0 for the seat that searches, 1 for all others.
    pub(super) side: usize,
    /// The plies that are still to be searched.
    pub(super) depth: i32,
    /// The plies from the root.
    pub(super) ply: usize,
}

/// The values that matter to a search: at or below `alpha` the side to move has something better
/// elsewhere, at or above `beta` the other side will not let it happen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) alpha: Value,
    pub(super) beta: Value,
}

impl Window {
    /// The narrowest window at the lower end, which shows only whether a value is above it.
    #[inline]
    pub(super) fn null(self) -> Self {
        Window {
            beta: self.alpha + 1,
            ..self
        }
    }

    #[inline]
    pub(super) fn is_null(self) -> bool {
        self.beta - self.alpha == 1
    }

    /// The same window for the other side.
    #[inline]
    pub(super) fn of_other_side(self) -> Self {
        Window {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }
}

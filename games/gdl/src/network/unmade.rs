//! Sheets that were grounded, and make no network.

use games::budget::Spent;

use crate::error::SheetError;
use crate::ground::Ungroundable;

/// The reason why a grounded sheet has no network.
#[derive(Debug)]
pub(crate) enum Unmade {
    /// The sheet is wrong.
    Sheet(SheetError),
    /// It would be too large, or take too long.
    Ungroundable(Ungroundable),
}

impl From<SheetError> for Unmade {
    fn from(error: SheetError) -> Self {
        Unmade::Sheet(error)
    }
}

impl From<Ungroundable> for Unmade {
    fn from(why: Ungroundable) -> Self {
        Unmade::Ungroundable(why)
    }
}

impl From<Spent> for Unmade {
    fn from(spent: Spent) -> Self {
        Unmade::Ungroundable(spent.into())
    }
}

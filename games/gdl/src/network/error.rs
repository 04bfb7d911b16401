//! Errors of networks for grounded sheets.

use games::budget::Spent;

use crate::error::SheetError;
use crate::ground::Ungroundable;

#[derive(Debug)]
pub(crate) enum NetworkError {
    Sheet(SheetError),
    /// It would be too large, or take too long.
    Ungroundable(Ungroundable),
}

impl From<SheetError> for NetworkError {
    fn from(error: SheetError) -> Self {
        NetworkError::Sheet(error)
    }
}

impl From<Ungroundable> for NetworkError {
    fn from(why: Ungroundable) -> Self {
        NetworkError::Ungroundable(why)
    }
}

impl From<Spent> for NetworkError {
    fn from(spent: Spent) -> Self {
        NetworkError::Ungroundable(spent.into())
    }
}

//! Reads sheets, with all errors that can be found without playing.

mod builder;
mod check;
mod sheet;
mod tree;

pub use sheet::Sheet;
pub(crate) use sheet::{Atom, Literal, Pattern, PredId, Rule, pred};
pub use tree::canonical;
pub(crate) use tree::{Node, Tree, read as trees, term};

use crate::error::SheetError;

impl Sheet {
    /// Reads a sheet.
    ///
    /// # Errors
    /// If it is not well formed: where, what was expected, and in which rule.
    ///
    /// ```
    /// let error = gdl::Sheet::read("(role white)\n(legal white)").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "line 2, column 1: `legal` has 2 arguments, not 1, in the rule `(legal white)`"
    /// );
    /// ```
    pub fn read(text: &str) -> Result<Self, SheetError> {
        check::check(Self::parse(text)?)
    }
}

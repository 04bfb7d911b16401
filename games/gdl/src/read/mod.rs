//! Reads sheets, with all errors that can be found without playing.

mod builder;
mod check;
mod infix;
mod leniency;
mod sheet;
mod tree;

pub(crate) use check::is_safe;
pub use sheet::Sheet;
pub(crate) use sheet::{Atom, Literal, Pattern, Pred, PredId, Rule, pred};
pub use tree::canonical;
pub(crate) use tree::{Node, Tree, term};

use std::borrow::Cow;

use crate::error::SheetError;

/// The facts and rules of a text in either notation.
pub(crate) fn trees(text: &str) -> Result<Vec<Tree>, SheetError> {
    if infix::is_infix(text) {
        infix::read(text)
    } else {
        tree::read(text)
    }
}

/// A sheet in the usual notation.
pub(crate) fn as_kif(text: &str) -> Cow<'_, str> {
    match infix::is_infix(text).then(|| infix::read(text)) {
        Some(Ok(trees)) => Cow::Owned(tree::kif(&trees)),
        _ => Cow::Borrowed(text),
    }
}

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

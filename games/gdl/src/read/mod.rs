//! From the text of a sheet to its rules, with all mistakes that can be seen without playing.

mod body;
mod check;
mod sheet;
mod tree;

pub use sheet::Sheet;
pub(crate) use sheet::{Atom, Literal, Pattern, PredId, Rule, pred};
pub(crate) use tree::{canonical, term};

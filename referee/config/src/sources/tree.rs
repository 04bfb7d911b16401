//! Values of a configuration with their places.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A table with the place of each key and value.
pub(crate) type Tree<'t> = DeTable<'t>;

/// A value with its place.
pub(crate) type Placed<'t> = Spanned<DeValue<'t>>;

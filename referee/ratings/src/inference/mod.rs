//! Statistics that several parts share: intervals of means, p-values, false-discovery rates.

mod discovery;
mod estimate;
mod score;
mod student;

pub use discovery::FALSE_DISCOVERIES;
pub(crate) use discovery::rates;
pub use estimate::{Bound, Estimate, Figure};
pub use score::Score;
pub(crate) use score::Trials;
pub(crate) use student::student;

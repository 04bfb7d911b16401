//! Linear algebra of the fit: sparse and dense matrices, Cholesky factors, conjugate gradients.

mod conjugate;
mod dense;
mod pattern;
mod sparse;

pub(crate) use conjugate::Conjugate;
pub(crate) use dense::Square;
pub(crate) use pattern::{FEW, Pattern};
pub(crate) use sparse::{Cholesky, Symmetric};

//! Arrays of numpy. The module works without numpy, except for what returns arrays.

use numpy::{Element, PyArray, PyArray1, PyArrayDyn};
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Checks that numpy is there, before anything asks its library for an array.
///
/// # Errors
/// If it is not, with what to install.
pub(crate) fn need_numpy(py: Python<'_>) -> PyResult<()> {
    static FOUND: PyOnceLock<()> = PyOnceLock::new();
    FOUND
        .get_or_try_init(py, || {
            py.import("numpy").map(|_| ()).map_err(|error| {
                PyImportError::new_err(format!(
                    "arrays need numpy, which cannot be imported ({error}): `pip install referee-games[rl]`"
                ))
            })
        })
        .copied()
}

/// A new array of one axis.
pub(crate) fn array<'py, T: Element>(
    py: Python<'py>,
    values: Vec<T>,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    need_numpy(py)?;
    Ok(PyArray1::from_vec(py, values))
}

/// A new array of zeros.
pub(crate) fn zeros<'py, T: Element>(
    py: Python<'py>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    need_numpy(py)?;
    Ok(PyArray::zeros(py, shape, false))
}

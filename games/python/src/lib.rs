//! The native part of the Python module `referee_games`. Its other part, in `python/`, is plain Python and
//! documents the classes for users.

mod arrays;
mod errors;
mod game;
mod picture;
mod state;
mod vec_game;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<game::PyGame>()?;
    module.add_class::<state::PyState>()?;
    module.add_class::<vec_game::PyVecGame>()?;
    module.add_function(wrap_pyfunction!(game::games, module)?)?;
    Ok(())
}

//! Errors as Python exceptions, with the sentence that the program would print: `ValueError` for what the
//! caller gave, `RuntimeError` for rules from outside that do not work.

use games::learning::{ActionError, PlayError};
use games::session::{BrokenRules, LoadError, MoveError, UndoError};
use games::{ConfigureError, UnknownGame};
use pyo3::PyErr;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use rules::{RulesError, SourceError};

/// An error that Python gets.
pub(crate) trait IntoPython {
    fn into_python(self) -> PyErr;
}

fn value(error: &impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn broken(error: &impl ToString) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

macro_rules! errors {
    ($($error:ty { $($broken:pat_param)|* })*) => {$(
        impl IntoPython for $error {
            #[allow(unreachable_patterns, reason = "errors that are never the fault of rules")]
            fn into_python(self) -> PyErr {
                match &self {
                    $($broken => broken(&self),)*
                    _ => value(&self),
                }
            }
        }
    )*};
}

errors! {
    ActionError {}
    BrokenRules { _ }
    ConfigureError { ConfigureError::Broken(_) }
    LoadError { LoadError::Broken(_) }
    PlayError { PlayError::Move(MoveError::Broken(_)) }
    RulesError { RulesError::Broken(_) | RulesError::Factory(_) }
    SourceError {}
    UndoError { UndoError::Broken(_) }
    UnknownGame {}
}

/// The value, or the exception.
pub(crate) trait OrRaise<T> {
    fn or_raise(self) -> Result<T, PyErr>;
}

impl<T, E: IntoPython> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> Result<T, PyErr> {
        self.map_err(IntoPython::into_python)
    }
}

//! Parts of the forward model's answers.

use protocol::{ModelError, ModelErrorCode as Code};
use serde::Serialize;

/// No perft goes deeper: it would not end.
pub const MAX_DEPTH: u32 = 1000;

/// The content of `ok`, as JSON text: long lists of moves are written into it directly.
pub(super) type Done = Result<String, ModelError>;

pub(super) fn error<T>(code: Code, message: impl ToString) -> Result<T, ModelError> {
    Err(ModelError {
        code,
        message: message.to_string(),
    })
}

/// Anything that has no reason to fail, as JSON text.
pub(super) fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data is JSON")
}

//! Answers of tools: structured ones, and errors in one sentence.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// The reason why a tool refused, as a sentence for the client.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) String);

pub(crate) type Answer<T> = Result<T, Refusal>;

impl Refusal {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Refusal(why.into())
    }
}

/// Errors of other crates are sentences for people.
impl<E: fmt::Display> From<E> for Refusal {
    fn from(error: E) -> Self {
        Refusal(error.to_string())
    }
}

/// A player of a match.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct PlayerAnswer {
    pub(crate) seat: usize,
    pub(crate) role: String,
    pub(crate) name: String,
}

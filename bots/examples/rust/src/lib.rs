//! Shared by the bots: a small JSON reader.

pub mod json;

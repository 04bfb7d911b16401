//! What the bots share: a small reader of JSON.

pub mod json;

//! The streams of a process: lines within limits, stderr, traces and transcripts.

pub(crate) mod lines;
pub(crate) mod output;
pub(crate) mod records;
pub mod stderr;
pub mod trace;
pub(crate) mod transcript;

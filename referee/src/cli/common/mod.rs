//! Shared by the subcommands: arguments, output, errors, signals.

pub(crate) mod args;
pub(crate) mod embedded;
pub(crate) mod error;
pub(crate) mod filter;
pub(crate) mod format;
pub(crate) mod hints;
pub(crate) mod listen;
pub(crate) mod panics;
pub(crate) mod privacy;
pub(crate) mod runtime;
pub(crate) mod signals;

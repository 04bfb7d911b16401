//! The program that runs: its version and the commit that it was built from.

use std::sync::OnceLock;

/// The version alone, where no program has said more.
const VERSION: &str = env!("CARGO_PKG_VERSION");

static NAME: OnceLock<String> = OnceLock::new();

/// Names the program in logs, as in `0.2.0 (1a2b3c4 2026-11-25)`. The first call counts.
pub fn set_version(version: &str) {
    NAME.get_or_init(|| format!("referee {version}"));
}

/// The `referee` of a match record: name and version, with the commit if it is known.
pub fn name() -> String {
    NAME.get()
        .cloned()
        .unwrap_or_else(|| format!("referee {VERSION}"))
}

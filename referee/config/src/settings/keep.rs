//! Limits on data beside the log.

use crate::tables::KeepTable;
use supervisor::spec::Size;

/// In bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// For reports on matches that bots lost by their own fault.
    pub failures: u64,
    /// For bots' stderr.
    pub stderr: u64,
}

impl Keep {
    pub(crate) fn of(table: &KeepTable) -> Self {
        let bytes = |size: Option<Size>, default: u64| match size {
            Some(Size(bytes)) => bytes.unwrap_or(u64::MAX),
            None => default,
        };
        Keep {
            failures: bytes(table.failures, 64 << 20),
            stderr: bytes(table.stderr, 256 << 20),
        }
    }
}

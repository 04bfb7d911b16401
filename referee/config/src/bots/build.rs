//! How a bot is built before it plays.

use std::time::Duration;

use bundle::Unpacked;
use supervisor::spec::{Size, Wanted};

use crate::tables::file::BuildTable;

/// How much a build may add to its folder by default, in bytes.
pub const BUILD_BYTES: u64 = 1 << 30;
/// How many files and folders it may add by default.
pub const BUILD_FILES: u64 = 50_000;

/// How a bot is built before it plays, and whether it has to pass checks then.
#[derive(Clone, Debug)]
pub struct BuildPlan {
    /// Program and arguments; `None` if there is nothing to build.
    pub command: Option<Vec<String>>,
    /// What sets it up in its own folder where that was unpacked from a bundle; unpacked ones have no
    /// `command`, because they were built before.
    pub setup: Option<Vec<String>>,
    /// The bundle that it is played from, if it is.
    pub bundle: Option<Unpacked>,
    /// Whether `command` and `dir` are there on every machine.
    pub in_place: bool,
    /// How long it may take.
    pub timeout: Duration,
    /// How much it may add to its folder.
    pub quota: Quota,
    /// What it may use.
    pub wanted: Wanted,
    /// Whether the bot is left out, or the tournament does not begin, if it cannot be built, does not
    /// start or fails a check.
    pub must_pass: bool,
}

/// How much a build may add to its folder; `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Bytes on the disk.
    pub bytes: Option<u64>,
    /// Files, folders and links.
    pub files: Option<u64>,
}

impl Quota {
    /// What a configuration says, or the defaults.
    pub(crate) fn of(table: &BuildTable) -> Self {
        let given = |size: Option<Size>, default| size.map_or(Some(default), |size| size.0);
        Quota {
            bytes: given(table.disk, BUILD_BYTES),
            files: given(table.files, BUILD_FILES),
        }
    }
}

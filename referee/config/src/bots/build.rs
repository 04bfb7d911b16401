//! Builds of bots before they play.

use std::time::Duration;

use bundle::Unpacked;
use supervisor::spec::{Size, Wanted};

use crate::tables::BuildTable;

/// Default quota of a build, in bytes.
pub const BUILD_BYTES: u64 = 1 << 30;
/// Default quota of a build, in files and folders.
pub const BUILD_FILES: u64 = 50_000;

/// The build of a bot, and the checks that it has to pass then.
#[derive(Clone, Debug)]
pub struct BuildPlan {
    /// Program and arguments; `None` if there is nothing to build.
    pub command: Option<Vec<String>>,
    /// Sets a bot up in a folder that was unpacked from a bundle. Such bots have no `command`: they
    /// were built before.
    pub setup: Option<Vec<String>>,
    /// The bundle that it is played from, if any.
    pub bundle: Option<Unpacked>,
    /// True if `command` and `dir` exist on every machine.
    pub in_place: bool,
    pub timeout: Duration,
    pub quota: Quota,
    /// Resources and permissions of the build.
    pub wanted: Wanted,
    /// If it cannot be built, does not start or fails a check, the bot is left out, or the
    /// tournament does not begin.
    pub must_pass: bool,
}

/// Limits on what a build adds to its folder; `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Bytes on the disk.
    pub bytes: Option<u64>,
    /// Files, folders and links.
    pub files: Option<u64>,
}

impl Quota {
    pub(crate) fn of(table: &BuildTable) -> Self {
        let given = |size: Option<Size>, default| size.map_or(Some(default), |size| size.0);
        Quota {
            bytes: given(table.disk, BUILD_BYTES),
            files: given(table.files, BUILD_FILES),
        }
    }
}

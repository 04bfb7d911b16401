//! What a bundle may hold.

/// How many bytes the files of a bundle have together, unless the user allows more.
pub const MAX_SIZE: u64 = 256 << 20;
/// How many files, folders and links a bundle has at most.
pub(super) const MAX_ENTRIES: usize = 100_000;
/// How many bytes the path of a file in a bundle has at most.
pub(super) const MAX_PATH: usize = 4000;

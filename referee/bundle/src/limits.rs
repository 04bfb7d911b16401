//! Limits of bundles.

/// The most bytes of a bundle's files by default.
pub const MAX_SIZE: u64 = 256 << 20;
/// The most files, folders and links of a bundle.
pub(super) const MAX_ENTRIES: usize = 100_000;
/// The longest path in a bundle, in bytes.
pub(super) const MAX_PATH: usize = 4000;

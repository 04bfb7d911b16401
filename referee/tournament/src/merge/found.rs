//! Matches that were found in the logs that are put together.

use protocol::Record;
use sha2::{Digest, Sha256};

/// A match that was found.
pub(super) struct Found {
    /// The part that it is taken from.
    pub(super) part: usize,
    /// Of the match, but for its place in a log.
    pub(super) hash: [u8; 32],
}

/// What a match is, but for its place in a log.
pub(super) fn hash(record: &Record) -> [u8; 32] {
    let alone = Record {
        prev: None,
        ..record.clone()
    };
    Sha256::digest(alone.to_line()).into()
}

//! Matches in the logs that are merged.

use protocol::Record;
use sha2::{Digest, Sha256};

pub(super) struct Found {
    /// The index of the part that it is copied from.
    pub(super) part: usize,
    /// Of the record without its place in a log.
    pub(super) hash: [u8; 32],
}

/// Hashes a record without its place in a log.
pub(super) fn hash(record: &Record) -> [u8; 32] {
    let alone = Record {
        prev: None,
        ..record.clone()
    };
    Sha256::digest(alone.to_line()).into()
}

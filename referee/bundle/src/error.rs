//! Why a bundle cannot be made, or used.

use std::io;
use std::path::{Path, PathBuf};

use bytesize::ByteSize;
use thiserror::Error;

use super::digest::Digest;

/// Why a bundle cannot be made, or used.
#[derive(Debug, Error)]
pub enum BundleError {
    /// A file or folder cannot be read or written.
    #[error("`{}`: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// Something in a bot's folder that no bundle can have.
    #[error("`{}` {why}", path.display())]
    Unfit {
        path: PathBuf,
        /// The cause, as the rest of the sentence.
        why: String,
    },
    /// A bot's folder is too large.
    #[error(
        "the files in `{}` have more than {} together{}; a bundle holds what a bot needs to play, and \
         `--max-size` allows more",
        path.display(),
        ByteSize(*most),
        largest_in_words(largest)
    )]
    TooLarge {
        /// The folder.
        path: PathBuf,
        /// The limit, in bytes.
        most: u64,
        /// The largest entries of the folder, and how many bytes they have.
        largest: Vec<(PathBuf, u64)>,
    },
    /// An archive that is not the one that it should be.
    #[error("the archive `{}` has the SHA-256 {found}, so it is not the bundle {expected:.12}", path.display())]
    OtherHash {
        /// The archive.
        path: PathBuf,
        /// The hash that the bundle has.
        expected: Digest,
        /// The hash of the archive.
        found: Digest,
    },
    /// An archive that no `referee bundle` has made.
    #[error("the bundle {bundle:.12} cannot be unpacked: {why}")]
    Refused {
        /// The hash that the bundle has.
        bundle: Digest,
        why: String,
    },
    /// A folder of bundles without a usable list of them.
    #[error("`{}`: {why}", path.display())]
    Manifest {
        /// The list.
        path: PathBuf,
        why: String,
    },
    /// The folder for unpacked bundles could have been filled by somebody else.
    #[error(
        "bundles are not unpacked into `{}`, because {why}; `--bundle-cache` names another folder",
        path.display()
    )]
    Cache {
        /// The folder.
        path: PathBuf,
        /// Why not.
        why: &'static str,
    },
}

impl BundleError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| BundleError::Io { path, error }
    }
}

fn largest_in_words(entries: &[(PathBuf, u64)]) -> String {
    let entries = entries.iter();
    let entries = entries.map(|(path, bytes)| format!("`{}` {}", path.display(), ByteSize(*bytes)));
    let entries: Vec<String> = entries.collect();
    if entries.is_empty() {
        String::new()
    } else {
        format!(" (the largest: {})", entries.join(", "))
    }
}

//! The identity of a bundle.

use serde::{Deserialize, Serialize};

use super::digest::Digest;

/// A bundle: which archive it is, and what has to be done where it is unpacked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bundle {
    /// The hash of the archive.
    pub sha256: Digest,
    /// The bytes of its unpacked files.
    pub bytes: u64,
    /// The program and its arguments that set the bot up, once, in the unpacked folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<Vec<String>>,
}

impl Bundle {
    /// The file name of its archive.
    pub fn archive_name(&self) -> String {
        self.sha256.archive_name()
    }

    /// The name of its folder in a cache. It depends on `setup`, which changes the files.
    pub(super) fn folder_name(&self) -> String {
        match &self.setup {
            None => self.sha256.to_string(),
            Some(setup) => {
                let setup = Digest::of(setup.join("\0").as_bytes());
                format!("{}-{:.16}", self.sha256, setup.as_str())
            }
        }
    }
}

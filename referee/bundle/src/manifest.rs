//! The list of the bundles in a folder.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use files::{self, MOST_TEXT};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::error::BundleError;
use super::identity::Bundle;

/// The file name of the manifest.
pub const MANIFEST_NAME: &str = "bundles.json";
/// The version of its format that is written.
const FORMAT: u32 = 1;

/// The bundles of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the format.
    format: u32,
    /// The bundles by the names of the bots.
    pub bots: BTreeMap<String, Bundle>,
}

impl Manifest {
    /// A list of these.
    pub fn new(bots: BTreeMap<String, Bundle>) -> Self {
        let format = FORMAT;
        Manifest { format, bots }
    }

    /// Reads the list in a folder.
    ///
    /// # Errors
    /// If there is none, or it is of another version.
    pub fn read(folder: &Path) -> Result<Self, BundleError> {
        let path = folder.join(MANIFEST_NAME);
        let text = files::read(&path, MOST_TEXT).map_err(BundleError::io(&path))?;
        let wrong = |why| BundleError::Manifest {
            path: path.clone(),
            why,
        };
        let manifest: Self =
            serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if manifest.format != FORMAT {
            let format = manifest.format;
            return Err(wrong(format!(
                "it has the format {format}; this referee knows the format {FORMAT} only"
            )));
        }
        Ok(manifest)
    }

    /// Writes it to a folder, in place of the one before.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), BundleError> {
        let path = folder.join(MANIFEST_NAME);
        let write = || {
            let mut file = NamedTempFile::new_in(folder)?;
            serde_json::to_writer_pretty(&mut file, self)?;
            file.write_all(b"\n")?;
            let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o644);
            file.as_file().set_permissions(everybody)?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(BundleError::io(&path))
    }
}

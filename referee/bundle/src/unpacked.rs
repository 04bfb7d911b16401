//! Bundles that were unpacked on this machine, and the bots that they are.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use super::error::BundleError;
use super::identity::Bundle;
use super::manifest::Manifest;

/// The folder of the bot's files, in the folder of an unpacked bundle.
pub(super) const FILES: &str = "files";
/// Is there once the bot was set up.
const SET_UP: &str = "set-up";
/// Is locked while the bot is set up.
const LOCK: &str = "lock";

/// A bundle that was unpacked on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpacked {
    bundle: Bundle,
    /// Its folder in the cache.
    folder: PathBuf,
}

impl Unpacked {
    pub(super) fn new(bundle: Bundle, folder: PathBuf) -> Self {
        Unpacked { bundle, folder }
    }

    /// The bundle.
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// The bot's `dir` on this machine.
    pub fn dir(&self) -> PathBuf {
        self.folder.join(FILES)
    }

    /// True if the bot can be started without further setup.
    pub fn is_set_up(&self) -> bool {
        self.bundle.setup.is_none() || self.folder.join(SET_UP).exists()
    }

    /// Notes that the bot was set up.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn note_set_up(&self) -> Result<(), BundleError> {
        let path = self.folder.join(SET_UP);
        File::create(&path)
            .map(drop)
            .map_err(BundleError::io(&path))
    }

    /// The file to lock while the bot is set up, so that one process does so at a time.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn lock_file(&self) -> Result<File, BundleError> {
        let path = self.folder.join(LOCK);
        File::create(&path).map_err(BundleError::io(&path))
    }
}

/// The bots of a configuration that are played from bundles.
#[derive(Clone, Debug, Default)]
pub struct Bundles {
    /// The source of the bundle, for messages.
    pub source: String,
    /// The folder of the archives, if there is one.
    pub folder: Option<PathBuf>,
    /// By the names of the bots.
    pub bots: BTreeMap<String, Unpacked>,
}

impl Bundles {
    /// Unpacks all bundles of a folder that `referee bundle` has made, below the folder `cache`.
    ///
    /// # Errors
    /// If an archive is missing or not as it should be, or the cache cannot be written.
    pub fn unpack_all(folder: &Path, cache: &Path) -> Result<Self, BundleError> {
        let manifest = Manifest::read(folder)?;
        let unpack = |(name, bundle): (String, Bundle)| {
            let archive = folder.join(bundle.archive_name());
            // The list's author decided the size limit.
            let unpacked = bundle.unpack_once(&archive, cache, bundle.bytes)?;
            Ok((name, unpacked))
        };
        let bots = manifest.bots.into_iter().map(unpack);
        Ok(Bundles {
            source: format!("`{}`", folder.display()),
            folder: Some(folder.to_owned()),
            bots: bots.collect::<Result<_, _>>()?,
        })
    }
}

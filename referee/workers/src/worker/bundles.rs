//! Bundles from the server: each is fetched and unpacked once per machine, for all workers and
//! tournaments.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bundle::{Bundle, BundleError, Bundles, Unpacked};
use bytesize::ByteSize;
use cluster::{Connection, FileError, TournamentId, get_file};
use thiserror::Error;
use tokio::time::sleep;

/// The interval of checks for another worker that fetches the same bundle.
const LOCK_PATROL: Duration = Duration::from_millis(100);
/// Bytes that an archive may have besides the files: names, and overhead of compression.
const MOST_BESIDES: u64 = 64 << 20;

/// A bundle cannot be used here.
#[derive(Debug, Error)]
pub(super) enum FetchError {
    #[error(
        "the bundle of `{bot}` has {} of files, and this worker takes {}; `--max-bundle` allows more",
        ByteSize(*bytes),
        ByteSize(*most)
    )]
    TooLarge { bot: String, bytes: u64, most: u64 },
    #[error("the bundle of `{bot}` cannot be fetched: {error}")]
    Fetch { bot: String, error: FileError },
    #[error(transparent)]
    Bundle(#[from] BundleError),
}

impl FetchError {
    pub(super) fn is_passing(&self) -> bool {
        matches!(self, FetchError::Fetch { error, .. } if error.is_passing())
    }
}

/// Source and destination of bundles.
pub(super) struct Source<'a> {
    pub(super) connection: &'a Connection,
    pub(super) tournament: &'a TournamentId,
    pub(super) cache: &'a Path,
    /// The most bytes of a bundle's files.
    pub(super) most: u64,
}

impl Source<'_> {
    /// Fetches and unpacks missing bundles.
    pub(super) async fn fetch_all(
        &self,
        bundles: &BTreeMap<String, Bundle>,
    ) -> Result<Bundles, FetchError> {
        let mut bots = BTreeMap::new();
        for (bot, bundle) in bundles {
            bots.insert(bot.clone(), self.fetch(bot, bundle).await?);
        }
        Ok(Bundles {
            source: format!("the tournament `{}`", self.tournament),
            folder: None,
            bots,
        })
    }

    async fn fetch(&self, bot: &str, bundle: &Bundle) -> Result<Unpacked, FetchError> {
        if bundle.bytes > self.most {
            return Err(FetchError::TooLarge {
                bot: bot.to_owned(),
                bytes: bundle.bytes,
                most: self.most,
            });
        }
        if let Some(unpacked) = bundle.unpacked_before(self.cache)? {
            return Ok(unpacked);
        }
        let (path, file) = self.locked(bundle).await?;
        // Another worker may have done it meanwhile.
        if let Some(unpacked) = bundle.unpacked_before(self.cache)? {
            let _ = fs::remove_file(&path);
            return Ok(unpacked);
        }
        let unsaved = |error| BundleError::Io {
            path: path.clone(),
            error,
        };
        // Left by a worker that was killed.
        file.set_len(0).map_err(unsaved)?;
        let name = bundle.sha256.as_str();
        let most = bundle.bytes + MOST_BESIDES;
        let to = BufWriter::new(&file);
        let got = get_file(self.connection, self.tournament, name, most, to).await;
        let unpacked = match got {
            Ok(()) => unpack(bundle, &path, self.cache)
                .await
                .map_err(FetchError::from),
            Err(error) => Err(FetchError::Fetch {
                bot: bot.to_owned(),
                error,
            }),
        };
        let _ = fs::remove_file(&path);
        unpacked
    }

    /// The locked file for an archive. It is in the cache, not among temporary files, as it may be large.
    async fn locked(&self, bundle: &Bundle) -> Result<(PathBuf, File), BundleError> {
        let path = self.cache.join(format!(".fetch-{}", bundle.sha256));
        let failed = |error| BundleError::Io {
            path: path.clone(),
            error,
        };
        loop {
            let mut options = File::options();
            let file = options.write(true).create(true).truncate(false).open(&path);
            let file = file.map_err(failed)?;
            match file.try_lock() {
                // The previous owner may have removed it.
                Ok(()) if path.exists() => return Ok((path, file)),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => sleep(LOCK_PATROL).await,
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }
}

async fn unpack(bundle: &Bundle, archive: &Path, cache: &Path) -> Result<Unpacked, BundleError> {
    let (bundle, archive, cache) = (bundle.clone(), archive.to_owned(), cache.to_owned());
    let most = bundle.bytes;
    let unpack = move || bundle.unpack_once(&archive, &cache, most);
    let unpacked = tokio::task::spawn_blocking(unpack).await;
    unpacked.unwrap_or_else(|panicked| std::panic::resume_unwind(panicked.into_panic()))
}

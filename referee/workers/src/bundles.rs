//! Uploads bundles of bots for workers.

use cluster::{Connection, TournamentId, put_file};
use config::Config;

use super::error::RemoteError;
use super::wire::Announced;

/// Stores the archives on the server, before the tournament is announced. They stay until it is over.
pub(super) async fn put(
    connection: &Connection,
    id: &TournamentId,
    config: &Config,
    announced: &Announced,
) -> Result<(), RemoteError> {
    let Some(folder) = config.bundle_folder() else {
        return Ok(());
    };
    for (bot, bundle) in &announced.bundles {
        let archive = folder.join(bundle.archive_name());
        // With a cached bundle, the archive was not opened yet.
        let file = {
            let bundle = bundle.clone();
            tokio::task::spawn_blocking(move || bundle.open(&archive)).await
        };
        let file =
            file.unwrap_or_else(|panicked| std::panic::resume_unwind(panicked.into_panic()))?;
        let put = put_file(connection, id, bundle.sha256.as_str(), file).await;
        put.map_err(|error| RemoteError::Unsent {
            bot: bot.clone(),
            error,
        })?;
    }
    Ok(())
}

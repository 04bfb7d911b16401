//! The options for workers on other machines.

use std::path::PathBuf;
use std::time::Duration;

/// The shortest possible round trip of a message.
const SHORTEST_LEASE: Duration = Duration::from_millis(100);

/// Workers on other machines.
#[derive(Debug, clap::Args)]
pub(super) struct NatsArgs {
    /// Have workers play the matches (`referee worker`), over this NATS server with JetStream, as in
    /// nats://host:4222, or tls://host for an encrypted connection
    #[arg(long, value_name = "SERVER", conflicts_with_all = ["shard", "trace", "dry_run"])]
    pub(super) nats: Option<String>,
    /// The file of credentials for the NATS server, as `nsc` makes it
    #[arg(long, value_name = "FILE", requires = "nats", conflicts_with_all = ["shard", "trace", "dry_run"])]
    pub(super) nats_creds: Option<PathBuf>,
    /// The time after which matches are taken from a worker that shows no sign of life
    #[arg(long, value_name = "TIME", requires = "nats", hide = true, value_parser = lease,
          conflicts_with_all = ["shard", "trace", "dry_run"])]
    pub(super) nats_lease: Option<Duration>,
}

/// A lease that workers can keep.
fn lease(text: &str) -> Result<Duration, String> {
    let lease = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if lease < SHORTEST_LEASE {
        return Err(format!("a lease lasts {SHORTEST_LEASE:?} at least"));
    }
    Ok(lease)
}

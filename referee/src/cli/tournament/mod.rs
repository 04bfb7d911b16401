//! Tournaments: their configurations, workers, bundles and merged logs.

pub(crate) mod bundle;
#[cfg(feature = "cluster")]
pub(crate) mod cluster;
#[cfg(not(feature = "cluster"))]
#[path = "without_cluster.rs"]
pub(crate) mod cluster;
pub(crate) mod config;
mod dry_run;
pub(crate) mod environment;
pub(crate) mod merge;
mod nats;
#[expect(
    clippy::module_inception,
    reason = "the group has the name of its first command"
)]
pub(crate) mod tournament;
mod watcher;

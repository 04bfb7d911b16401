//! Tournaments: their configurations, workers, bundles and merged logs.

pub(crate) mod bundle;
pub(crate) mod config;
mod dry_run;
pub(crate) mod environment;
pub(crate) mod merge;
#[expect(
    clippy::module_inception,
    reason = "the group has the name of its first command"
)]
pub(crate) mod tournament;
mod watcher;
#[cfg(not(feature = "cluster"))]
pub(crate) mod without_cluster;
#[cfg(feature = "cluster")]
pub(crate) mod worker;
#[cfg(feature = "cluster")]
pub(crate) mod workers;

#[cfg(not(feature = "cluster"))]
pub(crate) use without_cluster as worker;
#[cfg(not(feature = "cluster"))]
pub(crate) use without_cluster as workers;

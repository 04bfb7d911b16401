//! Logs: standings, reports, pages, replays.

pub(crate) mod export;
mod picture;
pub(crate) mod replay;
pub(crate) mod report;
mod rerun;
pub(crate) mod standings;
pub(crate) mod watch;

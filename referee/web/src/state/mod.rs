//! State of the server: logs read into an index, live snapshots, events for all pages.

pub(crate) mod events;
pub(crate) mod follow;
pub(crate) mod highlights;
pub(crate) mod index;
pub(crate) mod live;
pub(crate) mod live_task;
pub(crate) mod overview;
pub(crate) mod plan;
pub(crate) mod played;
pub(crate) mod reader;
pub(crate) mod report_cache;
pub(crate) mod site;

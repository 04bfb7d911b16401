//! Requests and messages from other machines.

pub(super) mod announcements;
pub(super) mod http;
pub(super) mod results;

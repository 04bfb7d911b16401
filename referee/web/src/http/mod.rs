//! The HTTP server: access control, responses, the files of the pages.

pub(crate) mod access;
pub(crate) mod answer;
pub(crate) mod assets;
pub(crate) mod server;

//! The HTTP server: guarded answers, the files of the page.

pub(crate) mod answer;
pub(crate) mod assets;
pub(crate) mod guard;
pub(crate) mod server;

//! The web view: a server on this machine that shows a running or finished tournament, and lets people
//! play in a browser. It has no influence on a tournament: it follows the log, and receives snapshots
//! of running matches through a socket in the folder, some of which may get lost.
//!
//! `site` is shared by all parts; `reader` is the thread that reads logs (`follow`) into the `index`
//! and computes the `overview`; `match_list` and `match_page` answer from these; `events` go to all
//! pages.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

mod frame;
pub mod http;
pub mod matches;
pub mod pages;
pub mod playing;
mod reports;
mod routes;
pub mod state;
mod words;

pub use crate::http::server::{PORT, bind};
pub use crate::pages::one_file::OneFile;
pub use crate::playing::play::{Command, PlaySession};
pub use crate::playing::play_routes::serve_play;
pub use routes::{Watch, WatchError};
pub use words::{encoded, guide};

//! The web view: a server on this machine that shows a tournament while it runs or afterwards, and
//! lets people play in a browser. It only looks on: it follows the log, and hears of matches in
//! flight by a socket in the folder, which may lose things.
//!
//! `site` is what all share; `reader` is the thread that reads logs (`follow`) into the `index` and
//! makes the `overview`; `match_list` and `match_page` answer from these; `events` go to all pages.

#![allow(missing_docs, reason = "strangers read the front door, `referee`")]

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
pub use crate::playing::play::{Command, Table};
pub use crate::playing::play_routes::serve_table;
pub use routes::{Watch, WatchError};
pub use words::{encoded, guide};

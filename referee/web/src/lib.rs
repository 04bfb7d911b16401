//! The web view: a server on this machine that shows a tournament while it runs or afterwards, and
//! lets people play in a browser. It only looks on: it follows the log, and hears of matches in
//! flight by a socket in the folder, which may lose things.
//!
//! `site` is what all share; `reader` is the thread that reads logs (`follow`) into the `index` and
//! makes the `overview`; `match_list` and `match_page` answer from these; `events` go to all pages.

#![allow(missing_docs, reason = "strangers read the front door, `referee`")]

mod analyses;
mod answer;
mod assets;
mod decisive;
mod events;
mod follow;
mod frame;
mod guard;
mod index;
mod json_change;
mod live;
mod live_task;
mod match_list;
mod match_page;
mod one_file;
mod overview;
mod page_folder;
pub mod pages;
mod plan;
mod play;
mod play_routes;
mod position;
mod reader;
mod report_cache;
mod reports;
mod routes;
mod rules_card;
mod server;
mod site;
mod stderr;
mod views;
mod words;

pub use one_file::OneFile;
pub use play::{Command, Table};
pub use play_routes::serve_table;
pub use routes::{Watch, WatchError};
pub use server::{PORT, bind};
pub use words::{encoded, guide};

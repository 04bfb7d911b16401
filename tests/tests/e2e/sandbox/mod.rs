//! Limits of bots and their sandbox; no process outlives its match.

mod limits;
mod processes;
mod promises;
mod redteam;
mod supervision;

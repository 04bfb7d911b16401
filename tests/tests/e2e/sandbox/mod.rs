//! Limits of bots and their sandbox; nothing outlives its match.

mod limits;
mod processes;
mod promises;
mod redteam;
mod supervision;

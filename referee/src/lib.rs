//! The referee as a library: one match as a pure state machine, bots as processes, tournaments,
//! logs and reports. The program `referee` is a thin layer over it ([`cli`]).

pub mod check;
pub mod cli;
pub mod config;
pub mod draw;
pub mod files;
pub mod known_games;
pub mod log;
mod machine;
mod match_runner;
pub mod model;
pub mod new_bot;
mod players;
pub mod report;
pub mod rerun;
pub mod tournament;

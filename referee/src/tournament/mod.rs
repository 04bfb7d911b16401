//! Tournaments: configuration, schedule, openings, folder, running, going on.

pub mod config;
mod config_error;
mod config_file;
mod config_keys;
mod cores;
pub mod difference;
pub mod failures;
pub mod folder;
pub mod opening;
pub mod plan;
pub mod resume;
pub mod run;
pub mod schedule;

pub use config::{Config, GameSetup};
pub use config_error::{ConfigError, Problem, unknown_game};

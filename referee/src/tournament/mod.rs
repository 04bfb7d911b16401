//! Tournaments: configuration, schedule, openings, folder, running, going on.

pub mod book;
pub mod capacity;
pub mod config;
mod config_error;
mod config_file;
mod config_format;
mod config_keys;
mod config_layers;
pub mod config_schema;
mod config_spans;
pub(crate) mod config_variables;
mod cores;
pub mod difference;
pub mod failures;
pub mod folder;
pub mod forecast;
mod memory;
pub mod opening;
pub mod plan;
mod queue;
pub mod resume;
pub mod run;
pub mod schedule;

pub use config::{Config, GameSetup};
pub use config_error::{ConfigError, Problem, unknown_game};

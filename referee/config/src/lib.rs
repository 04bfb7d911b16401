//! The tournament configuration: TOML in, checked values out.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

pub mod bots;
mod config;
pub mod difference;
mod error;
pub mod reading;
pub mod schema;
pub mod settings;
pub mod setup;
pub(crate) mod sources;
pub mod tables;

pub use crate::bots::bot_places::BotPlaces;
pub use crate::bots::build::{BUILD_BYTES, BUILD_FILES};
pub use crate::bots::build::{BuildPlan, Quota};
pub use crate::bots::{RecordedBot, recorded_bot};
pub use crate::reading::left_out::LeftOut;
pub use crate::reading::variables::variables_in;
pub use crate::settings::budget::Budget;
pub use crate::settings::keep::Keep;
pub use crate::settings::machine::{NoiseLimits, TimeScale};
pub use crate::settings::openings::{Judged, Openings};
pub use crate::settings::rules::{recorded_rules, source_of};
pub use crate::settings::time::TimeFlags;
pub use crate::setup::book::BookOpening;
pub use crate::setup::game::game;
pub use crate::setup::game::{GameError, GameSetup};
pub use crate::tables::{Affinity, Limit, MOST_RANDOM_PLIES, OnBroken, Time};
pub use config::{Admission, Config, FormatHasNoShards, MachineSettings, ScheduleSettings, Source};
pub use error::{ConfigError, Problem};

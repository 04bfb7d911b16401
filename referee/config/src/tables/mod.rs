//! The tables of the configuration file.

mod bots;
mod endings;
mod file;
mod format;
mod games;
mod time;

pub(crate) use bots::SubmissionTable;
pub use bots::{BotCommand, BotTable, BuildTable, OnBroken, SubmissionsTable};
pub use endings::{AdjudicateTable, DrawTable, Limit, LimitsTable, ResignTable};
pub use file::{
    Affinity, Auto, BudgetTable, Concurrency, ConfigFile, KeepTable, MOST_RANDOM_PLIES,
};
pub use file::{NetworkTable, OpeningOrder, OpeningTable};
pub use format::{KnockoutTable, Seeding, SprtTable};
pub use games::{GameEntry, GameTable, RulesEntry, RulesTable};
pub use time::{MachineTable, Time, TimeScaling, TimeTable, WorkersTable};

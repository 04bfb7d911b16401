//! The tables of the configuration file.

mod bots;
mod endings;
mod format;
mod games;
mod time;
mod top_level;

pub(crate) use bots::SubmissionTable;
pub use bots::{BotCommand, BotTable, BuildTable, OnBroken, SubmissionsTable};
pub use endings::{AdjudicateTable, DrawTable, Limit, LimitsTable, ResignTable};
pub use format::{KnockoutTable, Seeding, SprtTable};
pub use games::{GameEntry, GameTable, RulesEntry, RulesTable};
pub use time::{MachineTable, Time, TimeScaling, TimeTable, WorkersTable};
pub use top_level::{
    Affinity, Auto, BudgetTable, Concurrency, ConfigFile, KeepTable, MOST_RANDOM_PLIES,
};
pub use top_level::{NetworkTable, OpeningOrder, OpeningTable};

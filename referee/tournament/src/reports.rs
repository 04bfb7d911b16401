//! What slots, and backends, report to the writer of the log.

use games::BrokenRules;
use protocol::Record;
use supervisor::News;

/// How many workers there are, where a backend has some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkersSeen {
    /// Workers that were heard lately.
    pub workers: usize,
    /// Matches that they can play at a time.
    pub slots: u32,
    /// How often a group that one had taken was taken by another.
    pub lost: u64,
}

/// What slots report to the writer.
pub enum FromSlot {
    Started(String),
    /// A match, by its number in the schedule.
    Finished(usize, Box<Record>),
    Trouble(News),
    /// The machine has run out of something.
    Short(String),
    /// Rules from outside do not work.
    Broken(BrokenRules),
    /// Workers on other machines are there, or gone.
    Workers(WorkersSeen),
}

impl FromSlot {
    /// The match, if it reports one.
    pub(super) fn record(&self) -> Option<&Record> {
        match self {
            FromSlot::Finished(_, record) => Some(record),
            _ => None,
        }
    }
}

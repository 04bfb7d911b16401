//! The groups that workers have, or can have.

use std::collections::{BTreeMap, HashSet};

use cluster::JobResult;
use schedule::{Scheduled, ScheduledGroup};

/// A group that was taken so often and never finished is not tried any more: perhaps it is what ends the
/// workers.
const MOST_TAKEN: u32 = 20;
/// So many different workers have to say that a group cannot be played.
const MOST_BURIED: usize = 2;
/// Where there is only one worker, it has to say so this often.
const MOST_BURIED_BY_ONE: u32 = 3;

/// Groups by the numbers of their jobs.
#[derive(Debug, Default)]
pub(super) struct OpenJobs {
    jobs: BTreeMap<u64, OpenJob>,
    /// How often a group that a worker had taken was taken by another one.
    pub(super) lost: u64,
}

#[derive(Debug)]
struct OpenJob {
    group: ScheduledGroup,
    /// The numbers of the matches that are known to have begun.
    begun: HashSet<usize>,
    /// How often workers began with it.
    taken: u32,
    /// The workers that say that it cannot be played.
    buried_by: HashSet<String>,
    buried: u32,
    /// Whether a result of it is being examined.
    has_result: bool,
}

impl OpenJobs {
    pub(super) fn len(&self) -> usize {
        self.jobs.len()
    }

    /// A group is open from now on.
    pub(super) fn add(&mut self, group: ScheduledGroup) {
        let job = OpenJob {
            begun: HashSet::new(),
            taken: 0,
            buried_by: HashSet::new(),
            buried: 0,
            has_result: false,
            group,
        };
        self.jobs.insert(job.group.number as u64, job);
    }

    /// A group is finished.
    pub(super) fn remove(&mut self, job: u64) {
        self.jobs.remove(&job);
    }

    pub(super) fn group(&self, job: u64) -> Option<&ScheduledGroup> {
        Some(&self.jobs.get(&job)?.group)
    }

    /// The jobs without a result.
    pub(super) fn without_result(&self) -> impl Iterator<Item = u64> {
        let open = self.jobs.iter().filter(|(_, job)| !job.has_result);
        open.map(|(number, _)| *number)
    }

    /// Whether a job is open and has no result.
    pub(super) fn awaits_result(&self, job: u64) -> bool {
        self.jobs.get(&job).is_some_and(|job| !job.has_result)
    }

    /// Whether a job without a result has a match of this bot.
    pub(super) fn need(&self, bot: usize) -> bool {
        let mut open = self.jobs.values().filter(|job| !job.has_result);
        open.any(|job| {
            let mut seats = job.group.matches.iter().flat_map(|it| &it.seats);
            seats.any(|&seat| seat == bot)
        })
    }

    /// A result is here; false if one is being examined already.
    pub(super) fn note_result(&mut self, job: u64) -> bool {
        let job = self.jobs.get_mut(&job);
        job.is_some_and(|job| !std::mem::replace(&mut job.has_result, true))
    }

    /// The result is of no use.
    pub(super) fn forget_result(&mut self, result: &JobResult) {
        if let Some(job) = self.jobs.get_mut(&result.job) {
            job.has_result = false;
        }
    }

    /// A worker begins a match; `first` if it has just taken the job. Gives the match if nobody knew that
    /// it had begun.
    pub(super) fn begins(&mut self, job: u64, number: usize, first: bool) -> Option<&Scheduled> {
        let job = self.jobs.get_mut(&job)?;
        if first {
            job.taken += 1;
            self.lost += u64::from(job.taken > 1);
        }
        let mut matches = job.group.matches.iter();
        let scheduled = matches.find(|scheduled| scheduled.number == number)?;
        job.begun.insert(number).then_some(scheduled)
    }

    /// Whether a group was taken too often.
    pub(super) fn is_hopeless(&self, job: u64) -> bool {
        self.jobs
            .get(&job)
            .is_some_and(|job| job.taken >= MOST_TAKEN)
    }

    /// A worker says that a group cannot be played. Whether that has to be believed.
    pub(super) fn bury(&mut self, job: u64, worker: &str) -> bool {
        let Some(job) = self.jobs.get_mut(&job) else {
            return false;
        };
        job.buried += 1;
        job.buried_by.insert(worker.to_owned());
        job.buried_by.len() >= MOST_BURIED || job.buried >= MOST_BURIED_BY_ONE
    }
}

//! Jobs that are published and not finished.

use std::collections::{BTreeMap, HashSet};

use schedule::{Scheduled, ScheduledGroup};

/// Give up on a job that was taken this often and never finished: it may be what ends the workers. A
/// first time that ended before any match was announced is not known.
const MOST_TAKEN: u32 = 20;
/// A job counts as unplayable if this many workers declare it so.
const ENOUGH_WORKERS: usize = 2;
/// It also counts as unplayable after this many declarations of a single worker.
const ENOUGH_BY_ONE: u32 = 3;

/// Open jobs by number, which is that of the first match of the first group.
#[derive(Debug, Default)]
pub(super) struct OpenJobs {
    jobs: BTreeMap<u64, OpenJob>,
    /// The number of groups of all jobs.
    groups: usize,
    /// The numbers of open matches that have begun.
    begun: HashSet<usize>,
    /// How often a job was taken again, after its worker had lost it.
    pub(super) lost: u64,
}

#[derive(Debug)]
struct OpenJob {
    /// At least one.
    groups: Vec<ScheduledGroup>,
    /// The match that was announced last.
    last_begun: Option<usize>,
    /// How often workers took it, as far as is known.
    taken: u32,
    /// A worker has announced a match since the job was published.
    announced: bool,
    /// The workers that declare it unplayable.
    declared_by: HashSet<String>,
    declarations: u32,
    /// True while a result is being examined.
    has_result: bool,
}

impl OpenJobs {
    /// The number of open groups.
    pub(super) fn groups_open(&self) -> usize {
        self.groups
    }

    pub(super) fn jobs_open(&self) -> usize {
        self.jobs.len()
    }

    /// Notes that a group's matches have ended.
    pub(super) fn end(&mut self, group: &ScheduledGroup) {
        for scheduled in &group.matches {
            self.begun.remove(&scheduled.number);
        }
    }

    /// The id of the match of a job that was announced last.
    pub(super) fn last_begun(&self, job: u64) -> Option<String> {
        let number = self.jobs.get(&job)?.last_begun?;
        let mut matches = self.groups(job).iter().flat_map(|group| &group.matches);
        let last = matches.find(|scheduled| scheduled.number == number)?;
        Some(last.id())
    }

    /// Opens a job of these groups, and returns its number.
    pub(super) fn add(&mut self, groups: Vec<ScheduledGroup>) -> u64 {
        let number = groups[0].number as u64;
        self.groups += groups.len();
        let job = OpenJob {
            last_begun: None,
            taken: 0,
            announced: false,
            declared_by: HashSet::new(),
            declarations: 0,
            has_result: false,
            groups,
        };
        self.jobs.insert(number, job);
        number
    }

    /// Removes a job, and returns its groups.
    pub(super) fn remove(&mut self, job: u64) -> Vec<ScheduledGroup> {
        let groups = self.jobs.remove(&job).map_or(Vec::new(), |job| job.groups);
        self.groups -= groups.len();
        groups
    }

    /// Leaves a job its first group only, and returns the others.
    pub(super) fn split(&mut self, job: u64) -> Vec<ScheduledGroup> {
        let job = self.jobs.get_mut(&job);
        let others = job.map_or(Vec::new(), |job| job.groups.split_off(1));
        self.groups -= others.len();
        others
    }

    /// The groups of a job; none if it is not open.
    pub(super) fn groups(&self, job: u64) -> &[ScheduledGroup] {
        self.jobs.get(&job).map_or(&[], |job| &job.groups)
    }

    pub(super) fn without_result(&self) -> impl Iterator<Item = u64> {
        let open = self.jobs.iter().filter(|(_, job)| !job.has_result);
        open.map(|(number, _)| *number)
    }

    /// True if a job is open and has no result.
    pub(super) fn awaits_result(&self, job: u64) -> bool {
        self.jobs.get(&job).is_some_and(|job| !job.has_result)
    }

    /// True if a job without a result has a match of this bot.
    pub(super) fn need(&self, bot: usize) -> bool {
        let mut open = self.jobs.values().filter(|job| !job.has_result);
        open.any(|job| {
            let matches = job.groups.iter().flat_map(|group| &group.matches);
            let mut seats = matches.flat_map(|it| &it.seats);
            seats.any(|&seat| seat == bot)
        })
    }

    /// Notes a result; false if one is being examined already.
    pub(super) fn note_result(&mut self, job: u64) -> bool {
        let job = self.jobs.get_mut(&job);
        job.is_some_and(|job| !std::mem::replace(&mut job.has_result, true))
    }

    /// Notes that a result was refused, and that the job is published again.
    pub(super) fn refuse_result(&mut self, job: u64) {
        if let Some(job) = self.jobs.get_mut(&job) {
            job.has_result = false;
            // Short matches are not announced.
            let announced = std::mem::take(&mut job.announced);
            job.taken += u32::from(!announced);
        }
    }

    /// Notes that a worker begins a match; `first` if it has just taken the job. Returns the match if it was
    /// not known to have begun.
    pub(super) fn begins(&mut self, job: u64, number: usize, first: bool) -> Option<&Scheduled> {
        let job = self.jobs.get_mut(&job)?;
        if first {
            job.announced = true;
            job.taken += 1;
            self.lost += u64::from(job.taken > 1);
        }
        let mut matches = job.groups.iter().flat_map(|group| &group.matches);
        let scheduled = matches.find(|scheduled| scheduled.number == number)?;
        job.last_begun = Some(number);
        self.begun.insert(number).then_some(scheduled)
    }

    /// True if a job was taken too often.
    pub(super) fn is_hopeless(&self, job: u64) -> bool {
        self.jobs
            .get(&job)
            .is_some_and(|job| job.taken >= MOST_TAKEN)
    }

    /// Notes that a worker declares a job unplayable. True once that counts.
    pub(super) fn note_unplayable(&mut self, job: u64, worker: &str) -> bool {
        let Some(job) = self.jobs.get_mut(&job) else {
            return false;
        };
        job.declarations += 1;
        job.declared_by.insert(worker.to_owned());
        job.declared_by.len() >= ENOUGH_WORKERS || job.declarations >= ENOUGH_BY_ONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_whose_results_are_all_refused_is_hopeless_announced_or_not() {
        for announced in [true, false] {
            let mut open = OpenJobs::default();
            open.add(vec![ScheduledGroup {
                number: 7,
                matches: Vec::new(),
            }]);
            for _ in 0..MOST_TAKEN {
                assert!(!open.is_hopeless(7));
                if announced {
                    open.begins(7, 7, true);
                }
                assert!(open.note_result(7));
                open.refuse_result(7);
            }
            assert!(open.is_hopeless(7), "announced: {announced}");
        }
    }
}

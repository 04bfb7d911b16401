//! Groups that are published and not finished.

use std::collections::{BTreeMap, HashSet};

use schedule::{Scheduled, ScheduledGroup};

/// Give up on a group that was taken this often and never finished: it may be what ends the workers. A
/// first time that ended before any match was announced is not known.
const MOST_TAKEN: u32 = 20;
/// A group counts as unplayable if this many workers declare it so.
const ENOUGH_WORKERS: usize = 2;
/// It also counts as unplayable after this many declarations of a single worker.
const ENOUGH_BY_ONE: u32 = 3;

/// Open groups by job.
#[derive(Debug, Default)]
pub(super) struct OpenJobs {
    jobs: BTreeMap<u64, OpenJob>,
    /// How often a group was taken again, after its worker had lost it.
    pub(super) lost: u64,
}

#[derive(Debug)]
struct OpenJob {
    group: ScheduledGroup,
    /// The numbers of matches that have begun.
    begun: HashSet<usize>,
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
    pub(super) fn len(&self) -> usize {
        self.jobs.len()
    }

    pub(super) fn add(&mut self, group: ScheduledGroup) {
        let job = OpenJob {
            begun: HashSet::new(),
            taken: 0,
            announced: false,
            declared_by: HashSet::new(),
            declarations: 0,
            has_result: false,
            group,
        };
        self.jobs.insert(job.group.number as u64, job);
    }

    pub(super) fn remove(&mut self, job: u64) {
        self.jobs.remove(&job);
    }

    pub(super) fn group(&self, job: u64) -> Option<&ScheduledGroup> {
        Some(&self.jobs.get(&job)?.group)
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
            let mut seats = job.group.matches.iter().flat_map(|it| &it.seats);
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
        let mut matches = job.group.matches.iter();
        let scheduled = matches.find(|scheduled| scheduled.number == number)?;
        job.begun.insert(number).then_some(scheduled)
    }

    /// True if a group was taken too often.
    pub(super) fn is_hopeless(&self, job: u64) -> bool {
        self.jobs
            .get(&job)
            .is_some_and(|job| job.taken >= MOST_TAKEN)
    }

    /// Notes that a worker declares a group unplayable. True once that counts.
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
            open.add(ScheduledGroup {
                number: 7,
                matches: Vec::new(),
            });
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

//! Results of workers: which count, which are refused, which are kept for later.

use std::time::Duration;

use cluster::JobResult;
use deals::Deal;
use protocol::{Record, excerpt};
use schedule::{Schedule, ScheduledGroup};

use super::super::rechecks::Rechecks;
use super::super::together::Room;
use super::super::{Action, Ending, Examined};
use super::{Chore, Dispatcher, MOST_EARLY, SHOWN, Stage, number_of, stuck};
use crate::error::Stuck;
use crate::wire::{Unplayable, unpack};

impl Dispatcher {
    pub(super) fn read(&mut self, now: Duration, schedule: &Schedule, result: Option<JobResult>) {
        let is_early = matches!(self.stage, Stage::ReadEarly);
        match result {
            Some(result) if is_early => self.keep_early(schedule, result),
            Some(result) => self.receive(now, schedule, result),
            None if is_early => self.stage = Stage::Announce,
            None => {
                self.has_unread = false;
                self.silent = None;
                self.reported_silence = false;
                if let Stage::ReadResults { lost } = &mut self.stage {
                    let lost = std::mem::take(lost);
                    self.stage = Stage::Recover { lost };
                }
            }
        }
    }

    /// Opens groups, as few jobs. A group with a deal is a job of its own. What follows one that has a result
    /// may be in that result, as far as an earlier coordinator took these groups together.
    pub(super) fn add(&mut self, groups: Vec<ScheduledGroup>) {
        let mut jobs: Vec<(Room, Vec<ScheduledGroup>)> = Vec::new();
        for group in groups {
            let is_alone = self.deal_of(&group).is_some();
            let is_early = self.early.contains_key(&(group.number as u64));
            if !is_alone
                && !is_early
                && let Some((room, job)) = jobs.last_mut()
                && self.together.add(room, &group)
            {
                job.push(group);
                continue;
            }
            let room = if is_alone {
                Room::NONE
            } else if is_early {
                Room::OF_A_RESULT
            } else {
                self.together.begin(&group)
            };
            jobs.push((room, vec![group]));
        }
        jobs.into_iter().for_each(|(_, job)| self.open(job));
    }

    /// The deal of a group.
    pub(super) fn deal_of(&self, group: &ScheduledGroup) -> Option<Deal> {
        self.setup.dealer.deal(group.matches.first()?)
    }

    /// Opens a job, and publishes it unless it has a result.
    fn open(&mut self, groups: Vec<ScheduledGroup>) {
        let job = self.open.add(groups);
        match self.early.remove(&job) {
            Some(Some(result)) => {
                self.early_bytes -= size_of_result(&result);
                self.receive_first(result);
            }
            Some(None) => self.chores.push_back(Chore::Fetch(job)),
            None => self.chores.push_back(Chore::Publish(job)),
        }
    }

    pub(super) fn receive(&mut self, now: Duration, schedule: &Schedule, result: JobResult) {
        if Rechecks::is_second(result.job) {
            self.receive_second(now, result);
        } else if !self.open.groups(result.job).is_empty() {
            self.receive_first(result);
        } else if schedule.get(number_of(result.job)).is_some() {
            self.keep_early(schedule, result);
        } else {
            self.refuse(result);
        }
    }

    /// A result of an open job.
    pub(super) fn receive_first(&mut self, result: JobResult) {
        if self.roster.is_ignored(&result.worker) {
            return self.play_again(result);
        }
        if let Err(why) = &result.result {
            let why = unpack(why).unwrap_or_else(|why| Unplayable {
                why,
                broken_rules: false,
            });
            return self.unplayable(result, &why);
        }
        if self.open.note_result(result.job) {
            let groups = self.open.groups(result.job).to_vec();
            self.actions.push_back(Action::Examine(groups, result));
        }
    }

    /// The second result of a group.
    pub(super) fn receive_second(&mut self, now: Duration, result: JobResult) {
        let Some(recheck) = self.rechecks.get(result.job) else {
            return self.refuse(result);
        };
        let says_nothing = result.worker == recheck.worker
            || result.result.is_err()
            || self.roster.is_ignored(&result.worker);
        let group = recheck.group.clone();
        if says_nothing {
            self.rechecks.remove(now, result.job);
        } else if self.rechecks.note_result(result.job) {
            let examine = Action::Examine(vec![group], result);
            self.actions.push_back(examine);
        }
    }

    /// A result of a group that is not open yet is useful later, unless the log has the group.
    pub(super) fn keep_early(&mut self, schedule: &Schedule, result: JobResult) {
        if !schedule.awaits_group(number_of(result.job)) {
            return;
        }
        let bytes = size_of_result(&result);
        let kept = self.early_bytes + bytes <= MOST_EARLY;
        let (job, kept) = (result.job, kept.then_some(result));
        if kept.is_some() {
            self.early_bytes += bytes;
        }
        if let Some(Some(before)) = self.early.insert(job, kept) {
            self.early_bytes -= size_of_result(&before);
        }
    }

    pub(super) fn compare(&mut self, now: Duration, examined: Examined) {
        let Examined { result, records } = examined;
        let Some(recheck) = self.rechecks.remove(now, result.job) else {
            return;
        };
        match records {
            Ok(records) => {
                let records = records.into_iter().flatten().next();
                let difference =
                    records.and_then(|records| recheck.difference(&result.worker, &records));
                if let Some(what) = difference {
                    self.report(what);
                }
            }
            Err(why) => self.report_wrong(now, &result, &why),
        }
    }

    /// Reports a wrong result and the consequences.
    pub(super) fn report_wrong(&mut self, now: Duration, result: &JobResult, why: &str) {
        let follows = self.roster.note_wrong_result(now, &result.worker);
        self.report(format!(
            "a result of the worker `{}` cannot be believed: {}; {follows}",
            result.worker,
            excerpt(why.as_bytes(), SHOWN)
        ));
    }

    /// A worker declares that a job cannot be played. A single worker may be wrong.
    pub(super) fn unplayable(&mut self, result: JobResult, why: &Unplayable) {
        let shown = excerpt(why.why.as_bytes(), SHOWN);
        let worker = &result.worker;
        if let [first, .., last] = self.open.groups(result.job) {
            let (first, last) = (first.matches[0].id(), last.matches[0].id());
            self.report(format!(
                "the worker `{worker}` cannot play the matches from `{first}` to `{last}` together, so that each \
                 group is tried by itself: {shown}"
            ));
            // Perhaps their result was too large for a message.
            self.together.be_careful();
            return self.play_again(result);
        }
        let id = self.first_match(result.job);
        if self.open.note_unplayable(result.job, worker) {
            self.end(if why.broken_rules {
                Ending::BrokenRules(shown)
            } else {
                stuck(Stuck::Unplayable { id, why: shown })
            });
            return;
        }
        self.report(format!(
            "the worker `{worker}` cannot play the match `{id}`, which is tried again: {shown}"
        ));
        self.play_again(result);
    }

    pub(super) fn first_match(&self, job: u64) -> String {
        let group = self.open.groups(job).first();
        group.map_or(String::new(), |group| group.matches[0].id())
    }

    /// Forgets results from before that nobody waits for any more: their groups were in other jobs.
    pub(super) fn forget_early(&mut self, schedule: &Schedule) {
        self.early.retain(|job, kept| {
            let awaited = schedule.awaits_group(number_of(*job));
            if let Some(result) = kept.as_ref().filter(|_| !awaited) {
                self.early_bytes -= size_of_result(result);
            }
            awaited
        });
    }

    pub(super) fn take(&mut self, now: Duration, examined: Examined) {
        if Rechecks::is_second(examined.result.job) {
            return self.compare(now, examined);
        }
        let Examined { result, records } = examined;
        match records {
            Ok(records) => self.count(now, &result, records),
            Err(why) => {
                self.report_wrong(now, &result, &why);
                self.play_again(result);
            }
        }
    }

    /// Counts a credible result.
    fn count(&mut self, now: Duration, result: &JobResult, records: Vec<Option<Vec<Record>>>) {
        let played = self.open.groups(result.job).iter().zip(&records);
        let played = played.filter(|(_, records)| records.is_some());
        let numbers = played.flat_map(|(group, _)| &group.matches);
        let numbers: Vec<usize> = numbers.map(|scheduled| scheduled.number).collect();
        for number in numbers {
            self.begins(result.job, number, false);
        }
        let groups = self.open.remove(result.job);
        for (group, records) in groups.into_iter().zip(records) {
            match records {
                Some(records) => self.count_group(now, &result.worker, group, records),
                None => self.open(vec![group]),
            }
        }
    }

    fn count_group(
        &mut self,
        now: Duration,
        worker: &str,
        group: ScheduledGroup,
        records: Vec<Record>,
    ) {
        self.together.note(&group, &records);
        self.open.end(&group);
        let again = self.rechecks.wants(&group)
            && (self.roster).is_another(now, &self.setup.tournament, worker);
        let copies = again.then(|| records.clone());
        for (scheduled, record) in group.matches.iter().zip(records) {
            let finished = Action::Finished(scheduled.number, Box::new(record));
            self.actions.push_back(finished);
        }
        if let Some(records) = copies {
            let job = self.rechecks.add(now, group, worker.to_owned(), records);
            self.chores.push_back(Chore::Publish(job));
        }
    }

    /// Refuses a result and publishes its groups again, each on its own: any of them may be the cause.
    pub(super) fn play_again(&mut self, result: JobResult) {
        let job = result.job;
        self.open.refuse_result(job);
        self.refuse(result);
        self.publish_apart(job);
        self.unless_hopeless(job);
    }

    /// Publishes the groups of a job again, each on its own.
    pub(super) fn publish_apart(&mut self, job: u64) {
        let others = self.open.split(job);
        self.chores.push_back(Chore::Publish(job));
        others.into_iter().for_each(|group| self.open(vec![group]));
    }

    pub(super) fn refuse(&mut self, result: JobResult) {
        self.chores.push_back(Chore::Refuse(result));
    }

    pub(super) fn begins(&mut self, job: u64, number: usize, first: bool) {
        if let Some(scheduled) = self.open.begins(job, number, first) {
            let scheduled = scheduled.clone();
            self.actions.push_back(Action::Begins(scheduled));
        }
    }
}

fn size_of_result(result: &JobResult) -> usize {
    match &result.result {
        Ok(payload) | Err(payload) => payload.len(),
    }
}

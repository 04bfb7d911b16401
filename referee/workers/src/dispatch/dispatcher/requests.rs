//! Requests to the server, and its answers.

use std::time::Duration;

use cluster::{ClusterError, Remedy};
use schedule::Schedule;

use super::super::rechecks::Rechecks;
use super::super::{Answer, Ending, Request};
use super::{Chore, Dispatcher, SILENCE_LIMIT, STARTUP_LIMIT, Stage, number_of};
use crate::wire::{JobContent, pack};

impl Dispatcher {
    /// True if there is a request to the server.
    pub(crate) fn has_request(&self) -> bool {
        let is_idle =
            matches!(self.stage, Stage::Play) && !self.has_unread && self.chores.is_empty();
        !(self.has_ended || self.waits || is_idle)
    }

    /// The next request to the server. Pass its answer to [`Dispatcher::answered`] before anything else.
    pub(crate) fn next_request(&mut self, now: Duration) -> Option<Request> {
        if self.has_ended || self.waits {
            return None;
        }
        if !self.is_beginning()
            && let Some(request) = self.next_chore()
        {
            return Some(request);
        }
        let request = match &mut self.stage {
            Stage::Begin => Request::Announced,
            Stage::Withdraw => Request::Withdraw,
            Stage::Announce => Request::Announce,
            Stage::ListJobs => Request::Queued,
            Stage::CheckResults { .. } => Request::CheckResults,
            Stage::RepairQueue { done, .. } => Request::RepairQueue {
                all_idle: self.roster.all_idle(now, &self.setup.tournament),
                done: std::mem::take(done),
            },
            Stage::ReadEarly | Stage::ReadResults { .. } => Request::NextResult,
            Stage::Play if self.has_unread => Request::NextResult,
            Stage::Play => return None,
            Stage::Recover { lost } => loop {
                let Some(job) = lost.pop() else {
                    self.stage = Stage::Play;
                    return self.next_request(now);
                };
                if self.open.awaits_result(job) || self.rechecks.awaits_result(job) {
                    break Request::ResultOf(job);
                }
            },
        };
        Some(request)
    }

    pub(super) fn next_chore(&mut self) -> Option<Request> {
        loop {
            match self.chores.pop_front()? {
                Chore::Refuse(result) => return Some(Request::Refuse(result)),
                Chore::Fetch(job) => {
                    if self.open.awaits_result(job) {
                        return Some(Request::ResultOf(job));
                    }
                }
                Chore::Publish(job) => {
                    // It may not be wanted any more.
                    if let Some(payload) = self.payload(job) {
                        return Some(Request::Publish { job, payload });
                    }
                }
            }
        }
    }

    pub(super) fn payload(&self, job: u64) -> Option<Vec<u8>> {
        let recheck = self.rechecks.get(job);
        let groups = match recheck {
            Some(recheck) => std::slice::from_ref(&recheck.group),
            None => self.open.groups(job),
        };
        let matches = groups.iter().flat_map(|group| &group.matches);
        Some(pack(&JobContent {
            config: self.setup.config.clone(),
            matches: matches.cloned().collect(),
            not_for: recheck.map(|recheck| recheck.worker.clone()),
            // Groups with a deal are jobs of their own.
            deal: self.deal_of(groups.first()?),
        }))
    }

    /// Takes the server's answer to the last request.
    pub(crate) fn answered(
        &mut self,
        now: Duration,
        schedule: &Schedule,
        request: Request,
        answer: Result<Answer, ClusterError>,
    ) {
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return self.not_now(now, request, error),
        };
        match (request, answer) {
            (Request::Announced, Answer::Announced(before)) => {
                let is_same = before.is_some_and(|before| before == self.setup.config);
                self.stage = if is_same {
                    Stage::ReadEarly
                } else {
                    Stage::Withdraw
                };
            }
            (Request::Withdraw, _) => self.stage = Stage::ReadEarly,
            (Request::Announce, _) => self.stage = Stage::Play,
            (Request::NextResult, Answer::Result(result)) => {
                self.read(now, schedule, result);
            }
            (Request::ResultOf(_), Answer::Result(Some(result))) => {
                self.receive(now, schedule, result);
            }
            (Request::ResultOf(job), _) => self.publish_apart(job),
            (Request::Queued, Answer::Queued(queued)) => {
                self.forget_early(schedule);
                let open = self.open.without_result();
                let open = open.chain(self.rechecks.without_result());
                let lost = open.filter(|job| !queued.contains(job)).collect();
                let is_done = |job: &u64| !self.is_needed(schedule, *job);
                let done = queued.into_iter().filter(is_done).collect();
                self.stage = Stage::CheckResults { lost, done };
            }
            (Request::CheckResults, _) => {
                if let Stage::CheckResults { lost, done } = &mut self.stage {
                    let (lost, done) = (std::mem::take(lost), std::mem::take(done));
                    self.stage = Stage::RepairQueue { lost, done };
                }
            }
            (Request::RepairQueue { .. }, answer) => {
                if let Answer::Repaired(remedy @ (Remedy::RemoveDone | Remedy::Recreate)) = answer {
                    tracing::info!(?remedy, "the queue had jobs that were not delivered");
                }
                if let Stage::RepairQueue { lost, .. } = &mut self.stage {
                    let lost = std::mem::take(lost);
                    self.stage = Stage::ReadResults { lost };
                }
            }
            // A job may be in the queue already: an earlier coordinator published it, or a worker has yet
            // to acknowledge a refused result. Checks publish it again if necessary.
            (Request::Publish { .. } | Request::Refuse(_), _) => self.silent = None,
            (request, answer) => debug_assert!(false, "{answer:?} to {request:?}"),
        }
    }

    /// True if a job in the queue has still to be done, now or later.
    pub(super) fn is_needed(&self, schedule: &Schedule, job: u64) -> bool {
        if Rechecks::is_second(job) {
            self.rechecks.get(job).is_some()
        } else {
            !self.open.groups(job).is_empty() || schedule.awaits_group(number_of(job))
        }
    }

    /// Handles an error of the server. If it only does not answer, the request is retried later.
    pub(super) fn not_now(&mut self, now: Duration, request: Request, error: ClusterError) {
        let is_too_long = self.is_beginning() && now >= STARTUP_LIMIT;
        if !error.is_passing() || is_too_long {
            return self.end(Ending::Remote(error.into()));
        }
        self.waits = true;
        match request {
            Request::Publish { job, .. } => self.chores.push_front(Chore::Publish(job)),
            Request::Refuse(result) => self.chores.push_front(Chore::Refuse(result)),
            Request::ResultOf(job) if !matches!(self.stage, Stage::Recover { .. }) => {
                self.chores.push_front(Chore::Fetch(job));
            }
            _ if self.is_beginning() => {
                self.stage = Stage::Begin;
                return;
            }
            _ => self.stage = Stage::Play,
        }
        let since = *self.silent.get_or_insert(now);
        if now.saturating_sub(since) >= SILENCE_LIMIT && !self.reported_silence {
            self.reported_silence = true;
            self.report(format!("{error}; the tournament waits for it"));
        }
    }
}

//! The coordinator: does for the program's dispatcher what `venue` does in the program, in virtual time.

use std::collections::VecDeque;
use std::time::Duration;

use cluster::{ANSWER, ClusterError, JobResult, QueueWatch, Remedy, ResultCursor, WorkerMessage};
use schedule::{NextGroup, Schedule};
use workers::dispatch::{
    Action, Answer, Dealer, Dispatcher, Ending, Event, Examined, Request, Setup, TICK,
};

use super::parts::{
    Ask, Happening, Meter, Options, Reading, Reply, Session, SimulatedCoordinator, Simulation,
};
use super::samples::Samples;
use super::server::{Content, StoredResult};
use super::time::{LEASE, Time, micros};
use super::traffic::Kind;

/// Time to write a match to the log.
const WRITING: Time = 30;
/// The shares of groups that are played again by others: the program's default.
const RECHECK: f64 = 0.01;

impl SimulatedCoordinator {
    pub(super) fn new(options: &Options, samples: &Samples) -> Self {
        let total = Schedule::new(&samples.config.shape()).total();
        SimulatedCoordinator {
            life: 0,
            session: None,
            meter: Meter {
                heap: options.heap,
                held: 0,
                peak: 0,
                time: Duration::ZERO,
            },
            log: vec![0; usize::try_from(total).expect("a number")],
            logged: 0,
            read: 0,
            longest_start: 0,
            over: None,
        }
    }

    pub(super) fn is_up(&self) -> bool {
        self.session.is_some()
    }

    pub(super) fn kill(&mut self) {
        self.life += 1;
        let session = self.session.take();
        self.meter.run(|| drop(session));
    }

    pub(super) fn hear(&mut self, heard: impl FnOnce() -> WorkerMessage) {
        if let Some(session) = &mut self.session {
            self.meter
                .run(|| session.inbox.push_back(Event::Message(heard())));
        }
    }

    /// The most bytes that it had on the heap.
    pub(super) fn peak(&self) -> u64 {
        u64::try_from(self.meter.peak).unwrap_or(0)
    }

    /// CPU time of its decisions.
    pub(super) fn computed(&self) -> Duration {
        self.meter.time
    }

    /// Matches that are not in the log once.
    pub(super) fn wrong(&self) -> usize {
        self.log.iter().filter(|&&times| times != 1).count()
    }

    fn handle(&mut self, now: Time, event: Event) {
        if let Some(session) = &mut self.session {
            let since = Duration::from_micros(now - session.began);
            self.meter.run(|| session.dispatcher.handle(since, event));
        }
    }
}

impl Simulation {
    /// Starts, or is resumed with what is in the log.
    pub(super) fn start_coordinator(&mut self) {
        if self.coordinator.over.is_some() {
            return;
        }
        let coordinator = &mut self.coordinator;
        coordinator.life += 1;
        let (life, now) = (coordinator.life, self.agenda.now);
        let secret = [self.options.seed, u64::from(life)];
        let (samples, log) = (&self.samples, &coordinator.log);
        let session = coordinator.meter.run(|| {
            let mut schedule = Schedule::new(&samples.config.shape());
            let numbers = (1..).zip(log).filter(|(_, times)| **times > 0);
            numbers.for_each(|(number, _)| schedule.finish(number, &[0.5, 0.5]));
            Session {
                dispatcher: Dispatcher::new(Setup {
                    tournament: samples.id.to_string(),
                    config: samples.hash.clone(),
                    bots: samples
                        .config
                        .bots
                        .iter()
                        .map(|it| it.name.clone())
                        .collect(),
                    deterministic: samples.config.deterministic.clone(),
                    recheck: RECHECK,
                    secret,
                    lease: LEASE,
                    dealer: Dealer::default(),
                }),
                schedule,
                cursor: ResultCursor::default(),
                unread: VecDeque::new(),
                watch: QueueWatch::default(),
                began: now,
                inbox: VecDeque::new(),
                is_busy: false,
                waits: false,
                examining: VecDeque::new(),
                examiner_is_free: now,
                writer_is_free: now,
            }
        });
        coordinator.session = Some(session);
        self.agenda.after(0, Happening::Tick { life });
        self.pump();
    }

    /// Goes on as far as it can without anything more happening.
    pub(super) fn pump(&mut self) {
        loop {
            self.perform_actions();
            let Some(session) = &self.coordinator.session else {
                return;
            };
            if session.is_busy {
                return;
            }
            // In the order of the program.
            if !session.inbox.is_empty() {
                self.take_event();
            } else if session.dispatcher.wants_group() && !session.waits {
                self.take_group();
            } else if session.dispatcher.has_request() {
                self.ask();
            } else {
                return;
            }
        }
    }

    fn take_event(&mut self) {
        let session = self.coordinator.session.as_mut();
        if let Some(event) = session.and_then(|session| session.inbox.pop_front()) {
            self.coordinator.handle(self.agenda.now, event);
        }
    }

    fn take_group(&mut self) {
        let coordinator = &mut self.coordinator;
        let Some(session) = &mut coordinator.session else {
            return;
        };
        let next = coordinator.meter.run(|| session.schedule.take_group());
        let group = match next {
            NextGroup::Group(group) => Some(group),
            NextGroup::Over => None,
            NextGroup::Wait => {
                session.waits = true;
                return;
            }
        };
        self.coordinator
            .handle(self.agenda.now, Event::Group(group));
    }

    fn ask(&mut self) {
        let coordinator = &mut self.coordinator;
        let (now, life) = (self.agenda.now, coordinator.life);
        let Some(session) = &mut coordinator.session else {
            return;
        };
        let since = Duration::from_micros(now - session.began);
        let request = coordinator
            .meter
            .run(|| session.dispatcher.next_request(since));
        let Some(request) = request else { return };
        if matches!(request, Request::NextResult)
            && let Some(result) = session.unread.pop_front()
        {
            // It came with an earlier one.
            let schedule = &session.schedule;
            coordinator.meter.run(|| {
                let answer = Ok(Answer::Result(Some(result)));
                session
                    .dispatcher
                    .answered(since, schedule, request, answer);
            });
        } else {
            session.is_busy = true;
            let half_way = self.half_way();
            self.agenda.after(
                half_way,
                Happening::Asked {
                    life,
                    sent: now,
                    request,
                },
            );
        }
    }

    /// A request is with the server.
    pub(super) fn asked(&mut self, life: u32, sent: Time, request: Request) {
        let now = self.agenda.now;
        if self.server.is_closed {
            return;
        }
        if self.server.up_at > now {
            let gives_up = sent + micros(ANSWER);
            if self.server.up_at < gives_up {
                let later = self.server.up_at + 1;
                self.agenda.at(
                    later,
                    Happening::Asked {
                        life,
                        sent,
                        request,
                    },
                );
            } else {
                self.unanswered(life, sent, request);
            }
            return;
        }
        let reading = self.serve(&request);
        // Some take more than one question.
        let questions = match request {
            Request::RepairQueue { .. } => 2,
            _ => 1,
        };
        let rest = self.half_way() + (questions - 1) * micros(self.options.round_trip);
        let epoch = Some(self.server.epoch);
        self.agenda.after(
            rest,
            Happening::Answered {
                life,
                sent,
                epoch,
                request,
                reading,
            },
        );
    }

    fn unanswered(&mut self, life: u32, sent: Time, request: Request) {
        let (epoch, reading) = (None, Reading::Done);
        let answered = Happening::Answered {
            life,
            sent,
            epoch,
            request,
            reading,
        };
        self.agenda.at(sent + micros(ANSWER), answered);
    }

    fn serve(&mut self, request: &Request) -> Reading {
        match request {
            Request::Announced => {
                self.housekeeping(0);
                Reading::Announced(self.server.announced.clone())
            }
            Request::Announce => {
                self.housekeeping(0);
                self.server.announced = Some(self.samples.hash.clone());
                Reading::Done
            }
            Request::Withdraw => {
                self.housekeeping(0);
                self.server.purge();
                Reading::Done
            }
            Request::Publish { job, payload } => {
                let bytes = [self.samples.job(*job, payload.len()), self.samples.stored()];
                bytes
                    .into_iter()
                    .for_each(|bytes| self.traffic.add(Kind::Publish, bytes));
                self.server.publish(*job, payload.clone());
                self.deliver();
                Reading::Done
            }
            Request::Refuse(result) => {
                self.housekeeping(0);
                self.server.refuse(result.sequence);
                Reading::Done
            }
            Request::NextResult => {
                let batch = self
                    .coordinator
                    .session
                    .as_ref()
                    .map(|it| it.cursor.batch());
                let found = batch
                    .into_iter()
                    .flatten()
                    .map(|from| self.server.result_from(from));
                let found: Vec<_> = found.collect();
                found
                    .iter()
                    .for_each(|found| self.count_fetch(found.as_ref()));
                Reading::Batch(found)
            }
            Request::ResultOf(job) => {
                let found = self.server.result_of(*job);
                self.count_fetch(found.as_ref());
                Reading::Result(found)
            }
            Request::Queued => {
                let queued: Vec<u64> = self.server.queued().collect();
                self.housekeeping(queued.len());
                Reading::Queued(queued)
            }
            Request::CheckResults => {
                self.housekeeping(0);
                Reading::LastResult(self.server.last_result)
            }
            Request::RepairQueue { .. } => {
                self.housekeeping(0);
                self.housekeeping(0);
                let (owed, there) = self.server.counts();
                Reading::Counts { owed, there }
            }
        }
    }

    fn count_fetch(&mut self, found: Option<&(u64, StoredResult)>) {
        let answer = match found {
            None => self.samples.none(),
            Some((_, result)) => {
                let payload = match result.content {
                    Content::Dead => self.samples.dead.len(),
                    _ => self.samples.result(result.job).len(),
                };
                self.samples.fetched(result.job, payload)
            }
        };
        let question = self.samples.fetch(self.server.last_result);
        for bytes in [question, answer] {
            self.traffic.add(Kind::Fetch, bytes);
        }
    }

    fn housekeeping(&mut self, listed: usize) {
        let bytes = self.samples.information(listed);
        for bytes in bytes {
            self.traffic.add(Kind::Housekeeping, bytes);
        }
    }

    /// The answer to a request is here.
    pub(super) fn answered(
        &mut self,
        life: u32,
        sent: Time,
        epoch: Option<u32>,
        request: Request,
        reading: Reading,
    ) {
        if life != self.coordinator.life {
            return;
        }
        if epoch.is_some_and(|epoch| epoch != self.server.epoch) {
            return self.unanswered(life, sent, request);
        }
        let remedy = match (&reading, &request) {
            (&Reading::Counts { owed, there }, Request::RepairQueue { all_idle, done }) => {
                self.repair_queue(owed, there, *all_idle, done)
            }
            _ => Remedy::Nothing,
        };
        let now = self.agenda.now;
        let samples = &self.samples;
        let coordinator = &mut self.coordinator;
        let Some(session) = &mut coordinator.session else {
            return;
        };
        session.is_busy = false;
        let since = Duration::from_micros(now - session.began);
        if matches!(request, Request::Announce) && epoch.is_some() {
            coordinator.longest_start = coordinator.longest_start.max(now - session.began);
        }
        if let Reading::Batch(found) = &reading {
            coordinator.read += found.iter().flatten().count() as u64;
        }
        coordinator.meter.run(|| {
            let answer = match reading {
                _ if epoch.is_none() => Err(ClusterError::Unanswered("no answer".to_owned())),
                Reading::Done => Ok(Answer::Done),
                Reading::Announced(before) => Ok(Answer::Announced(before)),
                Reading::Queued(jobs) => Ok(Answer::Queued(jobs.into_iter().collect())),
                Reading::LastResult(last) => {
                    session.cursor.check(last);
                    Ok(Answer::Done)
                }
                Reading::Counts { .. } => Ok(Answer::Repaired(remedy)),
                Reading::Batch(found) => {
                    let found = found
                        .into_iter()
                        .map(|found| found.map(|(sequence, found)| (sequence, (sequence, found))));
                    let read = session.cursor.read(found).into_iter();
                    let read = read.map(|(sequence, found)| result(samples, sequence, &found));
                    session.unread.extend(read);
                    Ok(Answer::Result(session.unread.pop_front()))
                }
                Reading::Result(found) => {
                    let result = found.map(|(sequence, found)| result(samples, sequence, &found));
                    Ok(Answer::Result(result))
                }
            };
            let schedule = &session.schedule;
            session
                .dispatcher
                .answered(since, schedule, request, answer);
        });
        self.pump();
    }

    fn repair_queue(&mut self, owed: u64, there: u64, all_idle: bool, done: &[u64]) -> Remedy {
        let Some(session) = &mut self.coordinator.session else {
            return Remedy::Nothing;
        };
        let remedy = session.watch.look(owed, there, all_idle, !done.is_empty());
        match remedy {
            Remedy::Nothing => {}
            Remedy::RemoveDone => {
                self.failed.cleared += 1;
                for job in done {
                    self.housekeeping(0);
                    self.server.remove(*job);
                }
            }
            Remedy::Recreate => {
                self.failed.mended += 1;
                self.server.begin_queue_anew();
                self.deliver();
            }
        }
        remedy
    }

    fn perform_actions(&mut self) {
        loop {
            let coordinator = &mut self.coordinator;
            let Some(session) = &mut coordinator.session else {
                return;
            };
            let action = coordinator.meter.run(|| session.dispatcher.next_action());
            let Some(action) = action else { return };
            let (now, life) = (self.agenda.now, coordinator.life);
            match action {
                Action::Examine(group, result) => {
                    let matches = group.matches.len() as Time;
                    let begins = session.examiner_is_free.max(now);
                    session.examiner_is_free = begins + matches * micros(self.options.replay);
                    let done = session.examiner_is_free;
                    coordinator
                        .meter
                        .run(|| session.examining.push_back((group, result)));
                    self.agenda.at(done, Happening::Examined { life });
                }
                Action::Finished(number, record) => {
                    coordinator.meter.run(|| drop(record));
                    session.writer_is_free = session.writer_is_free.max(now) + WRITING;
                    let done = session.writer_is_free;
                    self.agenda.at(done, Happening::Written { life, number });
                }
                Action::End(Ending::Finished) => return self.end(),
                Action::End(other) => panic!("it does not get on: {other:?}"),
                other => coordinator.meter.run(|| drop(other)),
            }
        }
    }

    /// The tournament is over: all that the server has of it is removed.
    fn end(&mut self) {
        let is_over = |it: &Session| it.schedule.is_over();
        let session = self.coordinator.session.as_ref();
        assert!(session.is_some_and(is_over), "it ends too early");
        let left = self.server.queued().count();
        self.coordinator.over = Some((self.agenda.now, left));
        self.coordinator.kill();
        self.server.close();
        for pull in self.server.take_pulls() {
            let (ask, reply) = (Ask::Pull, Reply::Gone);
            self.answer(pull.slot, pull.life, pull.sent, ask, reply);
        }
    }

    pub(super) fn tick(&mut self, life: u32) {
        if life != self.coordinator.life {
            return;
        }
        let coordinator = &mut self.coordinator;
        if let Some(session) = &mut coordinator.session {
            coordinator
                .meter
                .run(|| session.inbox.push_back(Event::Tick));
        }
        self.agenda.after(micros(TICK), Happening::Tick { life });
        self.pump();
    }

    pub(super) fn examined(&mut self, life: u32) {
        if life != self.coordinator.life {
            return;
        }
        let samples = &self.samples;
        let coordinator = &mut self.coordinator;
        let Some(session) = &mut coordinator.session else {
            return;
        };
        coordinator.meter.run(|| {
            let Some((group, result)) = session.examining.pop_front() else {
                return;
            };
            let is_packed = |payload: &Vec<u8>| payload.starts_with(&GZIP);
            let records = match &result.result {
                Ok(payload) if is_packed(payload) => Ok(samples.records(&group)),
                _ => Err("invalid gzip header".to_owned()),
            };
            let examined = Examined { result, records };
            session.inbox.push_back(Event::Examined(examined));
        });
        self.pump();
    }

    /// A match is in the log.
    pub(super) fn written(&mut self, life: u32, number: usize) {
        // What was not written when the coordinator was killed is not in the log.
        if life != self.coordinator.life {
            return;
        }
        let coordinator = &mut self.coordinator;
        let Some(session) = &mut coordinator.session else {
            return;
        };
        coordinator.log[number - 1] += 1;
        assert_eq!(
            coordinator.log[number - 1],
            1,
            "match {number} is in the log again"
        );
        coordinator.logged += 1;
        session.waits = false;
        coordinator
            .meter
            .run(|| session.schedule.finish(number, &[0.5, 0.5]));
        self.pump();
    }
}

const GZIP: [u8; 2] = [0x1f, 0x8b];

fn result(samples: &Samples, sequence: u64, found: &StoredResult) -> JobResult {
    let payload = samples.result(found.job);
    JobResult {
        job: found.job,
        worker: found.worker.to_string(),
        result: match found.content {
            Content::Right => Ok(payload.to_vec()),
            Content::Wrong => Ok(payload.iter().map(|byte| !byte).collect()),
            Content::Dead => Err(samples.dead.clone()),
        },
        sequence,
    }
}

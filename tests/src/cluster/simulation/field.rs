//! The workers: what a slot does is what the worker's loop does, with the program's own constants and its
//! own way to bring results.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use cluster::{ANSWER, ClusterError, HEARTBEAT, Handover, Step, WorkerName, renewal};
use schedule::ScheduledGroup;
use workers::wire::{JobContent, PAUSE, WAIT, WorkerNews, unpack};

use super::parts::{
    Ask, Dice, Field, Options, Played, Reply, Sent, Simulation, Slot, SlotTimer, Work, Worker,
};
use super::samples::{Samples, worker_name};
use super::server::{Content, Delivery, StoredResult};
use super::time::{HOUR, LEASE, SECOND, Time, micros};
use super::traffic::Kind;

/// Relative spread of the time of a group's matches.
const SPREAD: f64 = 0.5;
/// A worker is at most this many times as fast as the average, or as slow.
const FASTEST: f64 = 4.0;
/// One of this many workers lies.
const LIARS: usize = 500;
/// The first worker refuses one of this many jobs.
const DEAD: u64 = 1000;

impl Field {
    pub(super) fn new(options: &Options, dice: &mut Dice) -> Self {
        let worker = |number| Worker {
            name: worker_name(number, 0).into(),
            life: 0,
            // As many are twice as fast as are half as fast.
            speed: FASTEST.powf(dice.between(-1.0, 1.0)),
            lies: number % LIARS == LIARS / 2 && options.failures > 0.0,
            is_up: false,
            busy: 0,
            matches: 0,
            stopped_until: 0,
            cut_off_until: 0,
        };
        let workers: Vec<Worker> = (0..options.workers).map(worker).collect();
        let slots = options.workers * options.slots;
        Field {
            workers,
            slots: std::iter::repeat_with(Slot::default).take(slots).collect(),
            a_worker: options.slots,
            said_dead: HashSet::new(),
            brought: HashMap::new(),
            stored: HashMap::new(),
            played: Played::default(),
        }
    }

    fn worker(&self, slot: usize) -> &Worker {
        &self.workers[slot / self.a_worker]
    }

    /// True if no living worker has a job.
    pub(super) fn all_idle(&self) -> bool {
        self.workers.iter().all(|worker| worker.busy == 0)
    }
}

impl Simulation {
    pub(super) fn start_worker(&mut self, number: usize) {
        if self.server.is_closed {
            return;
        }
        let worker = &mut self.field.workers[number];
        worker.life += 1;
        worker.is_up = true;
        worker.name = worker_name(number, worker.life).into();
        let life = worker.life;
        self.agenda.after(0, move |it| it.beat(number, life));
        for slot in number * self.options.slots..(number + 1) * self.options.slots {
            self.field.slots[slot].claim += 1;
            self.later(slot, 0, SlotTimer::Take);
        }
    }

    /// A worker is killed, and another one comes in its place.
    pub(super) fn kill_worker(&mut self, number: usize) {
        let worker = &mut self.field.workers[number];
        if !worker.is_up {
            return;
        }
        self.failed.killed += 1;
        worker.is_up = false;
        worker.life += 1;
        (worker.busy, worker.matches) = (0, 0);
        (worker.stopped_until, worker.cut_off_until) = (0, 0);
        for slot in number * self.options.slots..(number + 1) * self.options.slots {
            self.field.slots[slot].work = None;
        }
        let pause = (self.dice.between(1.0, 60.0) * SECOND as f64) as Time;
        self.agenda.after(pause, move |it| it.start_worker(number));
    }

    fn later(&mut self, slot: usize, delay: Time, timer: SlotTimer) {
        let (life, claim) = (self.field.worker(slot).life, self.field.slots[slot].claim);
        self.agenda
            .after(delay, move |it| it.timer(slot, life, claim, timer));
    }

    fn send(&mut self, slot: usize, ask: Ask) {
        let sent = Sent {
            slot,
            life: self.field.worker(slot).life,
            at: self.agenda.now,
            ask,
        };
        let half_way = self.half_way();
        self.agenda.after(half_way, move |it| it.at_server(sent));
    }

    /// A slot hears that there is no answer, when it has waited for it.
    pub(super) fn no_answer(&mut self, sent: Sent) {
        let wait = match sent.ask {
            Ask::Pull => WAIT + ANSWER,
            Ask::Renew { .. } | Ask::Begins { .. } | Ask::Wake => return,
            _ => ANSWER,
        };
        let silence = move |it: &mut Simulation| it.at_slot(sent, None, Reply::Silence);
        self.agenda.at(sent.at + micros(wait), silence);
    }

    fn at_server(&mut self, sent: Sent) {
        let Sent {
            slot, life, ask, ..
        } = sent;
        let now = self.agenda.now;
        let reachable = self.server.up_at.max(self.field.worker(slot).cut_off_until);
        if reachable > now {
            // A client sends what it has once more when the connection is back, unless it was given up.
            if reachable < sent.at + micros(ANSWER) && self.field.worker(slot).life == life {
                self.agenda.at(reachable + 1, move |it| it.at_server(sent));
            } else {
                self.no_answer(sent);
            }
            return;
        }
        self.count(ask);
        let reply = match ask {
            Ask::Pull if self.server.is_closed => Reply::Gone,
            // Nobody answers, and the client notices.
            Ask::Pull if !self.server.has_queue => Reply::Silence,
            Ask::Pull => {
                if self.server.wait(sent) {
                    self.agenda
                        .after(micros(WAIT), move |it| it.pull_ends(slot, sent.at));
                    self.deliver();
                } else {
                    self.no_answer(sent);
                }
                return;
            }
            Ask::Store { .. } if self.server.is_closed => Reply::Gone,
            Ask::Store { job, content } => {
                let worker = self.field.worker(slot).name.clone();
                let stored = self.server.store(StoredResult {
                    job,
                    worker,
                    content,
                });
                if stored {
                    let numbers = self.field.brought[&(job, slot)].clone();
                    self.field.stored.insert(job, numbers);
                }
                Reply::Stored(stored)
            }
            Ask::Acknowledge { sequence } => {
                self.server.acknowledge(sequence);
                Reply::Noted
            }
            Ask::GiveBack { sequence, pause } => {
                if self.server.give_back(sequence) {
                    let consumer = self.server.consumer;
                    self.agenda
                        .after(pause, move |it| it.pause_ends(consumer, sequence));
                }
                Reply::Noted
            }
            Ask::Renew { sequence } => return self.server.renew(now, sequence),
            Ask::Begins { job, number, first } => {
                let about = Samples::begins(&WorkerNews::Begins { job, number, first });
                return self.tell_coordinator(slot, &about);
            }
            Ask::Wake => return self.tell_coordinator(slot, &[]),
        };
        self.answer(sent, reply);
    }

    fn count(&mut self, ask: Ask) {
        let samples = &self.samples;
        let mut count = |kind, bytes| self.traffic.add(kind, bytes);
        match ask {
            Ask::Pull => count(Kind::Ask, samples.pull()),
            Ask::Store { job, content } => {
                let payload = match content {
                    Content::Dead => samples.dead.len(),
                    _ => samples.result(job).len(),
                };
                count(Kind::Result, samples.store(job, payload));
                count(Kind::Result, samples.stored());
            }
            Ask::Acknowledge { .. } | Ask::GiveBack { .. } => {
                count(Kind::Acknowledgement, samples.acknowledgement());
                count(Kind::Acknowledgement, samples.noted());
            }
            Ask::Renew { .. } => count(Kind::Progress, samples.progress()),
            // When they are told, because they are passed on.
            Ask::Begins { .. } | Ask::Wake => {}
        }
    }

    fn tell_coordinator(&mut self, slot: usize, about: &[u8]) {
        let bytes = self.samples.news(about.len());
        self.traffic.add(Kind::News, bytes);
        if self.coordinator.is_up() {
            self.traffic.add(Kind::News, bytes);
            let subject = self.samples.id.news(&self.field.worker(slot).name);
            self.coordinator.hear(&subject, about);
        }
    }

    pub(super) fn answer(&mut self, sent: Sent, reply: Reply) {
        let (half_way, epoch) = (self.half_way(), Some(self.server.epoch));
        self.agenda
            .after(half_way, move |it| it.at_slot(sent, epoch, reply));
    }

    /// Gives jobs to those that wait for one.
    pub(super) fn deliver(&mut self) {
        if self.server.up_at > self.agenda.now || self.server.is_closed {
            return;
        }
        loop {
            let field = &self.field;
            let is_there = |pull: &Sent| field.worker(pull.slot).life == pull.life;
            let Some(delivery) = self.server.deliver(self.agenda.now, is_there) else {
                return;
            };
            let Delivery {
                pull,
                sequence,
                job,
                payload,
            } = delivery;
            let bytes = self.samples.delivery(job, payload.len());
            self.traffic.add(Kind::Delivery, bytes);
            let consumer = self.server.consumer;
            let ends = move |it: &mut Simulation| it.lease_ends(consumer, sequence);
            self.agenda.after(self.server.lease, ends);
            let reply = Reply::Job {
                sequence,
                job,
                payload,
            };
            self.answer(pull, reply);
        }
    }

    fn pull_ends(&mut self, slot: usize, sent: Time) {
        // Whoever asked may have been killed since then.
        if let Some(pull) = self.server.end_wait(slot, sent) {
            self.traffic.add(Kind::Ask, self.samples.none());
            self.answer(pull, Reply::Nothing);
        }
    }

    /// The lease of a job may be over.
    fn lease_ends(&mut self, consumer: u32, sequence: u64) {
        if consumer != self.server.consumer {
            return;
        }
        let (now, up_at) = (self.agenda.now, self.server.up_at);
        let again = if up_at > now {
            // It looks when it is up again.
            Some(up_at)
        } else {
            self.server.lease_ends(now, sequence)
        };
        match again {
            // Given back: the end of its pause comes by itself.
            Some(Time::MAX) => {}
            Some(later) => {
                self.agenda
                    .at(later, move |it| it.lease_ends(consumer, sequence));
            }
            None => self.deliver(),
        }
    }

    fn pause_ends(&mut self, consumer: u32, sequence: u64) {
        if consumer == self.server.consumer {
            self.server.pause_ends(sequence);
            self.deliver();
        }
    }

    /// An answer is with the slot; `epoch` is that of the server, `None` if the answer is that none came.
    fn at_slot(&mut self, sent: Sent, epoch: Option<u32>, reply: Reply) {
        let Sent { slot, ask, .. } = sent;
        let now = self.agenda.now;
        let worker = self.field.worker(slot);
        if worker.life != sent.life {
            return;
        }
        if worker.stopped_until > now {
            let until = worker.stopped_until;
            let later = move |it: &mut Simulation| it.at_slot(sent, epoch, reply);
            return self.agenda.at(until, later);
        }
        let is_lost = epoch.is_some_and(|epoch| epoch != self.server.epoch);
        if is_lost || (epoch.is_some() && worker.cut_off_until > now) {
            return self.no_answer(sent);
        }
        match (ask, reply) {
            (
                _,
                Reply::Job {
                    sequence,
                    job,
                    payload,
                },
            ) => self.begin(slot, sequence, job, &payload),
            (Ask::Pull, Reply::Nothing) => self.take(slot),
            // What is left to do, if anything, is done: the slot asks no more.
            (Ask::Pull, Reply::Gone) => {}
            (Ask::Pull, _) => self.later(slot, micros(PAUSE), SlotTimer::Take),
            (Ask::Store { .. }, reply) => {
                let answer = match reply {
                    Reply::Stored(stored) => Ok(stored),
                    Reply::Gone => Err(ClusterError::Unknown),
                    _ => Err(ClusterError::Unanswered(String::new())),
                };
                let Some(work) = &mut self.field.slots[slot].work else {
                    return;
                };
                let step = work
                    .handover
                    .stored(answer)
                    .expect("a server that takes results");
                self.follow(slot, step);
            }
            (Ask::Acknowledge { .. }, reply) => {
                let is_noted = matches!(reply, Reply::Noted);
                if let Some(work) = &mut self.field.slots[slot].work {
                    let step = work.handover.acknowledged(is_noted);
                    self.follow(slot, step);
                }
            }
            (Ask::GiveBack { .. }, _) => self.take(slot),
            _ => {}
        }
    }

    fn take(&mut self, slot: usize) {
        let state = &mut self.field.slots[slot];
        state.claim += 1;
        state.work = None;
        self.send(slot, Ask::Pull);
    }

    fn begin(&mut self, slot: usize, sequence: u64, job: u64, payload: &[u8]) {
        let group: JobContent = unpack(payload).expect("a job");
        self.field.slots[slot].claim += 1;
        self.later(slot, micros(renewal(LEASE)), SlotTimer::Renew);
        let worker = self.field.worker(slot);
        if let Some(pause) = group.pause_for(&self.samples.announced.hash, &worker.name) {
            let pause = micros(pause);
            return self.send(slot, Ask::GiveBack { sequence, pause });
        }
        let is_odd = self.options.failures > 0.0 && job % DEAD == DEAD / 2 + 1;
        let content = if worker.lies {
            Content::Wrong
        } else if is_odd && self.field.said_dead.insert(job) {
            Content::Dead
        } else {
            Content::Right
        };
        self.field.workers[slot / self.options.slots].busy += 1;
        let number = usize::try_from(job).expect("a number");
        self.field.slots[slot].work = Some(Work {
            job,
            sequence,
            group: ScheduledGroup {
                number,
                matches: group.matches,
            },
            handover: Handover::new(),
            content,
        });
        self.later(slot, 0, SlotTimer::Begin(0));
    }

    fn timer(&mut self, slot: usize, life: u32, claim: u32, timer: SlotTimer) {
        let worker = self.field.worker(slot);
        let state = &self.field.slots[slot];
        if worker.life != life || state.claim != claim {
            return;
        }
        if worker.stopped_until > self.agenda.now {
            let until = worker.stopped_until;
            let later = move |it: &mut Simulation| it.timer(slot, life, claim, timer);
            return self.agenda.at(until, later);
        }
        match (timer, &state.work) {
            (SlotTimer::Take, _) => self.take(slot),
            (SlotTimer::Renew, Some(work)) => {
                let sequence = work.sequence;
                self.send(slot, Ask::Renew { sequence });
                self.later(slot, micros(renewal(LEASE)), SlotTimer::Renew);
            }
            (SlotTimer::Begin(index), Some(_)) => self.begin_match(slot, index),
            (SlotTimer::Store, Some(_)) => self.follow(slot, Step::Store),
            (_, None) => {}
        }
    }

    /// A match begins, and the one before has ended.
    fn begin_match(&mut self, slot: usize, index: usize) {
        let worker = self.field.worker(slot);
        let (speed, spread) = (worker.speed, self.dice.between(1.0 - SPREAD, 1.0 + SPREAD));
        let Some(work) = &self.field.slots[slot].work else {
            return;
        };
        let played = &mut self.field.played;
        if work.content == Content::Dead {
            return self.follow(slot, Step::Store);
        }
        if index > 0 {
            played.matches += 1;
            played.rechecked += u64::from(work.job >= HALF_OF_NUMBERS);
            played.lies += u64::from(work.content == Content::Wrong);
        }
        let Some(scheduled) = work.group.matches.get(index) else {
            return self.follow(slot, Step::Store);
        };
        played.begun += 1;
        let (job, number, first) = (work.job, scheduled.number, index == 0);
        self.send(slot, Ask::Begins { job, number, first });
        let time = micros(self.options.match_time) as f64 / speed * spread;
        self.later(slot, time as Time, SlotTimer::Begin(index + 1));
    }

    /// Does what comes next with a result.
    fn follow(&mut self, slot: usize, step: Step) {
        let Some(work) = &self.field.slots[slot].work else {
            return;
        };
        let (job, sequence, content) = (work.job, work.sequence, work.content);
        match step {
            Step::Store => {
                let matches = work_of(&self.field.slots[slot]).group.matches.iter();
                let numbers = matches.map(|scheduled| scheduled.number).collect();
                self.field.brought.insert((job, slot), numbers);
                self.send(slot, Ask::Store { job, content });
            }
            Step::StoreAfter(pause) => self.later(slot, micros(pause), SlotTimer::Store),
            Step::Notify => {
                self.send(slot, Ask::Wake);
                let next = work_of(&self.field.slots[slot]).handover.notified();
                self.follow(slot, next);
            }
            Step::Acknowledge => self.send(slot, Ask::Acknowledge { sequence }),
            Step::Done(_) => {
                match content {
                    Content::Wrong => self.failed.lies += 1,
                    Content::Dead => self.failed.dead += 1,
                    Content::Right => {}
                }
                let matches = work_of(&self.field.slots[slot]).group.matches.len() as u64;
                let worker = &mut self.field.workers[slot / self.options.slots];
                worker.busy -= 1;
                worker.matches += matches;
                self.take(slot);
            }
        }
    }

    /// A worker says that it is there.
    fn beat(&mut self, number: usize, life: u32) {
        let now = self.agenda.now;
        let worker = &self.field.workers[number];
        if worker.life != life || self.server.is_closed {
            return;
        }
        let beat = move |it: &mut Simulation| it.beat(number, life);
        if worker.stopped_until > now {
            let until = worker.stopped_until;
            return self.agenda.at(until, beat);
        }
        if worker.cut_off_until <= now && self.server.up_at <= now {
            let bytes = self.samples.heartbeat();
            self.traffic.add(Kind::Heartbeat, bytes);
            if self.coordinator.is_up() {
                self.traffic.add(Kind::Heartbeat, bytes);
                let (busy, matches, name) = (worker.busy, worker.matches, worker.name.clone());
                let slots = u32::try_from(self.options.slots).expect("a number");
                let presence = self.samples.presence(&name, slots, busy, matches);
                let subject = WorkerName::of(&name).heartbeats();
                self.coordinator.hear(&subject, &presence);
            }
        }
        self.agenda.after(micros(HEARTBEAT), beat);
    }
}

/// No match has this number: jobs from here on are those that are compared.
const HALF_OF_NUMBERS: u64 = 1 << 39;

fn work_of(slot: &Slot) -> &Work {
    slot.work.as_ref().expect("a slot that works")
}

/// Wall-clock hours that the workers need together without failures.
pub(super) fn ideal_hours(options: &Options, field: &Field, matches: u64) -> f64 {
    let speed: f64 = field.workers.iter().map(|worker| worker.speed).sum();
    let time: Duration = options.match_time;
    matches as f64 * micros(time) as f64 / (speed * options.slots as f64) / HOUR
}

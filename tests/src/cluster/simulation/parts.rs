//! What the simulation consists of: the tournament under way, the workers and their slots, and what may
//! happen to them. What they do is in the files beside this one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::rc::Rc;
use std::time::Duration;

use chacha20::ChaCha8Rng;
use cluster::Handover;
use rand_core::Rng as _;
use schedule::ScheduledGroup;

use super::coordinator::SimulatedCoordinator;
use super::samples::Samples;
use super::server::{Content, Server};
use super::time::{HOUR, Time};
use super::traffic::Traffic;

#[derive(Clone, Debug)]
pub struct Options {
    pub workers: usize,
    /// Groups that a worker plays at a time.
    pub slots: usize,
    /// Rounded up to whole rounds of 20.
    pub matches: u64,
    pub seed: u64,
    /// The mean time of a match on a worker of average speed.
    pub match_time: Duration,
    pub round_trip: Duration,
    /// Time in which the coordinator replays a match.
    pub replay: Duration,
    /// Factor of the failure rates: 1 as in `Rates`, 0 for never.
    pub failures: f64,
    /// Bytes that this program has on the heap; zero where that is not known.
    pub heap: fn() -> usize,
}

/// Counts of failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Failed {
    /// Workers that were killed, and replaced.
    pub killed: u32,
    /// Workers that were stopped.
    pub stopped: u32,
    /// Workers that were cut off.
    pub cut_off: u32,
    /// Restarts of the server.
    pub server: u32,
    /// Restarts of the coordinator.
    pub coordinator: u32,
    /// Finished jobs that repairs removed from the queue.
    pub cleared: u32,
    /// Repairs that rebuilt the queue.
    pub mended: u32,
    /// Wrong results.
    pub lies: u32,
    /// Groups that a worker said cannot be played.
    pub dead: u32,
}

/// A failure.
#[derive(Clone, Copy)]
pub(super) enum Blow {
    Kill,
    Stop,
    CutOff,
    Server,
    Coordinator,
}

/// A scheduled event.
pub(super) struct Scheduled {
    pub(super) at: Time,
    /// Those of the same time come in the order in which they were scheduled.
    pub(super) number: u64,
    pub(super) what: Box<dyn FnOnce(&mut Simulation)>,
}

impl PartialEq for Scheduled {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Scheduled {}

impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scheduled {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        Reverse((self.at, self.number)).cmp(&Reverse((other.at, other.number)))
    }
}

/// The event queue.
pub(super) struct Agenda {
    pub(super) now: Time,
    pub(super) number: u64,
    pub(super) heap: BinaryHeap<Scheduled>,
}

impl Agenda {
    pub(super) fn at(&mut self, at: Time, what: impl FnOnce(&mut Simulation) + 'static) {
        self.number += 1;
        let (at, number, what) = (at.max(self.now), self.number, Box::new(what));
        self.heap.push(Scheduled { at, number, what });
    }

    pub(super) fn after(&mut self, delay: Time, what: impl FnOnce(&mut Simulation) + 'static) {
        self.at(self.now + delay, what);
    }
}

/// Everything random.
pub(super) struct Dice(pub(super) ChaCha8Rng);

impl Dice {
    /// From 0 to below 1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    pub(super) fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.unit()
    }

    /// A random wait for an event with this rate per hour.
    pub(super) fn wait(&mut self, an_hour: f64) -> Time {
        (-(1.0 - self.unit()).ln() / an_hour * HOUR) as Time
    }
}

/// The tournament under way.
pub(super) struct Simulation {
    pub(super) options: Options,
    pub(super) agenda: Agenda,
    pub(super) dice: Dice,
    pub(super) samples: Samples,
    pub(super) server: Server,
    pub(super) field: Field,
    pub(super) coordinator: SimulatedCoordinator,
    pub(super) traffic: Traffic,
    pub(super) failed: Failed,
}

/// All workers, and what they have played.
pub(super) struct Field {
    pub(super) workers: Vec<Worker>,
    pub(super) slots: Vec<Slot>,
    pub(super) a_worker: usize,
    /// Jobs of which a worker has said that they cannot be done.
    pub(super) said_dead: HashSet<u64>,
    /// The numbers of the matches in the last result that a slot has sent for a job.
    pub(super) brought: HashMap<(u64, usize), Vec<usize>>,
    /// Those in the result of a job that the server has stored last.
    pub(super) stored: HashMap<u64, Vec<usize>>,
    pub(super) played: Played,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Played {
    /// Matches that were played to their ends.
    pub(super) matches: u64,
    /// Those of them that were played because second results are compared.
    pub(super) rechecked: u64,
    /// Those of them whose results were wrong.
    pub(super) lies: u64,
    /// Matches that were begun.
    pub(super) begun: u64,
}

pub(super) struct Worker {
    pub(super) name: Rc<str>,
    /// Counts how often it was started.
    pub(super) life: u32,
    pub(super) speed: f64,
    pub(super) lies: bool,
    pub(super) is_up: bool,
    pub(super) busy: u32,
    pub(super) matches: u64,
    pub(super) stopped_until: Time,
    pub(super) cut_off_until: Time,
}

/// A slot of a worker.
#[derive(Default)]
pub(super) struct Slot {
    /// Counts the jobs that it took.
    pub(super) claim: u32,
    pub(super) work: Option<Work>,
}

pub(super) struct Work {
    pub(super) job: u64,
    pub(super) sequence: u64,
    pub(super) group: ScheduledGroup,
    pub(super) handover: Handover,
    pub(super) content: Content,
}

/// A slot's message to the server.
#[derive(Clone, Copy)]
pub(super) struct Sent {
    pub(super) slot: usize,
    /// Of its worker.
    pub(super) life: u32,
    pub(super) at: Time,
    pub(super) ask: Ask,
}

#[derive(Clone, Copy)]
pub(super) enum Ask {
    Pull,
    Store {
        job: u64,
        content: Content,
    },
    Acknowledge {
        sequence: u64,
    },
    GiveBack {
        sequence: u64,
        pause: Time,
    },
    /// The rest expects no answer.
    Renew {
        sequence: u64,
    },
    Begins {
        job: u64,
        number: usize,
        first: bool,
    },
    /// A result is there.
    Wake,
}

pub(super) enum Reply {
    Job {
        sequence: u64,
        job: u64,
        payload: Rc<[u8]>,
    },
    Nothing,
    Stored(bool),
    Noted,
    /// The tournament has ended.
    Gone,
    /// There is none.
    Silence,
}

/// A slot's timer.
#[derive(Clone, Copy)]
pub(super) enum SlotTimer {
    Take,
    Renew,
    /// To begin the match of this index.
    Begin(usize),
    Store,
}

//! What the simulation consists of: the tournament under way, the workers and their slots, the coordinator,
//! and what may happen to them. What they do is in the files beside this one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet, VecDeque};
use std::rc::Rc;
use std::time::{Duration, Instant};

use cluster::{Handover, JobResult, QueueWatch, ResultCursor};
use rand_chacha::ChaCha8Rng;
use rand_core::Rng as _;
use schedule::{Schedule, ScheduledGroup};
use workers::dispatch::{Dispatcher, Event, Request};

use super::samples::Samples;
use super::server::{Content, Forgets, Server, StoredResult};
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
    /// Repairs that removed finished jobs from the queue.
    pub cleared: u32,
    /// Repairs that rebuilt the queue.
    pub mended: u32,
    /// Wrong results.
    pub lies: u32,
    /// Groups that a worker said cannot be played.
    pub dead: u32,
}

/// A scheduled event.
pub(super) enum Happening {
    /// A message of a slot is with the server.
    AtServer {
        slot: usize,
        life: u32,
        sent: Time,
        ask: Ask,
    },
    /// An answer is with the slot; `epoch` is that of the server, `None` if the answer is that none came.
    AtSlot {
        slot: usize,
        life: u32,
        sent: Time,
        epoch: Option<u32>,
        ask: Ask,
        reply: Reply,
    },
    /// Something that a slot waited for.
    Timer {
        slot: usize,
        life: u32,
        claim: u32,
        timer: SlotTimer,
    },
    Beat {
        worker: usize,
        life: u32,
    },
    PullEnds {
        slot: usize,
        sent: Time,
    },
    LeaseEnds {
        consumer: u32,
        sequence: u64,
    },
    PauseEnds {
        consumer: u32,
        sequence: u64,
    },
    /// A request of the coordinator is with the server.
    Asked {
        life: u32,
        sent: Time,
        request: Request,
    },
    /// The answer is with the coordinator.
    Answered {
        life: u32,
        sent: Time,
        epoch: Option<u32>,
        request: Request,
        reading: Reading,
    },
    Tick {
        life: u32,
    },
    Examined {
        life: u32,
    },
    Written {
        life: u32,
        number: usize,
    },
    CoordinatorStarts,
    ServerStarts {
        forgets: Forgets,
        share: f64,
    },
    WorkerStarts {
        worker: usize,
    },
    Strike(Blow),
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

pub(super) struct Scheduled {
    pub(super) at: Time,
    /// Those of the same time come in the order in which they were scheduled.
    pub(super) number: u64,
    pub(super) what: Happening,
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
    pub(super) fn at(&mut self, at: Time, what: Happening) {
        self.number += 1;
        let (at, number) = (at.max(self.now), self.number);
        self.heap.push(Scheduled { at, number, what });
    }

    pub(super) fn after(&mut self, delay: Time, what: Happening) {
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
pub(super) enum SlotTimer {
    Take,
    Renew,
    /// To begin the match of this index.
    Begin(usize),
    Store,
}

/// The coordinator, whether it is up or not.
pub(super) struct SimulatedCoordinator {
    pub(super) life: u32,
    pub(super) session: Option<Session>,
    pub(super) meter: Meter,
    /// Copies of each match in the log.
    pub(super) log: Vec<u8>,
    pub(super) logged: u64,
    /// Results that were read in all.
    pub(super) read: u64,
    /// The longest time from a start until workers were told of the tournament.
    pub(super) longest_start: Time,
    /// When the tournament was over, and how many jobs were in the queue then.
    pub(super) over: Option<(Time, usize)>,
}

/// The coordinator's memory, which is lost when it is killed.
pub(super) struct Session {
    pub(super) dispatcher: Dispatcher,
    pub(super) schedule: Schedule,
    pub(super) cursor: ResultCursor,
    pub(super) unread: VecDeque<JobResult>,
    pub(super) watch: QueueWatch,
    pub(super) began: Time,
    pub(super) inbox: VecDeque<Event>,
    /// True while a request is under way.
    pub(super) is_busy: bool,
    /// True while the next group depends on results.
    pub(super) waits: bool,
    pub(super) examining: VecDeque<(ScheduledGroup, JobResult)>,
    pub(super) examiner_is_free: Time,
    pub(super) writer_is_free: Time,
}

/// The server's answer.
pub(super) enum Reading {
    Done,
    Announced(Option<String>),
    Result(Option<(u64, StoredResult)>),
    Batch(Vec<Option<(u64, StoredResult)>>),
    Queued(Vec<u64>),
    LastResult(u64),
    Counts { owed: u64, there: u64 },
}

/// Measures what the coordinator has on the heap, and how long it computes: what happens in
/// [`Meter::run`] is the coordinator's, nothing else is.
pub(super) struct Meter {
    pub(super) heap: fn() -> usize,
    pub(super) held: i64,
    pub(super) peak: i64,
    pub(super) time: Duration,
}

impl Meter {
    pub(super) fn run<T>(&mut self, what: impl FnOnce() -> T) -> T {
        let (before, began) = ((self.heap)(), Instant::now());
        let done = what();
        self.time += began.elapsed();
        self.held += (self.heap)() as i64 - before as i64;
        self.peak = self.peak.max(self.held);
        done
    }
}

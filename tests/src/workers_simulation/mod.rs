//! A tournament of many workers over NATS in virtual time, without processes: the coordinator's decisions
//! ([`referee::dispatching::Dispatcher`]), its schedule, and how workers bring results
//! ([`cluster::Handover`]) are those of the program; the server, the network and the playing are made up, with a seed. Workers
//! have different speeds, are killed, stopped, and cut off, some lie; the server restarts and forgets, the
//! coordinator is killed and resumed. At the end every match is in the log once.

mod coordinator;
mod field;
mod report;
mod samples;
mod server;
mod traffic;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};
use referee::dispatching::Request;

use coordinator::{Reading, SimulatedCoordinator};
use field::{Ask, Field, Reply, SlotTimer};
pub use report::Report;
use samples::Samples;
pub use server::Most;
use server::{Forgets, Server};
pub use traffic::Kind;
use traffic::Traffic;

/// Microseconds since the tournament began.
type Time = u64;

const SECOND: Time = 1_000_000;
const HOUR: f64 = 3600.0 * SECOND as f64;
/// The lease that coordinators have.
const LEASE: Duration = Duration::from_secs(30);
/// A tournament that has not ended after a year goes round in circles.
const LONGEST: Time = 365 * 24 * 3600 * SECOND;

/// What is simulated.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many workers there are.
    pub workers: usize,
    /// How many groups each plays at a time.
    pub slots: usize,
    /// How many matches, rounded up to whole rounds of 20.
    pub matches: u64,
    /// What everything random is made from.
    pub seed: u64,
    /// How long a match takes on average, on a worker of average speed.
    pub match_time: Duration,
    /// How long a message takes there and back.
    pub round_trip: Duration,
    /// How long the coordinator replays a match.
    pub replay: Duration,
    /// How often things fail: 1 as described at `Rates`, 0 for never.
    pub failures: f64,
    /// How many bytes this program has on the heap; zero where that is not known.
    pub heap: fn() -> usize,
}

/// How often what fails.
struct Rates;

impl Rates {
    /// An hour, for each worker.
    const KILLED: f64 = 0.1;
    const STOPPED: f64 = 0.1;
    const CUT_OFF: f64 = 0.1;
    /// An hour.
    const SERVER: f64 = 2.0;
    const COORDINATOR: f64 = 2.0;
}

/// How often what happened.
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
    /// How often the queue had to begin anew.
    pub mended: u32,
    /// Wrong results.
    pub lies: u32,
    /// Groups that a worker said cannot be played.
    pub dead: u32,
}

/// What happens at some time.
enum Happening {
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

/// What is done to a tournament.
#[derive(Clone, Copy)]
enum Blow {
    Kill,
    Stop,
    CutOff,
    Server,
    Coordinator,
}

struct Scheduled {
    at: Time,
    /// Those of the same time come in the order in which they were scheduled.
    number: u64,
    what: Happening,
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

/// What comes, in the order of time.
struct Agenda {
    now: Time,
    number: u64,
    heap: BinaryHeap<Scheduled>,
}

impl Agenda {
    fn at(&mut self, at: Time, what: Happening) {
        self.number += 1;
        let (at, number) = (at.max(self.now), self.number);
        self.heap.push(Scheduled { at, number, what });
    }

    fn after(&mut self, delay: Time, what: Happening) {
        self.at(self.now + delay, what);
    }
}

/// Everything random.
struct Dice(ChaCha8Rng);

impl Dice {
    /// From 0 to below 1.
    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.unit()
    }

    /// How long it takes until something happens that happens so often an hour.
    fn wait(&mut self, an_hour: f64) -> Time {
        (-(1.0 - self.unit()).ln() / an_hour * HOUR) as Time
    }
}

/// The tournament under way.
struct Simulation {
    options: Options,
    agenda: Agenda,
    dice: Dice,
    samples: Samples,
    server: Server,
    field: Field,
    coordinator: SimulatedCoordinator,
    traffic: Traffic,
    failed: Failed,
}

/// Simulates a tournament.
///
/// # Panics
/// If it does not come to its end with every match in the log once.
pub fn simulate(options: &Options) -> Report {
    let began = std::time::Instant::now();
    let mut simulation = Simulation::new(options);
    simulation.run();
    simulation.report(began.elapsed())
}

fn micros(time: Duration) -> Time {
    time.as_micros() as Time
}

impl Simulation {
    fn new(options: &Options) -> Self {
        let mut dice = Dice(ChaCha8Rng::seed_from_u64(options.seed));
        let samples = Samples::new(options.matches.div_ceil(20), LEASE);
        let field = Field::new(options, &mut dice);
        let coordinator = SimulatedCoordinator::new(options, &samples);
        let mut simulation = Simulation {
            options: options.clone(),
            agenda: Agenda {
                now: 0,
                number: 0,
                heap: BinaryHeap::new(),
            },
            dice,
            samples,
            server: Server::new(micros(LEASE)),
            field,
            coordinator,
            traffic: Traffic::default(),
            failed: Failed::default(),
        };
        simulation.agenda.at(0, Happening::CoordinatorStarts);
        for worker in 0..options.workers {
            let delay = simulation.dice.unit() * SECOND as f64;
            let starts = Happening::WorkerStarts { worker };
            simulation.agenda.at(delay as Time, starts);
        }
        for blow in [
            Blow::Kill,
            Blow::Stop,
            Blow::CutOff,
            Blow::Server,
            Blow::Coordinator,
        ] {
            simulation.plan(blow);
        }
        simulation
    }

    /// The next time for a blow.
    fn plan(&mut self, blow: Blow) {
        let workers = self.options.workers as f64;
        let rate = match blow {
            Blow::Kill => Rates::KILLED * workers,
            Blow::Stop => Rates::STOPPED * workers,
            Blow::CutOff => Rates::CUT_OFF * workers,
            Blow::Server => Rates::SERVER,
            Blow::Coordinator => Rates::COORDINATOR,
        };
        let rate = rate * self.options.failures;
        if rate > 0.0 && !self.server.is_closed {
            let wait = self.dice.wait(rate);
            self.agenda.after(wait, Happening::Strike(blow));
        }
    }

    /// Until the tournament is over and every worker knows it.
    fn run(&mut self) {
        while let Some(Scheduled { at, what, .. }) = self.agenda.heap.pop() {
            assert!(at < LONGEST, "no end: {:?}", self.failed);
            self.agenda.now = at;
            self.happens(what);
        }
    }

    fn happens(&mut self, what: Happening) {
        match what {
            Happening::AtServer {
                slot,
                life,
                sent,
                ask,
            } => self.at_server(slot, life, sent, ask),
            Happening::AtSlot {
                slot,
                life,
                sent,
                epoch,
                ask,
                reply,
            } => {
                self.at_slot(slot, life, sent, epoch, ask, reply);
            }
            Happening::Timer {
                slot,
                life,
                claim,
                timer,
            } => self.timer(slot, life, claim, timer),
            Happening::Beat { worker, life } => self.beat(worker, life),
            Happening::PullEnds { slot, sent } => self.pull_ends(slot, sent),
            Happening::LeaseEnds { consumer, sequence } => {
                if consumer == self.server.consumer {
                    self.lease_ends(sequence);
                }
            }
            Happening::PauseEnds { consumer, sequence } => {
                if consumer == self.server.consumer {
                    self.server.pause_ends(sequence);
                    self.deliver();
                }
            }
            Happening::Asked {
                life,
                sent,
                request,
            } => self.asked(life, sent, request),
            Happening::Answered {
                life,
                sent,
                epoch,
                request,
                reading,
            } => {
                self.answered(life, sent, epoch, request, reading);
            }
            Happening::Tick { life } => self.tick(life),
            Happening::Examined { life } => self.examined(life),
            Happening::Written { life, number } => self.written(life, number),
            Happening::CoordinatorStarts => self.start_coordinator(),
            Happening::ServerStarts { forgets, share } => self.server.start_again(forgets, share),
            Happening::WorkerStarts { worker } => self.start_worker(worker),
            Happening::Strike(blow) => self.strike(blow),
        }
    }

    fn strike(&mut self, blow: Blow) {
        if self.server.is_closed {
            return;
        }
        let now = self.agenda.now;
        let worker = self.dice.below(self.options.workers);
        let seconds = |dice: &mut Dice, least, most| (dice.between(least, most) * 1e6) as Time;
        match blow {
            Blow::Kill => self.kill_worker(worker),
            Blow::Stop => {
                self.failed.stopped += 1;
                let until = now + seconds(&mut self.dice, 20.0, 200.0);
                self.field.workers[worker].stopped_until = until;
            }
            Blow::CutOff => {
                self.failed.cut_off += 1;
                let until = now + seconds(&mut self.dice, 1.0, 120.0);
                self.field.workers[worker].cut_off_until = until;
            }
            Blow::Server => self.kill_server(),
            Blow::Coordinator if !self.coordinator.is_up() => {}
            Blow::Coordinator => {
                self.failed.coordinator += 1;
                self.coordinator.kill();
                let pause = seconds(&mut self.dice, 1.0, 60.0);
                self.agenda.after(pause, Happening::CoordinatorStarts);
            }
        }
        self.plan(blow);
    }

    /// The server is gone for a while; what it stored or removed last may be forgotten.
    fn kill_server(&mut self) {
        let now = self.agenda.now;
        if self.server.up_at > now {
            return;
        }
        self.failed.server += 1;
        self.server.up_at = now + (self.dice.between(0.5, 20.0) * 1e6) as Time;
        let forgets = [Forgets::Nothing, Forgets::Stored, Forgets::Removed][self.dice.below(3)];
        let share = self.dice.unit();
        // Those who waited are not answered.
        for pull in self.server.take_pulls() {
            self.no_answer(pull.slot, pull.life, pull.sent, Ask::Pull);
        }
        let starts = Happening::ServerStarts { forgets, share };
        self.agenda.at(self.server.up_at, starts);
        // From now on nothing that is on its way arrives.
        self.server.epoch += 1;
    }

    fn half_way(&self) -> Time {
        micros(self.options.round_trip) / 2
    }
}

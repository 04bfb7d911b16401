//! A tournament of many workers over NATS in virtual time, without processes: the coordinator's decisions
//! ([`workers::dispatch::Dispatcher`]), its schedule, and how workers bring results
//! ([`cluster::Handover`]) are those of the program; the server, the network and the playing are made up, with a seed. Workers
//! have different speeds, are killed, stopped, and cut off, some lie; the server restarts and forgets, the
//! coordinator is killed and resumed. At the end every match is in the log once.

mod coordinator;
mod field;
mod parts;
mod report;
mod samples;
mod server;
mod time;
mod traffic;

use std::collections::BinaryHeap;

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng as _;

use parts::{Agenda, Ask, Blow, Dice, Happening, Scheduled, Simulation};
pub use parts::{Failed, Options};
pub use report::Report;
use samples::Samples;
pub use server::Most;
use server::{Forgets, Server};
use time::{LEASE, SECOND, Time, micros};
pub use traffic::Kind;
use traffic::Traffic;

/// A tournament that has not ended after a year goes round in circles.
const LONGEST: Time = 365 * 24 * 3600 * SECOND;

/// Failure rates.
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

/// Simulates a tournament.
pub fn simulate(options: &Options) -> Report {
    let began = std::time::Instant::now();
    let mut simulation = Simulation::new(options);
    simulation.run();
    simulation.report(began.elapsed())
}

impl Simulation {
    fn new(options: &Options) -> Self {
        let mut dice = Dice(ChaCha8Rng::seed_from_u64(options.seed));
        let samples = Samples::new(options.matches.div_ceil(20), LEASE);
        let field = parts::Field::new(options, &mut dice);
        let coordinator = parts::SimulatedCoordinator::new(options, &samples);
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

    pub(super) fn half_way(&self) -> Time {
        micros(self.options.round_trip) / 2
    }
}

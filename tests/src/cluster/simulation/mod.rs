//! A tournament of many workers over NATS in virtual time, without processes: the coordinator
//! ([`workers::CoordinatorSession`]), its schedule, and how workers bring results ([`cluster::Handover`]) are
//! those of the program; the server, the network and the playing are made up, with a seed. Workers have
//! different speeds, are killed, stopped, and cut off, some lie; the server restarts and forgets, the
//! coordinator is killed and resumed. At the end every match is in the log once.

mod client;
mod coordinator;
mod field;
mod jetstream;
mod parts;
mod report;
mod samples;
mod server;
mod time;
mod traffic;

use std::collections::BinaryHeap;
use std::time::Duration;

use chacha20::ChaCha8Rng;
use rand_core::SeedableRng as _;

use parts::{Agenda, Blow, Dice, Scheduled, Simulation};
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

/// The coordinator's timers are late by this at most.
const LATE: Time = SECOND / 100;

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
    // One thread, whose clock stands still but for what the simulation advances it.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime.expect("a runtime").block_on(simulation.run());
    simulation.report(began.elapsed())
}

impl Simulation {
    fn new(options: &Options) -> Self {
        let mut dice = Dice(ChaCha8Rng::seed_from_u64(options.seed));
        let samples = Samples::new(options.matches.div_ceil(20), LEASE, options.match_time);
        let field = parts::Field::new(options, &mut dice);
        let coordinator = coordinator::SimulatedCoordinator::new(options, &samples);
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
        simulation.agenda.at(0, Simulation::start_coordinator);
        for worker in 0..options.workers {
            let delay = simulation.dice.unit() * SECOND as f64;
            let starts = move |it: &mut Simulation| it.start_worker(worker);
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
            self.agenda.after(wait, move |it| it.strike(blow));
        }
    }

    /// Until the tournament is over and every worker knows it.
    async fn run(&mut self) {
        let mut clock = 0;
        while let Some(next) = self.agenda.heap.peek() {
            let (before, at) = (self.agenda.now, next.at);
            assert!(at < LONGEST, "no end: {:?}", self.failed);
            self.agenda.now = at.min(before + LATE);
            if self.agenda.now == at
                && let Some(Scheduled { what, .. }) = self.agenda.heap.pop()
            {
                what(self);
            }
            let passed = self.agenda.now - clock;
            if self.coordinator.is_woken() || passed >= LATE {
                clock += passed;
                tokio::time::advance(Duration::from_micros(passed)).await;
                self.run_coordinator();
            }
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
                self.agenda.after(pause, Simulation::start_coordinator);
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
            self.no_answer(pull);
        }
        let starts = move |it: &mut Simulation| it.server.start_again(forgets, share);
        self.agenda.at(self.server.up_at, starts);
        // From now on nothing that is on its way arrives.
        self.server.epoch += 1;
    }

    pub(super) fn half_way(&self) -> Time {
        micros(self.options.round_trip) / 2
    }
}

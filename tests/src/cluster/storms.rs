//! Tournaments over NATS with all kinds of failures: workers are killed, stopped for longer than
//! their lease, and cut off, one of them lies, the server is killed and restarted, the coordinator
//! killed and resumed. At the end each match is in the log exactly once.

use std::collections::BTreeMap;
use std::fmt;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use chacha20::ChaCha8Rng;
use nix::sys::signal::Signal;
use rand_core::{Rng, SeedableRng};
use serde_json::Value;

use crate::cluster::cut_off::Namespace;
use crate::cluster::liar::Liar;
use crate::cluster::nats::NatsServer;
use crate::cluster::workers::{Field, config, log_of, undisturbed};
use crate::{Arena, referee};

/// The lease of the coordinators here is 1 s: a worker that is stopped for this long has lost it.
const LOST: Duration = Duration::from_millis(2200);
/// A liar is faster than all others: this often is enough.
const LIES: u32 = 300;
/// A tournament that finishes no match for this long is stuck.
const LONGEST: Duration = Duration::from_secs(120);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Blow {
    /// A worker is killed, and another one started.
    KillWorker,
    /// A worker is stopped for longer than its lease.
    StopWorker,
    /// The server is killed and restarted.
    KillServer,
    /// The coordinator is killed, and resumed.
    KillCoordinator,
    /// A lying worker starts; it stays a while.
    Lie,
    /// The cable of a worker is pulled for longer than its lease.
    CutOff,
}

use Blow::*;

pub const ALL: [Blow; 6] = [
    KillWorker,
    StopWorker,
    KillServer,
    KillCoordinator,
    Lie,
    CutOff,
];

#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Tournaments that were played to their ends.
    pub rounds: u32,
    /// Matches of all of them.
    pub matches: usize,
    /// Counts by kind.
    pub blows: BTreeMap<Blow, u32>,
    pub lies: u32,
    pub time: Duration,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blows = self
            .blows
            .iter()
            .map(|(blow, count)| format!("{blow:?} {count}"));
        let blows: Vec<String> = blows.collect();
        write!(
            f,
            "{} rounds, {} matches, {}, {} wrong results, {:.0} s",
            self.rounds,
            self.matches,
            blows.join(", "),
            self.lies,
            self.time.as_secs_f64()
        )
    }
}

/// A tournament and its outcome on one undisturbed machine.
#[derive(Debug)]
pub struct Storm {
    config: String,
    reference: Arena,
    expected: BTreeMap<String, Value>,
    cable: Option<Namespace>,
}

impl Storm {
    /// A tournament of about this many matches. Nobody is cut off if this user cannot make network
    /// namespaces.
    pub fn of(matches: u32, with_cable: bool) -> Self {
        let rounds = matches.div_ceil(6).max(1);
        let config = config(&format!(
            "rounds = {rounds}\ngames = [{{ id = \"amazons\", options = {{ size = 6 }} }}]\n\
             opening = {{ random_plies = 2 }}\n"
        ));
        let (reference, expected) = undisturbed(&config);
        Storm {
            config,
            reference,
            expected,
            cable: with_cable.then(Namespace::new).flatten(),
        }
    }

    /// True if workers can be cut off.
    pub fn has_cable(&self) -> bool {
        self.cable.is_some()
    }

    /// Plays the tournament with these blows, at random moments.
    pub fn play(&self, blows: &[Blow], seed: u64, figures: &mut Figures) {
        let began = Instant::now();
        let mut round = Round::begin(self, seed);
        for (number, &blow) in blows.iter().enumerate() {
            let share = number as f64 / blows.len() as f64;
            if !round.wait_for(share) {
                break;
            }
            *figures.blows.entry(blow).or_default() += 1;
            round.strike(blow);
        }
        figures.lies += round.end();
        figures.rounds += 1;
        figures.matches += self.expected.len();
        figures.time += began.elapsed();
    }

    /// Blows in a random order, each kind at least once.
    pub fn plan(&self, seed: u64) -> Vec<Blow> {
        let mut dice = Dice(ChaCha8Rng::seed_from_u64(seed));
        let mut blows: Vec<Blow> = ALL.to_vec();
        blows.retain(|blow| *blow != CutOff || self.cable.is_some());
        for _ in 0..3 {
            blows.push(blows[dice.below(blows.len() as u64) as usize]);
        }
        for at in (1..blows.len()).rev() {
            blows.swap(at, dice.below(at as u64 + 1) as usize);
        }
        blows
    }
}

struct Dice(ChaCha8Rng);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0.next_u64() % n
    }
}

struct Round<'a> {
    storm: &'a Storm,
    field: Field,
    coordinator: Child,
    dice: Dice,
    workers: Vec<String>,
    started: u32,
    liar: Option<Liar>,
    lies: u32,
}

impl<'a> Round<'a> {
    fn begin(storm: &'a Storm, seed: u64) -> Self {
        let nats = match &storm.cable {
            Some(cable) => NatsServer::at(&cable.outside()),
            None => NatsServer::start(),
        };
        let field = Field::with_server(&storm.config, nats);
        let coordinator = field.coordinator(&[]).spawn().expect("a coordinator");
        let mut round = Round {
            storm,
            field,
            coordinator,
            dice: Dice(ChaCha8Rng::seed_from_u64(seed ^ 0x0573_0415)),
            workers: Vec::new(),
            started: 0,
            liar: None,
            lies: 0,
        };
        if let Some(cable) = &storm.cable {
            let mut command = round.field.command("far", "ip".as_ref());
            let address = round.field.nats.address();
            command.args(cable.command().get_args()).arg(referee());
            command.args([
                "worker", &address, "--name", "far", "--trust", "--slots", "1",
            ]);
            let far = command.spawn().expect("a worker");
            round.field.adopt("far", far);
        }
        for _ in 0..4 {
            round.start_worker();
        }
        round
    }

    fn start_worker(&mut self) {
        self.started += 1;
        let name = format!("worker-{}", self.started);
        self.field.worker(&name, &["--slots", "1"]);
        self.workers.push(name);
    }

    fn is_over(&mut self) -> bool {
        self.coordinator.try_wait().expect("a child").is_some()
    }

    /// Waits for a random moment after this share of the matches; false if it is over before.
    fn wait_for(&mut self, share: f64) -> bool {
        let total = self.storm.expected.len();
        let more = self.dice.below(1 + total as u64 / 20) as usize;
        let matches = (total as f64 * share * 0.9) as usize + more;
        let mut last = (self.field.done(), Instant::now());
        while last.0 < matches && !self.is_over() {
            thread::sleep(Duration::from_millis(2));
            let done = self.field.done();
            if done > last.0 {
                last = (done, Instant::now());
            }
            assert!(last.1.elapsed() < LONGEST, "no progress: {}", self.said());
        }
        !self.is_over()
    }

    fn said(&self) -> String {
        self.field.said()
    }

    fn strike(&mut self, blow: Blow) {
        let pause = Duration::from_millis(self.dice.below(800));
        match blow {
            KillWorker => {
                let at = self.dice.below(self.workers.len() as u64) as usize;
                let name = self.workers.swap_remove(at);
                self.field.kill_worker(&name);
                self.start_worker();
            }
            StopWorker => {
                let at = self.dice.below(self.workers.len() as u64) as usize;
                let name = self.workers[at].clone();
                self.field.signal(&name, Signal::SIGSTOP);
                thread::sleep(LOST);
                self.field.signal(&name, Signal::SIGCONT);
            }
            KillServer => {
                self.field.nats.kill();
                thread::sleep(pause);
                self.field.nats.restart();
            }
            KillCoordinator => {
                self.coordinator.kill().expect("a child");
                let _ = self.coordinator.wait();
                thread::sleep(pause);
                let began = self.storm_has_begun();
                let more: &[&str] = if began { &["--resume"] } else { &[] };
                self.coordinator = self.field.coordinator(more).spawn().expect("a coordinator");
            }
            Lie => {
                self.stop_lying();
                let name = format!("liar-{}", self.dice.below(1000));
                let log = log_of(&self.storm.reference);
                self.liar = Some(Liar::start(&self.field.nats.address(), &name, &log, LIES));
            }
            CutOff => {
                let cable = self.storm.cable.as_ref().expect("a cable");
                assert!(cable.plug(false), "the cable cannot be pulled");
                thread::sleep(LOST);
                assert!(cable.plug(true), "the cable cannot be plugged in");
            }
        }
    }

    fn storm_has_begun(&self) -> bool {
        self.field.arena.path("out/games.jsonl").exists()
    }

    fn stop_lying(&mut self) {
        if let Some(liar) = self.liar.take() {
            self.lies += liar.lies();
        }
    }

    /// Waits for the end, and checks the outcome. Returns the number of wrong results.
    fn end(mut self) -> u32 {
        self.wait_for(1.0);
        self.stop_lying();
        let end = Instant::now() + LONGEST;
        while !self.is_over() {
            assert!(Instant::now() < end, "no end: {}", self.said());
            thread::sleep(Duration::from_millis(5));
        }
        let status = self.coordinator.wait().expect("a child");
        assert_eq!(status.code(), Some(0), "{}", self.said());
        let matches = self.field.matches();
        assert_eq!(matches.len(), self.storm.expected.len(), "{}", self.said());
        for (id, expected) in &self.storm.expected {
            assert_eq!(&matches[id], expected, "{id}");
        }
        assert_eq!(self.field.left(), Vec::<String>::new(), "{}", self.said());
        // The remaining workers are idle, and end on request.
        for name in std::mem::take(&mut self.workers) {
            self.field.signal(&name, Signal::SIGINT);
            assert_eq!(
                self.field.ended(&name),
                Some(0),
                "{}",
                self.field.stderr(&name)
            );
        }
        self.lies
    }
}

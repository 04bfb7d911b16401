//! One match from its beginning to its record.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Instant, SystemTime};

use arbiter::{FinishedMatch, SeatSetup, Setup, wire_limits};
use games::Session;
use protocol::{Conditions, FaultCode, LOG_FORMAT, MatchResult, Millis, Player, Record, excerpt};
use supervisor::shortage;
use supervisor::{BotFactory, BotSpec, Pool, REFEREE_NAME};

use super::GameSetup;
use super::failures::{Failure, Failures};
use super::load::LoadWatch;
use crate::driver::{self, After, Guests, Taker};

/// A bot's version is logged up to so many characters.
const LONGEST_VERSION: usize = 100;

/// One match, with all that belongs to it.
pub struct Plan {
    /// Its id.
    pub id: String,
    /// What is played.
    pub game: GameSetup,
    /// The position at the start.
    pub start: Box<dyn Session>,
    /// The plies that the referee makes first; the match goes on after them.
    pub opening: Vec<String>,
    /// What start and opening were made from, and forced moves are.
    pub seed: u64,
    /// The time control of bots that have none of their own.
    pub time: protocol::TimeControl,
    /// The bots in seat order.
    pub specs: Vec<Arc<BotSpec>>,
    /// How it is run.
    pub conditions: Conditions,
    /// Where failures are told; `None` to tell nothing.
    pub failures: Option<Arc<Failures>>,
}

impl Plan {
    /// Plays the match with bots of this pool, and with guests, whose specs are only names then;
    /// `watch` looks on.
    pub async fn play(
        &self,
        pool: &mut Pool,
        guests: Guests,
        watch: impl FnMut(&arbiter::Arbiter),
    ) -> Record {
        let rules = &self.game.rules;
        let (state, opened) = (self.start.state(), self.opening.len());
        let started = SystemTime::now();
        let clock = Instant::now();
        let takers = self.take(pool, &guests).await;
        let introduced: Vec<Introduced> = takers.iter().map(Introduced::of).collect();
        let setup = Setup {
            match_id: self.id.clone(),
            rules: rules.clone(),
            start: self.start.fork(),
            opening: self.opening.clone(),
            seed: self.seed,
            limits: self.game.limits,
            seats: self.seated(pool.factory()),
            cores: cores(),
        };
        let joined: Vec<bool> = takers.iter().map(|taker| self.plays_this(taker)).collect();
        let watch_load = LoadWatch::begin();
        let (played, after) = driver::play(setup, &self.specs, takers, guests, pool, watch).await;
        let load = watch_load.end();
        for (seat, spec) in self
            .specs
            .iter()
            .enumerate()
            .filter(|(seat, _)| joined[*seat])
        {
            let failure = startup_fault(&played.result, seat);
            pool.factory().began(spec, failure.as_ref()).await;
        }
        let FinishedMatch { moves, result } = played;
        let record = Record {
            format: LOG_FORMAT,
            match_id: self.id.clone(),
            game: rules.info().id.to_owned(),
            options: rules.options().to_json(),
            seed: self.seed,
            start: state,
            players: self.players(introduced, pool.factory()),
            time: self.time.clone(),
            limits: wire_limits(self.game.limits),
            conditions: Some(self.conditions.clone()),
            load,
            opening: opened as u32,
            moves,
            result,
            started: humantime::format_rfc3339_millis(started).to_string(),
            duration_ms: Millis(clock.elapsed()),
            referee: REFEREE_NAME.to_owned(),
            prev: None,
        };
        for (seat, after) in after.into_iter().enumerate() {
            self.see_off(&record, seat, after, pool).await;
        }
        record
    }

    /// Who takes which seat.
    async fn take(&self, pool: &mut Pool, guests: &Guests) -> Vec<Taker> {
        let seats = self.specs.iter().enumerate();
        let bots = seats.filter(|(seat, _)| !guests.sit(*seat));
        let bots: Vec<Arc<BotSpec>> = bots.map(|(_, spec)| spec.clone()).collect();
        let mut bots = pool.take(&bots).await.into_iter();
        let taker = |seat| match guests.sit(seat) {
            true => Some(Taker::Guest),
            false => bots.next().map(Taker::Bot),
        };
        (0..self.specs.len()).filter_map(taker).collect()
    }

    /// Keeps a bot for its next match, or what there is to tell about its failure.
    async fn see_off(&self, record: &Record, seat: usize, after: After, pool: &mut Pool) {
        let spec = &self.specs[seat];
        // What the machine has no more of is no failure of a bot.
        let failures = self
            .failures
            .as_ref()
            .filter(|_| shortage::noted().is_none());
        let failure = failures.and_then(|failures| {
            let failure = Failure::of(record, seat, spec, failures.folder())?;
            Some((failure, failures.clone(), pool.factory_handle()))
        });
        match (after, failure) {
            (After::Fit(bot), _) => pool.give_back(spec, bot).await,
            (After::Leaving(leaving), Some((failure, failures, factory))) => {
                pool.later(async move {
                    factory.add_news(failures.add(failure, leaving.await.ok()));
                });
            }
            (After::Absent(evidence), Some((failure, failures, factory))) => {
                pool.later(async move {
                    let evidence = evidence.map(|evidence| *evidence);
                    factory.add_news(failures.add(failure, evidence));
                });
            }
            (After::Leaving(_) | After::Absent(_), None) => {}
        }
    }

    /// Whether a bot is there that says that it plays this game.
    fn plays_this(&self, taker: &Taker) -> bool {
        let Taker::Bot(Ok(bot)) = taker else {
            return false;
        };
        let games = bot.hello().games.as_ref();
        games.is_none_or(|games| games.iter().any(|id| id == self.game.rules.info().id))
    }

    fn seated(&self, factory: &BotFactory) -> Vec<SeatSetup> {
        let seats = self.specs.iter().map(|spec| SeatSetup {
            name: spec.name.clone(),
            time: spec.time.clone(),
            cpu_time: factory.sandbox(spec).resources().cpu_time,
            info_bytes: factory.sandbox(spec).resources().info_bytes,
        });
        seats.collect()
    }

    fn players(&self, introduced: Vec<Introduced>, factory: &BotFactory) -> Vec<Player> {
        let seats = self
            .specs
            .iter()
            .zip(self.game.rules.roles())
            .zip(introduced);
        seats
            .map(|((spec, role), introduced)| Player {
                name: spec.name.clone(),
                role: (*role).to_owned(),
                version: introduced.version,
                files: introduced.files,
                command: spec.command.clone(),
                time: spec.own_time.then(|| spec.time.clone()),
                confined: factory.sandbox(spec).confined().cloned(),
                cpu_time: factory.limits_cpu_time(spec),
            })
            .collect()
    }
}

/// How many cores there are. Asking the machine takes a while.
fn cores() -> u32 {
    static CORES: OnceLock<u32> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, |n| n.get() as u32))
}

/// Why a bot that was there did not get ready.
fn startup_fault(result: &MatchResult, seat: usize) -> Option<supervisor::Failure> {
    let mut faults = result.faults.iter();
    let fault = faults.find(|fault| fault.seat == seat && fault.code == FaultCode::Startup)?;
    Some(supervisor::Failure::new(fault.code, fault.message.clone()))
}

/// What is known of a player when the match begins.
#[derive(Default)]
struct Introduced {
    /// As the bot tells it; a bot that tells a novel does not fill the log with it.
    version: Option<String>,
    /// Hashes of its files.
    files: BTreeMap<String, String>,
}

impl Introduced {
    fn of(taker: &Taker) -> Self {
        let Taker::Bot(Ok(bot)) = taker else {
            return Introduced::default();
        };
        let version = bot.hello().version.as_ref();
        let version = version.map(|told| excerpt(told.as_bytes(), LONGEST_VERSION));
        Introduced {
            version,
            files: bot.files().clone(),
        }
    }
}

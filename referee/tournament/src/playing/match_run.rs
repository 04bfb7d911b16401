//! One match from start to record.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use arbiter::{FinishedMatch, SeatSetup, Setup, wire_limits};
use config::GameSetup;
use deals::Deal;
use games::{BrokenRules, Session};
use machine::identity;
use machine::load::LoadWatch;
use machine::program;
use play::match_runner::{self, FinishedRun, Observer, Timing};
use play::players::{After, Either, Ggp, GgpMatch, Person, Process, Started};
use protocol::{
    Conditions, Failure, FaultCode, LOG_FORMAT, Machine, MatchResult, Millis, Player, Record,
    RulesOrigin, excerpt,
};
use supervisor::resource_exhausted;
use supervisor::{BotFactory, BotProcess, BotSpec, Pool};

use crate::playing::failures::{FailureReport, Failures};
use crate::playing::rules_trial::{self, TriedRules};
use play::ggp::Arrival;

/// Longest version of a bot in the log, in characters.
const LONGEST_VERSION: usize = 100;

/// People in the match, by seat.
pub type People = BTreeMap<usize, Person>;

/// Anything that can take a seat.
type Participant<'p> = Either<Process<'p>, Either<Person, Ggp>>;

/// Players reached over HTTP, by seat.
type Elsewhere = BTreeMap<usize, Ggp>;

/// One match, and everything it needs.
pub struct MatchRun {
    /// As in `m-000017`.
    pub id: String,
    /// With its options and limits.
    pub game: GameSetup,
    pub start: Box<dyn Session>,
    /// Moves that the referee makes first.
    pub opening: Vec<String>,
    /// Seed of start, opening and forced moves, unless there is a deal.
    pub seed: u64,
    /// Source of start, opening and chance in games with chance or hidden information; `None` if
    /// that is the seed.
    pub deal: Option<Deal>,
    /// For bots that have none of their own.
    pub time: protocol::TimeControl,
    /// In seat order.
    pub specs: Vec<Arc<BotSpec>>,
    /// Conditions for the log.
    pub conditions: Conditions,
    pub machine: Arc<Machine>,
    /// `None` to write no reports.
    pub failures: Option<Arc<Failures>>,
}

impl MatchRun {
    /// Plays the match with bots from this pool, and with people, whose specs only have names. The
    /// observer must not break the match off.
    ///
    /// # Errors
    /// If rules from outside do not work: the match has no result.
    pub async fn play(
        &self,
        pool: &mut Pool,
        people: People,
        mut observer: impl Observer,
    ) -> Result<Record, BrokenRules> {
        let elsewhere = self.elsewhere(pool).await?;
        let began = SystemTime::now();
        let clock = Instant::now();
        let bots = self.take(pool, &people).await;
        let players = self.players(bots, people, elsewhere, pool);
        let introduced: Vec<Introduced> = players.iter().map(Introduced::of).collect();
        let joined: Vec<bool> = players
            .iter()
            .map(|player| self.plays_this(player))
            .collect();
        let setup = self.setup(pool.factory());
        let watch_load = LoadWatch::begin();
        let mut tried = TriedRules::new(&mut observer, &self.id, &*self.start);
        let FinishedRun { played, players } =
            match_runner::run(setup, players, Timing::Real, &mut tried).await;
        let load = watch_load.end();
        let round_trip = tried.check(&*self.game.rules);
        let after: Vec<Option<After>> = players.into_iter().map(after).collect();
        let played = played.map(|played| played.expect("nobody breaks it off"));
        let judged = played.and_then(|played| {
            round_trip?;
            rules_trial::after_faults(&*self.start, &played, self.seed)?;
            Ok(played)
        });
        let played = match judged {
            Ok(played) => played,
            Err(broken) => {
                // A match that was broken off in the middle leaves its bots in an unknown state, so
                // none is reused.
                for after in after.into_iter().flatten() {
                    if let After::Fit(bot) = after {
                        pool.dismiss(bot);
                    }
                }
                return Err(broken);
            }
        };
        self.note_joined(&joined, &played.result, pool.factory())
            .await;
        let record = Record {
            load,
            started: protocol::timestamp(began, 3),
            duration_ms: Millis(clock.elapsed()),
            ..self.record(played, introduced, pool.factory())?
        };
        for (seat, after) in after.into_iter().enumerate() {
            if let Some(after) = after {
                self.see_off(&record, seat, after, pool).await;
            }
        }
        Ok(record)
    }

    /// The setup for the arbiter.
    fn setup(&self, factory: &BotFactory) -> Setup {
        Setup {
            match_id: self.id.clone(),
            rules: self.game.rules.clone(),
            start: self.start.fork(),
            opening: self.opening.clone(),
            seed: self.seed,
            deal: self.deal.as_ref().map(|deal| deal.key),
            recorded: Vec::new(),
            limits: self.game.limits,
            early_ends: self.game.early_ends,
            seats: self.seated(factory),
            cores: identity::cores(),
        }
    }

    /// Reports to the factory how the starts went.
    async fn note_joined(&self, joined: &[bool], result: &MatchResult, factory: &BotFactory) {
        for (seat, spec) in self.specs.iter().enumerate() {
            if joined[seat] {
                let failure = startup_fault(result, seat);
                factory.began(spec, failure.as_ref()).await;
            }
        }
    }

    /// The record of the match, without its times.
    fn record(
        &self,
        played: FinishedMatch,
        introduced: Vec<Introduced>,
        factory: &BotFactory,
    ) -> Result<Record, BrokenRules> {
        let rules = &self.game.rules;
        Ok(Record {
            format: LOG_FORMAT,
            match_id: self.id.clone(),
            game: rules.info().id.clone(),
            rules: rules.description().origin.as_ref().map(origin),
            options: rules.options().to_json(),
            seed: self.seed,
            deal: self.deal.as_ref().map(|deal| deal.commitment.clone()),
            start: self.start.state()?,
            players: self.logged(introduced, factory),
            time: self.time.clone(),
            limits: wire_limits(self.game.limits),
            conditions: Some(self.conditions.clone()),
            machine: Some(Machine::clone(&self.machine)),
            load: None,
            opening: self.opening.len() as u32,
            moves: played.moves,
            result: played.result,
            adjudication: played.adjudication,
            started: String::new(),
            duration_ms: Millis::default(),
            referee: program::name(),
            prev: None,
        })
    }

    /// Takes the bots' processes from the pool, in seat order.
    async fn take(&self, pool: &mut Pool, people: &People) -> Vec<Started> {
        let seats = self.specs.iter().enumerate();
        let bots = seats.filter(|(seat, spec)| spec.ggp.is_none() && !people.contains_key(seat));
        let bots: Vec<Arc<BotSpec>> = bots.map(|(_, spec)| spec.clone()).collect();
        if self.game.rules.info().has_deals() {
            pool.renew(&bots);
        }
        pool.take(&bots).await
    }

    /// Takes the HTTP players once all of them are free. Slots that wait for the same ones take
    /// them in the same order, so that no two wait for each other.
    async fn elsewhere(&self, pool: &Pool) -> Result<Elsewhere, BrokenRules> {
        let seats = self.specs.iter().enumerate();
        let mut wanted: Vec<_> = seats
            .filter_map(|(seat, spec)| Some((spec.ggp.as_ref()?, seat, spec)))
            .collect();
        wanted.sort_by(|one, other| one.0.address.cmp(&other.0.address));
        let mut arrivals = Vec::new();
        for (player, seat, spec) in wanted {
            arrivals.push((seat, spec, Arrival::of(spec, player).await));
        }
        let played = GgpMatch {
            id: &self.id,
            rules: &*self.game.rules,
            start: &*self.start,
            opening: &self.opening,
            seed: self.seed,
        };
        let mut elsewhere = Elsewhere::new();
        for (seat, spec, arrival) in arrivals {
            let (player, talk) = Ggp::new(spec, arrival, seat, &played)?;
            pool.later(talk);
            elsewhere.insert(seat, player);
        }
        Ok(elsewhere)
    }

    fn players<'p>(
        &'p self,
        bots: Vec<Started>,
        mut people: People,
        mut elsewhere: Elsewhere,
        pool: &'p Pool,
    ) -> Vec<Participant<'p>> {
        let mut bots = bots.into_iter();
        let player = |(seat, spec)| {
            if let Some(person) = people.remove(&seat) {
                return Some(Either::B(Either::A(person)));
            }
            if let Some(player) = elsewhere.remove(&seat) {
                return Some(Either::B(Either::B(player)));
            }
            Some(Either::A(Process::new(bots.next()?, spec, pool)))
        };
        self.specs.iter().enumerate().filter_map(player).collect()
    }

    /// Returns a bot to the pool for its next match, or reports its failure.
    async fn see_off(&self, record: &Record, seat: usize, after: After, pool: &mut Pool) {
        let spec = &self.specs[seat];
        // If the machine lacks resources, no bot is to blame.
        let failures = self
            .failures
            .as_ref()
            .filter(|_| resource_exhausted::noted().is_none());
        let failure = failures.and_then(|failures| {
            let failure = FailureReport::of(record, seat, spec, failures.folder())?;
            Some((failure, failures.clone(), pool.factory_handle()))
        });
        match (after, failure) {
            // Other matches have the same deal: a bot that has seen it must not play in them.
            (After::Fit(bot), _) if self.game.rules.info().has_deals() => drop(pool.dismiss(bot)),
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

    /// True if the bot runs and has announced this game.
    fn plays_this(&self, player: &Participant<'_>) -> bool {
        let Some(bot) = bot(player) else {
            return false;
        };
        let games = bot.hello().games.as_ref();
        games.is_none_or(|games| games.contains(&self.game.rules.info().id))
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

    fn logged(&self, introduced: Vec<Introduced>, factory: &BotFactory) -> Vec<Player> {
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
                build: introduced.build,
                bundle: spec.bundle.clone(),
                bot_file: spec.bot_file.clone(),
                command: spec.command.clone(),
                time: spec.own_time.then(|| spec.time.clone()),
                confined: factory.sandbox(spec).confined().cloned(),
                cpu_time: factory.limits_cpu_time(spec),
            })
            .collect()
    }
}

/// The origin of rules, for the log.
pub(crate) fn origin(origin: &games::session::Origin) -> RulesOrigin {
    RulesOrigin {
        name: origin.name.clone(),
        version: origin.version.clone(),
        sha256: origin.sha256.clone(),
    }
}

/// The process in a seat, if it is running.
fn bot<'a>(player: &'a Participant<'_>) -> Option<&'a BotProcess> {
    match player {
        Either::A(process) => process.bot(),
        Either::B(_) => None,
    }
}

/// The state of a bot after the match; `None` for a person.
fn after(player: Participant<'_>) -> Option<After> {
    match player {
        Either::A(process) => Some(process.after()),
        Either::B(Either::A(_)) => None,
        // There is no process to clean up.
        Either::B(Either::B(_)) => Some(After::Absent(None)),
    }
}

/// The startup fault of a bot that was running, but not ready.
fn startup_fault(result: &MatchResult, seat: usize) -> Option<Failure> {
    let mut faults = result.faults.iter();
    let fault = faults.find(|fault| fault.seat == seat && fault.code == FaultCode::Startup)?;
    Some(Failure::new(fault.code, fault.message.clone()))
}

/// Facts about a player at the start of the match.
#[derive(Default)]
struct Introduced {
    /// As reported by the bot, cut for the log.
    version: Option<String>,
    /// Hashes of the files that its command names.
    files: BTreeMap<String, String>,
    /// The hash of all its files.
    build: Option<String>,
}

impl Introduced {
    fn of(player: &Participant<'_>) -> Self {
        let cut = |version: &str| excerpt(version.as_bytes(), LONGEST_VERSION);
        if let Either::B(Either::B(elsewhere)) = player {
            return Introduced {
                version: elsewhere.version().map(cut),
                ..Introduced::default()
            };
        }
        let Some(bot) = bot(player) else {
            return Introduced::default();
        };
        let version = bot.hello().version.as_deref().map(cut);
        Introduced {
            version,
            files: bot.build().files.clone(),
            build: bot.build().hash.clone(),
        }
    }
}

//! One match, from Rust: the simplest entry point.

use std::io;
use std::sync::Arc;

use arbiter::early_end::EarlyEnds;
use config::GameSetup;
use games::{BrokenRules, ConfigureError, Limits, OptionError, Rules, Session, UnknownGame};
use machine::identity;
use play::match_runner::Observer;
use protocol::{Conditions, Record, TimeControl};
use rules::{self, RulesError, RulesSet, RulesSource, Surroundings};
use serde_json::Value;
use supervisor::spec::command;
use supervisor::{BotFactory, BotSpec, FactoryError, Pool, Tracer, resource_exhausted};
use thiserror::Error;
use tokio::runtime::Runtime;

use crate::playing::match_run::{MatchRun, People};
use crate::playing::openings;

#[derive(Clone, Debug)]
pub struct MatchRequest {
    /// Command lines of rules programs, for games that are not built in.
    pub rules: Vec<String>,
    pub game: String,
    /// The game's options; `null` for the defaults.
    pub options: Value,
    /// Determines the start, the opening and the bots' random moves.
    pub seed: u64,
    /// Random plies at the start.
    pub random_plies: u32,
    /// The time control of each bot.
    pub time: TimeControl,
    /// The bots' command lines, in seat order, split into words as a shell does; programs and files
    /// are relative to the current folder.
    pub bots: Vec<String>,
}

/// A match that cannot be played. No bot is at fault.
#[derive(Debug, Error)]
pub enum MatchError {
    #[error(transparent)]
    Rules(#[from] RulesError),
    #[error(transparent)]
    Game(#[from] UnknownGame),
    #[error(transparent)]
    Options(#[from] OptionError),
    /// Rules from outside do not work.
    #[error(transparent)]
    Broken(#[from] BrokenRules),
    /// The number of bots does not fit the game.
    #[error("`{game}` has {seats} seats, but the number of bots given is {bots}")]
    Seats {
        game: String,
        seats: usize,
        bots: usize,
    },
    /// A command line that cannot be parsed, or names no program.
    #[error("bot `{bot}`: {why}")]
    Command {
        bot: String,
        /// A part of a sentence.
        why: String,
    },
    /// Bots cannot be started on this machine.
    #[error(transparent)]
    Factory(#[from] FactoryError),
    /// The system refused something.
    #[error(transparent)]
    System(#[from] io::Error),
    #[error("{0}")]
    ResourceExhausted(String),
}

impl From<ConfigureError> for MatchError {
    fn from(error: ConfigureError) -> Self {
        match error {
            ConfigureError::Option(error) => MatchError::Options(error),
            ConfigureError::Broken(broken) => MatchError::Broken(broken),
        }
    }
}

impl MatchRequest {
    /// A match of this game with its default options, without an opening, at a second a move.
    pub fn new<B: Into<String>>(game: &str, bots: impl IntoIterator<Item = B>) -> Self {
        MatchRequest {
            rules: Vec::new(),
            game: game.to_owned(),
            options: Value::Null,
            seed: 1,
            random_plies: 0,
            time: TimeControl {
                per_move: Some(std::time::Duration::from_secs(1).into()),
                startup: std::time::Duration::from_secs(10).into(),
                margin: std::time::Duration::from_millis(50).into(),
                ..TimeControl::default()
            },
            bots: bots.into_iter().map(Into::into).collect(),
        }
    }

    /// Plays the match, and waits for its end. A bot at fault loses: that is a result.
    ///
    /// # Errors
    /// If it cannot be played at all.
    pub fn play(&self) -> Result<Record, MatchError> {
        let run = self.run()?;
        let nobody = |_: &arbiter::Arbiter| {};
        let record = Runtime::new()?.block_on(play(&run, None, People::new(), nobody))?;
        match resource_exhausted::noted() {
            Some(why) => Err(MatchError::ResourceExhausted(why.to_owned())),
            None => Ok(record),
        }
    }

    fn run(&self) -> Result<MatchRun, MatchError> {
        let here = std::env::current_dir()?;
        let sources = self
            .rules
            .iter()
            .map(|line| RulesSource::parse(line, &here));
        let sources = sources
            .collect::<Result<_, _>>()
            .map_err(RulesError::Source)?;
        let set = RulesSet::open(sources, &Surroundings::default())?;
        let rules = set.catalog.find(&self.game)?.configure(&self.options)?;
        let (seats, bots) = (rules.seats(), self.bots.len());
        if seats != bots {
            let game = self.game.clone();
            return Err(MatchError::Seats { game, seats, bots });
        }
        let mut specs: Vec<Arc<BotSpec>> = Vec::new();
        for bot in &self.bots {
            let wrong = |why: String| MatchError::Command {
                bot: bot.clone(),
                why,
            };
            let command = command::split(bot).map_err(|error| wrong(error.to_string()))?;
            let mut spec = bot_spec(bot, command, &specs, &self.time)?;
            set.equip(&mut spec);
            spec.program().map_err(|error| wrong(error.to_string()))?;
            specs.push(Arc::new(spec));
        }
        let single = SingleMatch {
            limits: rules.info().limits,
            start: rules.start(self.seed)?,
            rules,
            seed: self.seed,
            random_plies: self.random_plies,
            time: self.time.clone(),
            specs,
        };
        Ok(single.run()?)
    }
}

/// A match outside of a tournament, ready to be set up.
pub struct SingleMatch {
    pub rules: Arc<dyn Rules>,
    pub limits: Limits,
    pub start: Box<dyn Session>,
    /// Determines the opening and forced moves.
    pub seed: u64,
    /// Random plies at the start.
    pub random_plies: u32,
    /// For bots that have none of their own.
    pub time: TimeControl,
    /// In seat order.
    pub specs: Vec<Arc<BotSpec>>,
}

impl SingleMatch {
    /// Makes the opening. The match has the first id of its log; set another one if you need it.
    ///
    /// # Errors
    /// If rules from outside do not work.
    pub fn run(self) -> Result<MatchRun, BrokenRules> {
        Ok(MatchRun {
            id: match_id(1),
            opening: openings::moves(&*self.start, self.limits, self.seed, self.random_plies)?,
            start: self.start,
            game: GameSetup {
                rules: self.rules,
                limits: self.limits,
                early_ends: EarlyEnds::default(),
                weight: 1,
            },
            seed: self.seed,
            // Single matches can be repeated by their seed.
            deal: None,
            time: self.time,
            specs: self.specs,
            conditions: Conditions {
                idle: "run".to_owned(),
                affinity: "off".to_owned(),
                concurrency: 1,
            },
            machine: Arc::new(identity::here(None)),
            failures: None,
        })
    }
}

/// The id of the match with this number, from 1.
pub fn match_id(number: usize) -> String {
    format!("m-{number:06}")
}

/// A bot with this name and command in the current folder. Bots with the same command get numbers
/// in their names.
pub fn bot_spec(
    name: &str,
    command: Vec<String>,
    others: &[Arc<BotSpec>],
    time: &TimeControl,
) -> io::Result<BotSpec> {
    let twins = others.iter().filter(|other| other.command == command);
    let name = match twins.count() {
        0 => name.to_owned(),
        twins => format!("{name} ({})", twins + 1),
    };
    let here = std::env::current_dir()?;
    Ok(BotSpec::new(name, command, here, time))
}

/// Plays a match with processes of its own, and waits until they have ended.
pub async fn play(
    run: &MatchRun,
    tracer: Option<Tracer>,
    people: People,
    observer: impl Observer,
) -> Result<Record, MatchError> {
    let factory = BotFactory::new(&run.specs, &[], None)?.traced(tracer);
    rules::share_records(&*run.game.rules, &factory);
    let mut pool = Pool::new(Arc::new(factory));
    let record = run.play(&mut pool, people, observer).await;
    pool.end().await;
    Ok(record?)
}

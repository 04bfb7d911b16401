//! One match, from Rust: the simplest way in.

use std::io;
use std::sync::Arc;

use games::OptionError;
use protocol::{Conditions, Record, TimeControl};
use serde_json::Value;
use supervisor::bot::command;
use supervisor::{BotFactory, BotSpec, CommandError, FactoryError, Pool, shortage};
use thiserror::Error;
use tokio::runtime::Runtime;

use crate::config::GameSetup;
use crate::known_games::{self, UnknownGame};
use crate::tournament::match_run::MatchRun;
use crate::tournament::openings;

/// A match that is to be played.
#[derive(Clone, Debug)]
pub struct MatchRequest {
    /// The game's id.
    pub game: String,
    /// The game's options; `null` for the defaults.
    pub options: Value,
    /// What makes the start, the opening and the bots' random moves.
    pub seed: u64,
    /// How many random plies come first.
    pub random_plies: u32,
    /// The time of each bot.
    pub time: TimeControl,
    /// The bots' command lines, in seat order, split into words as a shell does; programs and files
    /// are relative to the current folder.
    pub bots: Vec<String>,
}

/// A match that cannot be played. No bot is at fault.
#[derive(Debug, Error)]
pub enum MatchError {
    /// There is no such game.
    #[error(transparent)]
    Game(#[from] UnknownGame),
    /// The game has no such options.
    #[error(transparent)]
    Options(#[from] OptionError),
    /// Too few or too many bots.
    #[error("`{game}` has {seats} seats, but the number of bots given is {bots}")]
    Seats {
        /// The game's id.
        game: String,
        /// How many it has.
        seats: usize,
        /// How many there are.
        bots: usize,
    },
    /// A command line that is none, or names no program.
    #[error("bot `{bot}`: {why}")]
    Command {
        /// The command line.
        bot: String,
        /// What is wrong with it, as part of a sentence.
        why: String,
    },
    /// Bots cannot be started on this machine.
    #[error(transparent)]
    Factory(#[from] FactoryError),
    /// The system refused something.
    #[error(transparent)]
    System(#[from] io::Error),
    /// The machine ran out of something.
    #[error("{0}")]
    Short(String),
}

impl MatchRequest {
    /// A match of this game with its usual options, without an opening, at a second a move.
    pub fn new<B: Into<String>>(game: &str, bots: impl IntoIterator<Item = B>) -> Self {
        MatchRequest {
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

    /// Plays the match, and waits for its end. Bots that are at fault lose it: that is a result.
    ///
    /// # Errors
    /// If it cannot be played, whatever bots do.
    pub fn play(&self) -> Result<Record, MatchError> {
        let run = self.run()?;
        let record = Runtime::new()?.block_on(async {
            let factory = BotFactory::new(&run.specs, &[], None)?;
            let mut pool = Pool::new(Arc::new(factory));
            let nobody = |_: &arbiter::Arbiter| {};
            let record = run.play(&mut pool, Default::default(), nobody).await;
            pool.end().await;
            Ok::<_, MatchError>(record)
        })?;
        match shortage::noted() {
            Some(why) => Err(MatchError::Short(why.to_owned())),
            None => Ok(record),
        }
    }

    fn run(&self) -> Result<MatchRun, MatchError> {
        let rules = known_games::find(&self.game)?.configure(&self.options)?;
        let (seats, bots) = (rules.seats(), self.bots.len());
        if seats != bots {
            let game = self.game.clone();
            return Err(MatchError::Seats { game, seats, bots });
        }
        let specs = self.bots.iter().enumerate();
        let specs = specs.map(|(seat, bot)| self.spec(seat, bot).map(Arc::new));
        let limits = rules.info().limits;
        let start = rules.start(self.seed);
        Ok(MatchRun {
            id: "m-000001".to_owned(),
            opening: openings::moves(&*start, limits, self.seed, self.random_plies),
            start,
            game: GameSetup {
                rules,
                limits,
                weight: 1,
            },
            seed: self.seed,
            time: self.time.clone(),
            specs: specs.collect::<Result<_, _>>()?,
            conditions: Conditions {
                idle: "run".to_owned(),
                affinity: "off".to_owned(),
                concurrency: 1,
            },
            failures: None,
        })
    }

    /// The bot of this seat. Bots of one command have numbers in their names.
    fn spec(&self, seat: usize, bot: &str) -> Result<BotSpec, MatchError> {
        let wrong = |why: String| MatchError::Command {
            bot: bot.to_owned(),
            why,
        };
        let command = command::split(bot).map_err(|error| wrong(error.to_string()))?;
        let twins = self.bots[..seat].iter().filter(|other| *other == bot);
        let name = match twins.count() {
            0 => bot.to_owned(),
            twins => format!("{bot} ({})", twins + 1),
        };
        let spec = BotSpec::new(name, command, std::env::current_dir()?, &self.time);
        let found: Result<_, CommandError> = spec.program();
        found.map_err(|error| wrong(error.to_string()))?;
        Ok(spec)
    }
}

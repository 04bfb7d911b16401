//! The tournament configuration: TOML in, checked values out.

mod book;
mod bots;
pub(crate) mod difference;
mod error;
pub(crate) mod file;
pub(crate) mod format;
mod game;
mod keep;
mod keys;
mod layers;
mod openings;
pub(crate) mod schema;
mod sources;
mod time;
mod variables;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use protocol::{ClockKind, Conditions, TimeControl};

use crate::machine::cores;
use crate::tournament::schedule::{Format, SeatOrders, Shape, Version};
use file::Concurrency;
use layers::Read;
use supervisor::process::process_tree::measures_cpu_time;
use supervisor::sandbox::limits::Tier;
use supervisor::{BotSpec, Idle};

pub use book::BookOpening;
pub(crate) use bots::recorded_environment;
pub use error::{ConfigError, Problem};
pub use file::{Affinity, Limit, Time};
pub(crate) use game::game;
pub use game::{GameError, GameSetup};
pub use keep::Keep;
pub use openings::{Judged, Openings};
pub use time::TimeFlags;

/// No opening is longer: it would be the whole game.
pub const MOST_RANDOM_PLIES: u32 = 1000;

/// A checked configuration.
pub struct Config {
    /// The tournament's name.
    pub name: String,
    /// What all randomness of the referee is made from.
    pub seed: u64,
    /// How bots meet.
    pub format: Format,
    /// How often every pairing is played in every seat order.
    pub rounds: u32,
    /// In which orders the bots of a group sit.
    pub seat_orders: SeatOrders,
    /// How many matches run at a time.
    pub concurrency: usize,
    /// Whether that was left to the machine.
    pub concurrency_auto: bool,
    /// What is played.
    pub games: Vec<GameSetup>,
    /// Who plays.
    pub bots: Vec<Arc<BotSpec>>,
    /// The time control of bots that have none of their own.
    pub time: TimeControl,
    /// Whether each slot and its bots keep to one core; never `Auto`.
    pub affinity: Affinity,
    /// How matches begin.
    pub openings: Openings,
    /// How much is kept beside the log.
    pub keep: Keep,
    /// The whole as TOML: the file's text, or what was put together from several places.
    pub text: String,
    /// The same as values.
    pub(crate) table: toml::Table,
}

impl Config {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// If it cannot be read, or anything in it is wrong: the first thing that is.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Self::load_with(path, &[])
    }

    /// The same with keys that are set over those of the file, as in `time.per_move=1s`.
    ///
    /// # Errors
    /// If it cannot be read, or anything in it is wrong: the first thing that is.
    pub fn load_with(path: &Path, sets: &[String]) -> Result<Self, ConfigError> {
        let at = |problem| ConfigError::new(path, problem);
        let read = layers::load(path, sets)?;
        let folder = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let folder = fs::canonicalize(folder).map_err(|error| at(Problem::Read(error)))?;
        Self::of(read, &folder).map_err(at)
    }

    /// Checks the text of a configuration, which includes no files; relative paths start at
    /// `folder`.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, Problem> {
        let read = layers::parse(text)?;
        if !read.file.include.is_empty() {
            return Err(Problem::Value {
                key: "include",
                message: "this text is no file, so it cannot include any".to_owned(),
            });
        }
        Self::of(read, folder)
    }

    fn of(read: Read, folder: &Path) -> Result<Self, Problem> {
        let Read { file, table, text } = read;
        let time = time::time_control(&file.time, file.clock, None).map_err(Problem::Time)?;
        let games = file
            .games
            .iter()
            .map(|entry| game(entry, &file.limits))
            .collect::<Result<Vec<_>, _>>()?;
        let bots = bots::bots(&file, &time, folder)?;
        let openings = openings::openings(&file.opening, &games, folder)?;
        let format = format::format(&file, &bots)?;
        let config = Config {
            rounds: format::rounds(&file, &format, bots.len())?,
            seat_orders: file.seat_orders,
            name: file.name,
            seed: file.seed,
            format,
            concurrency_auto: matches!(file.concurrency, Concurrency::Auto(_)),
            concurrency: match file.concurrency {
                Concurrency::Number(n) => n as usize,
                Concurrency::Auto(_) => std::thread::available_parallelism().map_or(1, |n| n.get()),
            },
            games,
            bots,
            time,
            affinity: match file.affinity {
                Affinity::Auto if cores::CAN_CHOOSE => Affinity::Cores,
                Affinity::Auto => Affinity::Off,
                given => given,
            },
            openings,
            keep: Keep::of(&file.keep),
            table,
            text,
        };
        config.check()?;
        Ok(config)
    }

    /// What the schedule of a new tournament is made from.
    pub fn shape(&self) -> Shape {
        Shape {
            format: self.format.clone(),
            games: self.games.iter().map(GameSetup::shape).collect(),
            bots: self.bots.len(),
            rounds: self.rounds,
            orders: self.seat_orders,
            seed: self.seed,
            version: Version::NEWEST,
        }
    }

    /// Whether no bot can reach the tournament's folder.
    pub fn all_strict(&self) -> bool {
        let mut bots = self.bots.iter();
        bots.all(|bot| bot.wanted.tier == Tier::Strict && !bot.wanted.best_effort)
    }

    /// How matches are run, for the log.
    pub fn conditions(&self) -> Conditions {
        let frozen = self.bots.iter().map(|bot| bot.idle == Idle::Freeze);
        let frozen: Vec<bool> = frozen.collect();
        Conditions {
            idle: match &frozen[..] {
                [.., false] if !frozen.contains(&true) => "run",
                all if !all.contains(&false) => "freeze",
                _ => "mixed",
            }
            .to_owned(),
            affinity: match self.affinity {
                Affinity::Auto | Affinity::Off => "off",
                Affinity::Cores => "cores",
            }
            .to_owned(),
            concurrency: u32::try_from(self.concurrency).unwrap_or(u32::MAX),
        }
    }

    fn check(&self) -> Result<(), Problem> {
        let require = |holds: bool, key: &'static str, message: &str| {
            if holds {
                Ok(())
            } else {
                Err(Problem::Value {
                    key,
                    message: message.to_owned(),
                })
            }
        };
        require(
            !self.name.trim().is_empty(),
            "name",
            "a tournament needs a name",
        )?;
        require(
            self.concurrency >= 1,
            "concurrency",
            "\"auto\" or a number from 1 on is needed",
        )?;
        require(
            !self.games.is_empty(),
            "games",
            "at least one game is needed",
        )?;
        // Larger numbers do not survive every reader of JSON.
        require(self.seed < 1 << 53, "seed", "a number below 2^53 is needed")?;
        let plies = format!("at most {MOST_RANDOM_PLIES} plies are allowed");
        require(
            self.openings.random_plies <= MOST_RANDOM_PLIES,
            "opening.random_plies",
            &plies,
        )?;
        let margin = self.openings.balanced.unwrap_or(0.5);
        require(
            margin > 0.0 && margin <= 0.5,
            "opening.balanced",
            "a distance from one half is needed, above 0 and at most 0.5",
        )?;
        let by_cpu = self.time.clock == ClockKind::Cpu;
        require(
            !by_cpu || measures_cpu_time(),
            "clock",
            "this machine does not tell the CPU time of processes, only \"wall\" is possible",
        )?;
        require(
            self.affinity != Affinity::Cores || cores::CAN_CHOOSE,
            "affinity",
            "this system does not let processes choose their cores, only \"off\" is possible",
        )?;
        format::check(&self.shape(), &self.games)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two bots and Amazons, with more lines before the bots.
    fn problem(more: &str) -> String {
        let text = format!(
            "name = \"t\"\ngames = [\"amazons\"]\n{more}\n\
             [[bots]]\nname = \"a\"\ncommand = \"referee bot random\"\n\
             [[bots]]\nname = \"b\"\ncommand = \"referee bot random\"\n"
        );
        match Config::parse(&text, Path::new("/")) {
            Ok(_) => "none".to_owned(),
            Err(problem) => problem.to_string(),
        }
    }

    #[test]
    fn schedules_that_nobody_could_play_are_refused() {
        assert_eq!(problem("rounds = 499999"), "none");
        assert_eq!(
            problem("rounds = 4294967295"),
            "`rounds`: these are 8589934590 matches; at most 999999 are allowed"
        );
    }

    #[test]
    fn openings_that_would_be_the_whole_game_are_refused() {
        assert_eq!(problem("[opening]\nrandom_plies = 1000"), "none");
        assert_eq!(
            problem("[opening]\nrandom_plies = 4294967295"),
            "`opening.random_plies`: at most 1000 plies are allowed"
        );
    }

    #[test]
    fn durations_that_no_clock_can_add_up_are_refused() {
        assert_eq!(problem("[time]\nstartup = \"366days\""), "none");
        for time in ["367days", "500000000000years"] {
            let error = problem(&format!("[time]\nstartup = \"{time}\""));
            assert!(error.contains("at most 366 days"), "{error}");
        }
    }
}

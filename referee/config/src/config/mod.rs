//! A checked configuration: read from a file or a text, or derived from another one.

mod checks;
pub(crate) mod participation;
mod play;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ::machine::cores;
use ::rules::RulesSet;
use deals::{Deals, Secret};
use protocol::TimeControl;
use schedule::{Format, FormatName, SeatOrders, Shard};
use supervisor::BotSpec;
use thiserror::Error;

use crate::bots::bot_places::BotPlaces;
use crate::bots::build::BuildPlan;
use crate::error::{ConfigError, Diagnostic, Problem};
use crate::reading::layers::{self, EarlierNames, Locate, Read};
use crate::reading::left_out::{self, LeftOut};
use crate::settings::budget::Budget;
use crate::settings::keep::Keep;
use crate::settings::machine::{NoiseLimits, TimeScale};
use crate::settings::openings::Openings;
use crate::settings::{format, game_list, ggp, machine, openings, rules, secret, time};
use crate::setup::game::GameSetup;
use crate::tables::{Affinity, Concurrency, ConfigFile, OnBroken};

/// A tournament whose schedule cannot be split into shards.
#[derive(Clone, Debug, Error)]
#[error(
    "only round robins and gauntlets have parts: the schedule of the format `{0}` depends on results"
)]
pub struct FormatHasNoShards(FormatName);

/// A tournament that can be played: the file's keys, checked, with what is not given filled in.
#[derive(Clone)]
pub struct Config {
    pub name: String,
    /// The source of all the referee's randomness.
    pub seed: u64,
    /// The secret of deals, if configured. [`Source`] does not contain it.
    pub secret: Option<Secret>,
    /// Set as soon as it is known.
    deals: OnceLock<Deals>,
    pub schedule: ScheduleSettings,
    /// The games that can be named.
    pub rules: RulesSet,
    /// The games to play; `rules` has all that can be named.
    pub games: Vec<GameSetup>,
    pub bots: Vec<Arc<BotSpec>>,
    /// True for bots that always play alike, in the order of `bots`.
    pub deterministic: Vec<bool>,
    pub admission: Admission,
    /// For bots that have none of their own.
    pub time: TimeControl,
    pub openings: Openings,
    pub machine: MachineSettings,
    /// Over NATS: the share of groups of deterministic bots that a second worker plays again, from
    /// 0 to 1.
    pub recheck: f64,
    /// Disk space beside the log.
    pub keep: Keep,
    /// For each bot alone; `None` if nothing is limited.
    pub budget: Option<Budget>,
    pub source: Source,
    places: BotPlaces,
    /// True if workers play the matches; each scales time limits by its own speed.
    pub(crate) by_workers: bool,
}

/// With bots, games and seed, the input of a schedule: [`Config::shape`].
#[derive(Clone)]
pub struct ScheduleSettings {
    pub format: Format,
    /// Repetitions of every pairing in every seat order.
    pub rounds: u32,
    /// The seat orders of a group of bots.
    pub seat_orders: SeatOrders,
    /// The shard that is played; see [`Config::of_shard`].
    pub shard: Option<Shard>,
}

/// The conditions on the machine that plays.
#[derive(Clone)]
pub struct MachineSettings {
    /// Concurrent matches.
    pub concurrency: usize,
    /// True if `concurrency` was left to the machine.
    pub concurrency_auto: bool,
    /// Never `Auto`.
    pub affinity: Affinity,
    /// Set if time limits depend on the speed of the machine.
    pub time_scale: Option<TimeScale>,
    /// Limits of load beyond which a match does not count.
    pub noise_limits: NoiseLimits,
}

/// Bots between their folders and the tournament: builds, checks, and those that were left out.
#[derive(Clone)]
pub struct Admission {
    /// Builds and checks, in the order of `bots`.
    pub builds: Vec<BuildPlan>,
    /// The reaction to a bot that cannot be built or fails its checks.
    pub on_broken: OnBroken,
    /// Submissions that are not bots, and so not in `bots`.
    pub left_out: Vec<LeftOut>,
    /// Sentences about keys of submissions that are ignored.
    pub notes: Vec<String>,
    /// Games that bots without `games` named in `hello`, by bot.
    pub answered: BTreeMap<String, Vec<String>>,
}

/// The text of a configuration, and where it comes from.
#[derive(Clone)]
pub struct Source {
    /// The whole as TOML: the file's text, or the merged text of several sources.
    pub text: String,
    /// [`Source::text`], parsed.
    pub table: toml::Table,
    /// The base of relative paths.
    pub folder: PathBuf,
    /// `None` for a text.
    pub file: Option<PathBuf>,
}

impl MachineSettings {
    fn of(file: &ConfigFile) -> Result<Self, Diagnostic> {
        Ok(MachineSettings {
            concurrency_auto: matches!(file.concurrency, Concurrency::Auto(_)),
            concurrency: match file.concurrency {
                Concurrency::Number(n) => n as usize,
                Concurrency::Auto(_) => std::thread::available_parallelism().map_or(1, |n| n.get()),
            },
            affinity: match file.affinity {
                Affinity::Auto if cores::CAN_CHOOSE => Affinity::Cores,
                Affinity::Auto => Affinity::Off,
                given => given,
            },
            time_scale: TimeScale::of(&file.time)?,
            noise_limits: NoiseLimits::of(&file.machine)?,
        })
    }
}

impl Config {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// If it cannot be read, or anything in it is wrong: the first thing that is.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Self::load_with(path, &[])
    }

    /// Like [`Config::load`], with keys set over those of the file, as in `time.per_move=1s`.
    ///
    /// # Errors
    /// If it cannot be read, or anything in it is wrong: the first thing that is.
    pub fn load_with(path: &Path, sets: &[String]) -> Result<Self, ConfigError> {
        Self::load_at(path, sets, BotPlaces::Configured)
    }

    /// Like [`Config::load_with`], for bots in other places than the configuration says.
    ///
    /// # Errors
    /// If it cannot be read, or anything in it is wrong, or a bundle is missing: the first thing
    /// that is.
    pub fn load_at(path: &Path, sets: &[String], places: BotPlaces) -> Result<Self, ConfigError> {
        Self::load_named(path, sets, places, &|_| BTreeMap::new())
    }

    /// Like [`Config::load_at`], for a tournament that may continue: `names` maps the tournament's
    /// name to the names of its bots by folder, from a version of the referee that let authors
    /// choose them.
    ///
    /// # Errors
    /// As those of [`Config::load_at`].
    pub fn load_named(
        path: &Path,
        sets: &[String],
        places: BotPlaces,
        names: EarlierNames<'_>,
    ) -> Result<Self, ConfigError> {
        let folder = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let unreadable = |error| ConfigError::new(path, Problem::Read(error));
        let folder = fs::canonicalize(folder).map_err(unreadable)?;
        let made = |read, locate: Locate<'_>| Self::of(read, &folder, places, locate);
        let config = layers::load(path, sets, names, made)?;
        let file = path.file_name().map(|name| folder.join(name));
        Ok(Config {
            source: Source {
                file,
                ..config.source
            },
            ..config
        })
    }

    /// Checks the text of a configuration without includes; relative paths start at `folder`.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, ConfigError> {
        Self::parse_at(text, folder, BotPlaces::Configured)
    }

    /// Like [`Config::parse`], for bots in other places than the configuration says.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn parse_at(text: &str, folder: &Path, places: BotPlaces) -> Result<Self, ConfigError> {
        layers::parse(text, |read, locate| {
            if read.file.bots_from.is_some() {
                let message = "this text is not a file, so it cannot take bots from folders";
                return Err(Diagnostic::value("bots_from", message));
            }
            if !read.file.include.is_empty() {
                let message = "this text is not a file, so it cannot include any";
                return Err(Diagnostic::value("include", message));
            }
            Self::of(read, folder, places, locate)
        })
    }

    /// Parses the copy of a configuration in a tournament's folder; relative paths start at
    /// `origin`, by default at the copy. Its bots are not started, and may be missing.
    ///
    /// # Errors
    /// If it cannot be used here.
    pub fn recorded(copy: &Path, text: &str, origin: Option<&Path>) -> Result<Self, ConfigError> {
        let beside = copy.parent().unwrap_or(Path::new("."));
        let parsed = Self::parse_at(text, origin.unwrap_or(beside), BotPlaces::Elsewhere);
        parsed.map_err(|error| error.in_file(copy))
    }

    fn of(
        mut read: Read,
        folder: &Path,
        places: BotPlaces,
        locate: Locate<'_>,
    ) -> Result<Self, Diagnostic> {
        secret::take_out(&mut read.table, &mut read.text);
        let time = time::time_control(&read.file.time, read.file.clock, None);
        let time =
            time.map_err(|wrong| Diagnostic::value(&format!("time.{}", wrong.key), wrong.message))?;
        let rules = rules::rules(&mut read.file, folder)?;
        let games = game_list::games(&read.file, &rules.catalog)?;
        let leave_out = read.submissions.is_some() && read.file.on_broken == OnBroken::LeaveOut;
        let bots = crate::bots::bots(&read.file, &time, folder, &rules, &places, leave_out)?;
        let (left_out, notes) = left_out::left_out(&mut read, bots.broken, folder, locate);
        let Read {
            file, table, text, ..
        } = read;
        let (bots, builds) = (bots.specs, bots.builds);
        ggp::check(&file, &bots, &games)?;
        let openings = openings::openings(&file.opening, &games, &rules.catalog, folder)?;
        let format = format::format(&file, &bots)?;
        let config = Config {
            schedule: ScheduleSettings {
                rounds: format::rounds(&file, &format, bots.len())?,
                seat_orders: file.seat_orders,
                format,
                shard: None,
            },
            machine: MachineSettings::of(&file)?,
            name: file.name,
            seed: file.seed,
            secret: secret::secret(file.secret.as_deref())?,
            deals: OnceLock::new(),
            rules,
            games,
            bots,
            deterministic: file.bots.iter().map(|bot| bot.deterministic).collect(),
            admission: Admission {
                builds,
                on_broken: file.on_broken,
                left_out,
                notes,
                answered: BTreeMap::new(),
            },
            time,
            openings,
            recheck: machine::recheck(&file.workers)?,
            keep: Keep::of(&file.keep),
            budget: Budget::of(&file.budget, file.format)?,
            source: Source {
                table,
                text,
                folder: folder.to_owned(),
                file: None,
            },
            places,
            by_workers: false,
        };
        match config.check() {
            Ok(()) => Ok(config),
            Err(wrong) => {
                let left_out = config.admission.left_out.iter().map(LeftOut::in_words);
                Err(wrong.because_of(&left_out.collect::<Vec<_>>()))
            }
        }
    }

    /// Checks values that no file or text has.
    fn of_table(table: toml::Table, folder: &Path, places: BotPlaces) -> Result<Self, ConfigError> {
        let whole = |diagnostic: Diagnostic| ConfigError::of_text(diagnostic.problem);
        let file = table.clone().try_into();
        let read = Read {
            file: file.map_err(|error: toml::de::Error| {
                ConfigError::of_text(Problem::Syntax(error.message().to_owned()))
            })?,
            text: table.to_string(),
            table,
            head: String::new(),
            submissions: None,
        };
        Self::of(read, folder, places, &whole).map_err(whole)
    }

    /// Removes these bots.
    ///
    /// # Errors
    /// If those that are left cannot play it, or the configuration names one that is not.
    pub fn without(&self, bots: &[&str]) -> Result<Self, ConfigError> {
        let mut table = self.source.table.clone();
        if let Some(toml::Value::Array(list)) = table.get_mut("bots") {
            let name = |bot: &toml::Value| Some(bot.get("name")?.as_str()?.trim().to_owned());
            list.retain(|bot| name(bot).is_none_or(|name| !bots.contains(&&*name)));
        }
        let rest = Self::of_table(table, &self.source.folder, self.places.clone())?;
        Ok(Config {
            source: Source {
                file: self.source.file.clone(),
                ..rest.source
            },
            schedule: ScheduleSettings {
                shard: self.schedule.shard,
                ..rest.schedule
            },
            admission: Admission {
                builds: rest.admission.builds,
                ..self.admission.clone()
            },
            by_workers: self.by_workers,
            secret: self.secret.clone(),
            deals: self.deals.clone(),
            ..rest
        })
    }

    /// Selects a shard of the schedule. Other machines play the other shards, and `referee merge`
    /// merges the logs.
    ///
    /// # Errors
    /// If the schedule depends on results.
    pub fn of_shard(self, shard: Shard) -> Result<Self, FormatHasNoShards> {
        if self.schedule.format.is_of_pairings() {
            return Err(FormatHasNoShards(self.schedule.format.name()));
        }
        Ok(Config {
            schedule: ScheduleSettings {
                shard: Some(shard),
                ..self.schedule
            },
            ..self
        })
    }

    /// Leaves scaling of time limits to the workers that play the matches.
    pub fn for_workers(self) -> Self {
        Config {
            by_workers: true,
            ..self
        }
    }
}

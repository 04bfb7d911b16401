//! The tournament configuration: TOML in, checked values out.

#![allow(missing_docs, reason = "strangers read the front door, `referee`")]

pub mod bots;
pub mod difference;
mod error;
pub mod reading;
pub mod schema;
pub mod settings;
pub(crate) mod sources;
pub mod tables;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ::machine::{cores, identity};
use ::rules::RulesSet;
use deals::{Deals, Secret};
use protocol::Machine;
use protocol::{ClockKind, Conditions, TimeControl};
use schedule::{Format, FormatName, SeatOrders, Shape, Shard, Version};

use crate::reading::layers::{self, EarlierNames, Locate, Read};
use crate::reading::left_out;
use crate::settings::{format, game_list, ggp, machine, openings, rules, secret, time};
use crate::tables::file::Concurrency;
use error::WrongValue;
use supervisor::spec::Tier;
use supervisor::system::process_tree::measures_cpu_time;
use supervisor::{BotFactory, BotSpec, Idle};
use thiserror::Error;

pub use crate::bots::bot_places::BotPlaces;
pub use crate::bots::build::{BUILD_BYTES, BUILD_FILES};
pub use crate::bots::build::{BuildPlan, Quota};
pub use crate::bots::{RecordedBot, recorded_bot};
pub use crate::reading::left_out::LeftOut;
pub use crate::reading::variables::variables_in;
pub use crate::settings::keep::Keep;
pub use crate::settings::machine::{NoiseLimits, TimeScale};
pub use crate::settings::openings::{Judged, Openings};
pub use crate::settings::rules::{recorded_rules, source_of};
pub use crate::settings::time::TimeFlags;
pub use crate::tables::book::BookOpening;
pub use crate::tables::file::{Affinity, Limit, MOST_RANDOM_PLIES, OnBroken, Time};
pub use crate::tables::game::game;
pub use crate::tables::game::{GameError, GameSetup};
pub use error::{ConfigError, Problem};

/// A tournament whose schedule cannot be split into shards.
#[derive(Clone, Debug, Error)]
#[error(
    "only round robins and gauntlets have parts: the schedule of the format `{0}` depends on results"
)]
pub struct FormatHasNoShards(FormatName);

/// A checked configuration.
#[derive(Clone)]
pub struct Config {
    /// The tournament's name.
    pub name: String,
    /// The source of all the referee's randomness.
    pub seed: u64,
    /// The secret of deals, if configured. [`Config::text`] and [`Config::table`] do not contain
    /// it.
    pub secret: Option<Secret>,
    /// Set as soon as it is known.
    deals: OnceLock<Deals>,
    pub format: Format,
    /// How often every pairing is played in every seat order.
    pub rounds: u32,
    /// The seat orders of a group of bots.
    pub seat_orders: SeatOrders,
    /// Concurrent matches.
    pub concurrency: usize,
    /// True if `concurrency` was left to the machine.
    pub concurrency_auto: bool,
    /// The games that can be named.
    pub rules: RulesSet,
    /// The games that are played.
    pub games: Vec<GameSetup>,
    pub bots: Vec<Arc<BotSpec>>,
    /// Builds and checks, in the order of `bots`.
    pub builds: Vec<BuildPlan>,
    /// The reaction to a bot that cannot be built or fails its checks.
    pub on_broken: OnBroken,
    /// For bots that have none of their own.
    pub time: TimeControl,
    /// Never `Auto`.
    pub affinity: Affinity,
    pub openings: Openings,
    /// Set if time limits depend on the speed of the machine.
    pub time_scale: Option<TimeScale>,
    /// When a match on a busy machine does not count.
    pub noise_limits: NoiseLimits,
    /// Over NATS: the share of groups of deterministic bots that a second worker plays again, from
    /// 0 to 1.
    pub recheck: f64,
    /// True for bots that always play alike, in the order of `bots`.
    pub deterministic: Vec<bool>,
    /// Disk space beside the log.
    pub keep: Keep,
    /// The whole as TOML: the file's text, or the merged text of several sources.
    pub text: String,
    /// [`Config::text`], parsed.
    pub table: toml::Table,
    /// The base of relative paths.
    pub folder: PathBuf,
    /// `None` for a text.
    pub file: Option<PathBuf>,
    /// The shard of the schedule that is played; see [`Config::of_shard`].
    pub shard: Option<Shard>,
    places: BotPlaces,
    /// True if workers play the matches; each scales time limits by its own speed.
    by_workers: bool,
    /// Submissions that are not bots, and so not in `bots`.
    pub left_out: Vec<LeftOut>,
    /// Sentences about keys of submissions that are ignored.
    pub notes: Vec<String>,
    /// Games that bots without `games` named in `hello`, by bot.
    pub answered: BTreeMap<String, Vec<String>>,
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
        Ok(Config {
            file: path.file_name().map(|name| folder.join(name)),
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
                return Err(WrongValue::of("bots_from", message));
            }
            if !read.file.include.is_empty() {
                let message = "this text is not a file, so it cannot include any";
                return Err(WrongValue::of("include", message));
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
    ) -> Result<Self, WrongValue> {
        secret::take_out(&mut read.table, &mut read.text);
        let time = time::time_control(&read.file.time, read.file.clock, None);
        let time =
            time.map_err(|wrong| WrongValue::of(&format!("time.{}", wrong.key), wrong.message))?;
        let rules = rules::rules(&mut read.file, folder)?;
        let games = game_list::games(&read.file, &rules.catalog)?;
        let leave_out = read.handed_in.is_some() && read.file.on_broken == OnBroken::LeaveOut;
        let bots = bots::bots(&read.file, &time, folder, &rules, &places, leave_out)?;
        let (left_out, notes) = left_out::left_out(&mut read, bots.broken, folder, locate);
        let Read {
            file, table, text, ..
        } = read;
        let (bots, builds) = (bots.specs, bots.builds);
        ggp::check(&file, &bots, &games)?;
        let openings = openings::openings(&file.opening, &games, &rules.catalog, folder)?;
        let format = format::format(&file, &bots)?;
        let config = Config {
            rounds: format::rounds(&file, &format, bots.len())?,
            seat_orders: file.seat_orders,
            name: file.name,
            seed: file.seed,
            secret: secret::secret(file.secret.as_deref())?,
            deals: OnceLock::new(),
            format,
            concurrency_auto: matches!(file.concurrency, Concurrency::Auto(_)),
            concurrency: match file.concurrency {
                Concurrency::Number(n) => n as usize,
                Concurrency::Auto(_) => std::thread::available_parallelism().map_or(1, |n| n.get()),
            },
            rules,
            games,
            bots,
            builds,
            on_broken: file.on_broken,
            time,
            affinity: match file.affinity {
                Affinity::Auto if cores::CAN_CHOOSE => Affinity::Cores,
                Affinity::Auto => Affinity::Off,
                given => given,
            },
            openings,
            time_scale: TimeScale::of(&file.time)?,
            noise_limits: NoiseLimits::of(&file.machine)?,
            recheck: machine::recheck(&file.workers)?,
            deterministic: file.bots.iter().map(|bot| bot.deterministic).collect(),
            keep: Keep::of(&file.keep),
            table,
            text,
            folder: folder.to_owned(),
            file: None,
            shard: None,
            places,
            by_workers: false,
            left_out,
            notes,
            answered: BTreeMap::new(),
        };
        match config.check() {
            Ok(()) => Ok(config),
            Err(wrong) => {
                let left_out = config.left_out.iter().map(LeftOut::in_words);
                Err(wrong.because_of(&left_out.collect::<Vec<_>>()))
            }
        }
    }

    /// Removes these bots.
    ///
    /// # Errors
    /// If those that are left cannot play it, or the configuration names one that is not.
    pub fn without(&self, bots: &[&str]) -> Result<Self, ConfigError> {
        let mut table = self.table.clone();
        if let Some(toml::Value::Array(list)) = table.get_mut("bots") {
            let name = |bot: &toml::Value| Some(bot.get("name")?.as_str()?.trim().to_owned());
            list.retain(|bot| name(bot).is_none_or(|name| !bots.contains(&&*name)));
        }
        Ok(Config {
            file: self.file.clone(),
            shard: self.shard,
            by_workers: self.by_workers,
            secret: self.secret.clone(),
            deals: self.deals.clone(),
            left_out: self.left_out.clone(),
            notes: self.notes.clone(),
            answered: self.answered.clone(),
            ..Self::parse_at(&table.to_string(), &self.folder, self.places.clone())
                // Its lines are not those of any file.
                .map_err(|error| error.at_line(None))?
        })
    }

    /// Selects a shard of the schedule. Other machines play the other shards, and `referee merge`
    /// merges the logs.
    ///
    /// # Errors
    /// If the schedule depends on results.
    pub fn of_shard(self, shard: Shard) -> Result<Self, FormatHasNoShards> {
        if self.format.is_of_pairings() {
            return Err(FormatHasNoShards(self.format.name()));
        }
        Ok(Config {
            shard: Some(shard),
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

    /// The scale of time limits on this machine, if there is one.
    pub fn scale_here(&self) -> Option<TimeScale> {
        self.time_scale.filter(|_| !self.by_workers)
    }

    /// Scales a time control for a machine that a worker names.
    ///
    /// # Errors
    /// Why no limits can be scaled by what it says of the machine.
    pub fn time_on(
        &self,
        machine: Option<&Machine>,
        time: &TimeControl,
    ) -> Result<TimeControl, String> {
        let Some(scale) = self.time_scale else {
            return Ok(time.clone());
        };
        let speed = machine.and_then(|machine| machine.speed);
        let speed = speed.ok_or("no speed of its machine, by which time limits are scaled")?;
        Ok(machine::scaled(time, scale.factor(speed)?))
    }

    /// Multiplies the time limits of all bots by the factor for a machine of this speed, and
    /// returns the factor.
    ///
    /// # Errors
    /// If machines do not differ like that, as a sentence.
    pub fn scale_time(&mut self, scale: TimeScale, speed: f64) -> Result<f64, String> {
        let factor = scale.factor(speed)?;
        self.time = machine::scaled(&self.time, factor);
        for bot in &mut self.bots {
            let bot = Arc::make_mut(bot);
            bot.time = machine::scaled(&bot.time, factor);
        }
        Ok(factor)
    }

    /// The folder of the bundles that bots are played from, if any.
    pub fn bundle_folder(&self) -> Option<&Path> {
        self.places.bundles()?.folder.as_deref()
    }

    /// The input of a new tournament's schedule.
    pub fn shape(&self) -> Shape {
        Shape {
            format: self.format.clone(),
            games: self.game_shapes(),
            bots: self.bots.len(),
            rounds: self.rounds,
            orders: self.seat_orders,
            seed: self.seed,
            version: Version::NEWEST,
            shard: self.shard,
        }
    }

    /// True if any game has deals that nobody may foresee.
    pub fn has_deals(&self) -> bool {
        self.games.iter().any(|game| game.rules.info().has_deals())
    }

    /// True for a shard whose deals the other shards could not know.
    pub fn lacks_shared_secret(&self) -> bool {
        self.shard.is_some() && self.secret.is_none() && self.has_deals()
    }

    pub fn deals(&self) -> &Deals {
        self.deals.get().unwrap_or(&Deals::BySeed)
    }

    /// Sets the source of deals, once.
    pub fn deal_from(&self, deals: Deals) {
        let known = self.deals.get_or_init(|| deals.clone());
        debug_assert!(*known == deals, "a tournament deals from one secret");
    }

    /// True if no bot can reach the tournament's folder.
    pub fn all_strict(&self) -> bool {
        let mut bots = self.bots.iter();
        bots.all(|bot| bot.wanted.tier == Tier::Strict && !bot.wanted.best_effort)
    }

    /// From here on, output and messages of rules programs are recorded like those of these bots.
    pub fn share_records(&self, bots: &BotFactory) {
        for game in &self.games {
            ::rules::share_records(&*game.rules, bots);
        }
    }

    /// The conditions of matches, for the log.
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

    fn check(&self) -> Result<(), WrongValue> {
        let require = |holds: bool, key: &str, message: &str| {
            if holds {
                Ok(())
            } else {
                Err(WrongValue::of(key, message))
            }
        };
        let name = "a tournament needs a name of at least one character";
        require(!self.name.trim().is_empty(), "name", name)?;
        let games = "at least one game is needed, as in [\"siam\"]";
        require(!self.games.is_empty(), "games", games)?;
        let margin = self.openings.balanced.unwrap_or(0.5);
        require(
            margin > 0.0 && margin <= 0.5,
            "opening.balanced",
            &format!("{margin} is not a distance from one half above 0 and at most 0.5"),
        )?;
        let by_cpu = self.time.clock == ClockKind::Cpu;
        require(
            !by_cpu || measures_cpu_time(),
            "clock",
            "this machine does not report the CPU time of processes; only \"wall\" is possible",
        )?;
        require(
            self.affinity != Affinity::Cores || cores::CAN_CHOOSE,
            "affinity",
            "this system does not let processes choose their cores; only \"off\" is possible",
        )?;
        format::check(&self.shape(), &self.games)?;
        let met = self.check_participation();
        met.map_err(|message| WrongValue::of("games", message))
    }

    /// Warnings about what is allowed, but hardly intended.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.left_unplayed();
        let cores = identity::cores() as usize;
        let by_wall = self
            .bots
            .iter()
            .any(|bot| bot.time.clock == ClockKind::Wall);
        if by_wall && !self.concurrency_auto && self.concurrency > cores {
            let s = if cores == 1 { "" } else { "s" };
            warnings.push(format!(
                "`concurrency = {}` is more than the {cores} core{s} of this machine, and clocks run by wall-clock time: \
                 bots will lose on time because of each other; use `concurrency = \"auto\"` or `clock = \"cpu\"`",
                self.concurrency
            ));
        }
        let book = &self.openings.book;
        if !book.is_empty() && book.iter().all(Vec::is_empty) {
            warnings.push(
                "`opening.book`: the book has no line for any game that is played, so no match begins with it"
                    .to_owned(),
            );
        }
        warnings
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
            "line 3: `rounds`: these are 8589934590 matches; at most 999999 are allowed"
        );
    }

    #[test]
    fn openings_that_would_be_the_whole_game_are_refused() {
        assert_eq!(problem("[opening]\nrandom_plies = 1000"), "none");
        assert_eq!(
            problem("[opening]\nrandom_plies = 4294967295"),
            "line 4: `opening.random_plies`: 4294967295 is not a whole number from 0 to 1000"
        );
    }

    /// A whole configuration with this value for this key, and its line.
    fn with_value(key: &str, value: &str) -> (String, usize) {
        let (mut head, mut game, mut bot) = (String::new(), String::new(), String::new());
        if let Some(key) = key.strip_prefix("games[].") {
            game = format!("[[games]]\n{key} = {value}\n");
            if key != "id" {
                game += "id = \"amazons\"\n";
            }
        } else if let Some(key) = key.strip_prefix("rules[].") {
            game = format!("[[rules]]\n{key} = {value}\n");
            if key != "command" {
                game += "command = \"sh\"\n";
            }
        } else if let Some(key) = key.strip_prefix("bots[].") {
            bot = format!("{key} = {value}\n");
        } else if !matches!(key, "bots") {
            head = format!("{key} = {value}\n");
        }
        // These need other keys.
        for rule in ["adjudicate.resign.", "adjudicate.draw."] {
            let missing = ["value = 0.1", "moves = 4"].into_iter();
            let missing = missing.filter(|given| !key.ends_with(&given[..5]));
            for given in missing.filter(|_| key.starts_with(rule)) {
                head += &format!("{rule}{given}\n");
            }
        }
        let format = ["knockout", "sprt"]
            .into_iter()
            .find(|name| key.starts_with(name));
        let format = if key == "challengers" {
            Some("gauntlet")
        } else {
            format
        };
        if let Some(format) = format {
            head += &format!("format = \"{format}\"\n");
        }
        let defaults = [("name", "\"t\""), ("games", "[\"amazons\"]")];
        for (name, value) in defaults {
            if name != key && (name != "games" || !game.starts_with("[[games]]")) {
                head += &format!("{name} = {value}\n");
            }
        }
        let bots = if key == "bots" {
            format!("bots = {value}\n")
        } else {
            let name = if key == "bots[].name" {
                ""
            } else {
                "name = \"a\"\n"
            };
            let command = "command = \"referee bot random\"\n";
            let command = if key == "bots[].command" { "" } else { command };
            format!("[[bots]]\n{bot}{name}{command}[[bots]]\nname = \"b\"\ncommand = \"sh\"\n")
        };
        let text = head + &game + &bots;
        let name = key.rsplit("[].").next().unwrap();
        let begin = format!("{name} = {value}");
        let line = text.lines().position(|line| line == begin);
        (
            text.clone(),
            1 + line.unwrap_or_else(|| panic!("{begin} in {text}")),
        )
    }

    /// A value of the right type that the key does not allow; `None` if there is none, because any
    /// text is allowed, or because tables are tried key by key.
    fn wrong_value(key: &str, kind: &str) -> Option<&'static str> {
        Some(match key {
            "name" | "bots[].name" => "\"\"",
            "secret" => "\"1234\"",
            "challengers" => "[\"nobody\"]",
            "games" | "include" => "[\"no such thing\"]",
            "games[].id" => "\"no such game\"",
            "games[].options" => "{ sise = 3 }",
            "bots" => "[]",
            "bots[].command" => "\"referee bot nobody\"",
            "bots[].ggp" => "\"nowhere\"",
            "network.ggp_hosts" => "[\"http://10.0.0.5\"]",
            "bots_from" => "\"no/such/*\"",
            "bots[].build" | "bots[].setup" => "\"make 'all\"",
            "bots[].dir" | "rules[].dir" => "\"/no/such/folder\"",
            "rules" => "[\"no such program\"]",
            "rules[].command" => "\"no-such-program\"",
            "rules[].env" => "{ \"A=B\" = \"1\" }",
            "rules[].prefix" => "\"No Prefix\"",
            "bots[].env" => "{ \"A=B\" = \"1\" }",
            "opening.book" => "\"/no/such/book\"",
            "opening.balanced" => "0.7",
            "time.reference" | "bots[].time.reference" => "0.0",
            "machine.max_stolen" | "machine.max_waiting" | "workers.recheck" => "1.5",
            "sprt.alpha" | "sprt.beta" | "adjudicate.play_out" => "1.5",
            "adjudicate.resign.value" | "adjudicate.draw.value" => "0.5",
            "sprt.elo0" => "30.0",
            "sprt.elo1" => "-5.0",
            // A sandbox that hides files needs them to exist; it has a test of its own.
            "readable" | "bots[].readable" | "submissions.readable" => return None,
            "submissions.variables" => "[\"no name\"]",
            "bots[].submission" => "\"no digest\"",
            "bots[].games" => "[\"no such game\"]",
            _ if kind.starts_with("whole number") => "-7",
            _ if kind.starts_with("duration") => "\"7 parsecs\"",
            _ if kind.starts_with("size") => "\"much\"",
            _ if kind.starts_with('"') => "\"no such word\"",
            _ if kind == "table" || kind == "true or false" => return None,
            _ => panic!("a wrong value for {key} ({kind})"),
        })
    }

    /// A part that a message about this key and line lacks; `None` if it is complete.
    fn unsaid(key: &str, line: usize, error: &str) -> Option<&'static str> {
        const HINTS: [&str; 12] = [
            " is not ",
            "must be",
            "needed",
            "needs",
            "at least",
            "at most",
            "there is no",
            "cannot",
            "did you mean",
            "no such",
            " is no ",
            "known are",
        ];
        let in_table = key.rsplit("[].").next().unwrap();
        let named = [
            format!("`{}", key.replace("[]", "")),
            format!("`{in_table}"),
        ];
        // Either of the two may be wrong.
        let of_two = key.starts_with("sprt.elo") && error.contains("`sprt.elo1`");
        if !of_two && !named.iter().any(|key| error.contains(key)) {
            Some("the key")
        } else if !HINTS.iter().any(|hint| error.contains(hint)) {
            Some("what is allowed")
        } else if !of_two && !error.starts_with(&format!("line {line}: ")) {
            Some("the line")
        } else if error.lines().count() != 1 {
            Some("all of it in one line")
        } else {
            None
        }
    }

    #[test]
    fn every_key_is_named_with_its_line_and_what_is_allowed() {
        let mut wrong = Vec::new();
        for schema::Key { key, kind, .. } in schema::keys() {
            // No key is a date; the options of a game are checked by the game.
            let wrong_type = (key != "games[].options").then_some("1979-05-27");
            let values = [wrong_type, wrong_value(&key, &kind)];
            for value in values.into_iter().flatten() {
                let (text, line) = with_value(&key, value);
                match Config::parse(&text, Path::new("/")) {
                    Ok(_) => wrong.push(format!("{key} = {value} is allowed")),
                    Err(error) => wrong.extend(
                        unsaid(&key, line, &error.to_string())
                            .map(|what| format!("{key} = {value}: {what} is missing: {error}")),
                    ),
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn values_are_corrected() {
        for (line, expected) in [
            (
                "rounds = \"3\"",
                "\"3\" is not a whole number from 1 on; write 3 without quotes",
            ),
            ("best_effort = \"yes\"", "\"yes\" is not true or false"),
            (
                "sandbox = \"strct\"",
                "\"restricted\", \"strict\"; did you mean \"strict\"?",
            ),
            (
                "rounds = 5000000000",
                "5000000000 is not a whole number from 1 to 4294967295",
            ),
            (
                "readable = \"x\"",
                "\"x\" is not a list of strings; write a list: [\"x\"]",
            ),
            ("rounds = 1\nrounds = 2", "line 4: `rounds` is given twice"),
        ] {
            let problem = problem(line);
            assert!(problem.contains(expected), "`{expected}` in `{problem}`");
        }
        let game = problem("").replace("none", "");
        assert_eq!(game, "");
    }

    #[test]
    fn mistakes_in_commands_are_found_before_anything_is_played() {
        let problem = |bot: &str| {
            let text = format!("name = \"t\"\ngames = [\"run\"]\n[[bots]]\nname = \"a\"\n{bot}\n");
            let problem = Config::parse(&text, Path::new("/"));
            problem.map_or_else(|error| error.to_string(), |_| "none".to_owned())
        };
        for (bot, part) in [
            (
                "command = \"referee bot nobody\"",
                "line 5: bot `a`: `command`: unknown bot",
            ),
            (
                "command = \"referee bot mcts --level 33\"",
                "33 is not in 1..=10",
            ),
            (
                "command = \"referee bot random --level 3\"",
                "means nothing",
            ),
            (
                "command = \"sh no-such-script.sh\"",
                "there is no script `no-such-script.sh`",
            ),
            (
                "command = \"sh\"\nsandbox = \"strict\"\nreadable = [\"/no/such\"]",
                "line 7: bot `a`: `readable`: there is no file or folder `/no/such`",
            ),
            (
                "command = \"sh\"\nsandbox = \"none\"\nresources.memory = \"1GiB\"",
                "line 7: bot `a`: `resources.memory`: the sandbox \"none\" cannot enforce this",
            ),
            (
                "command = \"sh\"\nsandbox = \"strict\"\nbuild = \"make\"",
                "line 7: bot `a`: `build`: in the sandbox `strict` a build writes to the bot's folder",
            ),
            (
                "command = \"sh\"\nenv = { A = 3 }",
                "line 6: `bots.env.A`: 3 is not a string; write \"3\"",
            ),
        ] {
            let problem = problem(bot);
            assert!(problem.contains(part), "`{part}` in `{problem}`");
        }
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

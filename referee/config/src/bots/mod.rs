//! Bots of a configuration: names, commands, environment, limits.

pub(crate) mod bot_places;
pub(crate) mod build;
pub mod command_check;
mod recorded;
pub(crate) mod untrusted;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bundle::Unpacked;
use protocol::TimeControl;
use rules::RulesSet;
use schedule::FormatName;

use crate::bots::bot_places::BotPlaces;
use crate::bots::build::{BuildPlan, Quota};
use crate::bots::untrusted::Allowed;
use crate::error::{Diagnostic, Problem};
use crate::reading::submissions::BOT_FILE;
use crate::reading::variables::{expand, split};
use crate::settings::ggp;
use crate::settings::time::time_control;
use crate::tables::{BotCommand, BotTable, ConfigFile, GameEntry};
use supervisor::spec::{self, command};
use supervisor::spec::{Resources, Tier, Wanted};
use supervisor::{BotSpec, CommandError, Idle};

pub use recorded::{RecordedBot, recorded_bot};

/// More than any tournament needs.
const MOST_BOTS: usize = 10_000;
/// Default attempts to start a bot.
const START_ATTEMPTS: u32 = 3;
/// Default time limit of a build.
const BUILD_TIMEOUT: Duration = Duration::from_secs(600);
/// In characters: longer names do not fit a table.
const LONGEST_NAME: usize = 60;

#[derive(Default)]
pub(crate) struct Bots {
    /// In the order of the configuration.
    pub(crate) specs: Vec<Arc<BotSpec>>,
    /// Their builds run in the sandboxes that they play in, at least with limits, and may write to
    /// their folders.
    pub(crate) builds: Vec<BuildPlan>,
    /// Broken submissions, by index in the configuration; `specs` has none of them.
    pub(crate) broken: Vec<(usize, Diagnostic)>,
}

/// Checks the bots; relative paths start at `folder`. Those with a bundle are played from it. With
/// `leave_out`, a broken submission is not an error of the whole.
pub(crate) fn bots(
    file: &ConfigFile,
    time: &TimeControl,
    folder: &Path,
    rules: &RulesSet,
    places: &BotPlaces,
    leave_out: bool,
) -> Result<Bots, Diagnostic> {
    let count = file.bots.len();
    if count > MOST_BOTS {
        let message = format!("these are {count} bots; at most {MOST_BOTS} are allowed");
        return Err(Diagnostic::value("bots", message));
    }
    let resources = Resources::DEFAULT.with(&file.build.resources);
    let resources = resources.map_err(|wrong| {
        Diagnostic::value(&format!("build.resources.{}", wrong.key), wrong.message)
    })?;
    let allowed = Allowed::of(file, folder)?;
    let mut bots = Bots::default();
    let mut names = HashSet::new();
    for (index, table) in file.bots.iter().enumerate() {
        let entry = Entry {
            file,
            allowed: &allowed,
            table,
            name: table.name.trim(),
            index,
            has_variables: places.have_variables(),
        };
        let made = entry.made(&mut names, time, folder, rules, places, &resources);
        match made {
            Ok((spec, plan)) => {
                bots.specs.push(Arc::new(spec));
                bots.builds.push(plan);
            }
            Err(wrong) if leave_out && entry.is_submission() && wrong.is_of_bot() => {
                bots.broken.push((index, wrong));
            }
            Err(wrong) => return Err(wrong),
        }
    }
    Ok(bots)
}

/// The trimmed name, if it fits a table.
fn name(table: &BotTable) -> Result<&str, Problem> {
    let name = table.name.trim();
    if name.is_empty() || name.contains(protocol::steers) || name.chars().count() > LONGEST_NAME {
        return Err(Problem::BotName(table.name.clone()));
    }
    Ok(name)
}

struct Entry<'a> {
    file: &'a ConfigFile,
    /// Permissions of submissions.
    allowed: &'a Allowed,
    table: &'a BotTable,
    name: &'a str,
    index: usize,
    /// True if its texts may use environment variables.
    has_variables: bool,
}

impl<'a> Entry<'a> {
    fn made(
        &self,
        names: &mut HashSet<&'a str>,
        time: &TimeControl,
        folder: &Path,
        rules: &RulesSet,
        places: &BotPlaces,
        resources: &Resources,
    ) -> Result<(BotSpec, BuildPlan), Diagnostic> {
        let wrong_name = |problem| Diagnostic::new(format!("bots.{}.name", self.index), problem);
        name(self.table).map_err(wrong_name)?;
        if names.contains(self.name) {
            return Err(wrong_name(Problem::TwoBots(self.name.to_owned())));
        }
        if let Some(digest) = &self.table.submission {
            let checked = untrusted::check_digest(digest);
            checked.map_err(|message| self.wrong("submission", message))?;
        }
        let bundle = self.bundle(places)?;
        let mut spec = match &self.table.ggp {
            Some(url) => self.elsewhere(url, time, folder)?,
            None => self.spec(time, folder, bundle)?,
        };
        let plan = self.plan(&spec, bundle, resources)?;
        if self.table.ggp.is_none() && !places.are_elsewhere() {
            self.check(&spec, bundle)?;
            untrusted::check_bounds(&spec, &plan)
                .map_err(|wrong| self.wrong(wrong.key, wrong.message))?;
        }
        spec.games = self.games(rules)?;
        rules.equip(&mut spec);
        // Only a bot that can play takes a name.
        names.insert(self.name);
        Ok((spec, plan))
    }

    fn plan(
        &self,
        bot: &BotSpec,
        bundle: Option<&Unpacked>,
        resources: &Resources,
    ) -> Result<BuildPlan, Diagnostic> {
        let Entry { file, table, .. } = *self;
        let tier = bot.wanted.tier.max(Tier::Limits);
        if table.build.is_some() && tier >= Tier::Restricted && !bot.shows_dir {
            let message = format!(
                "in the sandbox `{}` a build writes to the bot's folder only, so this bot needs a \
                 `dir` of its own",
                tier.name()
            );
            return Err(self.wrong("build", message));
        }
        if file.build.network && table.build.is_some() && tier == Tier::Restricted {
            let message = "a build in the sandbox \"restricted\" cannot have a network; it can in \"strict\" \
                           and in \"limits\"";
            return Err(Diagnostic::value("build.network", message));
        }
        let words = |key, command: &Option<BotCommand>| {
            let command = command.as_ref();
            command.map(|command| self.words(key, command)).transpose()
        };
        let build = words("build", &table.build)?;
        let setup = words("setup", &table.setup)?;
        self.check_setup(setup.as_deref(), bundle)?;
        let bot_file = bot.bot_file.as_ref().filter(|_| bundle.is_none());
        Ok(BuildPlan {
            // A bundle holds what was built before.
            command: build.filter(|_| bundle.is_none()),
            setup,
            bundle: bundle.cloned(),
            in_place: table.in_place,
            timeout: file.build.timeout.map_or(BUILD_TIMEOUT, |time| time.0),
            quota: Quota::of(&file.build),
            wanted: Wanted {
                tier,
                resources: resources.clone(),
                readable: bot.wanted.readable.clone(),
                writable: vec![bot.dir.clone()],
                protected: bot_file
                    .map(|_| bot.dir.join(BOT_FILE))
                    .into_iter()
                    .collect(),
                network: file.build.network,
                best_effort: file.best_effort,
            },
            must_pass: table.must_pass_check,
        })
    }

    fn wrong(&self, key: &str, message: impl Into<String>) -> Diagnostic {
        let problem = Problem::Bot {
            bot: self.name.to_owned(),
            key: key.to_owned(),
            message: message.into(),
        };
        Diagnostic::new(format!("bots.{}.{key}", self.index), problem)
    }

    /// The bundle that the bot is played from. If there are bundles, every bot with a folder of its
    /// own has one, unless the folder exists on all machines.
    fn bundle<'b>(&self, places: &'b BotPlaces) -> Result<Option<&'b Unpacked>, Diagnostic> {
        let is_here = self.table.ggp.is_none() && !self.table.in_place;
        let needs_one = is_here && self.table.dir.is_some();
        let Some(bundles) = places.bundles().filter(|_| needs_one) else {
            return Ok(None);
        };
        let bundle = bundles.bots.get(self.name);
        bundle.map(Some).ok_or_else(|| {
            let message = format!(
                "there is no bundle of it in {}; `referee bundle` makes one, or `in_place = true` says \
                 that it is there on every machine",
                bundles.source
            );
            self.wrong("dir", message)
        })
    }

    /// Refuses a `setup` that would never run, or differs from the bundle's.
    fn check_setup(
        &self,
        setup: Option<&[String]>,
        bundle: Option<&Unpacked>,
    ) -> Result<(), Diagnostic> {
        if setup.is_some() && self.table.in_place {
            let message =
                "it is run where a bundle is unpacked, and a bot with `in_place = true` has none";
            return Err(self.wrong("setup", message));
        }
        if setup.is_some() && self.table.dir.is_none() {
            let message = "it is run where a bundle is unpacked, and bundles are made of a bot's `dir`, \
                           which this one does not have";
            return Err(self.wrong("setup", message));
        }
        if bundle.is_some_and(|bundle| bundle.bundle().setup.as_deref() != setup) {
            let message =
                "its bundle was made with another one; make it again with `referee bundle`";
            return Err(self.wrong("setup", message));
        }
        Ok(())
    }

    /// The games that it plays, if configured.
    fn games(&self, rules: &RulesSet) -> Result<Option<Vec<String>>, Diagnostic> {
        let Some(games) = &self.table.games else {
            return Ok(None);
        };
        if games.is_empty() {
            let message = "name at least one game, or leave it out for all that the bot knows";
            return Err(self.wrong("games", message));
        }
        for id in games {
            let known = rules.catalog.find(id);
            known.map_err(|error| self.wrong("games", error.to_string()))?;
        }
        let format = self.file.format;
        let is_fixed = matches!(format, FormatName::RoundRobin | FormatName::Gauntlet);
        let mut played = self.file.games.iter().map(GameEntry::id);
        if let Some(id) = played.find(|id| !is_fixed && !games.iter().any(|game| game == id)) {
            let message = format!(
                "`{id}` is not among them, and where later pairings depend on results (`format = \"{format}\"`) \
                 every bot has to play every game: leave out the bot or the game"
            );
            return Err(self.wrong("games", message));
        }
        Ok(Some(games.clone()))
    }

    /// A player that is not started here.
    fn elsewhere(
        &self,
        url: &str,
        time: &TimeControl,
        folder: &Path,
    ) -> Result<BotSpec, Diagnostic> {
        let own_time = self.own_time(time)?;
        ggp::spec(self.file, self.table, url, own_time, time, folder)
            .map_err(|wrong| self.wrong(wrong.key, wrong.message))
    }

    fn spec(
        &self,
        time: &TimeControl,
        folder: &Path,
        bundle: Option<&Unpacked>,
    ) -> Result<BotSpec, Diagnostic> {
        let Entry { file, table, .. } = *self;
        let wanted = self.wanted(folder)?;
        let own_time = self.own_time(time)?;
        let command = table.command.as_ref();
        let command = command.ok_or_else(|| {
            let message = format!(
                "missing field `command` (or `ggp`) of the bot `{}`",
                self.name
            );
            Diagnostic::new(format!("bots.{}", self.index), Problem::Syntax(message))
        })?;
        if table.scramble {
            return Err(self.wrong(
                "scramble",
                "it needs `ggp`: only sheets have names to replace",
            ));
        }
        let dir = match (&table.dir, bundle) {
            (_, Some(bundle)) => bundle.dir(),
            (Some(dir), None) => folder.join(self.dir(dir)?),
            (None, None) => folder.to_owned(),
        };
        let start_attempts = table.start_attempts.or(file.start_attempts);
        let dir = spec::resolved(dir);
        let spec = BotSpec {
            name: self.name.to_owned(),
            command: self.words("command", command)?,
            bot_file: self.table.submission.clone(),
            bounds: self.is_submission().then(|| self.allowed.bounds(&dir)),
            dir,
            bundle: bundle.map(|bundle| bundle.bundle().sha256.to_string()),
            shows_dir: table.dir.is_some(),
            env: self.environment()?,
            own_time: own_time.is_some(),
            time: own_time.unwrap_or_else(|| time.clone()),
            restart: table.restart.unwrap_or(file.restart),
            start_attempts: start_attempts.unwrap_or(START_ATTEMPTS),
            idle: file.idle.unwrap_or(match wanted.tier {
                Tier::None => Idle::Run,
                _ => Idle::Freeze,
            }),
            wanted,
            games: None,
            ggp: None,
        };
        Ok(spec)
    }

    /// Checks that the bot can be started on this machine.
    fn check(&self, spec: &BotSpec, bundle: Option<&Unpacked>) -> Result<(), Diagnostic> {
        let table = self.table;
        self.check_readable(&spec.wanted)?;
        // Files may appear, or be repaired, by a build, a setup or before a check.
        let is_made = match bundle {
            Some(bundle) => !bundle.is_set_up(),
            None => table.build.is_some(),
        };
        if !is_made && !table.must_pass_check {
            spec.program()
                .map_err(|error| self.wrong_command("command", error))?;
            command_check::check(spec).map_err(|message| self.wrong("command", message))?;
        }
        Ok(())
    }

    /// Checks that the paths a sandbox has to show exist.
    fn check_readable(&self, wanted: &Wanted) -> Result<(), Diagnostic> {
        let mut readable = wanted.readable.iter().enumerate();
        let missing = readable.find(|(_, path)| !path.exists());
        let Some((at, path)) = missing.filter(|_| wanted.tier >= Tier::Restricted) else {
            return Ok(());
        };
        let message = format!("there is no file or folder `{}`", path.display());
        // Paths for all bots come first.
        if at < self.file.readable.len() {
            Err(Diagnostic::value("readable", message))
        } else {
            Err(self.wrong("readable", message))
        }
    }

    fn own_time(&self, time: &TimeControl) -> Result<Option<TimeControl>, Diagnostic> {
        let own = self.table.time.as_ref();
        let own = own.map(|own| time_control(own, self.file.clock, Some(time)));
        own.transpose()
            .map_err(|wrong| self.wrong(&format!("time.{}", wrong.key), wrong.message))
    }

    fn wrong_command(&self, key: &'static str, error: CommandError) -> Diagnostic {
        let key = match &error {
            CommandError::NoDirectory(_) => "dir",
            CommandError::Variable(_) | CommandError::Nul { key: "env", .. } => "env",
            _ => key,
        };
        let bot = self.name.to_owned();
        let at = format!("bots.{}.{key}", self.index);
        Diagnostic::new(at, Problem::Command { bot, key, error })
    }

    /// Program and arguments.
    fn words(&self, key: &'static str, command: &BotCommand) -> Result<Vec<String>, Diagnostic> {
        let words = match command {
            BotCommand::Words(words) => words.clone(),
            // Split first: the value of a variable is never split.
            BotCommand::Line(line) => {
                split(line, command::split).map_err(|error| self.wrong_command(key, error))?
            }
        };
        let words = words.iter();
        words.map(|word| self.with_variables(key, word)).collect()
    }

    /// Variables that are added to the bot's environment.
    fn environment(&self) -> Result<BTreeMap<String, String>, Diagnostic> {
        let env = self.table.env.iter().map(|(variable, text)| {
            let text = self.with_variables("env", text)?;
            Ok((variable.clone(), text))
        });
        env.collect()
    }

    /// True if the bot comes from `bots_from`.
    fn is_submission(&self) -> bool {
        self.table.submission.is_some()
    }

    /// Expands environment variables.
    fn with_variables(&self, key: &'static str, text: &str) -> Result<String, Diagnostic> {
        if self.is_submission() {
            let checked = self.allowed.check_variables(text);
            checked.map_err(|message| self.wrong(key, message))?;
        }
        self.expanded(key, text)
    }

    /// The working directory. A submission's is the folder where it was found.
    fn dir(&self, dir: &Path) -> Result<String, Diagnostic> {
        self.expanded("dir", &dir.to_string_lossy())
    }

    fn expanded(&self, key: &'static str, text: &str) -> Result<String, Diagnostic> {
        let value = |name: &str| std::env::var(name).ok().filter(|_| self.has_variables);
        expand(text, value).map_err(|name| {
            let bot = self.name.to_owned();
            let at = format!("bots.{}.{key}", self.index);
            Diagnostic::new(at, Problem::Variable { bot, key, name })
        })
    }

    /// The bot's own permissions and limits on top of the tournament's.
    fn wanted(&self, folder: &Path) -> Result<Wanted, Diagnostic> {
        let Entry { file, table, .. } = *self;
        let (own, all) = (
            table.resources.needs_kernel(),
            file.resources.needs_kernel(),
        );
        let given = table.sandbox.or(file.sandbox);
        if given == Some(Tier::None) {
            let message = "the sandbox \"none\" cannot enforce this; use `sandbox = \"limits\"` \
                           or stricter, or leave out `sandbox`";
            if let Some(key) = own {
                return Err(self.wrong(&format!("resources.{key}"), message));
            }
            if let Some(key) = all {
                return Err(Diagnostic::value(&format!("resources.{key}"), message));
            }
        }
        let implied = if own.or(all).is_some() {
            Tier::Limits
        } else {
            Tier::None
        };
        let tier = given.unwrap_or(implied);
        let resources = Resources::DEFAULT.with(&file.resources).map_err(|wrong| {
            Diagnostic::value(&format!("resources.{}", wrong.key), wrong.message)
        })?;
        let resources = resources
            .with(&table.resources)
            .map_err(|wrong| self.wrong(&format!("resources.{}", wrong.key), wrong.message))?;
        let readable = file.readable.iter().chain(&table.readable);
        Ok(Wanted {
            tier,
            resources,
            readable: readable.map(|path| folder.join(path)).collect(),
            writable: Vec::new(),
            protected: Vec::new(),
            network: false,
            best_effort: file.best_effort,
        })
    }
}

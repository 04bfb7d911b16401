//! `referee check`: tests whether bots and rules follow the protocol.

use std::path::{Path, PathBuf};
use std::time::Instant;

use check::rules_check::{self, RulesExtent, Subjects};
use check::{self, Check, CheckOutcome, CheckReport, Extent, Lab, Selection};
use clap::ValueEnum;
use config::{Config, LeftOut, Time};
use games::kit::text::nearest;
use protocol::TimeControl;
use report::{checks, print_notice};
use supervisor::{BotSpec, Tracer};
use tournament::admission;

use crate::cli::common::args::{RulesArgs, find, open_others};
use crate::cli::common::format::print_json;
use crate::cli::tools::examples::configuration;
use crate::cli::{CliError, block_on, check_resources, on_interrupt, print};

/// Checks whether a bot or a rules program follows the protocol
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee check -- python3 mybot.py
  referee check --game siam --format junit -- ./mybot > check.xml
  referee check --only match/ --only time/ --trace traces -- ./mybot
  referee check --config class.toml --bot anna
  referee check --rules \"python3 my_game.py\"
  referee check --list

Exit codes: 0 all checks passed, 3 at least one did not.")]
pub(crate) struct Args {
    /// The bot: its program and arguments
    #[arg(
        trailing_var_arg = true,
        value_name = "COMMAND",
        required_unless_present_any = ["list", "config", "rules"]
    )]
    command: Vec<String>,
    /// Check the bots of this configuration, built and run exactly as the tournament would, with its
    /// games
    #[arg(long, value_name = "FILE", conflicts_with_all = ["command", "dir", "list"])]
    config: Option<PathBuf>,
    /// Only this bot of the configuration; may be given several times
    #[arg(long = "bot", value_name = "NAME", requires = "config", conflicts_with_all = ["command", "dir", "list"])]
    bots: Vec<String>,
    #[command(flatten)]
    rules: RulesArgs,
    /// Without a bot, check the rules themselves: compare each answer with these other rules, by games
    /// of the same id without its prefix, or the only games of both
    #[arg(long, value_name = "SOURCE", requires = "rules", conflicts_with_all = ["command", "config"])]
    against: Option<String>,
    /// Without a bot: the number of random games of each game
    #[arg(long = "games", value_name = "N", default_value_t = 10, requires = "rules",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    random_games: u32,
    /// Only this game, by default every game that the bot plays; may be given several times
    #[arg(long = "game", value_name = "ID")]
    games: Vec<String>,
    /// Only checks whose names begin like this (and the handshake); may be given several times
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// The limit on a move; only the checks `time/` enforce it
    #[arg(
        long,
        value_name = "TIME",
        allow_hyphen_values = true,
        default_value = "100ms"
    )]
    time: Time,
    /// Tolerance on top of it
    #[arg(
        long,
        value_name = "TIME",
        allow_hyphen_values = true,
        default_value = "50ms"
    )]
    margin: Time,
    /// Longest time for any other answer
    #[arg(
        long,
        value_name = "TIME",
        allow_hyphen_values = true,
        default_value = "10s"
    )]
    startup: Time,
    /// The seed of positions and of the other players' moves
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Approximate number of the bot's moves in each match
    #[arg(long, value_name = "N", default_value_t = 4,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    turns: u32,
    /// Number of positions of each game that the bot is asked about
    #[arg(long, value_name = "N", default_value_t = 4,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    positions: u32,
    /// The bot's working directory [default: the current one]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Write every line in both directions, with times: one file per process in this folder, or one
    /// file if the path has an extension
    #[arg(long, value_name = "PATH")]
    trace: Option<PathBuf>,
    /// Output format of the result
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
    /// Print the names of all checks, with a description of each
    #[arg(long, conflicts_with_all = ["command", "trace", "dir"])]
    list: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// Test Anything Protocol
    Tap,
    /// XML as JUnit writes it
    Junit,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        if self.rules.are_given() && self.command.is_empty() && self.config.is_none() {
            return self.check_rules();
        }
        let set = self.rules.open()?;
        if self.config.is_none() {
            for game in &self.games {
                find(&set.catalog, game)?;
            }
        }
        let selection = Selection {
            games: self.games.clone(),
            catalog: set.catalog.clone(),
            only: self.only.clone(),
        };
        let handshake = Check::handshake();
        let mut all = check::checks(&selection.variants());
        all.retain(|check| selection.has(&check.name));
        if all.is_empty() && !selection.has(&handshake.name) {
            let only = self.only.join("`, `");
            let message = format!("--only: no check's name begins with `{only}`; see --list");
            return Err(CliError::Usage(message));
        }
        if self.list {
            let all = std::iter::once(&handshake).chain(&all);
            let line = |name: &str, about: &str| format!("{name:26} {about}\n");
            return print(
                &all.map(|check| line(&check.name, check.about))
                    .collect::<String>(),
            );
        }
        let began = Instant::now();
        let tracer = self.trace.as_deref().map(Tracer::new).transpose()?;
        let reports = match &self.config {
            Some(path) => block_on(self.check_config(path, tracer))??,
            None => block_on(self.check(self.spec()?, self.extent(), &selection, "", tracer))??,
        };
        self.conclude(&reports, began)
    }

    /// Prints what comes after all checks; fails if one of them failed.
    fn conclude(&self, reports: &[CheckReport], began: Instant) -> Result<(), CliError> {
        check_resources()?;
        self.print(reports, began)?;
        let counts = checks::count(reports);
        match counts.failed {
            0 if counts.passed == 0 => {
                let what = "nothing was checked: there is no game, or no check of such a name";
                Err(CliError::Verify(what.to_owned()))
            }
            0 => Ok(()),
            n => {
                let all = reports.len();
                Err(CliError::Verify(format!("{n} of {all} checks failed")))
            }
        }
    }

    fn spec(&self) -> Result<BotSpec, CliError> {
        let here = std::env::current_dir()?;
        let dir = self.dir.as_ref().map_or(here.clone(), |dir| here.join(dir));
        let (name, command) = ("mybot".to_owned(), self.command.clone());
        Ok(BotSpec::new(name, command, dir, &TimeControl::default()))
    }

    /// Checks the rules themselves.
    fn check_rules(&self) -> Result<(), CliError> {
        if self.list {
            let line = |(name, about)| format!("{name:26} {about}\n");
            return print(&rules_check::list().map(line).collect::<String>());
        }
        let against = self.against.as_deref().map(open_others);
        let subjects = Subjects {
            rules: self.rules.open()?,
            twin: self.rules.open()?,
            against: against.transpose()?,
        };
        for game in &self.games {
            find(&subjects.rules.catalog, game)?;
        }
        for sheet in subjects.rules.sheets() {
            for note in &sheet.report.notes {
                print_notice(format_args!("{}: note: {note}\n", sheet.file));
            }
        }
        let extent = RulesExtent {
            games: self.random_games,
            seed: self.seed,
        };
        let began = Instant::now();
        let mut reports = Vec::new();
        rules_check::run(&subjects, &self.games, extent, |report| {
            // The reader may have seen enough; the exit code still matters.
            let _ = self.print_report(&report);
            reports.push(report);
        });
        self.conclude(&reports, began)
    }

    fn extent(&self) -> Extent {
        Extent {
            time: self.time.0,
            answer_limit: self.startup.0,
            margin: self.margin.0,
            seed: self.seed,
            turns: self.turns,
            positions: self.positions,
        }
    }

    /// Checks the bots of a configuration; the bot's name comes before those of the checks.
    async fn check_config(
        &self,
        path: &Path,
        tracer: Option<Tracer>,
    ) -> Result<Vec<CheckReport>, CliError> {
        let config = Config::load(&configuration(path)?)?;
        let names = config.bots.iter().map(|bot| &*bot.name);
        let left_out = config
            .admission
            .left_out
            .iter()
            .map(|left_out| &*left_out.bot);
        let names: Vec<&str> = names.chain(left_out).collect();
        if let Some(unknown) = self.bots.iter().find(|bot| !names.contains(&&***bot)) {
            let near = nearest(unknown, &names);
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            let message = format!("--bot: there is no bot `{unknown}` in the configuration{near}");
            return Err(CliError::Usage(message));
        }
        let mut selection = admission::selection(&config, &[]);
        selection.only.clone_from(&self.only);
        for game in &self.games {
            find(&selection.catalog, game)?;
        }
        if !self.games.is_empty() {
            selection.games.clone_from(&self.games);
        }
        let mut reports = Vec::new();
        let is_meant = |bot: &String| self.bots.is_empty() || self.bots.contains(bot);
        // Folders without a bot only on request.
        let is_asked =
            |it: &&LeftOut| is_meant(&it.bot) && !(it.is_missing && self.bots.is_empty());
        for left_out in config.admission.left_out.iter().filter(is_asked) {
            let (label, why) = (format!("{}: ", left_out.bot), left_out.why.clone());
            let report = check::left_out(&label, why, left_out.advice.clone());
            self.print_report(&report)?;
            reports.push(report);
        }
        for (spec, build) in config.bots.iter().zip(&config.admission.builds) {
            if !is_meant(&spec.name) {
                continue;
            }
            let label = format!("{}: ", spec.name);
            let built = admission::built_for(&config, spec, build, |line| {
                print_notice(format_args!("{line}\n"));
            });
            if let Err(why) = built.await? {
                let report = check::not_built(&label, why);
                self.print_report(&report)?;
                reports.push(report);
                continue;
            }
            let extent = Extent {
                seed: self.seed,
                turns: self.turns,
                positions: self.positions,
                ..admission::extent(spec)
            };
            let spec = BotSpec::clone(spec);
            let checked = self.check(spec, extent, &selection, &label, tracer.clone());
            reports.extend(checked.await?);
        }
        Ok(reports)
    }

    async fn check(
        &self,
        spec: BotSpec,
        extent: Extent,
        selection: &Selection,
        label: &str,
        tracer: Option<Tracer>,
    ) -> Result<Vec<CheckReport>, CliError> {
        let mut reports = Vec::new();
        let mut take = |mut report: CheckReport| {
            report.name.insert_str(0, label);
            // The reader may have seen enough; the exit code still matters.
            let _ = self.print_report(&report);
            reports.push(report);
        };
        let mut stop = on_interrupt()?;
        if let Some(player) = &spec.ggp {
            tokio::select! {
                () = check::ggp::run(&spec, player, selection, extent, take) => {}
                _ = stop.wait_for(|stop| *stop) => return Err(CliError::Interrupted),
            }
            return Ok(reports);
        }
        if let Err(error) = spec.program() {
            take(check::unstartable(&error));
            return Ok(reports);
        }
        let lab = Lab::new(spec, extent, tracer)?;
        tokio::select! {
            () = check::run(&lab, selection, take) => {}
            _ = stop.wait_for(|stop| *stop) => return Err(CliError::Interrupted),
        }
        Ok(reports)
    }

    /// The checked command or configuration, for programs.
    fn subject(&self) -> Vec<String> {
        match &self.config {
            Some(path) => vec!["--config".to_owned(), path.display().to_string()],
            None => self.command.clone(),
        }
    }

    /// For people, each check as soon as it is done; skipped ones are counted at the end.
    fn print_report(&self, report: &CheckReport) -> Result<(), CliError> {
        let skipped = matches!(report.outcome, CheckOutcome::Skipped(_));
        match self.format {
            ReportFormat::Text if !skipped => print(&checks::text(report)),
            _ => Ok(()),
        }
    }

    fn print(&self, reports: &[CheckReport], began: Instant) -> Result<(), CliError> {
        match self.format {
            ReportFormat::Text => {
                let mut skipped = reports.iter().filter_map(|report| match &report.outcome {
                    CheckOutcome::Skipped(why) => Some(why),
                    _ => None,
                });
                if let Some(why) = skipped.next() {
                    print(&format!("the other checks were not tried: {why}\n"))?;
                }
                print(&checks::summary(checks::count(reports), began.elapsed()))
            }
            ReportFormat::Json => print_json(&checks::to_json(&self.subject(), reports)),
            ReportFormat::Tap => print(&checks::tap(reports)),
            ReportFormat::Junit => {
                let command = shell_words::join(self.subject());
                let xml = checks::junit(&command, reports).map_err(std::io::Error::other)?;
                print(&format!("{xml}\n"))
            }
        }
    }
}

//! The tournament configuration: TOML in, checked values out.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use games::{Limits, Rules};
use protocol::{ClockKind, Conditions, Millis, TimeControl};
use serde_json::Value;

use super::config_error::{ConfigError, Problem};
pub use super::config_file::{Affinity, Limit, Time};
use super::config_file::{
    BotTable, Command, Concurrency, ConfigFile, GameEntry, GameTable, LimitsTable, TimeTable,
};
use super::config_keys;
use super::cores;
use super::schedule;
use crate::bot::cage::limits::{Resources, Sandbox, Wanted};
use crate::bot::cage::tells_cpu_time;
use crate::bot::spec::{self, BotSpec, Idle};

/// The limit on a move where the configuration limits nothing.
const DEFAULT_PER_MOVE: Duration = Duration::from_secs(1);
const DEFAULT_STARTUP: Duration = Duration::from_secs(10);
const DEFAULT_MARGIN: Duration = Duration::from_millis(50);
/// No tournament has more matches: the schedule is held in memory, and ids have six digits.
const MOST_MATCHES: u64 = 999_999;
/// No opening is longer: it would be the whole game.
pub const MOST_RANDOM_PLIES: u32 = 1000;

/// A game as a tournament plays it.
#[derive(Clone)]
pub struct GameSetup {
    /// The rules under their options.
    pub rules: Arc<dyn Rules>,
    /// What ends matches besides the game.
    pub limits: Limits,
}

/// A checked configuration.
pub struct Config {
    /// The tournament's name.
    pub name: String,
    /// What all randomness of the referee is made from.
    pub seed: u64,
    /// How often every pairing is played in every seat order.
    pub rounds: u32,
    /// How many matches run at a time.
    pub concurrency: usize,
    /// What is played.
    pub games: Vec<GameSetup>,
    /// Who plays.
    pub bots: Vec<Arc<BotSpec>>,
    /// The time control of bots that have none of their own.
    pub time: TimeControl,
    /// What bots do while it is not their turn.
    pub idle: Idle,
    /// Whether each slot and its bots keep to one core; never `Auto`.
    pub affinity: Affinity,
    /// How many random plies the referee makes at the beginning of each match.
    pub random_plies: u32,
    /// The file's text.
    pub text: String,
}

impl Config {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// If it cannot be read, or anything in it is wrong: the first thing that is.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let at = |problem| ConfigError::new(path, problem);
        let text = fs::read_to_string(path).map_err(|error| at(Problem::Read(error)))?;
        let folder = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let folder = fs::canonicalize(folder).map_err(|error| at(Problem::Read(error)))?;
        Self::parse(&text, &folder).map_err(at)
    }

    /// Checks the text of a configuration; relative paths start at `folder`.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, Problem> {
        config_keys::check(text)?;
        let file: ConfigFile = toml::from_str(text).map_err(|error| Problem::Syntax {
            line: error
                .span()
                .map(|span| config_keys::line_of(text, span.start)),
            message: error.message().lines().collect::<Vec<_>>().join(", "),
        })?;
        let time = time_control(&file.time, file.clock, None).map_err(Problem::Time)?;
        let games = file
            .games
            .iter()
            .map(|entry| game(entry, &file.limits))
            .collect::<Result<Vec<_>, _>>()?;
        let bots = bots(&file, &time, folder)?;
        let config = Config {
            name: file.name,
            seed: file.seed,
            rounds: file.rounds,
            concurrency: match file.concurrency {
                Concurrency::Number(n) => n as usize,
                Concurrency::Auto(_) => std::thread::available_parallelism().map_or(1, |n| n.get()),
            },
            games,
            bots,
            time,
            idle: file.idle,
            affinity: match file.affinity {
                Affinity::Auto if cores::CAN_CHOOSE => Affinity::Cores,
                Affinity::Auto => Affinity::Off,
                given => given,
            },
            random_plies: file.opening.random_plies,
            text: text.to_owned(),
        };
        config.check()?;
        Ok(config)
    }

    /// Whether no bot can reach the tournament's folder.
    pub fn all_strict(&self) -> bool {
        let mut bots = self.bots.iter();
        bots.all(|bot| bot.wanted.sandbox == Sandbox::Strict && !bot.wanted.best_effort)
    }

    /// How matches are run, for the log.
    pub fn conditions(&self) -> Conditions {
        Conditions {
            idle: match self.idle {
                Idle::Run => "run",
                Idle::Freeze => "freeze",
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
        let require = |holds: bool, key: &'static str, message: &str| match holds {
            true => Ok(()),
            false => Err(Problem::Value {
                key,
                message: message.to_owned(),
            }),
        };
        require(
            !self.name.trim().is_empty(),
            "name",
            "a tournament needs a name",
        )?;
        require(self.rounds >= 1, "rounds", "at least 1 round is needed")?;
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
        for game in &self.games {
            let (seats, id) = (game.rules.seats(), game.rules.info().id);
            let message = format!(
                "{id} has {seats} seats but only {} bots are there",
                self.bots.len()
            );
            require(self.bots.len() >= seats, "bots", &message)?;
        }
        let plies = format!("at most {MOST_RANDOM_PLIES} plies are allowed");
        require(
            self.random_plies <= MOST_RANDOM_PLIES,
            "opening.random_plies",
            &plies,
        )?;
        let by_cpu = self.time.clock == ClockKind::Cpu;
        require(
            !by_cpu || tells_cpu_time(),
            "clock",
            "this machine does not tell the CPU time of processes, only \"wall\" is possible",
        )?;
        require(
            self.affinity != Affinity::Cores || cores::CAN_CHOOSE,
            "affinity",
            "this system does not let processes choose their cores, only \"off\" is possible",
        )?;
        let seats: Vec<usize> = self.games.iter().map(|game| game.rules.seats()).collect();
        let matches = schedule::count(&seats, self.bots.len(), self.rounds);
        let message = format!("these are {matches} matches; at most {MOST_MATCHES} are allowed");
        require(matches <= MOST_MATCHES, "rounds", &message)
    }
}

fn game(entry: &GameEntry, limits: &LimitsTable) -> Result<GameSetup, Problem> {
    let whole;
    let table = match entry {
        GameEntry::Table(table) => table,
        GameEntry::Id(id) => {
            whole = GameTable {
                id: id.clone(),
                options: Value::Null,
                limits: LimitsTable::default(),
            };
            &whole
        }
    };
    let game = games::find(&table.id).ok_or_else(|| Problem::UnknownGame(table.id.clone()))?;
    let rules = game.configure(&table.options).map_err(Problem::Option)?;
    let mut effective = game.info.limits;
    for table in [limits, &table.limits] {
        if let Some(limit) = table.max_plies {
            effective.max_plies = limit.0;
        }
        if let Some(limit) = table.repetition {
            effective.repetition = limit.0;
        }
    }
    Ok(GameSetup {
        rules,
        limits: effective,
    })
}

fn bots(
    file: &ConfigFile,
    time: &TimeControl,
    folder: &Path,
) -> Result<Vec<Arc<BotSpec>>, Problem> {
    let mut bots: Vec<Arc<BotSpec>> = Vec::new();
    for entry in &file.bots {
        let name = entry.name.trim();
        if name.is_empty() || name.chars().any(char::is_control) || name.chars().count() > 60 {
            return Err(Problem::BotName(entry.name.clone()));
        }
        if bots.iter().any(|bot| bot.name == name) {
            return Err(Problem::TwoBots(name.to_owned()));
        }
        let of_bot = |error| Problem::Command {
            bot: name.to_owned(),
            error,
        };
        let command = match &entry.command {
            Command::Words(words) => words.clone(),
            Command::Line(line) => spec::split(line).map_err(of_bot)?,
        };
        let spec = BotSpec {
            name: name.to_owned(),
            command,
            dir: entry
                .dir
                .as_ref()
                .map_or(folder.to_owned(), |dir| folder.join(dir)),
            env: entry.env.clone(),
            time: match &entry.time {
                Some(own) => time_control(own, file.clock, Some(time)).map_err(|message| {
                    Problem::BotTime {
                        bot: name.to_owned(),
                        message,
                    }
                })?,
                None => time.clone(),
            },
            own_time: entry.time.is_some(),
            restart: entry.restart.unwrap_or(file.restart),
            idle: file.idle,
            wanted: wanted(file, entry, folder).map_err(|message| Problem::Bot {
                bot: name.to_owned(),
                message,
            })?,
        };
        spec.program().map_err(of_bot)?;
        bots.push(Arc::new(spec));
    }
    Ok(bots)
}

/// What a bot may do and use: its own tables over those of the tournament.
fn wanted(file: &ConfigFile, entry: &BotTable, folder: &Path) -> Result<Wanted, String> {
    let needs_kernel = file.resources.needs_kernel() || entry.resources.needs_kernel();
    let given = entry.sandbox.or(file.sandbox);
    if needs_kernel && given == Some(Sandbox::None) {
        return Err("`resources` has limits that need `sandbox = \"limits\"`".to_owned());
    }
    let implied = match needs_kernel {
        true => Sandbox::Limits,
        false => Sandbox::None,
    };
    let global = Resources::DEFAULT.with(&file.resources);
    let resources = global.and_then(|global| global.with(&entry.resources));
    let readable = file.readable.iter().chain(&entry.readable);
    Ok(Wanted {
        sandbox: given.unwrap_or(implied),
        resources: resources.map_err(|message| format!("`resources`: {message}"))?,
        readable: readable.map(|path| folder.join(path)).collect(),
        best_effort: file.best_effort,
    })
}

/// The time control of a table, over another one or over the defaults.
fn time_control(
    table: &TimeTable,
    clock: ClockKind,
    over: Option<&TimeControl>,
) -> Result<TimeControl, String> {
    let millis = |given: Option<Time>| given.map(|time| Millis(time.0));
    let base = over.cloned().unwrap_or(TimeControl {
        startup: Millis(DEFAULT_STARTUP),
        margin: Millis(DEFAULT_MARGIN),
        ..TimeControl::default()
    });
    let mut control = TimeControl {
        per_move: millis(table.per_move).or(base.per_move),
        base: millis(table.base).or(base.base),
        increment: millis(table.increment).or(base.increment),
        startup: millis(table.startup).unwrap_or(base.startup),
        margin: millis(table.margin).unwrap_or(base.margin),
        clock,
        wall: millis(table.wall).or(base.wall),
    };
    if control.wall.is_some() && clock == ClockKind::Wall {
        return Err(
            "`wall` needs `clock = \"cpu\"`: it stands behind a limit of CPU time".to_owned(),
        );
    }
    if control.increment.is_some() && control.base.is_none() {
        return Err("`increment` needs a `base` that it is added to".to_owned());
    }
    for (key, time) in [
        ("per_move", control.per_move),
        ("base", control.base),
        ("wall", control.wall),
    ] {
        if time.is_some_and(|time| time.0.is_zero()) {
            return Err(format!("`{key}` must be longer than nothing"));
        }
    }
    if control.per_move.is_none() && control.base.is_none() {
        control.per_move = Some(Millis(DEFAULT_PER_MOVE));
    }
    Ok(control)
}

/// The time control of a command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeFlags {
    /// For each move.
    pub per_move: Option<Time>,
    /// For all moves together.
    pub base: Option<Time>,
    /// Added to `base` after each move.
    pub increment: Option<Time>,
}

impl TimeFlags {
    /// The time control, with the same defaults as in configurations.
    ///
    /// # Errors
    /// If the flags do not go together.
    pub fn control(self) -> Result<TimeControl, String> {
        let table = TimeTable {
            per_move: self.per_move,
            base: self.base,
            increment: self.increment,
            ..TimeTable::default()
        };
        time_control(&table, ClockKind::Wall, None)
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

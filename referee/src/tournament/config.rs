//! The tournament configuration: TOML in, checked values out.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use games::{Limits, Rules};
use protocol::{ClockKind, Conditions, Millis, TimeControl};
use serde_json::Value;
use supervisor::bot::command;
use supervisor::bot::spec;
use supervisor::process::process_tree::measures_cpu_time;
use supervisor::sandbox::limits::{Resources, Size, Tier, Wanted};
use supervisor::{BotSpec, Idle};

use super::book;
use super::config_error::{ConfigError, Problem};
pub use super::config_file::{Affinity, Limit, Time};
use super::config_file::{
    BotTable, Command, Concurrency, ConfigFile, GameEntry, GameTable, KeepTable, LimitsTable,
    OpeningTable, TimeTable,
};
use super::config_format;
use super::config_keys;
use super::config_layers::{self, Misfit};
use super::config_spans::line_of;
use super::config_variables::{expand, split};
use super::cores;
use super::opening::Openings;
use super::schedule::{Format, GameShape, SeatOrders, Shape, Version};

/// The limit on a move where the configuration limits nothing.
const DEFAULT_PER_MOVE: Duration = Duration::from_secs(1);
const DEFAULT_STARTUP: Duration = Duration::from_secs(10);
const DEFAULT_MARGIN: Duration = Duration::from_millis(50);
/// More bots than anybody could let play.
const MOST_BOTS: usize = 10_000;
/// No opening is longer: it would be the whole game.
pub const MOST_RANDOM_PLIES: u32 = 1000;

/// A game as a tournament plays it.
#[derive(Clone)]
pub struct GameSetup {
    /// The rules under their options.
    pub rules: Arc<dyn Rules>,
    /// What ends matches besides the game.
    pub limits: Limits,
    /// How often it is played where a game of weight 1 is played once.
    pub weight: u32,
}

impl GameSetup {
    /// What a schedule has to know about it.
    pub(super) fn shape(&self) -> GameShape {
        GameShape {
            seats: self.rules.seats(),
            weight: self.weight,
        }
    }
}

/// How much is kept beside the log, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// About matches that bots lost by their own fault.
    pub failures: u64,
    /// Of what bots print on stderr.
    pub stderr: u64,
}

impl Keep {
    fn of(table: &KeepTable) -> Self {
        let bytes = |size: Option<Size>, default: u64| match size {
            Some(Size(bytes)) => bytes.unwrap_or(u64::MAX),
            None => default,
        };
        Keep {
            failures: bytes(table.failures, 64 << 20),
            stderr: bytes(table.stderr, 256 << 20),
        }
    }
}

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
        let layered = config_layers::load(path, sets)?;
        let folder = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let folder = fs::canonicalize(folder).map_err(|error| at(Problem::Read(error)))?;
        let file = read(&layered.text).map_err(|misfit| layered.place(misfit))?;
        Self::of(file, &layered.text, &folder).map_err(at)
    }

    /// Checks the text of a configuration, which includes no files; relative paths start at
    /// `folder`.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, Problem> {
        config_keys::check(text)?;
        let file = read(text).map_err(|misfit| Problem::Syntax {
            line: misfit.at.map(|at| line_of(text, at)),
            message: misfit.message,
        })?;
        if !file.include.is_empty() {
            return Err(Problem::Value {
                key: "include",
                message: "this text is no file, so it cannot include any".to_owned(),
            });
        }
        Self::of(file, text, folder)
    }

    fn of(file: ConfigFile, text: &str, folder: &Path) -> Result<Self, Problem> {
        let time = time_control(&file.time, file.clock, None).map_err(Problem::Time)?;
        let games = file
            .games
            .iter()
            .map(|entry| game(entry, &file.limits))
            .collect::<Result<Vec<_>, _>>()?;
        let bots = bots(&file, &time, folder)?;
        let openings = openings(&file.opening, &games, folder)?;
        let format = config_format::format(&file, &bots)?;
        let config = Config {
            rounds: config_format::rounds(&file, &format, bots.len())?,
            seat_orders: config_format::seat_orders(&file),
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
            text: text.to_owned(),
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
        config_format::check(&self.shape(), &self.games)
    }
}

fn read(text: &str) -> Result<ConfigFile, Misfit> {
    toml::from_str(text).map_err(|error| Misfit {
        at: error.span().map(|span| span.start),
        message: error.message().lines().collect::<Vec<_>>().join(", "),
    })
}

pub(super) fn game(entry: &GameEntry, limits: &LimitsTable) -> Result<GameSetup, Problem> {
    let whole;
    let table = match entry {
        GameEntry::Table(table) => table,
        GameEntry::Id(id) => {
            whole = GameTable {
                id: id.clone(),
                options: Value::Null,
                limits: LimitsTable::default(),
                weight: 1,
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
        weight: table.weight,
    })
}

fn openings(table: &OpeningTable, games: &[GameSetup], folder: &Path) -> Result<Openings, Problem> {
    Ok(Openings {
        random_plies: table.random_plies,
        balanced: table.balanced,
        book: match &table.book {
            Some(path) => book::load(&folder.join(path), games).map_err(Problem::Book)?,
            None => Vec::new(),
        },
        judged: games.iter().map(|_| OnceLock::new()).collect(),
    })
}

fn bots(
    file: &ConfigFile,
    time: &TimeControl,
    folder: &Path,
) -> Result<Vec<Arc<BotSpec>>, Problem> {
    if file.bots.len() > MOST_BOTS {
        return Err(Problem::Value {
            key: "bots",
            message: format!(
                "these are {}; at most {MOST_BOTS} are allowed",
                file.bots.len()
            ),
        });
    }
    let mut bots: Vec<Arc<BotSpec>> = Vec::new();
    let mut names = HashSet::new();
    for entry in &file.bots {
        let name = entry.name.trim();
        if name.is_empty() || name.contains(protocol::steers) || name.chars().count() > 60 {
            return Err(Problem::BotName(entry.name.clone()));
        }
        if !names.insert(name) {
            return Err(Problem::TwoBots(name.to_owned()));
        }
        let of_bot = |error| Problem::Command {
            bot: name.to_owned(),
            error,
        };
        let with_variables = |key: &'static str, text: &str| {
            let value = |name: &str| std::env::var(name).ok();
            expand(text, value).map_err(|variable| Problem::Variable {
                bot: name.to_owned(),
                key,
                name: variable,
            })
        };
        let words = match &entry.command {
            Command::Words(words) => words.clone(),
            // Split first: what is in a variable is never split.
            Command::Line(line) => split(line, command::split).map_err(of_bot)?,
        };
        let words = words.iter().map(|word| with_variables("command", word));
        let command = words.collect::<Result<Vec<_>, _>>()?;
        let dir = match &entry.dir {
            Some(dir) => folder.join(with_variables("dir", &dir.to_string_lossy())?),
            None => folder.to_owned(),
        };
        let env = entry.env.iter().map(|(variable, text)| {
            let text = with_variables("env", text)?;
            Ok((variable.clone(), text))
        });
        let wanted = wanted(file, entry, folder).map_err(|message| Problem::Bot {
            bot: name.to_owned(),
            message,
        })?;
        let spec = BotSpec {
            name: name.to_owned(),
            command,
            dir: spec::resolved(dir),
            shows_dir: entry.dir.is_some(),
            env: env.collect::<Result<_, _>>()?,
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
            idle: file.idle.unwrap_or(match wanted.tier {
                Tier::None => Idle::Run,
                _ => Idle::Freeze,
            }),
            wanted,
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
    if needs_kernel && given == Some(Tier::None) {
        return Err("`resources` has limits that need `sandbox = \"limits\"`".to_owned());
    }
    let implied = match needs_kernel {
        true => Tier::Limits,
        false => Tier::None,
    };
    let global = Resources::DEFAULT.with(&file.resources);
    let resources = global.and_then(|global| global.with(&entry.resources));
    let readable = file.readable.iter().chain(&entry.readable);
    Ok(Wanted {
        tier: given.unwrap_or(implied),
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

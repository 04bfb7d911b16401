//! Allowed configuration of announced tournaments for workers that do not trust them. An allow
//! list: a worker declines a tournament with any other key, including those of later versions.
//! Nothing is left out silently, because a worker never plays another bot than was requested.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use config::{BUILD_BYTES, BUILD_FILES, variables_in};
use protocol::excerpt;
use serde::Deserialize as _;
use supervisor::REFEREE;
use supervisor::spec::command;
use supervisor::spec::is_system_file;
use supervisor::spec::{Resources, Size};
use thiserror::Error;
use toml::{Table, Value};

use super::programs;

/// Maximum multiple of the default of a limit: an announced tournament does not get all of a
/// machine.
const MOST_TIMES: u64 = 16;
const LONGEST_SETUP: Duration = Duration::from_secs(60 * 60);
/// Shown bytes of a key.
const SHOWN: usize = 60;

/// The reason why a worker without `--trust` declines a tournament: one sentence, with the bot and
/// the key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct Declined {
    /// The bot with the key in its table.
    bot: Option<String>,
    key: String,
    why: String,
}

impl fmt::Display for Declined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(bot) = &self.bot {
            write!(f, "bot `{bot}`: ")?;
        }
        write!(f, "`{}`: {}", self.key, self.why)?;
        f.write_str("; this worker was started without `--trust`")
    }
}

/// Things that come with a configuration, and the permissions from the worker's own user.
#[derive(Debug, Default)]
pub struct Along<'a> {
    /// The folder of `--dir`: bots may be in it.
    pub folder: Option<&'a Path>,
    /// The bots that come in bundles.
    pub(crate) bundled: BTreeSet<&'a str>,
    /// Folders of unpacked bundles.
    pub unpacked: BTreeMap<&'a str, PathBuf>,
    /// The files whose texts come with the announcement.
    pub files: BTreeSet<&'a str>,
}

#[derive(Clone, Copy, Debug)]
enum Rule {
    /// All that the schema allows: pairings and rules, which reach nothing else.
    Any,
    /// All, because the worker overrides it with something stricter.
    Replaced,
    /// A limit, in bytes or a number, up to some times this default.
    UpTo(u64),
    /// A time, up to that of a long `setup`.
    Short,
    /// The path of a file that was sent along.
    Sent,
    /// A sheet that was sent along.
    Sheet,
    /// A folder that is in a bundle, or in the folder of `--dir`.
    Dir,
    /// Only `false`, unless there is a folder of `--dir`.
    InPlace,
    /// Variables that act on the bot alone.
    Env,
    /// A program of the system or of the bot's own folder.
    Command,
}

use Rule::{Any, Command, Dir, Env, InPlace, Replaced, Sent, Sheet, Short, UpTo};

const MEBI: u64 = 1 << 20;

/// The keys that are allowed, as the schema names them; for a table, with all that is in it.
const ALLOWED: &[(&str, Rule)] = &[
    ("name", Any),
    ("seed", Any),
    ("format", Any),
    ("rounds", Any),
    ("challengers", Any),
    ("seat_orders", Any),
    ("knockout.seeding", Any),
    ("knockout.tie_breaks", Any),
    ("knockout.third_place", Any),
    ("sprt.model", Any),
    ("sprt.elo0", Any),
    ("sprt.elo1", Any),
    ("sprt.alpha", Any),
    ("sprt.beta", Any),
    ("sprt.max_pairs", Any),
    ("concurrency", Replaced),
    ("restart", Any),
    ("start_attempts", Any),
    ("clock", Any),
    ("idle", Any),
    ("affinity", Any),
    ("sandbox", Replaced),
    ("best_effort", Replaced),
    ("budget.tokens", Any),
    ("budget.calls", Any),
    ("keep.failures", UpTo(64 * MEBI)),
    ("keep.stderr", UpTo(256 * MEBI)),
    ("rules[]", Sheet),
    ("rules_timeout", Any),
    ("games[].id", Any),
    ("games[].options", Any),
    ("games[].limits.max_plies", Any),
    ("games[].limits.repetition", Any),
    ("games[].weight", Any),
    ("games[]", Any),
    ("time.per_move", Any),
    ("time.base", Any),
    ("time.increment", Any),
    ("time.startup", Any),
    ("time.margin", Any),
    ("time.wall", Any),
    ("time.scale", Any),
    ("time.reference", Any),
    ("machine.max_stolen", Any),
    ("machine.max_waiting", Any),
    ("machine.attempts", Any),
    ("workers.recheck", Any),
    ("limits.max_plies", Any),
    ("limits.repetition", Any),
    ("adjudicate.settled", Any),
    ("adjudicate.positions", Any),
    ("adjudicate.resign.value", Any),
    ("adjudicate.resign.moves", Any),
    ("adjudicate.resign.all", Any),
    ("adjudicate.draw.value", Any),
    ("adjudicate.draw.moves", Any),
    ("adjudicate.draw.after", Any),
    ("adjudicate.draw.all", Any),
    ("adjudicate.offers", Any),
    ("adjudicate.play_out", Any),
    ("opening.random_plies", Any),
    ("opening.book", Sent),
    ("opening.balanced", Any),
    ("opening.order", Any),
    ("on_broken", Any),
    ("build.timeout", Short),
    ("build.disk", UpTo(BUILD_BYTES)),
    ("build.files", UpTo(BUILD_FILES)),
    ("submissions.names", Any),
    ("bots[].name", Any),
    ("bots[].command", Command),
    ("bots[].build", Any),
    ("bots[].setup", Command),
    ("bots[].games", Any),
    ("bots[].in_place", InPlace),
    ("bots[].deterministic", Any),
    ("bots[].must_pass_check", Any),
    ("bots[].dir", Dir),
    ("bots[].env", Env),
    ("bots[].restart", Any),
    ("bots[].start_attempts", Any),
    ("bots[].sandbox", Replaced),
    // It binds the bot to its own folder.
    ("bots[].submission", Any),
];

/// The tables of limits, and that of a bot's own times.
const RESOURCES: [&str; 3] = ["resources", "build.resources", "bots[].resources"];
const TIMES: &str = "bots[].time";

/// The rule of a key; `None` if it is not allowed.
fn rule(path: &str) -> Option<Rule> {
    if let Some((table, key)) = path.rsplit_once('.') {
        if RESOURCES.contains(&table) {
            return limit(key);
        }
        if table == TIMES {
            return rule(&format!("time.{key}"));
        }
    }
    let found = ALLOWED.iter().find(|(key, _)| *key == path);
    found.map(|(_, rule)| *rule)
}

fn limit(key: &str) -> Option<Rule> {
    let default = &Resources::DEFAULT;
    Some(match key {
        "memory" => UpTo(default.memory?),
        "processes" => UpTo(default.processes?),
        "file_size" => UpTo(default.file_size?),
        "open_files" => UpTo(default.open_files?),
        "tmp" => UpTo(default.tmp),
        "cpu_time" => Any,
        "output_bytes" => UpTo(default.output_bytes),
        "output_lines" => UpTo(default.output_lines),
        "stderr_bytes" => UpTo(default.stderr_bytes),
        "info_bytes" => UpTo(default.info_bytes),
        _ => return None,
    })
}

/// True if keys of this table are checked one by one.
fn is_looked_into(path: &str) -> bool {
    let is_inside = |key: &str| {
        let rest = key.strip_prefix(path);
        rest.is_some_and(|rest| rest.starts_with('.') || rest.starts_with("[]"))
    };
    let tables = RESOURCES.iter().chain([&TIMES]);
    let has_own = tables.clone().any(|table| *table == path);
    has_own || tables.copied().any(is_inside) || ALLOWED.iter().any(|(key, _)| is_inside(key))
}

/// Declines a configuration that has a key or a value which could reach anything of this machine.
///
/// # Errors
/// The first such key, and why.
pub fn check(table: &Table, along: &Along<'_>) -> Result<(), Declined> {
    Walk { along, bot: None }.table(table, "")
}

struct Walk<'a> {
    along: &'a Along<'a>,
    /// The name and the table of the bot that is looked at.
    bot: Option<(&'a str, &'a Table)>,
}

impl<'a> Walk<'a> {
    fn table(&self, table: &'a Table, path: &str) -> Result<(), Declined> {
        table.iter().try_for_each(|(key, value)| {
            let path = if path.is_empty() {
                key.clone()
            } else {
                format!("{path}.{key}")
            };
            self.value(value, &path)
        })
    }

    fn value(&self, value: &'a Value, path: &str) -> Result<(), Declined> {
        match (rule(path), value) {
            // A game may be a word or a table, whose keys have rules of their own.
            (Some(_), Value::Table(table)) if is_looked_into(path) => self.table(table, path),
            (Some(rule), _) => self.by(rule, value, path),
            (None, Value::Table(table)) if is_looked_into(path) => self.table(table, path),
            (None, Value::Array(list)) if is_looked_into(path) => {
                let path = format!("{path}[]");
                list.iter().try_for_each(|entry| self.entry(entry, &path))
            }
            // It says nothing.
            (None, Value::Array(list)) if list.is_empty() => Ok(()),
            (None, Value::Table(table)) if table.is_empty() => Ok(()),
            (None, _) => Err(self.declined(path, OTHER_KEY)),
        }
    }

    /// An entry of a list of tables.
    fn entry(&self, entry: &'a Value, path: &str) -> Result<(), Declined> {
        let Some(table) = entry.as_table().filter(|_| path == "bots[]") else {
            return self.value(entry, path);
        };
        let name = table.get("name").and_then(Value::as_str);
        let bot = (name.unwrap_or_default().trim(), table);
        let along = self.along;
        let bot = Some(bot);
        Walk { along, bot }.value(entry, path)
    }

    fn declined(&self, path: &str, why: impl Into<String>) -> Declined {
        let bot = self.bot.filter(|_| path.starts_with("bots[]"));
        let key = path.strip_prefix("bots[].").unwrap_or(path);
        let shown = |text: &str| excerpt(text.replace("[]", "").as_bytes(), SHOWN);
        Declined {
            bot: bot.map(|(name, _)| shown(name)),
            key: shown(key),
            why: why.into(),
        }
    }

    fn by(&self, rule: Rule, value: &Value, path: &str) -> Result<(), Declined> {
        let fits = match rule {
            Any | Replaced => Ok(()),
            UpTo(default) => up_to(value, default),
            Short => short(value),
            Sent => self.sent(value),
            Sheet => self.sheet(value),
            Dir => self.dir(value),
            InPlace => self.in_place(value),
            Env => env(value),
            Command => self.command(value),
        };
        let fits = fits.and_then(|()| without_variables(value));
        fits.map_err(|why| self.declined(path, why))
    }

    /// A file that came with the announcement.
    fn sent(&self, value: &Value) -> Result<(), String> {
        match value.as_str() {
            Some(path) if self.along.files.contains(path) => Ok(()),
            _ => {
                Err("it is a file of this machine, as it was too long to be sent along".to_owned())
            }
        }
    }

    /// A source of rules. Keys beside the sheet matter for programs only.
    fn sheet(&self, value: &Value) -> Result<(), String> {
        let of_table = |table: &'a str| value.get(table);
        let command = of_table("command").unwrap_or(value);
        let word = match command {
            Value::Array(words) if words.len() == 1 => words[0].as_str(),
            other => other.as_str(),
        };
        let file = word.and_then(|path| Path::new(path).file_name()?.to_str());
        let is_sheet = word.is_some_and(|word| word.ends_with(".kif"));
        if !is_sheet || !file.is_some_and(|file| self.along.files.contains(file)) {
            return Err(
                "only sheets that are sent along are taken, and no rules programs".to_owned(),
            );
        }
        let mut keys = value.as_table().into_iter().flat_map(Table::keys);
        // The folder of a sheet is that of its copy here.
        let known = ["command", "prefix", "dir", "sandbox", "resources"];
        match keys.find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(format!(
                "`{}` means nothing for a sheet",
                excerpt(key.as_bytes(), SHOWN)
            )),
            None => Ok(()),
        }
    }

    /// True if the bot is played from a bundle: as everywhere, only one that has a `dir` and is not
    /// in place.
    fn is_bundled(&self) -> bool {
        self.bot.is_some_and(|(name, table)| {
            let in_place = table.get("in_place").and_then(Value::as_bool);
            let may_be = table.contains_key("dir") && in_place != Some(true);
            may_be && self.along.bundled.contains(name)
        })
    }

    fn dir(&self, value: &Value) -> Result<(), String> {
        // What is unpacked from its bundle stands in its place.
        if self.is_bundled() {
            return Ok(());
        }
        let dir = value.as_str().unwrap_or_default();
        let Some(folder) = self.along.folder else {
            return Err(
                "it is a folder of this machine; bots come in bundles (`--bundles`)".to_owned(),
            );
        };
        inside(folder, dir)
            .map(|_| ())
            .ok_or_else(|| "it is not in the folder of `--dir`".to_owned())
    }

    fn in_place(&self, value: &Value) -> Result<(), String> {
        if value.as_bool() == Some(true) && self.along.folder.is_none() {
            return Err("the bot would be played from folders of this machine".to_owned());
        }
        Ok(())
    }

    /// The folder with the bot's own files; `None` if it has none here.
    fn own_folder(&self) -> Option<PathBuf> {
        let (name, table) = self.bot?;
        if self.is_bundled() {
            // Not unpacked yet, it may have any files.
            let unpacked = self.along.unpacked.get(name).cloned();
            return Some(unpacked.unwrap_or_default());
        }
        let dir = table.get("dir").and_then(Value::as_str).unwrap_or_default();
        inside(self.along.folder?, dir)
    }

    fn command(&self, value: &Value) -> Result<(), String> {
        let words = words(value)?;
        let folder = self.own_folder();
        if let Some(name) = words
            .iter()
            .find_map(|word| variables_in(word).into_iter().next())
        {
            return Err(variable(&name));
        }
        for (at, word) in words.iter().enumerate() {
            let is_program = at == 0;
            if !names_a_file(word, is_program) || is_of_the_system(word) {
                continue;
            }
            let outside = || {
                let word = excerpt(word.as_bytes(), SHOWN);
                format!("`{word}` is neither in the bot's own folder nor of the system")
            };
            let folder = folder.as_deref().ok_or_else(outside)?;
            // Where there is no such folder yet, links in it are looked at later.
            inside(folder, word).ok_or_else(outside)?;
        }
        match folder.filter(|folder| folder != Path::new("")) {
            Some(folder) => programs::check(&folder, &words),
            None => Ok(()),
        }
    }
}

const OTHER_KEY: &str = "it is not among the keys that an announced tournament may have";

fn words(value: &Value) -> Result<Vec<String>, String> {
    match value {
        Value::String(line) => command::split(line).map_err(|error| error.to_string()),
        Value::Array(words) => {
            let words = words.iter().map(Value::as_str);
            let words: Option<Vec<&str>> = words.collect();
            let words = words.ok_or("a command is a list of words, or one string")?;
            Ok(words.into_iter().map(str::to_owned).collect())
        }
        _ => Err("a command is a list of words, or one string".to_owned()),
    }
}

/// True if a word of a command can only mean a file of some folder.
fn names_a_file(word: &str, is_program: bool) -> bool {
    let path = Path::new(word);
    let leads_up = || path.components().any(|part| part == Component::ParentDir);
    if is_program {
        word != REFEREE && word.contains('/')
    } else {
        path.is_absolute() || leads_up()
    }
}

/// True if a path is in a folder that every bot sees.
fn is_of_the_system(word: &str) -> bool {
    let path = Path::new(word);
    let plain = |part: Component<'_>| matches!(part, Component::RootDir | Component::Normal(_));
    path.is_absolute() && path.components().all(plain) && is_system_file(path)
}

/// A path in a folder, without its links, if it does not lead out of it.
fn inside(folder: &Path, path: &str) -> Option<PathBuf> {
    let below = Path::new(path);
    let mut depth = 0_usize;
    for part in below.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(_) => depth += 1,
            Component::ParentDir => depth = depth.checked_sub(1)?,
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    let whole = folder.join(below);
    match (whole.canonicalize(), folder.canonicalize()) {
        (Ok(real), Ok(folder)) => real.starts_with(folder).then_some(real),
        _ => Some(whole),
    }
}

/// A limit that is not too high.
fn up_to(value: &Value, default: u64) -> Result<(), String> {
    let size = Size::deserialize(value.clone()).map_err(|error| error.message().to_owned())?;
    let most = default.saturating_mul(MOST_TIMES);
    match size.0 {
        Some(size) if size <= most => Ok(()),
        _ => Err(format!("at most {most} is allowed")),
    }
}

fn short(value: &Value) -> Result<(), String> {
    let time = value
        .as_str()
        .and_then(|text| humantime::parse_duration(text).ok());
    match time {
        Some(time) if time <= LONGEST_SETUP => Ok(()),
        _ => Err("at most one hour is allowed".to_owned()),
    }
}

/// Environment variables of a bot. The referee itself searches the folders of its PATH for
/// interpreters.
fn env(value: &Value) -> Result<(), String> {
    let has_path = value.get("PATH").is_some();
    match has_path {
        true => Err("`PATH` says where programs of this machine are looked for".to_owned()),
        false => Ok(()),
    }
}

fn variable(name: &str) -> String {
    let name = excerpt(name.as_bytes(), SHOWN);
    format!("`${{{name}}}` would be a variable of this worker's environment")
}

/// Refuses texts in which a configuration would have variables of the environment.
fn without_variables(value: &Value) -> Result<(), String> {
    match value {
        Value::String(text) => match variables_in(text).first() {
            Some(name) => Err(variable(name)),
            None => Ok(()),
        },
        Value::Array(list) => list.iter().try_for_each(without_variables),
        Value::Table(table) => table.values().try_for_each(without_variables),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;

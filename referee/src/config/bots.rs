//! Who plays: names, commands, environment, limits.

use std::collections::{BTreeMap, HashSet};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use protocol::TimeControl;

use super::error::{ConfigError, Problem};
use super::file::{BotTable, Command, ConfigFile};
use super::layers;
use super::time::time_control;
use super::variables::{expand, split};
use crate::files::{self, MOST_TEXT};
use supervisor::bot::{command, spec};
use supervisor::sandbox::limits::{Resources, Tier, Wanted};
use supervisor::{BotSpec, Idle};

/// More bots than anybody could let play.
const MOST_BOTS: usize = 10_000;
/// How often the start of a bot is tried by default.
const START_ATTEMPTS: u32 = 3;
/// More attempts would keep a tournament waiting for a bot that never starts.
const MOST_START_ATTEMPTS: u32 = 20;
/// In characters: longer names do not fit a table.
const LONGEST_NAME: usize = 60;

/// The bots in the order of the configuration; relative paths start at `folder`.
pub(super) fn bots(
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
    let mut bots = Vec::new();
    let mut names = HashSet::new();
    for entry in &file.bots {
        let name = name(entry)?;
        if !names.insert(name) {
            return Err(Problem::TwoBots(name.to_owned()));
        }
        bots.push(Arc::new(spec(file, entry, time, folder)?));
    }
    Ok(bots)
}

fn spec(
    file: &ConfigFile,
    entry: &BotTable,
    time: &TimeControl,
    folder: &Path,
) -> Result<BotSpec, Problem> {
    let name = name(entry)?;
    let bot = || name.to_owned();
    let wanted = wanted(file, entry, folder);
    let wanted = wanted.map_err(|message| Problem::Bot {
        bot: bot(),
        message,
    })?;
    let own_time = entry.time.as_ref();
    let own_time = own_time.map(|own| time_control(own, file.clock, Some(time)));
    let own_time = own_time.transpose().map_err(|message| Problem::BotTime {
        bot: bot(),
        message,
    })?;
    let dir = match &entry.dir {
        Some(dir) => folder.join(with_variables(name, "dir", &dir.to_string_lossy())?),
        None => folder.to_owned(),
    };
    let spec = BotSpec {
        name: bot(),
        command: words(entry, name)?,
        dir: spec::resolved(dir),
        shows_dir: entry.dir.is_some(),
        env: environment(entry, name)?,
        own_time: own_time.is_some(),
        time: own_time.unwrap_or_else(|| time.clone()),
        restart: entry.restart.unwrap_or(file.restart),
        start_attempts: start_attempts(file, entry)?,
        idle: file.idle.unwrap_or(match wanted.tier {
            Tier::None => Idle::Run,
            _ => Idle::Freeze,
        }),
        wanted,
    };
    if let Err(error) = spec.program() {
        return Err(Problem::Command { bot: bot(), error });
    }
    Ok(spec)
}

/// How often the start of a bot is tried.
fn start_attempts(file: &ConfigFile, entry: &BotTable) -> Result<u32, Problem> {
    let attempts = entry.start_attempts.or(file.start_attempts);
    let attempts = attempts.unwrap_or(START_ATTEMPTS);
    if (1..=MOST_START_ATTEMPTS).contains(&attempts) {
        return Ok(attempts);
    }
    Err(Problem::Value {
        key: "start_attempts",
        message: format!("{attempts} is not allowed; 1 to {MOST_START_ATTEMPTS} are"),
    })
}

/// The name without the space around it, if it fits a table.
fn name(entry: &BotTable) -> Result<&str, Problem> {
    let name = entry.name.trim();
    if name.is_empty() || name.contains(protocol::steers) || name.chars().count() > LONGEST_NAME {
        return Err(Problem::BotName(entry.name.clone()));
    }
    Ok(name)
}

/// Program and arguments.
fn words(entry: &BotTable, name: &str) -> Result<Vec<String>, Problem> {
    let words = match &entry.command {
        Command::Words(words) => words.clone(),
        // Split first: what is in a variable is never split.
        Command::Line(line) => split(line, command::split).map_err(|error| Problem::Command {
            bot: name.to_owned(),
            error,
        })?,
    };
    let words = words.iter();
    words
        .map(|word| with_variables(name, "command", word))
        .collect()
}

/// What is added to the environment of a bot.
fn environment(entry: &BotTable, name: &str) -> Result<BTreeMap<String, String>, Problem> {
    let env = entry.env.iter().map(|(variable, text)| {
        let text = with_variables(name, "env", text)?;
        Ok((variable.clone(), text))
    });
    env.collect()
}

/// A text with the environment variables that it names.
fn with_variables(bot: &str, key: &'static str, text: &str) -> Result<String, Problem> {
    let value = |name: &str| std::env::var(name).ok();
    expand(text, value).map_err(|name| Problem::Variable {
        bot: bot.to_owned(),
        key,
        name,
    })
}

/// What the configuration in this file adds to the environment of a bot; nothing if there is no
/// such file or no such bot.
///
/// # Errors
/// If the file cannot be used, or a variable is not set.
pub(crate) fn recorded_environment(
    path: &Path,
    bot: &str,
) -> Result<BTreeMap<String, String>, ConfigError> {
    let at = |problem| ConfigError::new(path, problem);
    let text = match files::read(path, 4 * MOST_TEXT) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(at(Problem::Read(error))),
    };
    let file = layers::parse(&text).map_err(at)?.file;
    let mut bots = file.bots.iter();
    let entry = bots.find(|entry| entry.name.trim() == bot);
    entry.map_or(Ok(BTreeMap::new()), |entry| {
        environment(entry, bot).map_err(at)
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_environment_of_a_recorded_bot_is_read_or_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tournament.toml");
        let read = |text: &str, bot: &str| {
            fs::write(&path, text).expect("a file");
            recorded_environment(&path, bot).map_err(|error| error.to_string())
        };
        let text = "name = \"t\"\ngames = [\"siam\"]\n[[bots]]\nname = \"a\"\ncommand = \"x\"\n\
                    env = { WORD = \"${NO_SUCH_VARIABLE:-left}\", OTHER = \"$$\" }\n";
        let found = read(text, "a").expect("an environment");
        let expected = [("OTHER", "$"), ("WORD", "left")].map(|(k, v)| (k.into(), v.into()));
        assert_eq!(found, BTreeMap::from(expected));
        assert_eq!(read(text, "b"), Ok(BTreeMap::new()));
        let unset = read(&text.replace(":-left", ""), "a").expect_err("a variable");
        assert!(
            unset.contains("there is no environment variable `NO_SUCH_VARIABLE`"),
            "{unset}"
        );
        assert!(read("name = ", "a").is_err());
        fs::remove_file(&path).expect("a file");
        let none = recorded_environment(&path, "a").expect("no configuration is no error");
        assert!(none.is_empty());
    }
}

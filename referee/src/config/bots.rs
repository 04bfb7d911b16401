//! Who plays: names, commands, environment, limits.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use protocol::TimeControl;

use super::error::Problem;
use super::file::{BotTable, Command, ConfigFile};
use super::time::time_control;
use super::variables::{expand, split};
use supervisor::bot::{command, spec};
use supervisor::sandbox::limits::{Resources, Tier, Wanted};
use supervisor::{BotSpec, Idle};

/// More bots than anybody could let play.
const MOST_BOTS: usize = 10_000;

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
            env: env.collect::<Result<_, Problem>>()?,
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

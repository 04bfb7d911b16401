//! Resuming a tournament: its folder is opened again and checked against configuration and
//! schedule, to find the matches that are left. Nothing changes before everything is checked.

mod copy;
pub mod earlier_names;
mod error;
pub(crate) mod extension;
mod ledger;
pub(crate) mod set_aside;
#[cfg(test)]
mod tests;

use std::path::Path;

use config::Config;
use log::{CutLine, LOG_NAME, LogFile, LogWriter};
use protocol::Record;
use schedule::{Schedule, Shape};
use toml::Table;

use crate::admission;
use crate::folder::dealing;
use crate::folder::{self, CONFIG_NAME, Folder, SCHEDULE_NAME};
pub use copy::Allowed;
use copy::ConfigCopy;

pub(crate) use copy::{all_parsed, differs, parsed, read_copy};
pub use error::ResumeError;
pub(crate) use ledger::Ledger;
pub use ledger::compare;

/// A tournament that continues.
pub(crate) struct Resumed {
    /// Open for more matches.
    pub folder: Folder,
    /// With the finished matches entered.
    pub schedule: Schedule,
    /// The last line, if it was cut off; it is dropped.
    pub cut: Option<CutLine>,
}

/// Opens the folder of a tournament again. `take` receives all finished matches, in the order of
/// the log.
///
/// # Errors
/// If it is not the folder of this very tournament, another referee is writing there, or it cannot
/// be written.
pub(crate) fn open(
    path: &Path,
    config: &Config,
    allowed: Allowed,
    mut take: impl FnMut(&Record),
) -> Result<Resumed, ResumeError> {
    let mut folder = open_folder(path)?;
    config.deal_from(dealing::of_folder(path, config, || {
        dealing::has_not_begun(path) || has_first_deals(path, config, allowed)
    })?);
    folder.set_shard(config.schedule.shard);
    let before = check_configuration(&mut folder, config, allowed)?;
    let version = folder.read_version();
    version.map_err(|reason| ResumeError::unreadable(path.join(SCHEDULE_NAME), reason))?;
    if let Some(asked) = config.schedule.shard
        && folder.shard() != Some(asked)
    {
        let path = path.to_owned();
        let there = folder.shard();
        return Err(ResumeError::OtherShard { path, asked, there });
    }
    let schedule = schedule(&folder, before.as_ref(), config)?;
    let mut ledger = Ledger::new(config, schedule);
    let cut = read_log(&folder, &mut ledger, &mut take)?;
    // From here on, things are changed.
    if let Some(cut) = &cut {
        folder.log.drop_cut(cut)?;
    }
    folder.keep_secret(config.deals())?;
    if let Some(before) = before {
        folder.extend(before.text, &config.source.text)?;
    }
    Ok(Resumed {
        folder,
        schedule: ledger.schedule,
        cut,
    })
}

/// True if this extension adds the first games with deals.
fn has_first_deals(path: &Path, config: &Config, allowed: Allowed) -> bool {
    let Ok(Some(copy)) = read_copy(&path.join(CONFIG_NAME)) else {
        return false;
    };
    let games = copy.table.get("games").and_then(toml::Value::as_array);
    let id = |game: &toml::Value| {
        let id = game.get("id").unwrap_or(game).as_str();
        id.map(str::to_owned)
    };
    let before: Vec<String> = games.into_iter().flatten().filter_map(id).collect();
    let had = config.games.iter().any(|game| {
        let info = game.rules.info();
        info.has_deals() && before.contains(&info.id)
    });
    allowed == Allowed::Additions && !had
}

/// The configuration and the schedule of the tournament in this folder, for read-only views: the
/// log is not opened, and no match counts as played.
///
/// # Errors
/// If the folder has no copy of the configuration that can be used on this machine.
pub fn planned(path: &Path) -> Result<(Config, Schedule), String> {
    let wrong = |error: ResumeError| error.to_string();
    let copy = read_copy(&path.join(CONFIG_NAME)).map_err(wrong)?;
    let copy = copy.ok_or_else(|| ResumeError::missing(path, CONFIG_NAME).to_string())?;
    let origin = folder::origin(path);
    let config = Config::recorded(&path.join(CONFIG_NAME), &copy.text, origin.as_deref());
    let config = config.map_err(|error| error.to_string())?;
    let config = admission::as_it_began(config, path).map_err(|error| error.to_string())?;
    let earlier = Folder::read_earlier(path).map_err(|error| error.to_string())?;
    let (version, shard) = folder::version_and_shard(path)?;
    let copy = path.join(CONFIG_NAME);
    let shape = Shape {
        version,
        shard,
        ..config.shape()
    };
    let earlier = all_parsed(&earlier, &copy).map_err(wrong)?;
    let schedule = extended(&earlier, &config, shape, &copy).map_err(wrong)?;
    Ok((config, schedule))
}

/// Opens the folder and its log.
fn open_folder(path: &Path) -> Result<Folder, ResumeError> {
    if !path.is_dir() {
        return Err(ResumeError::NoFolder {
            path: path.to_owned(),
        });
    }
    let log = path.join(LOG_NAME);
    if !log.is_file() {
        return Err(ResumeError::missing(path, LOG_NAME));
    }
    // Opened, and so locked, first: nobody writes to what is read from here on.
    let mut folder = Folder::with(path, LogWriter::go_on(&log)?)?;
    let earlier = Folder::read_earlier(path);
    folder.earlier =
        earlier.map_err(|error| ResumeError::unreadable(path.join(CONFIG_NAME), error))?;
    Ok(folder)
}

/// Compares the configuration with the copy in the folder. Returns the copy if an extension has to
/// replace it.
fn check_configuration(
    folder: &mut Folder,
    config: &Config,
    allowed: Allowed,
) -> Result<Option<ConfigCopy>, ResumeError> {
    match read_copy(&folder.path.join(CONFIG_NAME))? {
        Some(copy) => {
            let differs = differs(&copy.table, config, allowed, &folder.path)?;
            Ok(differs.then_some(copy))
        }
        // The referee was killed between making the two files.
        None if folder.log.is_empty() => {
            folder.begin(&config.source.text, config.deals())?;
            Ok(None)
        }
        None => Err(ResumeError::missing(&folder.path, CONFIG_NAME)),
    }
}

/// The schedule on top of those before each extension; `before` is the copy that is extended now.
fn schedule(
    folder: &Folder,
    before: Option<&ConfigCopy>,
    config: &Config,
) -> Result<Schedule, ResumeError> {
    let copy = folder.path.join(CONFIG_NAME);
    let mut tables = all_parsed(&folder.earlier, &copy)?;
    tables.extend(before.map(|before| before.table.clone()));
    let shape = Shape {
        version: folder.version(),
        shard: folder.shard(),
        ..config.shape()
    };
    extended(&tables, config, shape, &copy)
}

/// The schedule of this shape, extending the schedules of these configurations; `copy` is the file
/// of the newest one.
pub(crate) fn extended(
    tables: &[Table],
    config: &Config,
    shape: Shape,
    copy: &Path,
) -> Result<Schedule, ResumeError> {
    let earlier = tables.iter().map(|table| {
        let found = extension::earlier(table, config, shape.version);
        found.map_err(|differences| ResumeError::NotExtended {
            differences,
            copy: copy.to_owned(),
        })
    });
    let earlier = earlier.collect::<Result<Vec<_>, _>>()?;
    Ok(Schedule::extending(&shape, &earlier))
}

/// Enters all matches of the log. Returns the last line if it was cut off.
fn read_log(
    folder: &Folder,
    ledger: &mut Ledger<'_>,
    take: &mut impl FnMut(&Record),
) -> Result<Option<CutLine>, ResumeError> {
    let path = folder.path.join(LOG_NAME);
    let mut file = LogFile::open(&path)?.checking_chain();
    while let Some(record) = file.next() {
        let record = record?;
        let line = file.line();
        if let Some(&broken) = file.breaks().first() {
            return Err(ResumeError::Chain { path, broken });
        }
        if let Err(reason) = ledger.enter(&record, line) {
            return Err(ResumeError::Line { path, line, reason });
        }
        take(&record);
    }
    Ok(file.cut().cloned())
}

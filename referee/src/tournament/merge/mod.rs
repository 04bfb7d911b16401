//! Puts the logs of a tournament's parts together, as if they had been played in one folder.

mod place;
mod writing;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use games::kit::info::Info;
use protocol::Record;
use sha2::{Digest, Sha256};
use thiserror::Error;

use self::place::Place;
use self::writing::write;
use super::folder::{self, CONFIG_NAME, Folder, FolderError, SCHEDULE_NAME};
use super::resume::{self, Ledger, ResumeError, parsed};
use super::schedule::{Schedule, Shape, Shard, Version};
use super::secret_file;
use crate::admission::{self, AdmissionError};
use crate::config::{Config, ConfigError, difference};
use crate::deals::Deals;
use crate::files::{self, MOST_TEXT};
use crate::log::{
    self, ChainBreak, DealCheck, LOG_NAME, LogError, LogFile, Mismatch, Versions, WriteError,
};

/// Logs that cannot be put together. Nothing was written.
#[derive(Debug, Error)]
pub enum MergeError {
    /// A file of a folder cannot be read.
    #[error("`{}` cannot be read: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Two folders are not of one tournament.
    #[error(
        "`{}` and `{}` are not parts of one tournament: {differences}",
        one.display(),
        other.display()
    )]
    OtherTournament {
        /// A folder.
        one: PathBuf,
        /// Another one.
        other: PathBuf,
        /// What differs.
        differences: String,
    },
    /// The configuration cannot be used here.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The bots that were left out are not known, or too few are left.
    #[error(transparent)]
    Admission(#[from] AdmissionError),
    /// The folders are not those of a tournament that can be resumed.
    #[error(transparent)]
    Folder(#[from] ResumeError),
    /// A log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A line of a log does not follow the one before.
    #[error("`{}` {broken}", path.display())]
    Chain {
        /// The log.
        path: PathBuf,
        /// Where.
        broken: ChainBreak,
    },
    /// A match is not as the schedule has it.
    #[error("`{}`: {reason}", path.display())]
    NotScheduled {
        /// The log.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A match is not as the rules have it.
    #[error("`{}`: the match `{id}` does not verify: {mismatch}", path.display())]
    Mismatch {
        /// The log.
        path: PathBuf,
        /// The match.
        id: String,
        /// What is wrong.
        mismatch: Mismatch,
    },
    /// Two logs tell a match differently.
    #[error(
        "the match `{id}` was played twice, with different courses: in `{}` and in `{}`; leave out one of \
         the two",
        one.display(),
        other.display()
    )]
    Twice {
        /// The match.
        id: String,
        /// A log.
        one: PathBuf,
        /// The other one.
        other: PathBuf,
    },
    /// There is a tournament in the new folder already.
    #[error(
        "`{}` already holds a tournament (`{found}` is there); nothing was changed, choose another folder with --out",
        path.display()
    )]
    Taken {
        /// The folder.
        path: PathBuf,
        /// What is there.
        found: &'static str,
    },
    /// Two logs were dealt from different secrets.
    #[error(
        "`{}` and `{}` are not dealt from one secret: one log has the `deal` {}, the other {}; parts need the \
         same `secret` in their configurations",
        one.display(),
        other.display(),
        deals[0],
        deals[1]
    )]
    OtherDeal {
        /// A log.
        one: PathBuf,
        /// The other one.
        other: PathBuf,
        /// What they say of their secrets.
        deals: [String; 2],
    },
    /// The new folder cannot be made.
    #[error(transparent)]
    Out(#[from] FolderError),
    /// The new log cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// What came of putting logs together.
#[derive(Debug)]
pub struct Merged {
    /// How many matches the new log has.
    pub matches: u64,
    /// How many the tournament has.
    pub total: u64,
    /// How many were in more than one log, and the same in all of them.
    pub repeated: u64,
    /// Where matches are missing.
    pub missing: Vec<Missing>,
    /// The file of the configuration, if it is known.
    pub configuration: Option<PathBuf>,
    /// How many matches have a deal that was not checked, because its secret is in none of the folders.
    pub deals_unchecked: u64,
}

/// Matches that no log has.
#[derive(Debug, PartialEq, Eq)]
pub struct Missing {
    /// Their part of the schedule; `None` if it has no parts.
    pub shard: Option<Shard>,
    /// How many they are.
    pub matches: u64,
    /// The folder in which they can be played; `None` if that part has none.
    pub folder: Option<PathBuf>,
}

/// Puts the logs in these folders together in a new folder, `out`. Every match has to be in the schedule
/// of their common configuration, and to follow from the rules; those that are in several logs have to be
/// the same there. `config` is the configuration, where paths are others than on the machines that
/// played.
///
/// The new folder is written beside its place, in a folder of its own within it, and a merge that was killed
/// can be repeated.
///
/// # Errors
/// If anything does not fit, or cannot be written; there is no tournament in `out` then.
pub fn merge(folders: &[PathBuf], out: &Path, config: Option<&Path>) -> Result<Merged, MergeError> {
    // Before anything that takes its time.
    let place = Place::of(out)?;
    let parts = folders
        .iter()
        .map(|path| Part::read(path))
        .collect::<Result<Vec<_>, _>>()?;
    let first = parts.first().expect("at least one folder is given");
    for part in &parts[1..] {
        first.compare(part)?;
    }
    let config = match config {
        Some(path) => Config::load(path)?,
        None => first.config()?,
    };
    let config = admission::as_it_began(&config, &first.path)?.unwrap_or(config);
    first.compare_with(&config)?;
    config.deal_from(deals(&parts, &config)?);
    let mut check = Check {
        ledger: Ledger::new(&config, first.schedule(&config, None)?),
        found: HashMap::new(),
        repeated: 0,
        deals_unchecked: 0,
    };
    for (at, part) in parts.iter().enumerate() {
        check.add(at, &parts, part, &config)?;
    }
    let missing = missing(&check.ledger.schedule, &parts, &config, out)?;
    if !place.is_done(&check.found)? {
        place.fill(|whole| write(&parts, &check.found, &config, whole))?;
    }
    Ok(Merged {
        matches: check.ledger.schedule.finished() as u64,
        total: check.ledger.schedule.total(),
        repeated: check.repeated,
        missing,
        deals_unchecked: check.deals_unchecked,
        configuration: config.file.or_else(|| folder::configuration(&first.path)),
    })
}

/// A folder that was played in.
struct Part {
    path: PathBuf,
    text: String,
    table: toml::Table,
    /// The configurations before each extension.
    earlier: Vec<String>,
    version: Version,
    shard: Option<Shard>,
    /// Who was left out, as the folder has it.
    left_out: Option<String>,
}

impl Part {
    fn read(path: &Path) -> Result<Self, MergeError> {
        let copy = path.join(CONFIG_NAME);
        let unreadable = |path: &Path, reason: String| MergeError::Unreadable {
            path: path.to_owned(),
            reason,
        };
        let text = files::read(&copy, 4 * MOST_TEXT).map_err(|error| {
            let why = match error.kind() {
                ErrorKind::NotFound => {
                    "it is not there, so the folder holds no tournament".to_owned()
                }
                _ => error.to_string(),
            };
            unreadable(&copy, why)
        })?;
        let earlier =
            Folder::read_earlier(path).map_err(|error| unreadable(path, error.to_string()))?;
        let (version, shard) = folder::version_and_shard(path)
            .map_err(|reason| unreadable(&path.join(SCHEDULE_NAME), reason))?;
        let left_out = admission::noted(path);
        Ok(Part {
            path: path.to_owned(),
            table: parsed(&text, &copy)?,
            text,
            earlier,
            version,
            shard,
            left_out,
        })
    }

    fn log(&self) -> PathBuf {
        self.path.join(LOG_NAME)
    }

    /// The configuration, from the copy.
    fn config(&self) -> Result<Config, ConfigError> {
        let origin = folder::origin(&self.path);
        Config::recorded(&self.path.join(CONFIG_NAME), &self.text, origin.as_deref())
    }

    /// Refuses a part of another tournament.
    fn compare(&self, other: &Part) -> Result<(), MergeError> {
        let differ = |differences: String| MergeError::OtherTournament {
            one: self.path.clone(),
            other: other.path.clone(),
            differences,
        };
        let differences = difference::differences(&self.table, &other.table);
        if !differences.is_empty() {
            return Err(differ(difference::in_words(&differences)));
        }
        let of = |part: &Part| part.shard.map(Shard::of);
        if let (Some(one), Some(two)) = (of(self), of(other))
            && one != two
        {
            return Err(differ(format!("one has {one} parts, the other {two}")));
        }
        if (self.version, &self.earlier) != (other.version, &other.earlier) {
            return Err(differ("their schedules are made in other ways".to_owned()));
        }
        // Why may be said in other words on another machine.
        let names = |part: &Part| part.left_out.as_deref().map(admission::names_in);
        if names(self) != names(other) {
            return Err(differ("other bots were left out".to_owned()));
        }
        Ok(())
    }

    /// Refuses a configuration that was given and is not that of this part.
    fn compare_with(&self, config: &Config) -> Result<(), MergeError> {
        if self.left_out.is_some() {
            // It has fewer bots than the copy; the log is compared with it match by match.
            return Ok(());
        }
        let differences = difference::differences(&self.table, &config.table);
        if differences.is_empty() {
            return Ok(());
        }
        Err(MergeError::OtherTournament {
            one: self.path.clone(),
            other: config.file.clone().unwrap_or_default(),
            differences: difference::in_words(&differences),
        })
    }

    /// The schedule of all parts, or of one.
    fn schedule(&self, config: &Config, shard: Option<Shard>) -> Result<Schedule, ResumeError> {
        let copy = self.path.join(CONFIG_NAME);
        let earlier = resume::all_parsed(&self.earlier, &copy)?;
        let shape = Shape {
            version: self.version,
            shard,
            ..config.shape()
        };
        resume::extended(&earlier, config, shape, &copy)
    }
}

/// What all parts deal from.
///
/// # Errors
/// If they differ.
fn deals(parts: &[Part], config: &Config) -> Result<Deals, MergeError> {
    let has_deals = |record: &Record| {
        let mut games = config.games.iter().map(|game| game.rules.info());
        let info = games.find(|info| info.id == record.game);
        record.deal.is_some() || info.is_some_and(Info::has_deals)
    };
    let mut found: Option<(&Part, Option<String>)> = None;
    for part in parts {
        // The others in its log are compared with the first one.
        let mut first = None;
        for record in LogFile::open(&part.log())? {
            let record = record?;
            if has_deals(&record) {
                first = Some(record.deal);
                break;
            }
        }
        let Some(deal) = first else { continue };
        match &found {
            Some((one, known)) if *known != deal => {
                let words = |deal: &Option<String>| deal.clone().unwrap_or("none".to_owned());
                return Err(MergeError::OtherDeal {
                    one: one.log(),
                    other: part.log(),
                    deals: [words(known), words(&deal)],
                });
            }
            _ => found = Some((part, deal)),
        }
    }
    let kept = parts
        .iter()
        .filter_map(|part| secret_file::read(&part.path).ok()?);
    let mut secrets = config.secret.clone().into_iter().chain(kept);
    Ok(match found {
        Some((_, None)) => Deals::BySeed,
        Some((_, Some(deal))) => match secrets.find(|secret| secret.commitment() == deal) {
            Some(secret) => Deals::Secret(secret),
            None => Deals::Committed(deal),
        },
        // Nothing was dealt yet.
        None => match secrets.next().filter(|_| config.has_deals()) {
            Some(secret) => Deals::Secret(secret),
            None => Deals::BySeed,
        },
    })
}

/// A match that was found.
struct Found {
    /// The part that it is taken from.
    part: usize,
    /// Of the match, but for its place in a log.
    hash: [u8; 32],
}

/// Matches, checked one by one.
struct Check<'a> {
    ledger: Ledger<'a>,
    /// By their ids.
    found: HashMap<String, Found>,
    repeated: u64,
    deals_unchecked: u64,
}

impl Check<'_> {
    fn add(
        &mut self,
        at: usize,
        parts: &[Part],
        part: &Part,
        config: &Config,
    ) -> Result<(), MergeError> {
        let path = part.log();
        let mut file = LogFile::open(&path)?.checking_chain();
        let catalog = &config.rules.catalog;
        let deals = DealCheck {
            secret: config.deals().secret(),
            has_book: config.openings.book.iter().any(|book| !book.is_empty()),
        };
        let verify = |record: Record| {
            let verdict = log::verify_deal(&record, catalog, Versions::Recorded, deals);
            (verdict, hash(&record), record)
        };
        file.each(verify, |(verdict, hash, record)| {
            let id = &record.match_id;
            verdict.map_err(|mismatch| MergeError::Mismatch {
                path: path.clone(),
                id: id.clone(),
                mismatch,
            })?;
            match self.found.entry(id.clone()) {
                Entry::Occupied(there) if there.get().hash == hash => {
                    self.repeated += 1;
                    return Ok(());
                }
                Entry::Occupied(there) => {
                    return Err(MergeError::Twice {
                        id: id.clone(),
                        one: parts[there.get().part].log(),
                        other: path.clone(),
                    });
                }
                Entry::Vacant(free) => free.insert(Found { part: at, hash }),
            };
            let is_unchecked = record.deal.is_some() && deals.secret.is_none();
            self.deals_unchecked += u64::from(is_unchecked);
            let entered = self.ledger.enter(&record, 0);
            entered.map_err(|reason| MergeError::NotScheduled {
                path: path.clone(),
                reason,
            })
        })?;
        match file.breaks().first() {
            Some(&broken) => Err(MergeError::Chain { path, broken }),
            None => Ok(()),
        }
    }
}

/// What a match is, but for its place in a log.
fn hash(record: &Record) -> [u8; 32] {
    let alone = Record {
        prev: None,
        ..record.clone()
    };
    Sha256::digest(alone.to_line()).into()
}

/// What is missing, part by part.
fn missing(
    merged: &Schedule,
    parts: &[Part],
    config: &Config,
    out: &Path,
) -> Result<Vec<Missing>, ResumeError> {
    let lacks = |schedule: &Schedule| {
        let lacking = schedule.known();
        lacking
            .filter(|scheduled| !merged.is_finished(scheduled.number))
            .count() as u64
    };
    let Some(of) = parts.iter().find_map(|part| part.shard.map(Shard::of)) else {
        let missing = Missing {
            shard: None,
            matches: lacks(merged),
            folder: Some(out.to_owned()),
        };
        return Ok((missing.matches > 0)
            .then_some(missing)
            .into_iter()
            .collect());
    };
    let mut missing = Vec::new();
    for shard in (1..=of).filter_map(|part| Shard::new(part, of)) {
        let matches = lacks(&parts[0].schedule(config, Some(shard))?);
        if matches > 0 {
            let part = parts.iter().find(|part| part.shard == Some(shard));
            missing.push(Missing {
                shard: Some(shard),
                matches,
                folder: part.map(|part| part.path.clone()),
            });
        }
    }
    Ok(missing)
}

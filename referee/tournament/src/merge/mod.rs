//! Merges the logs of a tournament's shards, as if all had been played in one folder.

mod error;
mod found;
mod part;
mod place;
mod writing;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

use config::Config;
use deals::Deals;
use games::kit::info::Info;
use log::{self, DealCheck, LogFile, Versions};
use protocol::Record;
use schedule::{Schedule, Shard};

pub use self::error::MergeError;
use self::found::{Found, hash};
use self::part::Part;
use self::place::Place;
use self::writing::write;
use crate::admission;
use crate::folder;
use crate::folder::secret_file;
use crate::resume::{Ledger, ResumeError};

#[derive(Debug)]
pub struct Merged {
    /// Matches in the new log.
    pub matches: u64,
    /// Matches in the schedule.
    pub total: u64,
    /// Matches that are in more than one log, with the same record.
    pub repeated: u64,
    pub missing: Vec<Missing>,
    /// The file of the configuration, if it is known.
    pub configuration: Option<PathBuf>,
    /// Matches whose deal was not checked, because no folder has the secret.
    pub deals_unchecked: u64,
    /// An empty folder; while it is there, the same command can be repeated.
    part: PathBuf,
}

impl Merged {
    /// Ends the merge: from now on this is a tournament like any other.
    pub fn finish(&self) {
        // If it stays, the next merge into this folder removes it.
        let _ = std::fs::remove_dir(&self.part);
    }
}

/// Matches that no log has.
#[derive(Debug, PartialEq, Eq)]
pub struct Missing {
    /// `None` if the schedule has no shards.
    pub shard: Option<Shard>,
    pub matches: u64,
    /// The folder to play them in; `None` if no folder has this shard.
    pub folder: Option<PathBuf>,
}

/// Merges the logs in these folders in a new folder, `out`. Each match must be in the schedule of
/// their common configuration and follow the rules; a match in several logs must be the same in
/// all. `config` is the configuration, for machines with other paths than those that played.
///
/// The new folder is written beside its place, in a folder of its own within it, and a merge that
/// was killed can be repeated.
///
/// # Errors
/// If anything does not fit, or cannot be written; there is no tournament in `out` then.
pub fn merge(folders: &[PathBuf], out: &Path, config: Option<&Path>) -> Result<Merged, MergeError> {
    // Before anything slow.
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
    let config = admission::as_it_began(config, &first.path)?;
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
        part: place.into_part(),
        configuration: config
            .source
            .file
            .or_else(|| folder::configuration(&first.path)),
    })
}

/// The common source of deals.
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
        // The first one in a log stands for all: the log is checked against it.
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

struct Check<'a> {
    ledger: Ledger<'a>,
    /// By match id.
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
            shared: true,
        };
        let verify = |record: Record, (): &mut ()| {
            let verdict = log::verify_deal(&record, catalog, Versions::Recorded, deals);
            (verdict.err(), hash(&record), record)
        };
        file.each(verify, |(verdict, hash, record)| {
            let id = &record.match_id;
            if let Some(mismatch) = verdict.take() {
                return Err(MergeError::Mismatch {
                    path: path.clone(),
                    id: id.clone(),
                    mismatch,
                });
            }
            match self.found.entry(id.clone()) {
                Entry::Occupied(there) if there.get().hash == *hash => {
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
                Entry::Vacant(free) => free.insert(Found {
                    part: at,
                    hash: *hash,
                }),
            };
            let is_unchecked = record.deal.is_some() && deals.secret.is_none();
            self.deals_unchecked += u64::from(is_unchecked);
            let entered = self.ledger.enter(record, 0);
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

/// Counts missing matches by shard.
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

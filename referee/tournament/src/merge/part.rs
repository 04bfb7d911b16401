//! One of the folders that are merged.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use config::{Config, ConfigError, difference};
use files::{self, MOST_TEXT};
use log::LOG_NAME;
use schedule::{Schedule, Shape, Shard, Version};

use crate::admission;
use crate::folder::{self, CONFIG_NAME, Folder, SCHEDULE_NAME};
use crate::merge::error::MergeError;
use crate::resume::{self, ResumeError, parsed};

pub(super) struct Part {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) table: toml::Table,
    /// The configurations before each extension.
    pub(super) earlier: Vec<String>,
    pub(super) version: Version,
    pub(super) shard: Option<Shard>,
    pub(super) left_out: Vec<String>,
    /// Games that bots named in `hello`, by bot.
    pub(super) answered: BTreeMap<String, Vec<String>>,
}

impl Part {
    pub(super) fn read(path: &Path) -> Result<Self, MergeError> {
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
        let left_out = admission::left_out(path)?.into_iter();
        Ok(Part {
            path: path.to_owned(),
            table: parsed(&text, &copy)?,
            text,
            earlier,
            version,
            shard,
            left_out: left_out.map(|left_out| left_out.bot).collect(),
            answered: admission::answers(path)?,
        })
    }

    pub(super) fn log(&self) -> PathBuf {
        self.path.join(LOG_NAME)
    }

    /// The configuration from the folder's copy.
    pub(super) fn config(&self) -> Result<Config, ConfigError> {
        let origin = folder::origin(&self.path);
        Config::recorded(&self.path.join(CONFIG_NAME), &self.text, origin.as_deref())
    }

    /// Refuses a part of another tournament.
    pub(super) fn compare(&self, other: &Part) -> Result<(), MergeError> {
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
        // Reasons may be worded differently on another machine.
        if self.left_out != other.left_out {
            return Err(differ("other bots were left out".to_owned()));
        }
        if self.answered != other.answered {
            return Err(differ("their bots named other games in `hello`".to_owned()));
        }
        Ok(())
    }

    /// Refuses a configuration that differs from this part's.
    pub(super) fn compare_with(&self, config: &Config) -> Result<(), MergeError> {
        if !self.left_out.is_empty() {
            // The part has fewer bots than its copy; each match of the log is compared anyway.
            return Ok(());
        }
        let differences = difference::differences(&self.table, &config.source.table);
        if differences.is_empty() {
            return Ok(());
        }
        Err(MergeError::OtherTournament {
            one: self.path.clone(),
            other: config.source.file.clone().unwrap_or_default(),
            differences: difference::in_words(&differences),
        })
    }

    /// The schedule of all shards, or of one.
    pub(super) fn schedule(
        &self,
        config: &Config,
        shard: Option<Shard>,
    ) -> Result<Schedule, ResumeError> {
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

//! Messages between coordinator and workers: compressed JSON.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bundle::Bundle;
use config::Config;
use deals::Deal;
use files::MOST_TEXT;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use protocol::Record;
use schedule::Scheduled;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use supervisor::REFEREE_NAME;

use super::error::RemoteError;

/// A compressed message.
pub trait Message: Serialize + DeserializeOwned {
    /// The most bytes of an unpacked message, against compression bombs.
    const MOST: u64;
}

impl Message for Announced {
    const MOST: u64 = 64 << 20;
}

impl Message for JobContent {
    const MOST: u64 = 1 << 20;
}

impl Message for PlayedJob {
    const MOST: u64 = 128 << 20;
}

impl Message for Unplayable {
    const MOST: u64 = 1 << 20;
}

/// A lower limit of announced leases: a worker renews a lease three times per length.
const SHORTEST_LEASE: Duration = Duration::from_millis(50);
/// An upper limit of announced leases.
const LONGEST_LEASE: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest opening book that is announced, in bytes.
const LONGEST_BOOK: u64 = 256 << 10;

/// A worker waits this long for a job of its only tournament.
pub const WAIT: Duration = Duration::from_secs(2);
/// A worker's pause after an error.
pub const PAUSE: Duration = Duration::from_millis(500);
/// The pause before a job that a worker returned is delivered again.
pub(crate) const FOR_OTHERS: Duration = Duration::from_secs(3);

/// An announcement: a tournament's data for workers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Announced {
    /// The version of the coordinator's program, which workers must have as well.
    pub referee: String,
    pub name: String,
    /// The complete configuration.
    pub config: String,
    /// Its hash, in hexadecimal digits.
    pub hash: String,
    /// The base of its relative paths on the coordinator's machine.
    pub folder: PathBuf,
    /// The contents of sheets and of the opening book, by their names in the configuration.
    pub files: BTreeMap<String, String>,
    /// The bundles by bot; the archives are on the server.
    #[serde(default)]
    pub bundles: BTreeMap<String, Bundle>,
    /// A worker must renew its job within this time.
    pub lease_ms: u64,
}

/// A job: a group to be played, or several short ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobContent {
    /// The hash of the configuration.
    pub config: String,
    pub matches: Vec<Scheduled>,
    /// A worker that must not play them: it has done so before, and this is a recheck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_for: Option<String>,
    /// Their deal, in games with chance or hidden information. It reveals nothing about other groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deal: Option<Deal>,
}

impl JobContent {
    /// Matches of the configuration with this hash, for any worker, without a deal.
    pub fn new(config: String, matches: Vec<Scheduled>) -> Self {
        JobContent {
            config,
            matches,
            not_for: None,
            deal: None,
        }
    }

    /// The pause before this job is delivered again, if this worker must not play it: it has another
    /// configuration, or it is a recheck of this worker's result.
    pub fn pause_for(&self, config: &str, worker: &str) -> Option<Duration> {
        if self.config != config {
            // The tournament was just extended; the new announcement is on its way.
            Some(PAUSE)
        } else if self.not_for.as_deref() == Some(worker) {
            Some(FOR_OTHERS)
        } else {
            None
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlayedJob {
    pub records: Vec<Record>,
}

/// The reason why no worker can do a job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Unplayable {
    pub why: String,
    /// True if a rules program failed.
    #[serde(default)]
    pub broken_rules: bool,
}

/// News of a worker while it plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerNews {
    /// A match has begun. Of short ones, only the result is sent.
    Begins {
        job: u64,
        number: usize,
        /// True for the first one that is announced of the job.
        first: bool,
    },
    /// It cannot play matches with this bot.
    CannotPlay { bot: String, why: String },
    /// It cannot play matches of this tournament.
    CannotServe { why: String },
    /// A warning for the user.
    Warning { what: String },
}

impl Announced {
    /// The announcement of a tournament with this configuration.
    ///
    /// # Errors
    /// If a file that workers need cannot be read.
    pub fn new(config: &Config, lease: Duration) -> Result<Self, RemoteError> {
        let sheets = config.rules.sheets().iter();
        let mut files: BTreeMap<String, String> = sheets
            .map(|sheet| (sheet.file.clone(), sheet.text.to_string()))
            .collect();
        if let Some(book) = book(&config.source.table) {
            let path = config.source.folder.join(book);
            let unreadable = |error: io::Error| RemoteError::Unreadable {
                path: path.clone(),
                reason: error.to_string(),
            };
            if fs::metadata(&path).map_err(unreadable)?.len() <= LONGEST_BOOK {
                let text = fs::read_to_string(&path).map_err(unreadable)?;
                files.insert(book.to_owned(), text);
            }
        }
        let bundles = bundles(config);
        Ok(Announced {
            referee: REFEREE_NAME.to_owned(),
            name: config.name.clone(),
            hash: hash(&config.source.text, &bundles),
            config: config.source.text.clone(),
            folder: config.source.folder.clone(),
            files,
            bundles,
            lease_ms: u64::try_from(lease.as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// Parses an announcement.
    ///
    /// # Errors
    /// If it is malformed, or of another version of this program.
    pub fn read(payload: &[u8]) -> Result<Self, String> {
        let announced: Announced = unpack(payload)?;
        if announced.referee != REFEREE_NAME {
            return Err(format!(
                "the coordinator is `{}`, this is `{REFEREE_NAME}`: both have to be the same",
                protocol::excerpt(announced.referee.as_bytes(), 60)
            ));
        }
        if announced.hash != hash(&announced.config, &announced.bundles) {
            return Err("its hash is not that of its configuration and bundles".to_owned());
        }
        Ok(announced)
    }

    /// Computes the hash, for tests that make up announcements.
    #[must_use]
    pub fn sealed(mut self) -> Self {
        self.hash = hash(&self.config, &self.bundles);
        self
    }

    /// The configuration as a table.
    ///
    /// # Errors
    /// If it cannot be parsed.
    pub fn table(&self) -> Result<toml::Table, String> {
        if self.config.len() as u64 > 4 * MOST_TEXT {
            return Err("its configuration is too long".to_owned());
        }
        let table: Result<toml::Table, toml::de::Error> = self.config.parse();
        table.map_err(|error| format!("its configuration cannot be read: {}", error.message()))
    }

    /// A worker must renew its job within this time.
    pub fn lease(&self) -> Duration {
        Duration::from_millis(self.lease_ms).clamp(SHORTEST_LEASE, LONGEST_LEASE)
    }

    /// Writes the announced files to a folder. Returns the configuration with their paths.
    pub(crate) fn with_files(&self, folder: &Path) -> io::Result<toml::Table> {
        let mut table: toml::Table = self.config.parse().map_err(io::Error::other)?;
        let mut written = BTreeMap::new();
        for (number, (name, text)) in self.files.iter().enumerate() {
            let file = Path::new(name).file_name().unwrap_or_default();
            let path = folder.join(format!("{number}")).join(file);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(&path, text)?;
            written.insert(name.as_str(), path.to_string_lossy().into_owned());
        }
        if let Some(path) = book(&table).and_then(|book| written.get(book)).cloned()
            && let Some(toml::Value::Table(opening)) = table.get_mut("opening")
        {
            opening.insert("book".to_owned(), path.into());
        }
        if let Some(toml::Value::Array(rules)) = table.get_mut("rules") {
            rules
                .iter_mut()
                .for_each(|source| sent_along(source, &written));
        }
        Ok(table)
    }
}

/// The path of the opening book.
fn book(table: &toml::Table) -> Option<&str> {
    table.get("opening")?.get("book")?.as_str()
}

/// Replaces the path of a sheet by that of its announced copy.
fn sent_along(source: &mut toml::Value, files: &BTreeMap<&str, String>) {
    let command = source.get("command").unwrap_or(source);
    // A command of one word is that word.
    let word = match command {
        toml::Value::Array(words) if words.len() == 1 => &words[0],
        other => other,
    };
    let file = word
        .as_str()
        .and_then(|path| Path::new(path).file_name()?.to_str());
    let Some(path) = file.and_then(|file| files.get(file)) else {
        return;
    };
    if !source.is_table() {
        *source = toml::Table::new().into();
    }
    if let toml::Value::Table(table) = source {
        table.insert("command".to_owned(), vec![path.clone()].into());
    }
}

fn bundles(config: &Config) -> BTreeMap<String, Bundle> {
    let bots = config.bots.iter().zip(&config.admission.builds);
    let bundles = bots.filter_map(|(spec, plan)| {
        let unpacked = plan.bundle.as_ref()?;
        Some((spec.name.clone(), unpacked.bundle().clone()))
    });
    bundles.collect()
}

/// The hash of a configuration and of the bundles of its bots.
fn hash(config: &str, bundles: &BTreeMap<String, Bundle>) -> String {
    let mut hasher = Sha256::new_with_prefix(config);
    for (name, bundle) in bundles {
        hasher.update(format!("\0{name}\0{}", bundle.sha256));
    }
    let digest = hasher.finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compresses a message.
///
/// # Panics
/// If memory is exhausted.
pub fn pack<T: Message>(message: &T) -> Vec<u8> {
    let written = || -> io::Result<Vec<u8>> {
        let text = serde_json::to_vec(message)?;
        // At once: each write clears a whole buffer, and JSON would be written in pieces of a few bytes.
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&text)?;
        encoder.finish()
    };
    written().expect("messages are JSON, and memory takes them")
}

/// Unpacks a message. The bytes are not trusted.
///
/// # Errors
/// If they are no such message.
pub fn unpack<T: Message>(bytes: &[u8]) -> Result<T, String> {
    let mut text = Vec::new();
    let mut decoder = GzDecoder::new(bytes).take(T::MOST + 1);
    decoder
        .read_to_end(&mut text)
        .map_err(|error| error.to_string())?;
    if text.len() as u64 > T::MOST {
        return Err(format!("it unpacks to more than {} bytes", T::MOST));
    }
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_and_anything_else_is_refused() {
        let job = JobContent {
            config: hash("name = 1", &BTreeMap::new()),
            matches: Vec::new(),
            not_for: None,
            deal: None,
        };
        let packed = pack(&job);
        assert_eq!(unpack(&packed), Ok(job));
        assert!(unpack::<JobContent>(&packed[..packed.len() - 9]).is_err());
        assert!(unpack::<JobContent>(b"").is_err());
        assert!(
            unpack::<JobContent>(&pack(&PlayedJob {
                records: Vec::new()
            }))
            .is_err()
        );
        assert_eq!(hash("", &BTreeMap::new()).len(), 64);
    }

    #[test]
    fn workers_are_not_told_the_secret_that_deals_follow_from() {
        let digits = "5ec2e75e".repeat(8);
        let text = format!(
            "name = \"t\"\nsecret = \"{digits}\"\ngames = [\"run\"]\n\
             [[bots]]\nname = \"a\"\ncommand = \"referee bot random\"\n\
             [[bots]]\nname = \"b\"\ncommand = \"referee bot random\"\n"
        );
        let config = Config::parse(&text, Path::new("/")).unwrap();
        assert!(config.secret.is_some());
        let announced = Announced::new(&config, WAIT).unwrap();
        let sent = serde_json::to_string(&announced).unwrap();
        assert!(
            !sent.contains("5ec2e7") && sent.contains("games ="),
            "{sent}"
        );
    }

    #[test]
    fn what_would_fill_the_memory_is_refused() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let zeros = vec![b' '; 1 << 20];
        for _ in 0..(JobContent::MOST >> 20) + 1 {
            encoder.write_all(&zeros).unwrap();
        }
        let bomb = encoder.finish().unwrap();
        assert!(bomb.len() < 1 << 20);
        assert!(
            unpack::<JobContent>(&bomb)
                .unwrap_err()
                .contains("more than")
        );
    }

    #[test]
    fn files_that_are_sent_along_take_the_place_of_those_that_are_named() {
        let announced = Announced {
            referee: String::new(),
            name: String::new(),
            config: "rules = [\"games/nim.kif\", { command = \"x/hex.kif\", prefix = \"my\" }, \"./p\"]\n\
                     [opening]\nbook = \"a/b.txt\"\n"
                .to_owned(),
            hash: String::new(),
            folder: PathBuf::new(),
            files: [("nim.kif", "N"), ("hex.kif", "H"), ("a/b.txt", "B")]
                .map(|(name, text)| (name.to_owned(), text.to_owned()))
                .into(),
            bundles: BTreeMap::new(),
            lease_ms: 1,
        };
        let folder = tempfile::tempdir().unwrap();
        let table = announced.with_files(folder.path()).unwrap();
        let text = |value: &toml::Value| fs::read_to_string(value.as_str().unwrap()).unwrap();
        assert_eq!(text(&table["rules"][0]["command"][0]), "N");
        assert_eq!(text(&table["rules"][1]["command"][0]), "H");
        assert_eq!(table["rules"][1]["prefix"].as_str(), Some("my"));
        assert_eq!(table["rules"][2].as_str(), Some("./p"));
        assert_eq!(text(&table["opening"]["book"]), "B");
    }
}

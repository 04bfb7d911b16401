//! Names of streams and subjects. `tournaments/nats.conf` grants permissions by them.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The stream of all announcements.
pub(crate) const TOURNAMENTS: &str = "referee-tournaments";
/// The subjects of all announcements.
pub(crate) const ALL_TOURNAMENTS: &str = "referee.tournament.*";
/// The consumer in every stream of jobs.
pub(crate) const WORKERS: &str = "workers";
/// The longest names, in bytes.
const LONGEST: usize = 80;

/// Not a valid name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a name of 1 to {LONGEST} letters, digits, `-` and `_`")]
pub struct InvalidName(String);

fn checked(text: &str) -> Result<String, InvalidName> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if (1..=LONGEST).contains(&text.len()) && text.bytes().all(plain) {
        Ok(text.to_owned())
    } else {
        Err(InvalidName(text.to_owned()))
    }
}

/// Makes a name of a text: other characters become `-`, and it is truncated.
fn made(text: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '_' {
            c
        } else {
            '-'
        }
    };
    let name: String = text.chars().take(LONGEST).map(plain).collect();
    if name.is_empty() {
        "-".to_owned()
    } else {
        name
    }
}

/// The unique name of a tournament on the server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TournamentId(String);

/// The name of a worker, which should be unique.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkerName(String);

impl TournamentId {
    /// The tournament's name with a unique suffix.
    pub fn of(name: &str, unique: u64) -> Self {
        let name: String = made(name).chars().take(LONGEST - 17).collect();
        TournamentId(format!("{name}-{unique:016x}"))
    }

    pub fn jobs(&self) -> String {
        format!("referee-jobs-{self}")
    }

    pub fn results(&self) -> String {
        format!("referee-results-{self}")
    }

    /// The stream of files for its workers.
    pub(crate) fn files(&self) -> String {
        format!("referee-files-{self}")
    }

    /// The subject of a piece of a file, or `*` for all.
    pub(crate) fn file(&self, name: &str, piece: impl fmt::Display) -> String {
        format!("referee.file.{self}.{name}.{piece}")
    }

    /// The subject of its announcement.
    pub(crate) fn subject(&self) -> String {
        format!("referee.tournament.{self}")
    }

    /// The subject of a job, or `*` for all.
    pub fn job(&self, job: impl fmt::Display) -> String {
        format!("referee.job.{self}.{job}")
    }

    /// The subject of the result of a job, or `*` for all.
    pub fn result(&self, job: impl fmt::Display) -> String {
        format!("referee.result.{self}.{job}")
    }

    /// The subject of news from a worker, or `*` for all.
    pub fn news(&self, worker: impl fmt::Display) -> String {
        format!("referee.news.{self}.{worker}")
    }

    /// The tournament with this subject of its announcement.
    pub(crate) fn of_subject(subject: &str) -> Option<Self> {
        subject.strip_prefix("referee.tournament.")?.parse().ok()
    }
}

impl WorkerName {
    /// Makes a name of any text.
    pub fn of(text: &str) -> Self {
        WorkerName(made(text))
    }

    pub fn heartbeats(&self) -> String {
        format!("referee.worker.{self}")
    }

    pub(crate) const ALL_HEARTBEATS: &str = "referee.worker.*";
}

/// The job number at the end of a subject.
pub(crate) fn number(subject: &str) -> Option<u64> {
    subject.rsplit('.').next()?.parse().ok()
}

impl FromStr for TournamentId {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        checked(text).map(TournamentId)
    }
}

impl FromStr for WorkerName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        checked(text).map(WorkerName)
    }
}

impl fmt::Display for TournamentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for WorkerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_change_a_subject() {
        for bad in ["", "a.b", "*", ">", "a b", "ä", &"a".repeat(LONGEST + 1)] {
            assert!(bad.parse::<TournamentId>().is_err(), "{bad}");
            assert!(bad.parse::<WorkerName>().is_err(), "{bad}");
            assert!(
                WorkerName::of(bad)
                    .to_string()
                    .parse::<WorkerName>()
                    .is_ok()
            );
        }
        let id = TournamentId::of("Wednesday evening > *", 255);
        assert_eq!(id.to_string(), "Wednesday-evening-----00000000000000ff");
        assert_eq!(TournamentId::of_subject(&id.subject()), Some(id.clone()));
        assert_eq!(number(&id.result(17)), Some(17));
        let long = TournamentId::of(&"x".repeat(500), u64::MAX).to_string();
        assert_eq!(
            long.parse::<TournamentId>().map(|id| id.to_string()),
            Ok(long)
        );
    }
}

//! Sources of rules: command lines and sheets, in configurations, on the command line, and in the
//! environment of bots.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use protocol::TimeControl;
use serde::{Deserialize, Serialize};
use supervisor::spec::Wanted;
use supervisor::spec::{self, command};
use supervisor::{BotSpec, CommandError, REFEREE};
use thiserror::Error;

/// The environment variable in which bots find the sources, as JSON with absolute paths.
pub(crate) const RULES_VARIABLE: &str = "REFEREE_RULES";

/// The default time limit of a request.
pub const TIMEOUT: Duration = Duration::from_secs(5);

/// The file extension of sheets.
pub(crate) const SHEET: &str = ".kif";

/// A source that is none.
#[derive(Debug, Error)]
pub enum SourceError {
    /// Not a command line, or one that names no program.
    #[error("the rules `{name}`: {error}")]
    Command {
        /// The source as it was given.
        name: String,
        /// The fault.
        error: CommandError,
    },
    /// The file of a sheet that cannot be read.
    #[error("the rules `{name}` cannot be read: {error}")]
    File {
        /// The source as it was given.
        name: String,
        /// The reason for a refusal.
        error: io::Error,
    },
    /// A sheet that is not well formed.
    #[error("the rules `{name}`, {error}")]
    Sheet {
        /// The source as it was given.
        name: String,
        /// The fault, with its place.
        error: gdl::SheetError,
    },
    /// A prefix that no id can begin with.
    #[error(
        "the rules `{name}`: the prefix `{prefix}` is not made of small letters, digits and hyphens, beginning with a letter or digit"
    )]
    Prefix {
        /// The source as it was given.
        name: String,
        prefix: String,
    },
    /// The variable does not hold what a referee writes into it.
    #[error("the environment variable REFEREE_RULES: {0}")]
    Variable(serde_json::Error),
}

/// A rules program or a sheet as the user names it.
#[derive(Clone, Debug)]
pub struct RulesSource {
    /// Program and arguments, or the file of a sheet alone.
    pub command: Vec<String>,
    /// The working directory.
    pub dir: PathBuf,
    /// True if a sandbox that hides files shows all of `dir`.
    pub shows_dir: bool,
    /// Variables that are added to the environment.
    pub env: BTreeMap<String, String>,
    /// The prefix of its ids, without the hyphen.
    pub prefix: Option<String>,
    /// Its permissions and limits.
    pub wanted: Wanted,
    /// The time limit of a request; `None` for the default of the caller.
    pub timeout: Option<Duration>,
    /// The time limit of grounding a sheet; `None` for that of requests.
    pub grounding: Option<Duration>,
}

/// The same in the environment of bots.
#[derive(Serialize, Deserialize)]
struct Inherited {
    command: Vec<String>,
    dir: PathBuf,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prefix: Option<String>,
    /// Left out if it is the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timeout_ms: Option<u64>,
    /// Left out if it is no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    grounding_ms: Option<u64>,
}

/// True if a prefix, a hyphen and an id are an id.
pub(crate) fn is_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let mut bytes = text.bytes();
    bytes.next().is_some_and(plain) && bytes.all(|byte| plain(byte) || byte == b'-')
}

impl RulesSource {
    /// A source of one line, as on the command line; paths in it start at `dir`.
    ///
    /// # Errors
    /// If it is not the command line of a program.
    pub fn parse(line: &str, dir: &Path) -> Result<Self, SourceError> {
        let source = RulesSource {
            command: Self::words(line)?,
            dir: spec::resolved(dir.to_owned()),
            shows_dir: false,
            env: BTreeMap::new(),
            prefix: None,
            wanted: Wanted::default(),
            timeout: None,
            grounding: None,
        };
        source.checked()
    }

    /// The words of a line: what ends like a sheet is one, all else is split as a shell does.
    ///
    /// # Errors
    /// If it cannot be split.
    pub fn words(line: &str) -> Result<Vec<String>, SourceError> {
        let words = command::split(line).map_err(|error| SourceError::Command {
            name: line.to_owned(),
            error,
        })?;
        // The name of a sheet may have blanks.
        if words.len() > 1 && line.ends_with(SHEET) {
            return Ok(vec![line.to_owned()]);
        }
        Ok(words)
    }

    /// The source, if its program or sheet is there and its prefix is one.
    ///
    /// # Errors
    /// If not.
    pub fn checked(self) -> Result<Self, SourceError> {
        if self.sheet().is_none() {
            let program = self.spec().program();
            program.map_err(|error| SourceError::Command {
                name: self.name(),
                error,
            })?;
        }
        if let Some(prefix) = self.prefix.as_ref().filter(|prefix| !is_id(prefix)) {
            return Err(SourceError::Prefix {
                name: self.name(),
                prefix: prefix.clone(),
            });
        }
        Ok(self)
    }

    /// The sources that a referee has put into the environment of this process.
    ///
    /// # Errors
    /// If the variable holds something else.
    pub fn inherited() -> Result<Vec<Self>, SourceError> {
        let Ok(text) = std::env::var(RULES_VARIABLE) else {
            return Ok(Vec::new());
        };
        let sources: Vec<Inherited> = serde_json::from_str(&text).map_err(SourceError::Variable)?;
        let sources = sources.into_iter().map(|source| RulesSource {
            command: source.command,
            dir: source.dir,
            shows_dir: true,
            env: source.env,
            prefix: source.prefix,
            wanted: Wanted::default(),
            timeout: source.timeout_ms.map(Duration::from_millis),
            grounding: source.grounding_ms.map(Duration::from_millis),
        });
        Ok(sources.collect())
    }

    /// These sources as the value of [`RULES_VARIABLE`].
    pub(crate) fn to_variable(sources: &[Self]) -> String {
        let is_unusual = |timeout: &Duration| *timeout != TIMEOUT;
        let millis = |time: Duration| u64::try_from(time.as_millis()).ok();
        let sources = sources.iter().map(|source| Inherited {
            command: source.command.clone(),
            dir: source.dir.clone(),
            env: source.env.clone(),
            prefix: source.prefix.clone(),
            timeout_ms: source.timeout.filter(is_unusual).and_then(millis),
            grounding_ms: source.grounding.and_then(millis),
        });
        let sources: Vec<Inherited> = sources.collect();
        serde_json::to_string(&sources).expect("texts are JSON")
    }

    /// Its name in messages: its command line.
    pub(crate) fn name(&self) -> String {
        shell_words::join(&self.command)
    }

    /// The id of a game that the program calls this.
    pub fn id(&self, own: &str) -> String {
        match &self.prefix {
            Some(prefix) => format!("{prefix}-{own}"),
            None => own.to_owned(),
        }
    }

    /// True if it is this very program with its own games, under another prefix.
    pub fn is_referee(&self) -> bool {
        self.command == [REFEREE, "model"]
    }

    /// Paths that the program needs in a sandbox: a folder that was named for it, or the files in
    /// its command. Never the configuration's folder as a whole, which may contain other bots.
    pub fn readable(&self) -> Vec<PathBuf> {
        if self.shows_dir {
            return vec![self.dir.clone()];
        }
        let named = self.command.iter().map(|word| self.dir.join(word));
        named.filter(|path| path.is_file()).collect()
    }

    /// The settings for its process.
    pub fn spec(&self) -> BotSpec {
        let mut spec = BotSpec::new(
            self.name(),
            self.command.clone(),
            self.dir.clone(),
            &TimeControl::default(),
        );
        spec.shows_dir = self.shows_dir;
        spec.env = self.env.clone();
        // A rules program that is this very program has its own games alone: else it would ask itself.
        spec.env.insert(RULES_VARIABLE.to_owned(), "[]".to_owned());
        spec.wanted = self.wanted.clone();
        spec.wanted.readable.extend(self.readable());
        spec
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_command_lines() {
        let here = Path::new("/");
        let source = RulesSource::parse("sh -c 'exit 1'", here).unwrap();
        assert_eq!(source.command, ["sh", "-c", "exit 1"]);
        assert!(
            RulesSource::parse("referee model", here)
                .unwrap()
                .is_referee()
        );
        let error = |line: &str| RulesSource::parse(line, here).unwrap_err().to_string();
        let sheet = |line: &str| RulesSource::parse(line, here).unwrap().sheet();
        assert_eq!(
            sheet("games/nim.kif"),
            Some(PathBuf::from("/games/nim.kif"))
        );
        assert_eq!(
            sheet("my games/nim.kif"),
            Some(PathBuf::from("/my games/nim.kif"))
        );
        assert_eq!(sheet("sh -c 'exit 1'"), None);
        assert!(error("no-such-program x").contains("no-such-program"));
        let prefixed = RulesSource {
            prefix: Some("Far".to_owned()),
            ..source
        };
        assert!(
            prefixed
                .checked()
                .unwrap_err()
                .to_string()
                .contains("`Far`")
        );
    }

    #[test]
    fn sandboxes_show_what_a_source_names_and_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().canonicalize().unwrap();
        for file in ["game.py", "secret.py"] {
            std::fs::write(here.join(file), "").unwrap();
        }
        let source = RulesSource::parse("python3 game.py x", &here).unwrap();
        assert_eq!(source.readable(), [here.join("game.py")]);
        let source = RulesSource {
            shows_dir: true,
            ..source
        };
        assert_eq!(source.readable(), [here]);
        let referee = RulesSource::parse("referee model", Path::new("/")).unwrap();
        assert!(referee.readable().is_empty());
    }

    #[test]
    fn ids_are_small_letters_digits_and_hyphens() {
        for (text, expected) in [
            ("nim", true),
            ("2048", true),
            ("tic-tac-toe", true),
            ("", false),
            ("-x", false),
            ("Nim", false),
            ("a_b", false),
        ] {
            assert_eq!(is_id(text), expected, "{text}");
        }
    }
}

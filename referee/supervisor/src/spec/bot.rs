//! The spec of a bot, from the configuration.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

use protocol::TimeControl;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::command::{self, CommandError};
use super::sandbox::Wanted;

/// The word that names the running program in commands.
pub const REFEREE: &str = "referee";
/// The environment variable that holds the path of the running program, for bots that use its
/// forward model.
pub(crate) const REFEREE_VARIABLE: &str = "REFEREE";
/// At most this many characters of a bot's name become part of a file name.
const MAX_FILE_NAME: usize = 60;

/// A bot, with everything that is needed to start, time and sandbox it.
#[derive(Clone, Debug)]
pub struct BotSpec {
    /// Its name in the tournament.
    pub name: String,
    /// Program and arguments as configured.
    pub command: Vec<String>,
    pub dir: PathBuf,
    /// The SHA-256 of the bundle that `dir` was unpacked from, in hexadecimal digits; `None`
    /// without one.
    pub bundle: Option<String>,
    /// The SHA-256 of the `bot.toml` that describes it, in hexadecimal digits; `None` without one.
    pub bot_file: Option<String>,
    /// Files and folders, without links, that contain all files it may name, besides the system's
    /// and programs on the user's path; `None` if the author of its command is trusted.
    pub bounds: Option<Vec<PathBuf>>,
    /// A sandbox that hides files shows all of `dir`, and not only the files that the command
    /// names.
    pub shows_dir: bool,
    /// Variables that are added to the referee's environment.
    pub env: BTreeMap<String, String>,
    pub time: TimeControl,
    /// `time` was configured for this bot alone.
    pub own_time: bool,
    pub restart: Restart,
    /// The number of attempts to start it before it is at fault; at least 1.
    pub start_attempts: u32,
    pub idle: Idle,
    /// Its sandbox and its limits.
    pub wanted: Wanted,
    /// The ids of the games that it plays; `None` if the configuration does not say.
    pub games: Option<Vec<String>>,
    /// The address of a running player that is reached over HTTP. Nothing is started for it, and
    /// `command` only describes it in logs.
    pub ggp: Option<GgpPlayer>,
}

/// A player that speaks the protocol of General Game Playing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GgpPlayer {
    /// Host and port, as in `127.0.0.1:9147`.
    pub address: String,
    /// It receives sheets with meaningless names.
    pub scramble: bool,
}

/// Treatment of a bot between its turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Idle {
    /// Processes keep running.
    #[default]
    Run,
    /// Nothing: its processes are stopped.
    Freeze,
}

/// When a bot gets a new process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Restart {
    /// After a fault; otherwise one process plays many matches.
    #[default]
    OnFault,
    /// For each match.
    EachMatch,
}

/// A working directory without links and `..`, if it exists: the strict sandbox shows it only under
/// that name.
pub fn resolved(dir: PathBuf) -> PathBuf {
    dir.canonicalize().unwrap_or(dir)
}

/// A bot's name as a part of file names: characters other than letters, digits, `-` and `_` become
/// `_`, and long names are cut.
pub fn file_name(bot: &str) -> String {
    let is_safe = |c: char| c.is_alphanumeric() || "-_".contains(c);
    let safe = bot.chars().map(|c| if is_safe(c) { c } else { '_' });
    safe.take(MAX_FILE_NAME).collect()
}

impl BotSpec {
    /// A bot outside tournaments.
    pub fn new(name: String, command: Vec<String>, dir: PathBuf, time: &TimeControl) -> Self {
        BotSpec {
            name,
            command,
            dir: resolved(dir),
            bundle: None,
            bot_file: None,
            bounds: None,
            shows_dir: true,
            env: BTreeMap::new(),
            time: time.clone(),
            own_time: false,
            restart: Restart::default(),
            start_attempts: 1,
            idle: Idle::default(),
            wanted: Wanted::default(),
            games: None,
            ggp: None,
        }
    }

    /// The path of the program that the command names.
    ///
    /// # Errors
    /// If the working directory or the program does not exist, or the program cannot be run.
    pub fn program(&self) -> Result<PathBuf, CommandError> {
        self.program_on(&env::var_os("PATH").unwrap_or_default())
    }

    /// The same, searched for in the folders of `path` instead of the variable PATH.
    pub(crate) fn program_on(&self, path: &OsStr) -> Result<PathBuf, CommandError> {
        self.check_texts()?;
        let program = self.command.first().ok_or(CommandError::Empty)?;
        if !self.dir.is_dir() {
            return Err(CommandError::NoDirectory(self.dir.clone()));
        }
        if program == REFEREE {
            return env::current_exe().map_err(CommandError::Myself);
        }
        command::find(program, &self.dir, path, self.search_path(path))
    }

    /// The folders in which the bot itself finds programs, as `env` in a shebang does: those of its
    /// own variable PATH if it has one, else `path`.
    pub(crate) fn search_path<'a>(&'a self, path: &'a OsStr) -> &'a OsStr {
        self.env.get("PATH").map_or(path, OsStr::new)
    }

    /// Refuses texts that the system cannot pass on to a program.
    fn check_texts(&self) -> Result<(), CommandError> {
        let wrong = |name: &&String| name.is_empty() || name.contains(['=', '\0']);
        if let Some(name) = self.env.keys().find(wrong) {
            return Err(CommandError::Variable(name.clone()));
        }
        let dir = self.dir.to_string_lossy();
        let words = self.command.iter().map(|word| ("command", &**word));
        let values = self.env.values().map(|value| ("env", &**value));
        let mut texts = words.chain([("dir", &*dir)]).chain(values);
        match texts.find(|(_, text)| text.contains('\0')) {
            Some((key, value)) => Err(CommandError::Nul {
                key,
                value: value.to_owned(),
            }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    fn spec(dir: &Path, command: &[&str]) -> BotSpec {
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        BotSpec::new(
            "x".to_owned(),
            command,
            dir.to_owned(),
            &TimeControl::default(),
        )
    }

    #[test]
    fn programs_are_found_or_the_error_says_why_not() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("bot.sh");
        fs::write(&script, "#!/bin/sh\n").unwrap();
        let error = |command: &[&str]| {
            spec(folder.path(), command)
                .program()
                .unwrap_err()
                .to_string()
        };
        assert!(error(&["./bot.sh"]).contains("is not executable"));
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(spec(folder.path(), &["./bot.sh"]).program().is_ok());
        fs::write(&script, "#!/bin/sh\r\nexit\r\n").unwrap();
        assert!(error(&["./bot.sh"]).contains("Windows line ends"));
        fs::write(&script, "#!/usr/bin/env no-such-interpreter\n").unwrap();
        assert!(error(&["./bot.sh"]).contains("names the interpreter `no-such-interpreter`"));
        assert!(spec(folder.path(), &["sh"]).program().is_ok());
        assert!(
            spec(folder.path(), &["referee", "bot", "random"])
                .program()
                .is_ok()
        );
        assert!(error(&["./missing"]).contains("there is no program `./missing`"));
        assert!(error(&["no-such-program"]).contains("on the PATH"));
        assert!(error(&[]).contains("empty"));
        let elsewhere = folder.path().join("nowhere");
        let error = spec(&elsewhere, &["sh"]).program().unwrap_err().to_string();
        assert!(error.contains("no working directory"));
    }

    #[test]
    fn folders_are_resolved() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        fs::create_dir(top.join("real")).unwrap();
        std::os::unix::fs::symlink("real", top.join("link")).unwrap();
        let script = top.join("real/bot.sh");
        fs::write(&script, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink("bot.sh", top.join("real/other.sh")).unwrap();
        let spec = spec(&top.join("link"), &["../link/other.sh"]);
        assert_eq!(spec.dir, top.join("real"));
        assert_eq!(spec.program().unwrap(), top.join("real/other.sh"));
    }

    #[test]
    fn texts_that_no_program_can_take_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = |spec: &BotSpec| spec.program().unwrap_err().to_string();
        let error_of = error(&spec(folder.path(), &["sh", "a\0b"]));
        assert!(
            error_of.starts_with("`command`: \"a\\0b\" has a NUL"),
            "{error_of}"
        );
        let error_of = error(&spec(Path::new("/a\0b"), &["sh"]));
        assert!(error_of.starts_with("`dir`: "), "{error_of}");
        let with = |name: &str, value: &str| {
            let mut spec = spec(folder.path(), &["sh"]);
            spec.env.insert(name.to_owned(), value.to_owned());
            spec
        };
        assert!(error(&with("A", "\0")).starts_with("`env`: "));
        for name in ["", "A=B", "\0"] {
            assert!(error(&with(name, "x")).contains("no name of a variable"));
        }
        assert!(with("A", "x=y").program().is_ok());
    }
}

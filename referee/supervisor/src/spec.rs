//! A bot as the configuration describes it, and finding its program.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use protocol::TimeControl;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::cage::limits::Wanted;
use super::script;

/// The word in commands that means this very program.
pub const REFEREE: &str = "referee";
/// The environment variable in which bots find the path of this very program, for its model.
pub const REFEREE_VARIABLE: &str = "REFEREE";

/// How a bot is started and timed.
#[derive(Clone, Debug)]
pub struct BotSpec {
    /// Its name in the tournament.
    pub name: String,
    /// Program and arguments as they were configured.
    pub command: Vec<String>,
    /// The working directory.
    pub dir: PathBuf,
    /// Whether it sees all of that in a sandbox that hides files, not its program only.
    pub shows_dir: bool,
    /// Added to the referee's environment.
    pub env: BTreeMap<String, String>,
    /// Its time control.
    pub time: TimeControl,
    /// Whether `time` is its own, not everybody's.
    pub own_time: bool,
    /// When its process is started anew.
    pub restart: Restart,
    /// What it does while it is not its turn.
    pub idle: Idle,
    /// What it may do and use.
    pub wanted: Wanted,
}

/// What a bot does while it is not its turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Idle {
    /// What it likes.
    #[default]
    Run,
    /// Nothing: its processes are stopped.
    Freeze,
}

/// When a bot's process is started anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Restart {
    /// After a fault; otherwise one process plays many matches.
    #[default]
    OnFault,
    /// For each match.
    EachMatch,
}

/// A command that cannot be run.
#[derive(Debug, Error)]
pub enum CommandError {
    /// There is no program in it.
    #[error("the command is empty; it needs at least a program")]
    Empty,
    /// A quote or a backslash is left open.
    #[error("the command `{0}` cannot be split into words: a quote is not closed")]
    Split(String),
    /// The interpreter of a script is not there.
    #[error(
        "the first line of `{}` names the interpreter `{interpreter}`, which is not there",
        script.display()
    )]
    NoInterpreter {
        /// The script.
        script: PathBuf,
        /// What its first line names.
        interpreter: String,
    },
    /// The first line of a script has a carriage return at its end, which is taken for a part of
    /// the interpreter's name.
    #[error(
        "`{0}` has the line ends of Windows, so its interpreter is not found; \
         `sed -i 's/\\r$//' {0}` mends that"
    )]
    WindowsLines(PathBuf),
    /// There is no such file.
    #[error("there is no program `{program}`{place}")]
    Missing {
        /// The program as configured.
        program: String,
        /// Where it was looked for.
        place: String,
    },
    /// It is there but cannot be run.
    #[error(
        "`{0}` is not executable; `chmod +x {0}` would make it so, or name its interpreter first"
    )]
    NotExecutable(PathBuf),
    /// The working directory is not there.
    #[error("there is no working directory `{0}`")]
    NoDirectory(PathBuf),
    /// The system hands on texts up to a NUL character only.
    #[error("`{key}`: {value:?} has a NUL character in it, which no program can be given")]
    Nul {
        /// Where it stands.
        key: &'static str,
        /// The text.
        value: String,
    },
    /// A variable that no environment can have.
    #[error("`env`: {0:?} is no name of a variable; it is empty, or has a `=` or a NUL character")]
    Variable(String),
    /// The path of this very program is not known.
    #[error("the path of this program is not known: {0}")]
    Myself(std::io::Error),
}

/// A working directory without links and `..`, if it is there: the strict sandbox shows it under
/// that name only.
pub fn resolved(dir: PathBuf) -> PathBuf {
    dir.canonicalize().unwrap_or(dir)
}

/// Splits a command line into words as a shell would.
///
/// # Errors
/// If a quote is not closed or there are no words.
pub fn split(line: &str) -> Result<Vec<String>, CommandError> {
    let words = shell_words::split(line).map_err(|_| CommandError::Split(line.to_owned()))?;
    if words.is_empty() {
        return Err(CommandError::Empty);
    }
    Ok(words)
}

impl BotSpec {
    /// A bot outside tournaments.
    pub fn new(name: String, command: Vec<String>, dir: PathBuf, time: &TimeControl) -> Self {
        BotSpec {
            name,
            command,
            dir: resolved(dir),
            shows_dir: true,
            env: BTreeMap::new(),
            time: time.clone(),
            own_time: false,
            restart: Restart::default(),
            idle: Idle::default(),
            wanted: Wanted::default(),
        }
    }

    /// The path of the program that the command names.
    ///
    /// # Errors
    /// If the working directory or the program is not there, or the program cannot be run.
    pub fn program(&self) -> Result<PathBuf, CommandError> {
        self.program_on(&env::var_os("PATH").unwrap_or_default())
    }

    /// Refuses texts that the system cannot hand on.
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

    /// The same with these folders to look in for programs without a folder of their own.
    ///
    /// # Errors
    /// If the working directory or the program is not there, or the program cannot be run.
    pub fn program_on(&self, path: &OsStr) -> Result<PathBuf, CommandError> {
        self.check_texts()?;
        let program = self.command.first().ok_or(CommandError::Empty)?;
        if !self.dir.is_dir() {
            return Err(CommandError::NoDirectory(self.dir.clone()));
        }
        if program == REFEREE {
            return env::current_exe().map_err(CommandError::Myself);
        }
        let found = match program.contains('/') {
            true => executable(self.dir.join(program), program)?,
            false => search(path, program)?,
        };
        // What `env` finds for a script depends on the bot's own variables.
        let path = self.env.get("PATH").map_or(path, OsStr::new);
        match script::trouble(&found, path) {
            Some(trouble) => Err(trouble),
            None => Ok(found),
        }
    }
}

fn executable(path: PathBuf, program: &str) -> Result<PathBuf, CommandError> {
    if !path.is_file() {
        return Err(CommandError::Missing {
            program: program.to_owned(),
            place: format!(": `{}` is not a file", path.display()),
        });
    }
    if !may_run(&path) {
        return Err(CommandError::NotExecutable(path));
    }
    // Its folder without links, as the strict sandbox shows it; but a link to a program stays, as
    // some programs look at what they are called.
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    Ok(match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path,
    })
}

fn search(path: &OsStr, program: &str) -> Result<PathBuf, CommandError> {
    let found: Vec<PathBuf> = env::split_paths(path)
        .map(|folder| folder.join(program))
        .filter(|path| path.is_file())
        .collect();
    match found.iter().find(|path| may_run(path)) {
        Some(path) => Ok(path.clone()),
        None if found.is_empty() => Err(CommandError::Missing {
            program: program.to_owned(),
            place: " on the PATH (a program in a folder needs a slash, as in `./mybot`)".to_owned(),
        }),
        None => Err(CommandError::NotExecutable(found[0].clone())),
    }
}

fn may_run(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

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
    fn programs_are_found_or_the_reason_is_told() {
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
        assert!(error(&["./bot.sh"]).contains("line ends of Windows"));
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
    fn texts_that_no_program_can_be_given_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = |spec: &BotSpec| spec.program().unwrap_err().to_string();
        let told = error(&spec(folder.path(), &["sh", "a\0b"]));
        assert!(told.starts_with("`command`: \"a\\0b\" has a NUL"), "{told}");
        let told = error(&spec(Path::new("/a\0b"), &["sh"]));
        assert!(told.starts_with("`dir`: "), "{told}");
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

    #[test]
    fn command_lines_are_split_like_a_shell_does() {
        assert_eq!(
            split("python3 'my bot.py' -x").unwrap(),
            ["python3", "my bot.py", "-x"]
        );
        assert!(matches!(split("python3 'my"), Err(CommandError::Split(_))));
        assert!(matches!(split("  "), Err(CommandError::Empty)));
    }
}

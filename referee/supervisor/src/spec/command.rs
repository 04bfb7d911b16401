//! The command that starts a bot: split into words, and its program found.

use std::env;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::shebang::{self, ShebangError};

/// The reason why a command cannot run.
#[derive(Debug, Error)]
pub enum CommandError {
    #[error("the command is empty; it needs at least a program")]
    Empty,
    #[error("the command `{0}` cannot be split into words: a quote is not closed")]
    Split(String),
    #[error(transparent)]
    Shebang(#[from] ShebangError),
    #[error("there is no program `{program}`: `{path}` is not a file")]
    NoFile { program: String, path: PathBuf },
    #[error(
        "there is no program `{program}` on the PATH (a program in a folder needs a slash, as in `./mybot`)"
    )]
    NotOnPath { program: String },
    #[error(
        "`{0}` is not executable; `chmod +x {0}` would make it so, or name its interpreter first"
    )]
    NotExecutable(PathBuf),
    #[error("there is no working directory `{0}`")]
    NoDirectory(PathBuf),
    /// The system passes texts on only up to a NUL character.
    #[error("`{key}`: {value:?} has a NUL character in it, which no program can be given")]
    Nul {
        /// The configuration key of the text.
        key: &'static str,
        value: String,
    },
    #[error("`env`: {0:?} is no name of a variable; it is empty, or has a `=` or a NUL character")]
    Variable(String),
    #[error("the path of this program is not known: {0}")]
    Myself(std::io::Error),
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

/// The path of a program that is named with or without a folder. A name without one is searched for
/// in the folders of `path`; `env` in a shebang searches those of `interpreters`.
///
/// # Errors
/// If the program does not exist or cannot be run.
pub(super) fn find(
    program: &str,
    dir: &Path,
    path: &OsStr,
    interpreters: &OsStr,
) -> Result<PathBuf, CommandError> {
    let found = if program.contains('/') {
        executable(dir.join(program), program)?
    } else {
        search(path, program)?
    };
    shebang::check(&found, interpreters)?;
    Ok(found)
}

fn executable(path: PathBuf, program: &str) -> Result<PathBuf, CommandError> {
    if !path.is_file() {
        return Err(CommandError::NoFile {
            program: program.to_owned(),
            path,
        });
    }
    if !may_run(&path) {
        return Err(CommandError::NotExecutable(path));
    }
    // The folder without links, as the strict sandbox shows it. A link to the program itself stays,
    // because some programs depend on the name that they are called by.
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
        None if found.is_empty() => Err(CommandError::NotOnPath {
            program: program.to_owned(),
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

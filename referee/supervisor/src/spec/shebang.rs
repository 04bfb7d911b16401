//! Shebangs, the first lines of scripts. The system says little about those that lead to no
//! interpreter.

use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// At most this many bytes of a first line are read; no kernel reads more.
const MAX_LINE: u64 = 256;

/// The reason why a script cannot start.
#[derive(Debug, Error)]
pub enum ShebangError {
    #[error(
        "the first line of `{}` names the interpreter `{interpreter}`, which is not there",
        script.display()
    )]
    NoInterpreter {
        script: PathBuf,
        interpreter: String,
    },
    /// The carriage return counts as a part of the interpreter's name.
    #[error(
        "`{0}` has Windows line ends, so its interpreter is not found; \
         `sed -i 's/\\r$//' {0}` fixes that"
    )]
    WindowsLineEnds(PathBuf),
}

/// Checks that the first line of an executable leads to an interpreter, if it is a script. `env`
/// searches the folders of `path`.
pub(super) fn check(program: &Path, path: &OsStr) -> Result<(), ShebangError> {
    let line = first_line(program).unwrap_or_default();
    let Some(line) = line.strip_prefix("#!") else {
        return Ok(());
    };
    if line.ends_with('\r') {
        return Err(ShebangError::WindowsLineEnds(program.to_owned()));
    }
    match missing_interpreter(line, path) {
        None => Ok(()),
        Some(interpreter) => Err(ShebangError::NoInterpreter {
            script: program.to_owned(),
            interpreter: interpreter.to_owned(),
        }),
    }
}

/// The interpreter of a script: the program that its first line names, or that `env` finds in the
/// folders of `path`. `None` if the program is no script, or there is no such interpreter.
pub(crate) fn interpreter(program: &Path, path: &OsStr) -> Option<PathBuf> {
    let line = first_line(program)?;
    let mut words = line.strip_prefix("#!")?.split_ascii_whitespace();
    let named = PathBuf::from(words.next()?);
    if !named.ends_with("env") {
        return named.is_file().then_some(named);
    }
    let called = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    let mut places = env::split_paths(path).map(|folder| folder.join(called));
    places.find(|place| place.is_file())
}

/// The interpreter that a first line, given without its `#!`, names, if it does not exist.
fn missing_interpreter<'a>(line: &'a str, path: &OsStr) -> Option<&'a str> {
    let mut words = line.split_ascii_whitespace();
    let interpreter = words.next()?;
    if interpreter.starts_with('/') && !Path::new(interpreter).exists() {
        return Some(interpreter);
    }
    if !interpreter.ends_with("/env") {
        return None;
    }
    // `env` takes options and variables first.
    let called = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    let exists = if called.contains('/') {
        Path::new(called).exists()
    } else {
        env::split_paths(path).any(|folder| folder.join(called).is_file())
    };
    (!exists).then_some(called)
}

/// A likely reason why the script of a bot ended early, and how to fix it: Windows line ends, over
/// which shells stumble, or no shebang, so that a shell has run another language.
pub fn suspicion(command: &[String], dir: &Path) -> Option<String> {
    if let Some(path) = windows_line_ends(command, dir) {
        let path = path.display();
        return Some(format!(
            "`{path}` has Windows line ends, `sed -i 's/\\r$//' {path}` fixes that"
        ));
    }
    let program = command.first().filter(|word| word.contains('/'))?;
    let path = dir.join(program);
    let line = first_line(&path).filter(|line| !line.contains('\0'))?;
    (!line.starts_with("#!")).then(|| {
        format!(
            "the first line of `{}` does not name an interpreter, as `#!/usr/bin/env python3` \
             would, so a shell has run it",
            path.display()
        )
    })
}

/// The first file that the command names and that has Windows line ends.
fn windows_line_ends(command: &[String], dir: &Path) -> Option<PathBuf> {
    let words = command.iter().map(|word| dir.join(word));
    let mut scripts = words.filter(|path| path.is_file());
    scripts.find(|path| first_line(path).is_some_and(|line| line.ends_with('\r')))
}

/// The first line of a file without its `\n`; `None` if it is not text, or too long for a kernel.
pub fn first_line(path: &Path) -> Option<String> {
    let mut head = Vec::new();
    let file = File::open(path).ok()?;
    file.take(MAX_LINE).read_to_end(&mut head).ok()?;
    let end = head.iter().position(|byte| *byte == b'\n')?;
    String::from_utf8(head[..end].to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn first_lines_are_followed_to_their_interpreter() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("bot");
        let error = |line: &str| {
            fs::write(&script, format!("{line}\nrest\n")).unwrap();
            let path = OsStr::new("/bin:/usr/bin");
            check(&script, path).err().map(|error| error.to_string())
        };
        for fine in [
            "#!/bin/sh",
            "#! /bin/sh -u",
            "#!/usr/bin/env sh",
            "#!/usr/bin/env -S X=1 sh -u",
            "no script",
            "",
            "\u{7f}ELF",
        ] {
            assert_eq!(error(fine), None, "{fine}");
        }
        for (wrong, part) in [
            ("#!/bin/shh", "`/bin/shh`, which is not there"),
            ("#!/usr/bin/env -S no-such-thing -x", "`no-such-thing`"),
            ("#!/bin/sh\r", "sed -i 's/\\r$//'"),
            ("#!/usr/bin/env sh\r", "Windows line ends"),
        ] {
            let error = error(wrong).unwrap();
            assert!(error.contains(part), "`{part}` in `{error}`");
        }
    }

    #[test]
    fn interpreters_are_found_where_env_looks() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("python3"), "").unwrap();
        let of = |line: &str| {
            fs::write(at("bot"), format!("{line}\n")).unwrap();
            interpreter(&at("bot"), folder.path().as_os_str())
        };
        assert_eq!(of("#!/usr/bin/env -S X=1 python3 -u"), Some(at("python3")));
        assert_eq!(of("#!/bin/sh"), Some("/bin/sh".into()));
        assert_eq!(of("#!/nowhere/sh"), None);
        assert_eq!(of("no script"), None);
    }

    #[test]
    fn windows_line_ends_of_arguments_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let command = ["sh", "bot.sh"].map(str::to_owned);
        let script = folder.path().join("bot.sh");
        assert_eq!(windows_line_ends(&command, folder.path()), None);
        fs::write(&script, "echo\r\n").unwrap();
        assert_eq!(
            windows_line_ends(&command, folder.path()),
            Some(script.clone())
        );
        fs::write(&script, "echo\n").unwrap();
        assert_eq!(windows_line_ends(&command, folder.path()), None);
    }

    #[test]
    fn scripts_without_an_interpreter_are_suspected() {
        let folder = tempfile::tempdir().unwrap();
        let suspected = |text: &[u8], program: &str| {
            fs::write(folder.path().join("bot"), text).unwrap();
            let command = [program.to_owned()];
            suspicion(&command, folder.path())
        };
        let why = suspected(b"import json\n", "./bot").unwrap();
        assert!(why.contains("does not name an interpreter"), "{why}");
        let why = suspected(b"#!/bin/sh\r\n", "./bot").unwrap();
        assert!(why.contains("Windows line ends"), "{why}");
        for fine in [&b"#!/bin/sh\n"[..], b"\x7fELF\0\0\n", b""] {
            assert_eq!(suspected(fine, "./bot"), None);
        }
        assert_eq!(
            suspected(b"import json\n", "bot"),
            None,
            "it was another program"
        );
    }
}

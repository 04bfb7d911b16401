//! Scripts whose first line does not lead to an interpreter: the system says little about them.

use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::spec::{BotSpec, CommandError};

/// No kernel reads more of a first line.
const LONGEST: u64 = 256;

/// Why this program, which is there and executable, cannot be started; `path` are the folders in
/// which `env` looks.
pub(super) fn trouble(program: &Path, path: &OsStr) -> Option<CommandError> {
    let line = first_line(program)?;
    let line = line.strip_prefix("#!")?;
    if line.ends_with('\r') {
        return Some(CommandError::WindowsLines(program.to_owned()));
    }
    let mut words = line.split_ascii_whitespace();
    let interpreter = words.next()?;
    let missing = |interpreter: &str| CommandError::NoInterpreter {
        script: program.to_owned(),
        interpreter: interpreter.to_owned(),
    };
    if interpreter.starts_with('/') && !Path::new(interpreter).exists() {
        return Some(missing(interpreter));
    }
    if !interpreter.ends_with("/env") {
        return None;
    }
    // `env` takes options and variables first.
    let called = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    let found = match called.contains('/') {
        true => Path::new(called).exists(),
        false => env::split_paths(path).any(|folder| folder.join(called).is_file()),
    };
    (!found).then(|| missing(called))
}

/// What may be wrong with the script of a bot that ended early, and how to mend it: line ends of
/// Windows, which shells stumble over, or no first line, so that a shell has run what is not its.
pub fn suspicion(spec: &BotSpec) -> Option<String> {
    if let Some(path) = windows_lines(spec) {
        let path = path.display();
        return Some(format!(
            "`{path}` has the line ends of Windows, `sed -i 's/\\r$//' {path}` mends that"
        ));
    }
    let program = spec.command.first().filter(|word| word.contains('/'))?;
    let path = spec.dir.join(program);
    let line = first_line(&path).filter(|line| !line.contains('\0'))?;
    (!line.starts_with("#!")).then(|| {
        format!(
            "the first line of `{}` does not name an interpreter, as `#!/usr/bin/env python3` \
             would, so a shell has run it",
            path.display()
        )
    })
}

/// A file of the command with the line ends of Windows.
fn windows_lines(spec: &BotSpec) -> Option<PathBuf> {
    let words = spec.command.iter().map(|word| spec.dir.join(word));
    let mut scripts = words.filter(|path| path.is_file());
    scripts.find(|path| first_line(path).is_some_and(|line| line.ends_with('\r')))
}

/// The first line without its `\n`; `None` where there is no text or no line end near.
fn first_line(path: &Path) -> Option<String> {
    let mut head = Vec::new();
    let file = File::open(path).ok()?;
    file.take(LONGEST).read_to_end(&mut head).ok()?;
    let end = head.iter().position(|byte| *byte == b'\n')?;
    String::from_utf8(head[..end].to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::TimeControl;
    use std::fs;

    #[test]
    fn first_lines_are_followed_to_their_interpreter() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("bot");
        let told = |line: &str| {
            fs::write(&script, format!("{line}\nrest\n")).unwrap();
            let path = OsStr::new("/bin:/usr/bin");
            trouble(&script, path).map(|trouble| trouble.to_string())
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
            assert_eq!(told(fine), None, "{fine}");
        }
        for (wrong, part) in [
            ("#!/bin/shh", "`/bin/shh`, which is not there"),
            ("#!/usr/bin/env -S no-such-thing -x", "`no-such-thing`"),
            ("#!/bin/sh\r", "sed -i 's/\\r$//'"),
            ("#!/usr/bin/env sh\r", "line ends of Windows"),
        ] {
            let told = told(wrong).unwrap();
            assert!(told.contains(part), "`{part}` in `{told}`");
        }
    }

    #[test]
    fn windows_lines_of_arguments_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let command = ["sh", "bot.sh"].map(str::to_owned).to_vec();
        let time = TimeControl::default();
        let spec = BotSpec::new("x".to_owned(), command, folder.path().to_owned(), &time);
        let script = folder.path().join("bot.sh");
        assert_eq!(windows_lines(&spec), None);
        fs::write(&script, "echo\r\n").unwrap();
        assert_eq!(windows_lines(&spec), Some(script.clone()));
        fs::write(&script, "echo\n").unwrap();
        assert_eq!(windows_lines(&spec), None);
    }

    #[test]
    fn scripts_without_an_interpreter_are_suspected() {
        let folder = tempfile::tempdir().unwrap();
        let time = TimeControl::default();
        let told = |text: &[u8], program: &str| {
            fs::write(folder.path().join("bot"), text).unwrap();
            let command = vec![program.to_owned()];
            suspicion(&BotSpec::new(
                "x".to_owned(),
                command,
                folder.path().to_owned(),
                &time,
            ))
        };
        let why = told(b"import json\n", "./bot").unwrap();
        assert!(why.contains("does not name an interpreter"), "{why}");
        let why = told(b"#!/bin/sh\r\n", "./bot").unwrap();
        assert!(why.contains("line ends of Windows"), "{why}");
        for fine in [&b"#!/bin/sh\n"[..], b"\x7fELF\0\0\n", b""] {
            assert_eq!(told(fine, "./bot"), None);
        }
        assert_eq!(
            told(b"import json\n", "bot"),
            None,
            "it was another program"
        );
    }
}

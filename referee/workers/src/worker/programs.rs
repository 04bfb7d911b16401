//! Interpreters of scripts in bundles.

use std::path::{Component, Path};

use supervisor::spec::is_system_file;
use supervisor::spec::shebang::first_line;

/// Declines a script in this folder whose interpreter is neither of the system nor found on the
/// PATH: the sandbox would mount it, even if it is not a program.
///
/// # Errors
/// The reason.
pub(super) fn check(folder: &Path, words: &[String]) -> Result<(), String> {
    let program = words.first().filter(|word| word.contains('/'));
    let Some(program) = program else {
        return Ok(());
    };
    let line = first_line(&folder.join(program)).unwrap_or_default();
    let Some(line) = line.strip_prefix("#!") else {
        return Ok(());
    };
    let mut words = line.split_ascii_whitespace();
    let interpreter = Path::new(words.next().unwrap_or_default());
    let plain = |part: Component<'_>| matches!(part, Component::RootDir | Component::Normal(_));
    let is_system = interpreter.is_absolute() && interpreter.components().all(plain);
    let is_system = is_system && is_system_file(interpreter);
    // `env` looks for its program on the PATH, unless it is a path.
    let is_called = |word: &&str| !word.starts_with('-') && !word.contains('=');
    let called = words
        .find(is_called)
        .filter(|_| interpreter.ends_with("env"));
    if is_system && called.is_none_or(|word| !word.contains('/')) {
        return Ok(());
    }
    Err("the first line of its program names an interpreter that is not of the system".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpreters_are_those_of_the_system() {
        let folder = tempfile::tempdir().unwrap();
        let check = |line: &str| {
            std::fs::write(folder.path().join("bot"), format!("{line}\nx\n")).unwrap();
            check(folder.path(), &["./bot".to_owned()])
        };
        for fine in [
            "#!/bin/sh",
            "#!/usr/bin/env python3",
            "#! /usr/bin/env -S A=/x sh",
            "echo",
        ] {
            assert_eq!(check(fine), Ok(()), "{fine}");
        }
        for bad in [
            "#!/home/me/secret",
            "#!/usr/../home/me/secret",
            "#!secret",
            "#!",
            "#!/usr/bin/env /home/me/secret",
            "#!/usr/bin/env -S A=1 ../secret",
            "#!/tmp/env sh",
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}

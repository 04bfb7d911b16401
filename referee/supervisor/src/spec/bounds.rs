//! Bounds for the files of a bot whose author is not trusted. A sandbox shows a bot the files that
//! its command names and those that are `readable`, so neither may name the files of somebody else.
//! Links count as their targets.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::bot::{BotSpec, REFEREE};
use super::shebang;
use super::system_files;

/// A file that the bot would be shown although it is not its own.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct OutOfBounds {
    /// The configuration key that names it.
    pub key: &'static str,
    /// A sentence without the paths of files that the author has not named.
    pub message: String,
}

impl BotSpec {
    /// The first named path outside of the bot's bounds and the system's folders; `None` if there
    /// is none, or if the bot has no bounds.
    pub fn out_of_bounds(&self) -> Option<OutOfBounds> {
        let bounds = self.bounds.as_deref()?;
        let found = |key, what: String| {
            let message = format!(
                "{what} is not in the bot's folder; a submission may name what is in its own folder, files \
                 of the system, and what the organiser lists in `[submissions] readable`"
            );
            Some(OutOfBounds { key, message })
        };
        let outside = |path: &&PathBuf| !is_within(bounds, path);
        if let Some(path) = self.wanted.readable.iter().find(outside) {
            let path = path.strip_prefix(&self.dir).unwrap_or(path);
            return found("readable", format!("`{}`", path.display()));
        }
        if let Ok(program) = self.program() {
            let word = self.command.first().map_or("", String::as_str);
            if word != REFEREE && !may_run(bounds, &program) {
                return found("command", format!("the program `{word}`"));
            }
            let path = env::var_os("PATH").unwrap_or_default();
            let interpreter = shebang::interpreter(&program, self.search_path(&path));
            if interpreter.is_some_and(|interpreter| !may_run(bounds, &interpreter)) {
                return found("command", format!("the interpreter of `{word}`"));
            }
        }
        let mut words = self.command.iter().skip(1);
        let named = words.find(|word| {
            let path = self.dir.join(word);
            path.is_file() && !is_within(bounds, &path)
        });
        named.and_then(|word| found("command", format!("`{word}`")))
    }

    /// True if the bot may be shown a path, which must have no links in it.
    pub(crate) fn is_in_bounds(&self, real: &Path) -> bool {
        let bounds = self.bounds.as_deref();
        bounds.is_none_or(|bounds| holds(bounds, real))
    }

    pub(crate) fn may_name(&self, path: &Path) -> bool {
        let bounds = self.bounds.as_deref();
        bounds.is_none_or(|bounds| is_within(bounds, path))
    }

    /// True if the bot may run the program, or have it interpret its scripts.
    pub(crate) fn may_run(&self, program: &Path) -> bool {
        let bounds = self.bounds.as_deref();
        bounds.is_none_or(|bounds| may_run(bounds, program))
    }
}

/// True if the target of a path is in the bounds, or belongs to the system. A path that leads
/// nowhere is in no bounds.
fn is_within(bounds: &[PathBuf], path: &Path) -> bool {
    path.canonicalize().is_ok_and(|real| holds(bounds, &real))
}

fn holds(bounds: &[PathBuf], real: &Path) -> bool {
    bounds.iter().any(|folder| real.starts_with(folder)) || system_files::is_visible_to_all(real)
}

/// The same for a program, which may also lie in a folder of the variable PATH: those are the
/// user's choice.
fn may_run(bounds: &[PathBuf], program: &Path) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_on = |path: &OsStr| {
        let mut folders = env::split_paths(path);
        folders.any(|folder| folder.is_absolute() && program.parent() == Some(&*folder))
    };
    let is_referee = env::current_exe().is_ok_and(|referee| referee == program);
    is_referee || is_on(&path) || is_within(bounds, program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use protocol::TimeControl;

    /// A folder `bot` with a script, and a file of somebody else beside it.
    fn place() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("bot/data")).unwrap();
        for (name, text) in [
            ("bot/bot.sh", "#!/bin/sh\n"),
            ("bot/hash-bang", "#!TOP/private -x\n"),
            ("bot/env-bang", "#!/usr/bin/env private\n"),
            ("private", "#!/bin/sh\n"),
        ] {
            let text = text.replace("TOP", &top.display().to_string());
            fs::write(top.join(name), text).unwrap();
            fs::set_permissions(top.join(name), Permissions::from_mode(0o755)).unwrap();
        }
        symlink("../private", top.join("bot/link")).unwrap();
        symlink("..", top.join("bot/up")).unwrap();
        symlink("bot.sh", top.join("bot/own-link")).unwrap();
        (folder, top)
    }

    fn spec(top: &Path, command: &[&str]) -> BotSpec {
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        let dir = top.join("bot");
        let mut spec = BotSpec::new(
            "x".to_owned(),
            command,
            dir.clone(),
            &TimeControl::default(),
        );
        spec.bounds = Some(vec![dir]);
        spec
    }

    #[test]
    fn commands_name_own_files_and_those_of_the_system() {
        let (_folder, top) = place();
        let private = top.join("private").display().to_string();
        let key = |command: &[&str]| spec(&top, command).out_of_bounds().map(|out| out.key);
        for fine in [
            &["./bot.sh"][..],
            &[
                "sh",
                "bot.sh",
                "own-link",
                "--level",
                "/no/such/file",
                "data",
            ],
            &["./own-link"],
            &["/bin/sh", "/etc/passwd", "../no-such-file"],
            &["referee", "bot", "random"],
        ] {
            assert_eq!(key(fine), None, "{fine:?}");
        }
        for wrong in [
            &["sh", "../private"][..],
            &["sh", "link"],
            &["sh", "up/private"],
            &["sh", &private],
            &["./link"],
            &[&*private],
            &["up/private"],
            &["./hash-bang"],
            &["sh", "/etc/shadow"],
        ] {
            assert_eq!(key(wrong), Some("command"), "{wrong:?}");
        }
        let mut by_path = spec(&top, &["./env-bang"]);
        by_path
            .env
            .insert("PATH".to_owned(), top.display().to_string());
        assert_eq!(by_path.out_of_bounds().map(|out| out.key), Some("command"));
        let mut trusted = spec(&top, &["./link"]);
        trusted.bounds = None;
        assert_eq!(trusted.out_of_bounds(), None);
    }

    #[test]
    fn readable_files_are_in_bounds_after_links_are_followed() {
        let (_folder, top) = place();
        let with = |path: &str| {
            let mut spec = spec(&top, &["sh"]);
            spec.wanted.readable = vec![spec.dir.join(path)];
            spec.out_of_bounds()
        };
        for fine in ["data", "", "bot.sh", "own-link", "/usr/share"] {
            assert_eq!(with(fine), None, "{fine}");
        }
        for wrong in ["link", "up", "..", "/", "../private", "/etc/ssh", "/root"] {
            if Path::new("/").join(wrong).exists() || !wrong.starts_with("/etc/") {
                let out = with(wrong).expect(wrong);
                assert_eq!(out.key, "readable", "{wrong}");
                let shown = top.display().to_string();
                assert!(
                    wrong.starts_with('/') || !out.message.contains(&shown),
                    "{}",
                    out.message
                );
            }
        }
        let mut allowed = spec(&top, &["sh", "link"]);
        allowed.bounds.as_mut().unwrap().push(top.join("private"));
        assert_eq!(allowed.out_of_bounds(), None);
    }
}

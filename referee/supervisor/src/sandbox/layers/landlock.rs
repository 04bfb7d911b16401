//! Landlock: limits the files and processes that a bot reaches in the sandbox `restricted`. A
//! process applies it to itself. [Seccomp](super::seccomp) closes what Landlock leaves open.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::sandbox::mounts::Mounts;

/// The files that may be read and written; no others may.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LandlockRules {
    pub readable: Vec<PathBuf>,
    /// Folders whose entries may be listed.
    pub listed: Vec<PathBuf>,
    pub writable: Vec<PathBuf>,
}

/// The devices that every program needs.
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

impl LandlockRules {
    /// Allows to read all that these mounts show, and to write `tmp` and the writable ones.
    pub(crate) fn for_mounts(mounts: &Mounts, tmp: &Path) -> Self {
        let secret: Vec<&PathBuf> = mounts.masked.iter().chain(&mounts.hidden).collect();
        let shown = mounts.readable().flat_map(|path| without(path, &secret));
        let mut readable: Vec<PathBuf> = shown.collect();
        // A bot may inspect only its own processes.
        readable.push("/proc/self".into());
        readable.extend(DEVICES.map(PathBuf::from));
        let folders = mounts.readable().filter(|path| path.is_dir());
        let mut writable = vec![tmp.to_owned(), "/dev/null".into()];
        writable.extend(mounts.writable.iter().cloned());
        LandlockRules {
            readable,
            listed: folders.cloned().collect(),
            writable,
        }
    }
}

/// The entries to show instead of a whole path, so that secret ones stay hidden: Landlock cannot
/// refuse again what it has allowed. A link counts as its target, which is shown by itself or not
/// at all.
fn without(path: &Path, secret: &[&PathBuf]) -> Vec<PathBuf> {
    if secret.iter().any(|secret| path == *secret) {
        return Vec::new();
    }
    if !secret.iter().any(|secret| secret.starts_with(path)) {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let real = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    real.flat_map(|entry| without(&entry.path(), secret))
        .collect()
}

/// Checks that this machine has all of Landlock that is needed.
///
/// # Errors
/// In words, if it does not.
pub fn check() -> Result<(), String> {
    implementation::check()
}

/// Restricts this process and its descendants, for good. Opens `guarded` files and folders, and all
/// that is in them, without following a link.
///
/// # Errors
/// If the kernel does not enforce all of the rules, or a link is on the way to a guarded file.
pub(crate) fn restrict_self(rules: &LandlockRules, guarded: &[PathBuf]) -> Result<(), String> {
    implementation::restrict_self(rules, guarded)
}

#[cfg(target_os = "linux")]
mod implementation {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetStatus, Scope, path_beneath_rules,
    };

    use std::os::fd::{AsRawFd, OwnedFd};
    use std::path::PathBuf;

    use super::LandlockRules;
    use crate::sandbox::file_identity;

    /// The first version that restricts signals, since Linux 6.12.
    const NEEDED: ABI = ABI::V6;

    pub(super) fn check() -> Result<(), String> {
        // Created and dropped: that restricts nothing.
        let created = ruleset().map(drop);
        created.map_err(|error| format!("the kernel's Landlock lacks something: {error}"))
    }

    fn ruleset() -> Result<landlock::RulesetCreated, landlock::RulesetError> {
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(NEEDED))?
            .handle_access(AccessNet::from_all(NEEDED))?
            .scope(Scope::from_all(NEEDED))?
            .create()
    }

    /// Paths that can be opened by name without following a link: those of open files. Leaves out
    /// entries of guarded folders that have become links.
    fn opened(
        paths: &[PathBuf],
        guarded: &[PathBuf],
        open: &mut Vec<OwnedFd>,
    ) -> Result<Vec<PathBuf>, String> {
        let mut opened = Vec::new();
        for path in paths {
            if !guarded.iter().any(|folder| path.starts_with(folder)) {
                opened.push(path.clone());
                continue;
            }
            match file_identity::open(path) {
                Ok(file) => {
                    opened.push(format!("/proc/self/fd/{}", file.as_raw_fd()).into());
                    open.push(file);
                }
                Err(error) if guarded.contains(path) => {
                    return Err(format!("`{}`: {error}", path.display()));
                }
                Err(_) => {}
            }
        }
        Ok(opened)
    }

    pub(super) fn restrict_self(rules: &LandlockRules, guarded: &[PathBuf]) -> Result<(), String> {
        let mut open = Vec::new();
        let mut opened = |paths| opened(paths, guarded, &mut open);
        let (readable, listed) = (opened(&rules.readable)?, opened(&rules.listed)?);
        let writable = opened(&rules.writable)?;
        let wrong = |error: landlock::RulesetError| format!("Landlock: {error}");
        let status = ruleset()
            .map_err(wrong)?
            // A path that is gone by now is no reason to fail.
            .set_compatibility(CompatLevel::BestEffort)
            .add_rules(path_beneath_rules(&readable, AccessFs::from_read(NEEDED)))
            .map_err(wrong)?
            .add_rules(path_beneath_rules(&listed, AccessFs::ReadDir))
            .map_err(wrong)?
            .add_rules(path_beneath_rules(&writable, AccessFs::from_all(NEEDED)))
            .map_err(wrong)?
            .restrict_self()
            .map_err(wrong)?;
        if status.ruleset != RulesetStatus::FullyEnforced {
            return Err("Landlock: the kernel does not enforce all of it".to_owned());
        }
        Ok(())
    }
}

#[cfg(not(target_os = "linux"))]
mod implementation {
    use super::LandlockRules;

    pub(super) fn check() -> Result<(), String> {
        Err("only Linux has Landlock".to_owned())
    }

    pub(super) fn restrict_self(_: &LandlockRules, _: &[super::PathBuf]) -> Result<(), String> {
        Err("only Linux has Landlock".to_owned())
    }
}

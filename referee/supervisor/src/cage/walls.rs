//! The files and processes that a bot reaches in the sandbox `restricted`: by Landlock, which a
//! process applies to itself. What Landlock leaves open, the [filter](super::filter) closes.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Which files may be read and written; all else may not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Walls {
    /// Files and folders.
    pub readable: Vec<PathBuf>,
    /// Folders in which names may be seen.
    pub listed: Vec<PathBuf>,
    /// Files and folders.
    pub writable: Vec<PathBuf>,
}

/// What every program needs of `/dev`.
pub const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// Why this machine cannot do it, in words; `None` if it can.
pub fn lacking() -> Option<String> {
    implementation::lacking()
}

/// Puts walls around this process and all that it starts, for good.
///
/// # Errors
/// If the kernel does not hold all of them up.
pub fn raise(walls: &Walls) -> Result<(), String> {
    implementation::raise(walls)
}

#[cfg(target_os = "linux")]
mod implementation {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetStatus, Scope, path_beneath_rules,
    };

    use super::Walls;

    /// The first one that keeps signals inside, since Linux 6.12.
    const NEEDED: ABI = ABI::V6;

    pub(super) fn lacking() -> Option<String> {
        // Made and dropped: nothing is restricted by that.
        match ruleset() {
            Ok(_) => None,
            Err(error) => Some(format!("the kernel's Landlock lacks something: {error}")),
        }
    }

    fn ruleset() -> Result<landlock::RulesetCreated, landlock::RulesetError> {
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(NEEDED))?
            .handle_access(AccessNet::from_all(NEEDED))?
            .scope(Scope::from_all(NEEDED))?
            .create()
    }

    pub(super) fn raise(walls: &Walls) -> Result<(), String> {
        let wrong = |error: landlock::RulesetError| format!("Landlock: {error}");
        let status = ruleset()
            .map_err(wrong)?
            // A path that has gone meanwhile is no reason to fail.
            .set_compatibility(CompatLevel::BestEffort)
            .add_rules(path_beneath_rules(
                &walls.readable,
                AccessFs::from_read(NEEDED),
            ))
            .map_err(wrong)?
            .add_rules(path_beneath_rules(&walls.listed, AccessFs::ReadDir))
            .map_err(wrong)?
            .add_rules(path_beneath_rules(
                &walls.writable,
                AccessFs::from_all(NEEDED),
            ))
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
    use super::Walls;

    pub(super) fn lacking() -> Option<String> {
        Some("only Linux has Landlock".to_owned())
    }

    pub(super) fn raise(_: &Walls) -> Result<(), String> {
        Err("only Linux has Landlock".to_owned())
    }
}

//! The strict sandbox where bubblewrap is not there: Landlock for files, signals and connections,
//! and seccomp for all other kinds of network. Applied by a process to itself.

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
    use std::collections::BTreeMap;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetStatus, Scope, path_beneath_rules,
    };
    use seccompiler::{
        SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, apply_filter,
    };

    use super::Walls;
    use nix::libc;

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
        filter().map_err(|error| format!("seccomp: {error}"))
    }

    /// No sockets but pairs of them: Landlock does not keep anybody from connecting to those in
    /// the file system.
    fn filter() -> Result<(), Box<dyn std::error::Error>> {
        let unix = u64::try_from(libc::AF_UNIX)?;
        let elsewhere = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, unix)?;
        let mut rules = BTreeMap::new();
        rules.insert(libc::SYS_socket, Vec::new());
        rules.insert(
            libc::SYS_socketpair,
            vec![SeccompRule::new(vec![elsewhere])?],
        );
        // Ways around the rest: requests that no filter sees, and other processes' memory.
        for call in [
            libc::SYS_io_uring_setup,
            libc::SYS_ptrace,
            libc::SYS_process_vm_readv,
            libc::SYS_process_vm_writev,
        ] {
            rules.insert(call, Vec::new());
        }
        let filter = SeccompFilter::new(
            rules,
            SeccompAction::Allow,
            SeccompAction::Errno(libc::EPERM as u32),
            std::env::consts::ARCH.try_into()?,
        )?;
        let program: seccompiler::BpfProgram = filter.try_into()?;
        apply_filter(&program)?;
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

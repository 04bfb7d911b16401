//! The launcher: the process that is to become the bot takes its limits upon itself and then
//! turns into the bot's program, or into the sandbox in which that is started.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use nix::sys::resource::{Resource, setrlimit};
use nix::unistd::{Pid, Uid};
use serde::{Deserialize, Serialize};

use super::account::Ids;
use super::filter::{self, Filter};
use super::init::Init;
use super::walls::{self, Walls};

/// The hidden subcommand that a launcher is.
pub const SUBCOMMAND: &str = "launch";
/// The exit code when the program could not be started, as shells have it.
pub const NOT_STARTED: u8 = 126;

/// What a launcher takes upon itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// Control groups to join.
    pub groups: Vec<PathBuf>,
    /// Limits of each process, by setrlimit(2).
    pub rlimits: Vec<(Rlimit, u64)>,
    /// The user ids to choose from, where root runs the referee.
    pub ids: Option<Ids>,
    /// How it is kept apart.
    pub apart: Apart,
    /// What it turns into.
    pub command: Vec<String>,
}

/// How a bot is kept apart from the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Apart {
    /// Not at all, but that root is less than it was.
    Limits,
    /// By Landlock and seccomp.
    Restricted {
        /// What it may read and write.
        walls: Walls,
        /// Its own temporary folder.
        tmp: PathBuf,
        /// What it is refused.
        filter: Filter,
    },
    /// By bubblewrap.
    Strict {
        /// The command of bubblewrap, to which the init's and its plan are added.
        wrapper: Vec<String>,
        /// How many processes and threads there may be.
        processes: Option<u64>,
        /// What it is refused.
        filter: Filter,
    },
}

/// A limit of a process, inherited by what it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rlimit {
    /// Bytes of private memory.
    Data,
    /// Bytes of a file that is written.
    FileSize,
    /// Open files.
    OpenFiles,
    /// Bytes of memory dumps after a crash.
    Core,
}

impl Rlimit {
    fn resource(self) -> Resource {
        match self {
            Rlimit::Data => Resource::RLIMIT_DATA,
            Rlimit::FileSize => Resource::RLIMIT_FSIZE,
            Rlimit::OpenFiles => Resource::RLIMIT_NOFILE,
            Rlimit::Core => Resource::RLIMIT_CORE,
        }
    }
}

/// Turns this process into the bot; comes back only if that cannot be done.
pub fn run(launch: &Launch) -> String {
    match restrict(launch) {
        Err(error) => error,
        Ok(command) => {
            let [program, arguments @ ..] = &command[..] else {
                return "there is no command".to_owned();
            };
            let error = Command::new(program).args(arguments).exec();
            format!("`{program}` cannot be started: {error}{}", hint(&error))
        }
    }
}

/// Why a program that is there and executable could not be started.
pub fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        // The program itself was found before.
        io::ErrorKind::NotFound => " (is the interpreter in its first line right?)",
        _ if error.raw_os_error() == Some(nix::libc::ENOEXEC) => {
            " (is it a script whose first line should be `#!` and an interpreter?)"
        }
        _ => "",
    }
}

/// Gives the command that this process is to turn into.
fn restrict(launch: &Launch) -> Result<Vec<String>, String> {
    for group in &launch.groups {
        let procs = group.join("cgroup.procs");
        // 0 is the process that writes.
        std::fs::write(&procs, "0").map_err(|error| format!("{}: {error}", procs.display()))?;
    }
    for (limit, value) in &launch.rlimits {
        // What is allowed anyway may be less, and cannot be raised.
        let (_, most) = nix::sys::resource::getrlimit(limit.resource())
            .map_err(|error| format!("the limit {limit:?}: {error}"))?;
        let value = (*value).min(most);
        setrlimit(limit.resource(), value, value)
            .map_err(|error| format!("the limit {limit:?} of {value}: {error}"))?;
    }
    let user = launch.ids.map(|ids| ids.of(Pid::this()));
    let command = &launch.command;
    match &launch.apart {
        Apart::Limits => {
            if launch.ids.is_some() {
                less_than_root().map_err(|error| format!("root's rights: {error}"))?;
            }
            Ok(command.clone())
        }
        Apart::Restricted { walls, tmp, filter } => {
            if let Some(user) = user {
                give_up_root(user, tmp).map_err(|error| format!("another user: {error}"))?;
            }
            no_new_privileges()?;
            walls::raise(walls)?;
            filter::apply(*filter)?;
            Ok(command.clone())
        }
        Apart::Strict {
            wrapper,
            processes,
            filter,
        } => {
            if let Some(user) = user {
                own_streams(user).map_err(|error| format!("its streams: {error}"))?;
            }
            let init = Init {
                user: user.map(Uid::as_raw),
                processes: *processes,
                filter: *filter,
                command: command.clone(),
            };
            let init = serde_json::to_string(&init).map_err(|error| error.to_string())?;
            Ok(wrapper.iter().cloned().chain([init]).collect())
        }
    }
}

/// Lets the bot's user open its streams again, as with `/dev/stderr`.
fn own_streams(user: Uid) -> nix::Result<()> {
    for fd in 0..=2 {
        // SAFETY: these are open in every process that the keeper starts, and stay so.
        #[expect(unsafe_code, reason = "fchown asks for a borrowed descriptor")]
        let stream = unsafe { std::os::fd::BorrowedFd::borrow_raw(fd) };
        // Only pipes: the referee's own stderr is not the bot's.
        let kind = nix::sys::stat::fstat(stream)?.st_mode & nix::libc::S_IFMT;
        if kind == nix::libc::S_IFIFO {
            nix::unistd::fchown(stream, Some(user), None)?;
        }
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn no_new_privileges() -> Result<(), String> {
    nix::sys::prctl::set_no_new_privs().map_err(|error| format!("privileges: {error}"))
}

#[cfg(target_os = "linux")]
fn give_up_root(user: Uid, tmp: &std::path::Path) -> nix::Result<()> {
    nix::unistd::chown(tmp, Some(user), None)?;
    own_streams(user)?;
    super::init::become_user(user)
}

/// What root keeps in the sandbox `limits`: its files. With more it could leave its control groups
/// and lift its limits.
#[cfg(target_os = "linux")]
fn less_than_root() -> io::Result<()> {
    use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};

    match super::mounts::protect_the_kernels_files() {
        // Root in a container may not: then nothing is promised that rests on this.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
        other => other?,
    }
    let kept = CapabilitySet::CHOWN
        | CapabilitySet::DAC_OVERRIDE
        | CapabilitySet::DAC_READ_SEARCH
        | CapabilitySet::FOWNER
        | CapabilitySet::FSETID;
    for capability in CapabilitySet::all().difference(kept) {
        // Newer ones than the kernel has are no loss.
        let _ = remove_capability_from_bounding_set(capability);
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn no_new_privileges() -> Result<(), String> {
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn give_up_root(_: Uid, _: &std::path::Path) -> nix::Result<()> {
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn less_than_root() -> io::Result<()> {
    Ok(())
}

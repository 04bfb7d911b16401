//! The launcher: a process that confines itself and then becomes the bot's program, or bubblewrap,
//! which starts the program in its sandbox.

pub(crate) mod environment;
pub(crate) mod exec_error;
pub mod init;

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use nix::sys::resource::{Resource, setrlimit};
use nix::unistd::{Pid, Uid};
use serde::{Deserialize, Serialize};

use crate::sandbox::account::Ids;
use crate::sandbox::file_identity::Identity;
use crate::sandbox::layers::landlock::{self, LandlockRules};
use crate::sandbox::layers::ownership::Loan;
use crate::sandbox::layers::seccomp::{self, SyscallFilter};
use environment::Environment;
pub use exec_error::EXIT_NOT_STARTED;
use exec_error::not_started;
use init::Init;

/// The confinement that a launcher applies to itself, and the program that it becomes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Launch {
    /// Control groups to join.
    pub(crate) groups: Vec<PathBuf>,
    /// Limits of each process, set by setrlimit(2).
    pub(crate) rlimits: Vec<(Rlimit, u64)>,
    /// The user ids to choose from, if root runs the referee.
    pub(crate) ids: Option<Ids>,
    /// Folders that it owns while it runs.
    pub(crate) loan: Option<Loan>,
    /// Files and folders that must exist at these paths, without links.
    pub(crate) guarded: Vec<PathBuf>,
    pub(crate) confinement: Confinement,
    /// Program and arguments.
    pub(crate) command: Vec<String>,
}

/// The isolation of a launcher from the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Confinement {
    /// None, except that root drops most of its rights.
    Limits,
    /// Landlock and seccomp.
    Restricted {
        landlock: LandlockRules,
        /// Its own temporary folder.
        tmp: PathBuf,
        filter: SyscallFilter,
    },
    /// Bubblewrap.
    Strict {
        /// The command that starts an init in bubblewrap; the init's plan is appended to it.
        wrapper: Vec<String>,
        /// The limit on processes and threads.
        processes: Option<u64>,
        filter: SyscallFilter,
    },
}

/// A limit of a process, inherited by its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Rlimit {
    /// Bytes of private memory.
    Data,
    /// Bytes of each file that is written.
    FileSize,
    /// The number of open files.
    OpenFiles,
    /// Bytes of core dumps.
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

/// Turns this process into the bot; returns only if that fails, with the reason as a sentence.
/// `init` is the connection of an init to the referee, for a sandbox that has one.
pub(crate) fn run(launch: &Launch, environment: &Environment, init: Option<OwnedFd>) -> String {
    match restrict(launch, init) {
        Err(error) => error,
        Ok(command) => {
            let [program, arguments @ ..] = &command[..] else {
                return "there is no command".to_owned();
            };
            let mut command = Command::new(program);
            match launch.confinement {
                Confinement::Strict { .. } => environment.set_renamed(&mut command),
                Confinement::Limits | Confinement::Restricted { .. } => {
                    environment.set(&mut command);
                }
            }
            let error = command.args(arguments).exec();
            not_started(program, &error)
        }
    }
}

/// Confines this process; returns the command that it is to become.
fn restrict(launch: &Launch, init: Option<OwnedFd>) -> Result<Vec<String>, String> {
    join_groups(&launch.groups)?;
    for (limit, value) in &launch.rlimits {
        set_limit(*limit, *value)?;
    }
    let user = launch.ids.map(|ids| ids.of(Pid::this()));
    if let (Some(loan), Some(user)) = (&launch.loan, user) {
        let lent = loan.lend(user);
        lent.map_err(|error| format!("the folder that it may write: {error}"))?;
    }
    let command = &launch.command;
    match &launch.confinement {
        Confinement::Limits => {
            if user.is_some() {
                drop_root_rights().map_err(|error| format!("root's rights: {error}"))?;
            }
            Ok(command.clone())
        }
        Confinement::Restricted {
            landlock,
            tmp,
            filter,
        } => {
            if let Some(user) = user {
                give_up_root(user, tmp).map_err(|error| format!("another user: {error}"))?;
            }
            no_new_privileges()?;
            landlock::restrict_self(landlock, &launch.guarded)?;
            seccomp::apply(*filter)?;
            Ok(command.clone())
        }
        Confinement::Strict {
            wrapper,
            processes,
            filter,
        } => {
            if let Some(user) = user {
                own_streams(user).map_err(|error| format!("its streams: {error}"))?;
            }
            let control = init.map(init::pass_control).transpose();
            let control = control.map_err(|error| format!("its init's connection: {error}"))?;
            let init = Init {
                control,
                user: user.map(Uid::as_raw),
                processes: *processes,
                filter: *filter,
                guarded: Identity::all_of(&launch.guarded)?,
                command: command.clone(),
            };
            let init = serde_json::to_string(&init).map_err(|error| error.to_string())?;
            Ok(wrapper.iter().cloned().chain([init]).collect())
        }
    }
}

fn join_groups(groups: &[PathBuf]) -> Result<(), String> {
    for group in groups {
        let procs = group.join("cgroup.procs");
        // 0 is the process that writes.
        std::fs::write(&procs, "0").map_err(|error| format!("{}: {error}", procs.display()))?;
    }
    Ok(())
}

fn set_limit(limit: Rlimit, value: u64) -> Result<(), String> {
    // The hard limit may be lower already, and cannot be raised.
    let (_, hard) = nix::sys::resource::getrlimit(limit.resource())
        .map_err(|error| format!("the limit {limit:?}: {error}"))?;
    let value = value.min(hard);
    setrlimit(limit.resource(), value, value)
        .map_err(|error| format!("the limit {limit:?} of {value}: {error}"))
}

/// Allows the bot's user to reopen its streams, as by `/dev/stderr`.
fn own_streams(user: Uid) -> nix::Result<()> {
    for fd in 0..=2 {
        // SAFETY: these are open in every process that a supervisor starts, and stay open.
        #[expect(unsafe_code, reason = "fchown asks for a borrowed descriptor")]
        let stream = unsafe { std::os::fd::BorrowedFd::borrow_raw(fd) };
        // Only pipes: the referee's own stderr does not belong to the bot.
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
    init::become_user(user)
}

/// Drops all rights of root in the sandbox `limits` but those over files. With more it could leave
/// its control groups and lift its limits.
#[cfg(target_os = "linux")]
fn drop_root_rights() -> io::Result<()> {
    use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};

    match crate::sandbox::layers::kernel_files::make_read_only() {
        // Root in a container may not mount: then no promise rests on this.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
        other => other?,
    }
    let remaining = CapabilitySet::CHOWN
        | CapabilitySet::DAC_OVERRIDE
        | CapabilitySet::DAC_READ_SEARCH
        | CapabilitySet::FOWNER
        | CapabilitySet::FSETID;
    for capability in CapabilitySet::all().difference(remaining) {
        // The kernel may not know the newest ones.
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
fn drop_root_rights() -> io::Result<()> {
    Ok(())
}

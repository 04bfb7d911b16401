//! The launcher: the process that is to become the bot takes its limits upon itself and then
//! turns into the bot's program.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use nix::sys::resource::{Resource, setrlimit};
use serde::{Deserialize, Serialize};

use super::walls::{self, Walls};

/// The hidden subcommand that a launcher is.
pub const SUBCOMMAND: &str = "launch";
/// The exit code when the program could not be started, as shells have it.
pub const NOT_STARTED: u8 = 126;

/// What a launcher takes upon itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// Control groups to join.
    pub groups: Vec<PathBuf>,
    /// Limits of each process, by setrlimit(2).
    pub rlimits: Vec<(Rlimit, u64)>,
    /// Nothing that it starts can have more rights than it has.
    pub no_new_privileges: bool,
    /// What it may read and write.
    pub walls: Option<Walls>,
    /// What it turns into.
    pub command: Vec<String>,
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
        Ok(()) => {
            let [program, arguments @ ..] = &launch.command[..] else {
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

fn restrict(launch: &Launch) -> Result<(), String> {
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
    #[cfg(target_os = "linux")]
    if launch.no_new_privileges {
        nix::sys::prctl::set_no_new_privs().map_err(|error| format!("privileges: {error}"))?;
    }
    launch.walls.as_ref().map_or(Ok(()), walls::raise)
}

//! What the referee and a supervisor say to each other: the plan that a supervisor is started with,
//! its reports, and the commands that it obeys.

use std::io;
use std::path::PathBuf;

use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};

use super::watched_limits::WatchedLimits;
use crate::sandbox::launch::{self, Launch};
use crate::sandbox::layers::ownership::Loan;

/// The hidden subcommand that runs a supervisor.
pub const SUBCOMMAND: &str = "supervise";
/// The exit code of a supervisor that could not do its work.
pub(crate) const EXIT_CANNOT_RUN: i32 = 4;
/// The descriptor at which a supervisor finds its connection to the referee.
pub(crate) const CONTROL_FD: i32 = 3;
/// The command that asks every process of the bot to end.
pub(crate) const TERM: &str = "term\n";
/// The command that kills every process of the bot.
pub(crate) const KILL: &str = "kill\n";

/// What a supervisor starts, and what it looks after.
#[derive(Debug, Serialize, Deserialize)]
pub struct Plan {
    /// Program and arguments.
    pub(crate) command: Vec<String>,
    /// The program is a launcher, which becomes the bot.
    pub(crate) has_launcher: bool,
    /// Limits that the supervisor enforces itself.
    pub(crate) watch: WatchedLimits,
    /// Control groups to remove in the end.
    pub(crate) groups: Vec<PathBuf>,
    /// The program runs the bot inside itself, and exits as shells do: with 128 plus the number of
    /// the signal that ended the bot.
    pub(crate) wrapped: bool,
    /// The connection of a sandbox's init to the referee is open at
    /// [`sandbox::init::CONTROL_FD`](crate::sandbox::init), to be passed on.
    pub(crate) passes_init_control: bool,
    /// The bot's temporary folder. The supervisor removes it, even if the referee is gone.
    pub(crate) tmp: Option<PathBuf>,
    /// Folders that the launcher lends to the bot's user. The supervisor takes them back.
    pub(crate) loan: Option<Loan>,
}

impl Plan {
    /// Starts this command as it is.
    pub(crate) fn new(command: Vec<String>) -> Self {
        Plan {
            command,
            has_launcher: false,
            watch: WatchedLimits::default(),
            groups: Vec::new(),
            wrapped: false,
            passes_init_control: false,
            tmp: None,
            loan: None,
        }
    }

    /// Starts a launcher instead, which applies limits to itself and becomes the bot.
    pub(crate) fn launch(&mut self, launch: Launch) -> io::Result<()> {
        let launch = serde_json::to_string(&launch)?;
        let this_program = this_program()?.to_string_lossy().into_owned();
        self.command = vec![this_program, launch::SUBCOMMAND.to_owned(), launch];
        self.has_launcher = true;
        Ok(())
    }
}

/// The program that is running now, even if its file has been replaced since it started.
pub(crate) fn this_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        Ok("/proc/self/exe".into())
    } else {
        std::env::current_exe()
    }
}

/// What a supervisor reports to the referee, one per line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SupervisorReport {
    /// The bot runs.
    Started { pid: i32 },
    /// The bot could not be started, as part of a sentence; `short` if the machine is to blame.
    Failed { why: String, short: bool },
    /// The bot exceeded a watched limit, as part of a sentence.
    Over { what: String },
    /// What the kernel did because of the bot's limits.
    Enforced { what: String },
    /// The bot's first process ended.
    Exited(Exit),
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl Exit {
    /// As part of a sentence, such as "exited with code 1".
    pub fn in_words(&self) -> String {
        match *self {
            Exit::Code(code) => format!("exited with code {code}"),
            Exit::Signal(signal) => {
                let name = Signal::try_from(signal).map_or("unknown signal", Signal::as_str);
                format!("was ended by signal {signal} ({name})")
            }
        }
    }
}

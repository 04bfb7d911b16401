//! The protocol between the referee and a supervisor: its plan, reports, and commands.

use std::io;
use std::path::PathBuf;

use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};

use crate::sandbox::launch::{self, Launch};
use crate::sandbox::layers::ownership::Loan;
use crate::sandbox::watched_limits::WatchedLimits;

/// The first argument of a process that runs a supervisor.
pub const SUBCOMMAND: &str = "supervise";
/// The exit code of a supervisor that could not run.
pub(crate) const EXIT_CANNOT_RUN: i32 = 4;
/// The descriptor at which a supervisor finds its connection to the referee.
pub(crate) const CONTROL_FD: i32 = 3;
/// Asks all processes of the bot to end.
pub(crate) const TERM: &str = "term\n";
/// Kills all processes of the bot.
pub(crate) const KILL: &str = "kill\n";

/// The orders of a supervisor.
#[derive(Debug, Serialize, Deserialize)]
pub struct Plan {
    /// Program and arguments.
    pub(crate) command: Vec<String>,
    /// The command is the bot's own program, and not a launcher.
    pub(crate) is_the_bot: bool,
    pub(crate) watch: WatchedLimits,
    /// Control groups to remove at the end.
    pub(crate) groups: Vec<PathBuf>,
    /// The program runs the bot as its child, and exits as shells do: with 128 plus the number of
    /// the signal that ended the bot.
    pub(crate) wrapped: bool,
    /// The connection of a sandbox's init to the referee is open at
    /// [`sandbox::init::CONTROL_FD`](crate::sandbox::launch::init), to be passed on.
    pub(crate) passes_init_control: bool,
    /// The bot's temporary folder. The supervisor removes it even if the referee is gone.
    pub(crate) tmp: Option<PathBuf>,
    /// Folders that the bot's user owns while the bot runs. The supervisor takes them back.
    pub(crate) loan: Option<Loan>,
}

impl Plan {
    /// Starts this command without a launcher.
    pub(crate) fn new(command: Vec<String>) -> Self {
        Plan {
            command,
            is_the_bot: true,
            watch: WatchedLimits::default(),
            groups: Vec::new(),
            wrapped: false,
            passes_init_control: false,
            tmp: None,
            loan: None,
        }
    }

    /// Starts a launcher instead, which confines itself and becomes the bot.
    pub(crate) fn launch(&mut self, launch: Launch) -> io::Result<()> {
        let launch = serde_json::to_string(&launch)?;
        let this_program = this_program()?.to_string_lossy().into_owned();
        self.is_the_bot = false;
        self.command = vec![this_program, launch::SUBCOMMAND.to_owned(), launch];
        Ok(())
    }
}

/// The running program, even if its file has been replaced since the start.
pub(crate) fn this_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        Ok("/proc/self/exe".into())
    } else {
        std::env::current_exe()
    }
}

/// A line from a supervisor to the referee. Texts are parts of a sentence whose subject is the bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SupervisorReport {
    /// The bot runs.
    Started { pid: i32 },
    /// The bot could not be started; `is_exhausted` if a resource of the machine is.
    Failed { why: String, is_exhausted: bool },
    /// The bot exceeded a watched limit.
    Over { what: String },
    /// The kernel enforced a limit.
    Enforced { what: String },
    /// The bot's first process ended.
    Exited(Exit),
}

/// The end of a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    Code(i32),
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

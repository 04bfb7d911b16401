//! The protocol between the referee and a supervisor: its plan, reports, and commands.

use std::ffi::OsString;
use std::path::PathBuf;

use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};

use super::cores::Cores;
use crate::sandbox::launch::Launch;
use crate::sandbox::launch::environment::Environment;
use crate::sandbox::layers::ownership::Loan;
use crate::sandbox::watched_limits::WatchedLimits;

/// Asks all processes of the bot to end.
pub(crate) const TERM: u8 = b'T';
/// Kills all processes of the bot.
pub(crate) const KILL: u8 = b'K';

/// The orders of a supervisor.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) program: Program,
    /// The working directory. Not as a path: those that are no UTF-8 would have no JSON.
    pub(crate) dir: OsString,
    pub(crate) environment: Environment,
    /// The cores of the thread that starts it; `None` if the machine does not report them.
    pub(crate) cores: Option<Cores>,
    /// Its time slices are the shortest.
    pub(crate) has_short_slices: bool,
    pub(crate) watch: WatchedLimits,
    /// Control groups to remove at the end.
    pub(crate) groups: Vec<PathBuf>,
    /// The program runs the bot as its child, and exits as shells do: with 128 plus the number of
    /// the signal that ended the bot.
    pub(crate) wrapped: bool,
    /// The first process in the sandbox is an init, which freezes the bot because no control group
    /// does. The last descriptor of the order is its connection to the referee.
    pub(crate) has_init: bool,
    /// The bot's temporary folder. The supervisor removes it even if the referee is gone.
    pub(crate) tmp: Option<PathBuf>,
    /// Folders that the bot's user owns while the bot runs. The supervisor takes them back.
    pub(crate) loan: Option<Loan>,
}

/// The child of a supervisor.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Program {
    /// The bot's command itself.
    Bot(Vec<String>),
    /// A process that confines itself, and becomes the bot.
    Launcher(Box<Launch>),
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
pub(crate) enum Exit {
    Code(i32),
    Signal(i32),
}

impl Exit {
    /// As part of a sentence, such as "exited with code 1".
    pub(crate) fn in_words(&self) -> String {
        match *self {
            Exit::Code(code) => format!("exited with code {code}"),
            Exit::Signal(signal) => {
                let name = Signal::try_from(signal).map_or("unknown signal", Signal::as_str);
                format!("was ended by signal {signal} ({name})")
            }
        }
    }
}

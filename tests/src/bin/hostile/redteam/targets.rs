//! Targets of the tricks: the campaign names their places, so that no trick fails only because it
//! does not find its target.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::id;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// The variable of the environment that names the file with the targets.
pub(crate) const TARGETS: &str = "RED_TARGETS";
/// Beside that file, the processes of the match.
pub(crate) const PROCESSES: &str = "processes.json";
/// Time limit for processes to appear.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub(crate) struct Targets {
    all: Value,
    folder: PathBuf,
}

/// Another process.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    /// Such as `opponent`.
    pub(crate) role: String,
    pub(crate) pid: i32,
}

impl Targets {
    /// Reads the file that the environment names.
    pub(crate) fn from_environment() -> Self {
        let path = PathBuf::from(env::var_os(TARGETS).expect("targets in the environment"));
        let text = fs::read_to_string(&path).expect("a file with targets");
        Targets {
            all: serde_json::from_str(&text).expect("targets"),
            folder: path.parent().unwrap_or(Path::new("/")).to_owned(),
        }
    }

    /// A text, such as a path or an address.
    pub(crate) fn text(&self, name: &str) -> String {
        self.all[name].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.text(name).into()
    }

    pub(crate) fn paths(&self, name: &str) -> Vec<PathBuf> {
        let list = self.all[name].as_array().map_or(&[][..], Vec::as_slice);
        list.iter()
            .filter_map(Value::as_str)
            .map(PathBuf::from)
            .collect()
    }

    pub(crate) fn number(&self, name: &str) -> usize {
        self.all[name].as_u64().unwrap_or_default() as usize
    }

    /// True if this seat attempts nothing: one seat is enough, in half of the time.
    pub(crate) fn is_spared(&self, seat: &Value) -> bool {
        self.all["only seat"].is_u64() && self.all["only seat"] != *seat
    }

    /// The referee, the opponents and their supervisors, by the numbers that they have outside of
    /// any sandbox.
    pub(crate) fn processes(&self) -> Vec<Process> {
        let end = Instant::now() + LONGEST_WAIT;
        loop {
            let text = fs::read_to_string(self.folder.join(PROCESSES)).unwrap_or_default();
            let found: Value = serde_json::from_str(&text).unwrap_or_default();
            let roles = found.as_object().into_iter().flatten();
            let all: Vec<Process> = roles.flat_map(|(role, pids)| of_role(role, pids)).collect();
            let complete = all.iter().any(|process| process.role == "opponent");
            if complete || Instant::now() > end {
                return all;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

fn of_role(role: &str, pids: &Value) -> Vec<Process> {
    let pids = pids.as_array().map_or(&[][..], Vec::as_slice);
    let pids = pids
        .iter()
        .filter_map(|pid| pid.as_i64())
        .map(|pid| pid as i32);
    // In a name space of its own this process has a small number, and targets have none.
    pids.filter(|pid| *pid != id() as i32)
        .map(|pid| Process {
            role: role.to_owned(),
            pid,
        })
        .collect()
}

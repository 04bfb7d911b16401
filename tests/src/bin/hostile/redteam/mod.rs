//! The red team: tricks against the sandbox, each chosen by its word, tried in the bot's own turns.
//! A bot reports what it tried and what succeeded; what shows outside only, the campaign judges.
//! Every trick is bounded in time, memory, files and CPU time, undoes what it changed, and is made
//! so that success has no effect where a real attacker's would.

mod call;
pub(crate) mod outside;
mod targets;
mod tricks;
pub(crate) mod witness;

use nix::errno::Errno;
use serde_json::{Map, Value, json};

pub(crate) use targets::Targets;
use tricks::{clock, escapes, files, forgery, kernel, limits, memory, network, processes};

/// The continuation of a trick in each of the bot's later turns.
type Later = Box<dyn FnMut(&mut Attempts)>;
/// Starts in the bot's first turn.
type Trick = fn(&Targets, &mut Attempts) -> Option<Later>;

/// All tricks by name. A name `PROMISE.more` attacks that promise, too.
const TRICKS: &[(&str, Trick)] = &[
    ("read-files", files::read),
    ("write-files", files::write),
    ("change-metadata", files::change_metadata),
    ("opponent-files", forgery::opponents_script),
    ("log", forgery::log),
    ("network", network::network),
    ("ipc", network::ipc),
    ("keyrings", network::keyrings),
    ("channels", network::channels),
    ("see-processes", processes::see),
    ("signal-processes", processes::signal),
    ("limit-processes", processes::limit),
    ("trace-processes", processes::trace),
    ("opponent-pipes", processes::pipes),
    ("environment", processes::environment),
    ("descriptors", processes::descriptors),
    ("kernel-settings", kernel::settings),
    ("kernel-calls", kernel::calls),
    ("privileges", escapes::privileges),
    ("memory.heap", memory::heap),
    ("memory.memfds", memory::memfds),
    ("memory.shared-folder", memory::shared_folder),
    ("memory.tmp", memory::tmp),
    ("memory.masked-folders", memory::masked_folders),
    ("memory.empty-files", memory::empty_files),
    ("kernel-memory.sockets", memory::sockets),
    ("kernel-memory.pipes", memory::pipes),
    ("kernel-memory.page-tables", memory::page_tables),
    ("memory.segments", memory::segments),
    ("memory.idle-forks", limits::idle_forks),
    ("process-count", limits::processes),
    ("tmp-size", limits::tmp_size),
    ("cpu-share.15", clock::burner_15),
    ("cpu-share.40", clock::burner_40),
    ("freezing", clock::walker),
    ("cpu-clock.ignored-children", clock::ignored_children),
    ("cpu-clock.daemons", clock::daemons),
    ("cpu-clock.other-group", clock::other_group),
];

pub(crate) fn words() -> impl Iterator<Item = &'static str> {
    TRICKS.iter().map(|(word, _)| *word)
}

/// A bot's raid in one match after another.
pub(crate) struct Raid {
    trick: Trick,
    targets: Targets,
    /// `None` before the first turn.
    later: Option<Later>,
    begun: bool,
}

impl Raid {
    pub(crate) fn new(word: &str) -> Self {
        let known = TRICKS.iter().find(|(name, _)| *name == word);
        let (_, trick) = known.unwrap_or_else(|| panic!("`{word}` is no trick"));
        Raid {
            trick: *trick,
            targets: Targets::from_environment(),
            later: None,
            begun: false,
        }
    }

    /// Makes the attempts of one turn; returns the report.
    pub(crate) fn turn(&mut self, seat: &Value) -> Value {
        let mut attempts = Attempts::default();
        if self.targets.is_spared(seat) {
            return Value::Null;
        }
        if !self.begun {
            self.begun = true;
            self.later = (self.trick)(&self.targets, &mut attempts);
        } else if let Some(later) = &mut self.later {
            later(&mut attempts);
        }
        Value::Object(attempts.all)
    }
}

/// Attempts by name.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    all: Map<String, Value>,
}

impl Attempts {
    /// Records an outcome, in words. A second success of the same name counts as the first one did.
    fn add(&mut self, name: &str, succeeded: bool, how: impl Into<String>) {
        let before = &self.all.get(name).map(|before| before["succeeded"] == true);
        if *before == Some(true) {
            return;
        }
        let mut how = how.into();
        if let Some((end, _)) = how.char_indices().nth(200) {
            how.truncate(end);
        }
        let attempt = json!({"succeeded": succeeded, "how": how});
        self.all.insert(name.to_owned(), attempt);
    }

    /// The same for a call that returns a result.
    fn call<T>(&mut self, name: &str, result: nix::Result<T>, how: &str) {
        match result {
            Ok(_) => self.add(name, true, how),
            Err(error) => self.add(name, false, error.to_string()),
        }
    }

    /// The same for something of the standard library.
    fn io<T>(&mut self, name: &str, result: std::io::Result<T>, how: &str) {
        match result {
            Ok(_) => self.add(name, true, how),
            Err(error) => self.add(name, false, error.to_string()),
        }
    }

    /// The same for an invalid call: errors other than these mean that it was not blocked.
    fn reached<T>(&mut self, name: &str, result: nix::Result<T>) {
        const REFUSED: [Errno; 4] = [Errno::EPERM, Errno::EACCES, Errno::ENOSYS, Errno::EROFS];
        match result {
            Ok(_) => self.add(name, true, "the kernel did it"),
            Err(error) if REFUSED.contains(&error) => self.add(name, false, error.to_string()),
            Err(error) => self.add(name, true, format!("the kernel would do it: {error}")),
        }
    }

    /// Records a number for the campaign to compare with its own measurement.
    fn number(&mut self, name: &str, value: u64) {
        self.all.insert(name.to_owned(), json!(value));
    }
}

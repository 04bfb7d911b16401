//! Sends snapshots of running matches to the sockets in the tournament's folder. Never waits: what
//! cannot be sent at once is lost. Without subscribers, a match pays for it by reading one flag an
//! event.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use arbiter::Arbiter;
use games::Rules;
use games::kit::to_move::Actor;
use play::match_runner::Observer;
use serde_json::{Value, json};

use crate::playing::live_record::LiveRecord;
use crate::playing::match_run::MatchRun;

/// The folder of the subscribers' sockets, in the tournament's folder.
pub const LIVE_NAME: &str = "live";
/// Longest snapshot.
pub const MOST_BYTES: usize = 200_000;
/// Bytes reserved beside the parts of a snapshot.
const MARGIN: usize = 100;
/// Interval between two searches for subscribers.
const SEARCH_INTERVAL: Duration = Duration::from_millis(500);
/// Burst of snapshots a slot, and their rate a second.
const MOST_A_SECOND: f64 = 4.0;
/// Interval of the sign of life in matches whose course is secret.
const SECRET_INTERVAL: Duration = Duration::from_secs(5);
/// Longest path of a folder, in bytes, that is used as it is.
const MOST_FOLDER: usize = 80;
const MOST_SUBSCRIBERS: usize = 16;

/// The path of a socket in a folder. Paths of sockets have at most 107 bytes, so longer ones go
/// through the open folder, which must stay open meanwhile.
///
/// # Errors
/// If the folder cannot be opened.
pub fn reachable(folder: &Path, name: &OsStr) -> io::Result<(PathBuf, File)> {
    let open = fs::OpenOptions::new()
        .read(true)
        .custom_flags(nix::libc::O_DIRECTORY)
        .open(folder)?;
    let mut path = PathBuf::from(format!("/proc/self/fd/{}", open.as_raw_fd()));
    if folder.as_os_str().len() <= MOST_FOLDER {
        path = folder.to_owned();
    }
    path.push(name);
    Ok((path, open))
}

#[derive(Debug)]
pub(crate) struct Broadcast {
    folder: PathBuf,
    socket: UnixDatagram,
    /// True while there are subscribers.
    has_subscribers: AtomicBool,
    /// The open folder of the subscribers' sockets, and their paths.
    subscribers: Mutex<Option<(File, Vec<PathBuf>)>>,
}

impl Broadcast {
    /// Starts looking for subscribers of the tournament in this folder; `None` if the system has no
    /// socket for it.
    pub(crate) fn begin(folder: &Path) -> Option<Arc<Self>> {
        let socket = UnixDatagram::unbound().ok()?;
        socket.set_nonblocking(true).ok()?;
        let broadcast = Arc::new(Broadcast {
            folder: folder.join(LIVE_NAME),
            socket,
            has_subscribers: AtomicBool::new(false),
            subscribers: Mutex::default(),
        });
        let weak = Arc::downgrade(&broadcast);
        let searcher = thread::Builder::new().name("live".to_owned());
        searcher.spawn(move || search(&weak)).ok()?;
        Some(broadcast)
    }

    /// Looks for subscribers, and sends them a sign of life.
    fn find_subscribers(&self) {
        let found = self.sockets();
        let has_subscribers = found
            .as_ref()
            .is_some_and(|(_, sockets)| !sockets.is_empty());
        *self
            .subscribers
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = found;
        self.has_subscribers
            .store(has_subscribers, Ordering::Relaxed);
        if has_subscribers {
            // Shows subscribers that the tournament is still running.
            self.send(&json!({"alive": true}));
        }
    }

    fn sockets(&self) -> Option<(File, Vec<PathBuf>)> {
        let entries = fs::read_dir(&self.folder).ok()?;
        let sockets = entries.flatten().filter(|entry| {
            let kind = entry.file_type();
            kind.is_ok_and(|kind| kind.is_socket())
        });
        let names: Vec<_> = sockets.map(|entry| entry.file_name()).collect();
        let (within, open) = reachable(&self.folder, OsStr::new("")).ok()?;
        let paths = names.iter().take(MOST_SUBSCRIBERS);
        let paths = paths.map(|name| within.join(name)).collect();
        Some((open, paths))
    }

    fn send(&self, what: &Value) {
        let text = what.to_string();
        if text.len() > MOST_BYTES {
            return;
        }
        let subscribers = self.subscribers.lock();
        let subscribers = subscribers.unwrap_or_else(PoisonError::into_inner);
        for path in subscribers.iter().flat_map(|(_, paths)| paths) {
            if let Err(error) = self.socket.send_to(text.as_bytes(), path)
                && error.kind() == ErrorKind::ConnectionRefused
            {
                // The subscriber was killed.
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Observes a match for subscribers. All matches of a slot share a budget.
    pub(crate) fn observer<'b>(
        self: &Arc<Self>,
        run: &'b MatchRun,
        budget: &'b mut SnapshotBudget,
    ) -> LiveMatch<'b> {
        LiveMatch {
            broadcast: self.clone(),
            names: run.specs.iter().map(|spec| spec.name.clone()).collect(),
            id: run.id.clone(),
            rules: run.game.rules.clone(),
            budget,
            run,
            record: None,
            last: None,
            mentioned: None,
        }
    }
}

/// Looks for subscribers until the tournament is over.
fn search(broadcast: &Weak<Broadcast>) {
    while let Some(broadcast) = broadcast.upgrade() {
        broadcast.find_subscribers();
        drop(broadcast);
        thread::sleep(SEARCH_INTERVAL);
    }
}

/// Limits the snapshots of a slot: a few at once, so that an answer to an answer is seen while the
/// next one is awaited, and as many a second.
#[derive(Debug)]
pub(crate) struct SnapshotBudget {
    left: f64,
    /// Time of the last refill.
    counted: Option<Instant>,
}

impl Default for SnapshotBudget {
    fn default() -> Self {
        SnapshotBudget {
            left: MOST_A_SECOND,
            counted: None,
        }
    }
}

impl SnapshotBudget {
    /// Takes a snapshot from the budget; false if it is exhausted.
    fn take(&mut self, now: Instant) -> bool {
        if let Some(counted) = self.counted.replace(now) {
            let earned = now.duration_since(counted).as_secs_f64() * MOST_A_SECOND;
            self.left = (self.left + earned).min(MOST_A_SECOND);
        }
        let may = self.left >= 1.0;
        if may {
            self.left -= 1.0;
        }
        may
    }
}

/// A match that is shown to subscribers.
pub(crate) struct LiveMatch<'b> {
    broadcast: Arc<Broadcast>,
    id: String,
    rules: Arc<dyn Rules>,
    names: Vec<String>,
    budget: &'b mut SnapshotBudget,
    run: &'b MatchRun,
    /// Made for the first subscriber.
    record: Option<LiveRecord>,
    /// Plies in the last snapshot, and true in the last one of the match.
    last: Option<(usize, bool)>,
    /// Time of the last sign of life, where nothing else is shown.
    mentioned: Option<Instant>,
}

impl Observer for LiveMatch<'_> {
    fn after(&mut self, arbiter: &Arbiter) {
        if !self.broadcast.has_subscribers.load(Ordering::Relaxed) {
            return;
        }
        if self.rules.info().has_deals() {
            self.mention(arbiter);
        } else {
            self.show(arbiter);
        }
    }
}

impl LiveMatch<'_> {
    fn show(&mut self, arbiter: &Arbiter) {
        let now = (arbiter.moves().len(), arbiter.is_over());
        // A subscriber who saw some of the match should see its end.
        let is_wanted = arbiter.is_over() && self.last.is_some();
        if self.last == Some(now) || !(is_wanted || self.budget.take(Instant::now())) {
            return;
        }
        self.last = Some(now);
        let snapshot = self.snapshot(arbiter);
        self.broadcast.send(&snapshot);
    }

    /// Announces the match without its course, not even the seat to move: other matches have the
    /// same deal, and bots without a sandbox can subscribe. Its end shows when all matches of the
    /// deal are in the log.
    fn mention(&mut self, arbiter: &Arbiter) {
        let now = Instant::now();
        let is_due = self
            .mentioned
            .is_none_or(|then| now.duration_since(then) >= SECRET_INTERVAL);
        if is_due && !arbiter.is_over() && self.budget.take(now) {
            self.mentioned = Some(now);
            let mut mention = self.about();
            mention["ply"] = 0.into();
            mention["to_move"] = json!([]);
            mention["view"] = Value::Null;
            mention["last"] = Value::Null;
            mention["clocks_ms"] = json!(vec![Value::Null; self.names.len()]);
            mention["over"] = false.into();
            self.broadcast.send(&mention);
        }
    }

    /// The parts that do not change during a match.
    fn about(&self) -> Value {
        let rules = &self.rules;
        json!({
            "match": self.id,
            "game": rules.info().id,
            "title": rules.info().title,
            "label": ratings::game_label(&rules.info().id, &rules.options().to_json()),
            "players": self.names,
            "roles": rules.roles(),
        })
    }

    fn snapshot(&mut self, arbiter: &Arbiter) -> Value {
        let session = arbiter.session();
        let seats = 0..self.names.len();
        let clocks = seats.map(|seat| {
            let left = arbiter.clock(seat).remaining();
            left.map(|left| left.as_secs_f64() * 1e3)
        });
        let to_move = session.to_move().actors().filter_map(|actor| match actor {
            Actor::Seat(seat) => Some(seat),
            Actor::Chance => None,
        });
        let mut snapshot = self.about();
        snapshot["ply"] = session.ply().into();
        snapshot["to_move"] = to_move.collect();
        snapshot["view"] = json!(session.view().ok().flatten());
        snapshot["last"] = json!(arbiter.moves().last().map(|last| &last.mv));
        snapshot["clocks_ms"] = json!(clocks.collect::<Vec<_>>());
        snapshot["over"] = arbiter.is_over().into();
        let room = MOST_BYTES.saturating_sub(snapshot.to_string().len() + MARGIN);
        let record = self.record.take();
        self.record = record.or_else(|| LiveRecord::new(self.run));
        if let Some(record) = self.record.as_ref().and_then(|it| it.so_far(arbiter, room)) {
            snapshot["record"] = record;
        }
        snapshot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_sends_a_few_at_once_and_then_a_few_a_second() {
        let mut budget = SnapshotBudget::default();
        let begin = Instant::now();
        let sent = |budget: &mut SnapshotBudget, at: Duration| {
            (0..10).filter(|_| budget.take(begin + at)).count()
        };
        assert_eq!(sent(&mut budget, Duration::ZERO), 4);
        assert_eq!(sent(&mut budget, Duration::from_millis(500)), 2);
        assert_eq!(sent(&mut budget, Duration::from_secs(60)), 4);
    }

    #[test]
    fn subscribers_are_found_and_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let broadcast = Broadcast::begin(folder.path()).unwrap();
        broadcast.find_subscribers();
        assert!(!broadcast.has_subscribers.load(Ordering::Relaxed));
        let live = folder.path().join(LIVE_NAME);
        fs::create_dir(&live).unwrap();
        let subscriber = UnixDatagram::bind(live.join("1.sock")).unwrap();
        broadcast.find_subscribers();
        assert!(broadcast.has_subscribers.load(Ordering::Relaxed));
        let mut received = [0; 100];
        let length = subscriber.recv(&mut received).unwrap();
        assert_eq!(&received[..length], br#"{"alive":true}"#);
        // A subscriber that does not read blocks nobody.
        for _ in 0..1000 {
            broadcast.send(&json!({"match": "m-1"}));
        }
        drop(subscriber);
        broadcast.find_subscribers();
        broadcast.find_subscribers();
        assert!(!live.join("1.sock").exists());
        assert!(!broadcast.has_subscribers.load(Ordering::Relaxed));
    }
}

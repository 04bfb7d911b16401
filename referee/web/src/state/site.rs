//! State shared by all parts of the server.

use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use std::thread::Thread;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use rules::RulesSet;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::state::events::Listeners;
use crate::state::index::{IndexedMatch, MatchIndex};
use crate::state::live::Boards;
use crate::state::report_cache::Reports;

/// Pages count as watched for this long after a request.
const ATTENTION: Duration = Duration::from_secs(10);
/// The longest time that an answer waits for fresh lines of the log.
const FRESH_WAIT: Duration = Duration::from_millis(500);
/// Logs read less than this ago are fresh enough.
const FRESH: Duration = Duration::from_secs(1);

pub(crate) struct Site {
    /// The logs, as paths of their files.
    pub(crate) logs: Vec<PathBuf>,
    /// The tournament's folder, or that of the first log.
    pub(crate) folder: PathBuf,
    index: RwLock<MatchIndex>,
    files: RwLock<Vec<Option<Arc<File>>>>,
    /// The overview as JSON.
    pub(crate) overview: watch::Sender<Arc<str>>,
    pub(crate) listeners: Listeners,
    pub(crate) reports: Reports,
    boards: Mutex<Boards>,
    /// The number of polls of the logs.
    pub(crate) polls: watch::Sender<u64>,
    began: Instant,
    /// Times of the last request and of the last poll, in milliseconds since the start.
    asked: AtomicU64,
    read: AtomicU64,
    pub(crate) reader: OnceLock<Thread>,
    /// The external rules of the games of each log.
    pub(crate) rules: Vec<OnceLock<Result<RulesSet, String>>>,
    /// The rules given on the command line.
    pub(crate) given_rules: Option<RulesSet>,
    pub(crate) ends: watch::Sender<bool>,
}

impl Site {
    pub(crate) fn new(logs: Vec<PathBuf>, given_rules: Option<RulesSet>) -> Self {
        let folder = logs.first().and_then(|log| log.parent());
        let folder = folder.map(std::path::Path::to_owned).unwrap_or_default();
        Site {
            index: RwLock::default(),
            files: RwLock::new(vec![None; logs.len()]),
            overview: watch::Sender::new("".into()),
            listeners: Listeners::default(),
            reports: Reports::default(),
            boards: Mutex::default(),
            polls: watch::Sender::new(0),
            began: Instant::now(),
            asked: AtomicU64::new(0),
            read: AtomicU64::new(0),
            reader: OnceLock::new(),
            rules: logs.iter().map(|_| OnceLock::new()).collect(),
            given_rules,
            ends: watch::Sender::new(false),
            folder,
            logs,
        }
    }

    pub(crate) fn index(&self) -> RwLockReadGuard<'_, MatchIndex> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn index_mut(&self) -> RwLockWriteGuard<'_, MatchIndex> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn boards(&self) -> MutexGuard<'_, Boards> {
        self.boards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the open file of a log.
    pub(crate) fn set_file(&self, log: u16, file: Option<Arc<File>>) {
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        files[usize::from(log)] = file;
    }

    /// The open file of a log.
    pub(crate) fn file(&self, log: u16) -> Option<Arc<File>> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        files.get(usize::from(log))?.clone()
    }

    /// The line of a match.
    pub(crate) fn line(&self, indexed: &IndexedMatch) -> Option<Vec<u8>> {
        let file = self.file(indexed.log)?;
        crate::state::follow::line_at(&file, indexed.offset, indexed.length).ok()
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    /// True while pages are watched, so that the logs are followed.
    pub(crate) fn is_watched(&self) -> bool {
        let asked = self.asked.load(Ordering::Relaxed);
        self.listeners.count() > 0
            || self.now().saturating_sub(asked) < ATTENTION.as_millis() as u64
    }

    /// True once the logs were read to their ends.
    pub(crate) fn is_read(&self) -> bool {
        self.read.load(Ordering::Relaxed) > 0
    }

    /// Records that the logs were read to their ends.
    pub(crate) fn note_read(&self) {
        self.read.store(self.now().max(1), Ordering::Relaxed);
        self.polls.send_modify(|polls| *polls += 1);
    }

    /// Records a request, and waits a moment for a poll of the logs unless the last one is recent.
    pub(crate) async fn refresh(&self) {
        self.asked.store(self.now(), Ordering::Relaxed);
        let read = self.read.load(Ordering::Relaxed);
        let is_fresh = read > 0 && self.now().saturating_sub(read) < FRESH.as_millis() as u64;
        if is_fresh {
            return;
        }
        let mut polls = self.polls.subscribe();
        if let Some(reader) = self.reader.get() {
            reader.unpark();
        }
        // After that it answers with the available state.
        let _ = timeout(FRESH_WAIT, polls.changed()).await;
    }

    pub(crate) fn send(&self, event: &Bytes) {
        self.listeners.send(event);
    }

    /// Splits an id, as used by pages, into the number of a log and the id in it. Those of the second
    /// and further logs end with `~2` and so on.
    pub(crate) fn split_id<'a>(&self, id: &'a str) -> (u16, &'a str) {
        let Some((own, number)) = id.rsplit_once('~') else {
            return (0, id);
        };
        match number.parse::<u16>() {
            Ok(number) if (2..=self.logs.len()).contains(&usize::from(number)) => (number - 1, own),
            _ => (0, id),
        }
    }

    /// The id of a match, as used by pages.
    pub(crate) fn page_id(&self, log: u16, id: &str) -> String {
        match log {
            0 => id.to_owned(),
            log => format!("{id}~{}", log + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_several_logs_are_kept_apart() {
        let site = Site::new(vec!["a/games.jsonl".into(), "b.jsonl".into()], None);
        assert_eq!(site.split_id("m-000001"), (0, "m-000001"));
        assert_eq!(site.split_id("m-000001~2"), (1, "m-000001"));
        assert_eq!(site.split_id("m~3"), (0, "m~3"));
        assert_eq!(site.page_id(1, "m-000001"), "m-000001~2");
        assert_eq!(site.page_id(0, "m-000001"), "m-000001");
        assert_eq!(site.folder, PathBuf::from("a"));
    }
}

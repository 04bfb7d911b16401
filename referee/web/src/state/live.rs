//! Running matches: the tournament sends snapshots to a socket in its folder, which exists while a page
//! is open. Snapshots may get lost.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use protocol::Record;
use serde::Deserialize;
use serde_json::Value;
use tokio::net::UnixDatagram;
use tournament::playing::broadcast::{LIVE_NAME, MOST_BYTES, reachable};

use crate::state::events::event;

/// A tournament that is silent for longer counts as gone.
const SILENCE: Duration = Duration::from_secs(3);
/// New pages do not get matches without news for longer.
const FORGOTTEN: Duration = Duration::from_secs(600);
/// The most running matches that are kept.
const MOST_BOARDS: usize = 256;

/// The socket in a tournament's folder, removed on drop.
#[derive(Debug)]
pub(crate) struct LiveSocket {
    socket: UnixDatagram,
    path: PathBuf,
}

/// The relevant part of a datagram.
#[derive(Deserialize)]
struct DatagramHead {
    #[serde(rename = "match")]
    match_id: Option<String>,
    #[serde(default)]
    over: bool,
}

/// The latest snapshot of a running match.
#[derive(Debug)]
struct LiveMatch {
    at: Instant,
    /// In the format of pages.
    snapshot: Bytes,
    /// The record so far as JSON, if it may be shown.
    record: Option<Value>,
    /// Over, but not read from the log yet.
    is_over: bool,
}

/// Latest snapshot of each running match.
#[derive(Debug, Default)]
pub(crate) struct Boards {
    boards: BTreeMap<String, LiveMatch>,
    last_datagram: Option<Instant>,
}

impl LiveSocket {
    /// # Errors
    ///
    /// If the folder is not writable.
    pub(crate) fn bind(folder: &Path) -> io::Result<Self> {
        let live = folder.join(LIVE_NAME);
        let created = fs::DirBuilder::new().mode(0o700).create(&live);
        if let Err(error) = created
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(error);
        }
        let name = format!("{}.sock", std::process::id());
        let path = live.join(&name);
        let _ = fs::remove_file(&path);
        let (short, _folder) = reachable(&live, name.as_ref())?;
        let socket = UnixDatagram::bind(short)?;
        Ok(LiveSocket { socket, path })
    }

    /// Waits for the next datagram, and returns its length.
    pub(crate) async fn receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        buffer.resize(MOST_BYTES, 0);
        self.socket.recv(buffer).await
    }
}

impl Drop for LiveSocket {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        // If others listen as well, the folder stays.
        let _ = self.path.parent().map(fs::remove_dir);
    }
}

impl Boards {
    /// True while the tournament sends datagrams.
    pub(crate) fn are_live(&self) -> bool {
        self.last_datagram
            .is_some_and(|last_datagram| last_datagram.elapsed() < SILENCE)
    }

    /// Processes a datagram, and returns the event for pages.
    pub(crate) fn take(&mut self, datagram: &[u8]) -> Option<Bytes> {
        self.last_datagram = Some(Instant::now());
        let head: DatagramHead = serde_json::from_slice(datagram).ok()?;
        let id = head.match_id?;
        // Serialized again, as the sender is not trusted: one line of valid JSON.
        let mut whole: Value = serde_json::from_slice(datagram).ok()?;
        // Only the page of this match needs the record, and requests it.
        let record = whole.as_object_mut()?.remove("record");
        let snapshot = event("live", &whole.to_string());
        let boards = &mut self.boards;
        boards.retain(|_, board| board.at.elapsed() < FORGOTTEN);
        if boards.len() < MOST_BOARDS || boards.contains_key(&id) {
            let board = LiveMatch {
                at: Instant::now(),
                snapshot: snapshot.clone(),
                record,
                is_over: head.over,
            };
            boards.insert(id, board);
        }
        Some(snapshot)
    }

    /// The record so far of a match that is not in the log yet.
    pub(crate) fn record(&self, id: &str) -> Option<Record> {
        let record = self.boards.get(id)?.record.clone()?;
        serde_json::from_value(record).ok()
    }

    /// Removes a match that is in the log.
    pub(crate) fn finished(&mut self, id: &str) {
        self.boards.remove(id);
    }

    /// Events for a new page.
    pub(crate) fn all(&self) -> Vec<Bytes> {
        let boards = self.boards.values().filter(|board| !board.is_over);
        boards.map(|board| board.snapshot.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_each_match_is_kept_until_it_is_over() {
        let mut boards = Boards::default();
        assert!(!boards.are_live());
        assert_eq!(boards.take(b"{\"alive\":true}"), None);
        assert!(boards.are_live());
        boards.take(b"{\"match\":\"m-1\",\"ply\":1}").unwrap();
        boards.take(b"{\"match\":\"m-1\",\n\"ply\":2}").unwrap();
        boards.take(b"{\"match\":\"m-2\",\"ply\":1}").unwrap();
        assert_eq!(
            boards.all()[0],
            "event: live\ndata: {\"match\":\"m-1\",\"ply\":2}\n\n"
        );
        boards.take(b"{\"match\":\"m-1\",\"over\":true}").unwrap();
        assert_eq!(boards.all().len(), 1);
        boards.finished("m-2");
        assert_eq!(boards.all().len(), 0);
        assert_eq!(boards.take(b"nonsense"), None);
    }

    #[tokio::test]
    async fn a_socket_may_be_deep_in_the_file_system() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("x".repeat(100)).join("y".repeat(100));
        fs::create_dir_all(&folder).unwrap();
        let socket = LiveSocket::bind(&folder).unwrap();
        let name = format!("{}.sock", std::process::id());
        let (path, _open) = reachable(&folder.join(LIVE_NAME), name.as_ref()).unwrap();
        let sender = UnixDatagram::unbound().unwrap();
        sender.send_to(b"hi", path).await.unwrap();
        let mut buffer = Vec::new();
        assert_eq!(socket.receive(&mut buffer).await.unwrap(), 2);
        drop(socket);
        assert!(!folder.join(LIVE_NAME).exists());
    }
}

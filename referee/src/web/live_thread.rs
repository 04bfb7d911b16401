//! The thread that listens to the tournament while a page is open.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::live::LiveSocket;
use super::site::Site;

/// How often it is looked whether a page is open, and how long a snapshot is waited for.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// The socket stays for this many looks after the last page was closed: pages are loaded again.
const LINGER: u32 = 6;

/// Starts the thread. It ends when the server does.
///
/// # Errors
/// If the system has no thread for it.
pub(super) fn start(site: Arc<Site>) -> io::Result<JoinHandle<()>> {
    let thread = thread::Builder::new().name("live".to_owned());
    thread.spawn(move || listen(&site))
}

fn listen(site: &Site) {
    let (mut socket, mut unseen) = (None, 0);
    let mut buffer = Vec::new();
    while !*site.ends.borrow() {
        unseen = match site.listeners.count() {
            0 => unseen + 1,
            _ => 0,
        };
        if unseen > LINGER {
            socket = None;
        } else if unseen == 0 && socket.is_none() {
            // A folder that cannot be written has no matches in flight.
            socket = LiveSocket::bind(&site.folder).ok();
        }
        match &socket {
            Some(socket) => hear(site, socket, &mut buffer),
            None => thread::sleep(LOOK_INTERVAL),
        }
    }
}

/// Hands on what comes, until nothing does.
fn hear(site: &Site, socket: &LiveSocket, buffer: &mut Vec<u8>) {
    if let Some(length) = socket.receive(LOOK_INTERVAL, buffer) {
        let snapshot = site.boards().take(&buffer[..length]);
        if let Some(snapshot) = snapshot {
            site.send(&snapshot);
        }
    }
}

//! The task that receives snapshots from the tournament while a page is open.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::state::live::LiveSocket;
use crate::state::site::Site;

/// The interval between checks for open pages, and the limit for a snapshot.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// The socket survives this many checks after the last page was closed, as pages are reloaded.
const LINGER: u32 = 6;

/// Runs for ever. Dropping the future removes the socket.
pub(crate) async fn listen(site: Arc<Site>) {
    let (mut socket, mut unseen) = (None, 0);
    let mut buffer = Vec::new();
    loop {
        unseen = match site.listeners.count() {
            0 => unseen + 1,
            _ => 0,
        };
        if unseen > LINGER {
            socket = None;
        } else if unseen == 0 && socket.is_none() {
            // A folder that is not writable has no running matches.
            socket = LiveSocket::bind(&site.folder).ok();
        }
        match &socket {
            Some(socket) => forward_snapshot(&site, socket, &mut buffer).await,
            None => sleep(POLL_INTERVAL).await,
        }
    }
}

/// Forwards one snapshot, if one comes soon.
async fn forward_snapshot(site: &Site, socket: &LiveSocket, buffer: &mut Vec<u8>) {
    match timeout(POLL_INTERVAL, socket.receive(buffer)).await {
        Ok(Ok(length)) => {
            let snapshot = site.boards().take(&buffer[..length]);
            if let Some(snapshot) = snapshot {
                site.send(&snapshot);
            }
        }
        Ok(Err(_)) => sleep(POLL_INTERVAL).await,
        Err(_) => {}
    }
}

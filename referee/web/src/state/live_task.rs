//! The task that listens to the tournament while a page is open.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::state::live::LiveSocket;
use crate::state::site::Site;

/// How often it is looked whether a page is open, and how long a snapshot is waited for.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// The socket stays for this many looks after the last page was closed: pages are loaded again.
const LINGER: u32 = 6;

/// Listens for ever. The socket is gone as soon as this future is.
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
            // A folder that cannot be written has no matches in flight.
            socket = LiveSocket::bind(&site.folder).ok();
        }
        match &socket {
            Some(socket) => hear(&site, socket, &mut buffer).await,
            None => sleep(LOOK_INTERVAL).await,
        }
    }
}

/// Hands on one snapshot, if one comes soon.
async fn hear(site: &Site, socket: &LiveSocket, buffer: &mut Vec<u8>) {
    match timeout(LOOK_INTERVAL, socket.receive(buffer)).await {
        Ok(Ok(length)) => {
            let snapshot = site.boards().take(&buffer[..length]);
            if let Some(snapshot) = snapshot {
                site.send(&snapshot);
            }
        }
        Ok(Err(_)) => sleep(LOOK_INTERVAL).await,
        Err(_) => {}
    }
}

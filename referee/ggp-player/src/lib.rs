//! A GGP player: lends a bot to game managers, over HTTP, one match at a time.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

mod bot;
mod game;
mod game_thread;
mod host_guard;
mod offer;
mod possible;
mod session;

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use host_guard::HostGuard;
use offer::Asked;
pub use offer::Offer;
use play::ggp::message::Request;
use session::PlayerSession;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch};

/// The customary port of players.
pub const PORT: u16 = 9147;
/// The longest request, in bytes.
const MAX_REQUEST: usize = 16 << 20;
/// The most waiting requests. Game managers send one after another.
const MAX_WAITING: usize = 16;

/// Shared by all connections.
struct Shared {
    name: String,
    asked: mpsc::Sender<Asked>,
    is_busy: Arc<AtomicBool>,
    log: fn(&str),
}

/// Answers game managers until `stop` turns true. `log` gets a sentence about everything that the protocol
/// has no word for.
///
/// # Errors
/// If the socket fails.
pub async fn serve(
    listener: TcpListener,
    offer: Offer,
    log: fn(&str),
    mut stop: watch::Receiver<bool>,
) -> std::io::Result<()> {
    let (asked, inbox) = mpsc::channel(MAX_WAITING);
    let is_busy = Arc::new(AtomicBool::new(false));
    let shared = Arc::new(Shared {
        name: word(&offer.name),
        asked,
        is_busy: is_busy.clone(),
        log,
    });
    let address = listener.local_addr()?.ip();
    let router = router(shared, HostGuard::new(address, &offer.allowed_hosts, log));
    let session = PlayerSession::new(offer, is_busy, log);
    let mut until = stop.clone();
    let served = async {
        tokio::select! {
            never = http::serve(listener, router, http::Limits::DEFAULT) => match never {},
            _ = until.wait_for(|stop| *stop) => {}
        }
    };
    tokio::join!(served, session.run(inbox, &mut stop));
    Ok(())
}

fn router(shared: Arc<Shared>, guard: HostGuard) -> Router {
    Router::new()
        .fallback(answer)
        .layer(DefaultBodyLimit::max(MAX_REQUEST))
        .with_state(shared)
        .layer(middleware::from_fn_with_state(
            Arc::new(guard),
            host_guard::guarded,
        ))
}

/// The answers of a player that is busy with another match, to the bytes of a connection.
pub async fn answers_to(sent: &[u8]) -> Vec<u8> {
    let (asked, mut inbox) = mpsc::channel::<Asked>(MAX_WAITING);
    let shared = Arc::new(Shared {
        name: "bot".to_owned(),
        asked,
        is_busy: Arc::new(AtomicBool::new(true)),
        log: |_| {},
    });
    let router = router(
        shared,
        HostGuard::new(Ipv4Addr::LOCALHOST.into(), &[], |_| {}),
    );
    let refuse = async {
        while let Some((_, answer)) = inbox.recv().await {
            let _ = answer.send("busy".to_owned());
        }
    };
    tokio::join!(http::answers_to(router, sent), refuse).0
}

/// Makes one word of KIF of a name.
fn word(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') {
            c
        } else {
            '-'
        }
    };
    let word: String = name.chars().map(plain).collect();
    if word.is_empty() {
        "bot".to_owned()
    } else {
        word
    }
}

async fn answer(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    let text = String::from_utf8_lossy(&body);
    let request = match Request::read(&text) {
        Ok(request) => request,
        Err(why) => {
            (shared.log)(&format!("a request was not understood: {why}"));
            return nothing();
        }
    };
    if request == Request::Info {
        let status = if shared.is_busy.load(Ordering::Relaxed) {
            "busy"
        } else {
            "available"
        };
        return said(format!("((name {}) (status {status}))", shared.name));
    }
    let (sender, answer) = oneshot::channel();
    if shared.asked.send((request, sender)).await.is_err() {
        return nothing();
    }
    answer.await.map_or_else(|_| nothing(), said)
}

fn said(text: String) -> Response {
    ([(header::CONTENT_TYPE, "text/acl")], text).into_response()
}

/// The protocol has no word for errors: game managers treat this as no move.
fn nothing() -> Response {
    StatusCode::BAD_REQUEST.into_response()
}

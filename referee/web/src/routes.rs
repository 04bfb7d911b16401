//! The routes, and the server.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::middleware;
use axum::response::Response;
use axum::routing::get;
use rules::RulesSet;
use serde::Serialize;
use serde_json::json;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use crate::http::access::{Guard, guarded};
use crate::http::answer::{self, Refusal, answer, json_text, refuse};
use crate::http::assets::{self, ASSETS};
use crate::http::server::PORT;
use crate::matches::match_list;
use crate::matches::match_page::find;
use crate::matches::position::SeatQuery;
use crate::reports;
use crate::state::events::event;
use crate::state::index::Wanted;
use crate::state::live_task;
use crate::state::reader;
use crate::state::site::Site;

/// The limit for an overview while a large log is read.
const OVERVIEW_WAIT: Duration = Duration::from_secs(10);
/// Time for pages to receive the last events when the server ends.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(1);
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The server cannot start.
#[derive(Debug, Error)]
pub enum WatchError {
    /// The system refuses something.
    #[error("the web server cannot run: {0}")]
    System(#[from] io::Error),
}

/// A server of logs.
pub struct Watch {
    site: Arc<Site>,
}

impl Watch {
    /// `logs` are files, or folders of tournaments.
    pub fn new(logs: &[PathBuf], rules: Option<RulesSet>) -> Self {
        let logs = logs.iter().map(|log| crate::state::follow::log_path(log));
        Watch {
            site: Arc::new(Site::new(logs.collect(), rules)),
        }
    }

    fn router(&self, address: SocketAddr) -> Router {
        let guard = Arc::new(Guard::new(address));
        router(self.site.clone()).layer(middleware::from_fn_with_state(guard, guarded))
    }

    /// The response to these bytes of a connection, without any background work.
    pub async fn answers_to(&self, sent: &[u8]) -> Vec<u8> {
        let router = self.router((Ipv4Addr::LOCALHOST, PORT).into());
        http::answers_to(router, sent).await
    }

    /// Serves until `stop` becomes true.
    ///
    /// # Errors
    /// If the system has no sockets or threads.
    pub async fn serve(
        self,
        listener: TcpListener,
        mut stop: watch::Receiver<bool>,
    ) -> Result<(), WatchError> {
        let router = self.router(listener.local_addr()?);
        let reader = reader::start(self.site.clone())?;
        tokio::select! {
            never = http::serve(listener, router, http::Limits::DEFAULT) => match never {},
            () = live_task::listen(self.site.clone()) => {}
            _ = stop.wait_for(|stop| *stop) => self.shut_down(reader).await,
        }
        Ok(())
    }

    /// Sends the last events to the pages.
    async fn shut_down(&self, reader: JoinHandle<()>) {
        self.site.ends.send_replace(true);
        reader.thread().unpark();
        // A long computation must not delay the end.
        let ended = async {
            while !reader.is_finished() {
                sleep(POLL_INTERVAL).await;
            }
        };
        let _ = timeout(SHUTDOWN_LIMIT, ended).await;
    }
}

fn router(site: Arc<Site>) -> Router {
    let api = Router::new()
        .route("/api/overview", get(overview))
        .route("/api/matches", get(matches))
        .route("/api/match/{id}", get(one_match))
        .route("/api/match/{id}/position/{ply}", get(position))
        .route("/api/page/{kind}", get(report))
        .route("/api/page/{kind}/{name}", get(report_about))
        .route("/api/events", get(events))
        .with_state(site);
    pages().merge(api)
}

pub(crate) fn pages() -> Router {
    let mut pages = Router::new()
        .route("/", get(index))
        .route("/{name}", get(|Path(name): Path<String>| asset(name)));
    for name in ASSETS.iter().map(|asset| asset.name) {
        if name.contains('/') {
            pages = pages.route(&format!("/{name}"), get(|| asset(name.to_owned())));
        }
    }
    pages.fallback(nothing)
}

async fn nothing() -> Response {
    refuse(StatusCode::NOT_FOUND, "there is nothing by this address")
}

async fn index() -> Response {
    asset(assets::INDEX.to_owned()).await
}

async fn asset(name: String) -> Response {
    match assets::find(&name) {
        Some(asset) => answer::body(asset.content_type, asset.text),
        None => nothing().await,
    }
}

async fn overview(State(site): State<Arc<Site>>) -> Response {
    site.refresh().await;
    let mut overview = site.overview.subscribe();
    let is_there = overview.wait_for(|overview| !overview.is_empty());
    let text = timeout(OVERVIEW_WAIT, is_there).await;
    match text {
        Ok(Ok(text)) => json_text(text.to_string()),
        _ => refuse(
            StatusCode::SERVICE_UNAVAILABLE,
            "the log is still being read",
        ),
    }
}

async fn matches(State(site): State<Arc<Site>>, Query(wanted): Query<Wanted>) -> Response {
    site.refresh().await;
    work(move || Ok(match_list::page(&site, &wanted))).await
}

async fn one_match(
    State(site): State<Arc<Site>>,
    Path(id): Path<String>,
    Query(asked): Query<SeatQuery>,
) -> Response {
    site.refresh().await;
    let page = move || find(&site, &id)?.page(&site, &id, &asked.seat);
    work(page).await
}

async fn position(
    State(site): State<Arc<Site>>,
    Path((id, ply)): Path<(String, usize)>,
    Query(asked): Query<SeatQuery>,
) -> Response {
    site.refresh().await;
    let position = move || find(&site, &id)?.position(ply, &asked.seat);
    work(position).await
}

async fn report(State(site): State<Arc<Site>>, Path(kind): Path<String>) -> Response {
    report_about(State(site), Path((kind, String::new()))).await
}

async fn report_about(
    State(site): State<Arc<Site>>,
    Path((kind, name)): Path<(String, String)>,
) -> Response {
    site.refresh().await;
    work(move || reports::page(&site, &kind, &name)).await
}

async fn events(State(site): State<Arc<Site>>) -> Response {
    site.refresh().await;
    let hello = json!({"version": env!("CARGO_PKG_VERSION")});
    site.listeners.join(|| {
        let mut first = vec![event("hello", &hello.to_string())];
        let overview = site.overview.borrow().clone();
        if !overview.is_empty() {
            first.push(event("overview", &overview));
        }
        first.extend(site.boards().all());
        first
    })
}

/// Computes a response on a thread of its own.
async fn work<T: Serialize + Send + 'static>(
    make: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Response {
    match spawn_blocking(move || answer(make())).await {
        Ok(response) => response,
        Err(error) => refuse(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

//! What people at a table can ask of the server.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Query, State};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use http::{self, Place};
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpListener;

use crate::http::answer::{Refusal, answer};
use crate::http::guard::{Guard, guarded, token_of};
use crate::playing::play::Table;
use crate::routes::{WatchError, pages};

/// Lets people play at a table, for ever.
///
/// # Errors
/// If the system has no socket for it.
pub async fn serve_table(table: Arc<Table>, listener: TcpListener) -> Result<(), WatchError> {
    let guard = Arc::new(Guard::new(listener.local_addr()?));
    let router = pages()
        .merge(routes(table))
        .layer(middleware::from_fn_with_state(guard, guarded));
    match http::serve(listener, router, http::Limits::DEFAULT).await {}
}

fn routes(table: Arc<Table>) -> Router {
    Router::new()
        .route("/api/play", get(seen))
        .route("/api/play/events", get(events))
        .route("/api/play/move", post(play))
        .route("/api/play/resign", post(resign))
        .route("/api/play/undo", post(undo))
        .route("/api/play/rematch", post(rematch))
        .with_state(table)
}

/// The seat for which somebody speaks.
struct OwnSeat(usize);

#[derive(Deserialize)]
struct TokenInAddress {
    token: Option<String>,
}

impl FromRequestParts<Arc<Table>> for OwnSeat {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, table: &Arc<Table>) -> Result<Self, Response> {
        let seat = seat_of(parts, table).map_err(|refusal| answer::<()>(Err(refusal)))?;
        // However many strangers there are, this person keeps a place.
        if let Some(place) = parts.extensions.get::<Place>() {
            place.trust();
        }
        Ok(OwnSeat(seat))
    }
}

fn seat_of(parts: &Parts, table: &Table) -> Result<usize, Refusal> {
    if let Some(token) = token_of(&parts.headers) {
        return table.seat_of(Some(token));
    }
    // A stream of events cannot have a header of its own; nothing is changed by it.
    let query = Query::<TokenInAddress>::try_from_uri(&parts.uri);
    let token = query.ok().and_then(|Query(query)| query.token);
    let token = token.filter(|_| parts.method == axum::http::Method::GET);
    table.seat_of(token.as_deref())
}

/// A move, and the ply that it answers.
#[derive(Deserialize)]
struct Answered {
    #[serde(rename = "move")]
    mv: String,
    ply: u32,
    /// The match that it is a move of.
    number: Option<u64>,
}

/// The match that the page shows, where a request is about all of it.
#[derive(Deserialize)]
struct Shown {
    number: Option<u64>,
}

async fn seen(seat: OwnSeat, State(table): State<Arc<Table>>) -> Response {
    answer(table.seen(seat.0))
}

async fn events(seat: OwnSeat, State(table): State<Arc<Table>>) -> Response {
    table.events(seat.0)
}

async fn play(
    seat: OwnSeat,
    State(table): State<Arc<Table>>,
    answered: Result<Json<Answered>, axum::extract::rejection::JsonRejection>,
) -> Response {
    let answered = answered.map_err(|why| Refusal::wrong(why.body_text()));
    let play = |Json(Answered { mv, ply, number })| table.play(seat.0, &mv, ply, number);
    done(answered.and_then(play))
}

async fn resign(
    seat: OwnSeat,
    State(table): State<Arc<Table>>,
    shown: Option<Json<Shown>>,
) -> Response {
    done(table.resign(seat.0, number_of(shown)))
}

async fn undo(
    seat: OwnSeat,
    State(table): State<Arc<Table>>,
    shown: Option<Json<Shown>>,
) -> Response {
    done(table.undo(seat.0, number_of(shown)))
}

async fn rematch(
    _seat: OwnSeat,
    State(table): State<Arc<Table>>,
    shown: Option<Json<Shown>>,
) -> Response {
    done(table.rematch(number_of(shown)))
}

fn number_of(shown: Option<Json<Shown>>) -> Option<u64> {
    shown.and_then(|Json(shown)| shown.number)
}

/// Says which version of what they see tells the person what came of it.
fn done(done: Result<u64, Refusal>) -> Response {
    answer(done.map(|version| json!({ "version": version }))).into_response()
}

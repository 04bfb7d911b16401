//! Routes of a play session.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Query, State};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Json, Router, middleware};
use http::{self, Place};
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpListener;

use crate::http::access::{Guard, guarded, token_of};
use crate::http::answer::{Refusal, answer};
use crate::playing::play::PlaySession;
use crate::routes::{WatchError, pages};

/// Serves a play session for ever.
///
/// # Errors
/// If the system has no socket for it.
pub async fn serve_play(
    session: Arc<PlaySession>,
    listener: TcpListener,
) -> Result<(), WatchError> {
    let guard = Arc::new(Guard::new(listener.local_addr()?));
    let router = pages()
        .merge(routes(session))
        .layer(middleware::from_fn_with_state(guard, guarded));
    match http::serve(listener, router, http::Limits::DEFAULT).await {}
}

fn routes(session: Arc<PlaySession>) -> Router {
    Router::new()
        .route("/api/play", get(page))
        .route("/api/play/events", get(events))
        .route("/api/play/move", post(play))
        .route("/api/play/resign", about_match(PlaySession::resign))
        .route("/api/play/undo", about_match(PlaySession::undo))
        .route(
            "/api/play/rematch",
            about_match(|session, _, number| session.rematch(number)),
        )
        .with_state(session)
}

/// The seat that the request's token belongs to.
struct OwnSeat(usize);

#[derive(Deserialize)]
struct TokenInAddress {
    token: Option<String>,
}

impl FromRequestParts<Arc<PlaySession>> for OwnSeat {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut Parts,
        session: &Arc<PlaySession>,
    ) -> Result<Self, Response> {
        let seat = seat_of(parts, session).map_err(|refusal| answer::<()>(Err(refusal)))?;
        // However many others connect, this person keeps a connection.
        if let Some(place) = parts.extensions.get::<Place>() {
            place.trust();
        }
        Ok(OwnSeat(seat))
    }
}

fn seat_of(parts: &Parts, session: &PlaySession) -> Result<usize, Refusal> {
    if let Some(token) = token_of(&parts.headers) {
        return session.seat_of(Some(token));
    }
    // An event stream cannot have a header of its own, and changes nothing.
    let query = Query::<TokenInAddress>::try_from_uri(&parts.uri);
    let token = query.ok().and_then(|Query(query)| query.token);
    let token = token.filter(|_| parts.method == axum::http::Method::GET);
    session.seat_of(token.as_deref())
}

#[derive(Deserialize)]
struct MoveRequest {
    #[serde(rename = "move")]
    mv: String,
    ply: u32,
    /// The number of the match.
    number: Option<u64>,
}

/// The match on the page, for requests about a whole match.
#[derive(Deserialize)]
struct MatchRequest {
    number: Option<u64>,
}

async fn page(seat: OwnSeat, State(session): State<Arc<PlaySession>>) -> Response {
    answer(session.page(seat.0))
}

async fn events(seat: OwnSeat, State(session): State<Arc<PlaySession>>) -> Response {
    session.events(seat.0)
}

async fn play(
    seat: OwnSeat,
    State(session): State<Arc<PlaySession>>,
    request: Result<Json<MoveRequest>, axum::extract::rejection::JsonRejection>,
) -> Response {
    let request = request.map_err(|why| Refusal::wrong(why.body_text()));
    let play = |Json(MoveRequest { mv, ply, number })| session.play(seat.0, &mv, ply, number);
    done(request.and_then(play))
}

/// A handler of requests about a whole match.
fn about_match(
    act: fn(&PlaySession, usize, Option<u64>) -> Result<u64, Refusal>,
) -> MethodRouter<Arc<PlaySession>> {
    post(
        async move |seat: OwnSeat,
                    State(session): State<Arc<PlaySession>>,
                    request: Option<Json<MatchRequest>>| {
            let number = request.and_then(|Json(request)| request.number);
            done(act(&session, seat.0, number))
        },
    )
}

/// Answers with the version of the page that shows the result.
fn done(done: Result<u64, Refusal>) -> Response {
    answer(done.map(|version| json!({ "version": version }))).into_response()
}

//! One request to a player, over a connection of its own.
//!
//! Uses hyper's own client, as axum brings hyper along already. Connections are not kept, which players
//! of this protocol do not expect.

use std::error::Error as _;
use std::io;

use config::settings::ggp::Address;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use thiserror::Error;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// The longest answer that is read, in bytes.
const MAX_ANSWER: usize = 1 << 16;
/// The referee's name. Some players accept no other.
const SENDER: &str = "GAMESERVER";

/// Why there is no answer, as part of a sentence whose subject is the player.
#[derive(Debug, Error)]
pub(crate) enum NoAnswer {
    #[error("cannot be reached at {address}: {error}")]
    Unreachable { address: String, error: io::Error },
    /// The player closed the connection.
    #[error("closed the connection before it answered `{0}`")]
    Closed(&'static str),
    /// The player closed the connection in the middle of its answer.
    #[error("closed the connection in the middle of its answer to `{0}`")]
    ClosedHalfWay(&'static str),
    /// Something else than HTTP came.
    #[error("answered `{request}` with something that is not HTTP: {error}")]
    NotHttp {
        /// The request's name.
        request: &'static str,
        error: hyper::Error,
    },
    /// The player answered with a status other than success.
    #[error("answered `{request}` with the HTTP status {status}")]
    Status {
        /// The request's name.
        request: &'static str,
        status: StatusCode,
    },
    /// The answer exceeds `MAX_ANSWER`.
    #[error("answered `{0}` with more than {MAX_ANSWER} bytes")]
    TooLong(&'static str),
}

/// Sends a request, called `name`, and waits for the answer without a limit. Dropping the future closes
/// the connection.
///
/// # Errors
/// If there is no answer.
pub(super) async fn post(
    address: &Address,
    receiver: &str,
    name: &'static str,
    body: String,
) -> Result<String, NoAnswer> {
    let connected = TcpStream::connect((&*address.host, address.port)).await;
    let stream = connected.map_err(|error| NoAnswer::Unreachable {
        address: address.text(),
        error,
    })?;
    // It only saves time.
    let _ = stream.set_nodelay(true);
    let failed = |error: hyper::Error| explained(name, error);
    let mut builder = http1::Builder::new();
    // Some players parse headers by hand.
    builder.title_case_headers(true);
    let (mut sender, connection) = builder
        .handshake(TokioIo::new(stream))
        .await
        .map_err(failed)?;
    // Dropping it aborts the task.
    let mut driver = JoinSet::new();
    driver.spawn(connection);
    let request = request(address, receiver, body);
    let response = sender.send_request(request).await.map_err(failed)?;
    let status = response.status();
    if status != StatusCode::OK {
        return Err(NoAnswer::Status {
            request: name,
            status,
        });
    }
    let body = Limited::new(response.into_body(), MAX_ANSWER);
    match body.collect().await {
        Ok(body) => Ok(String::from_utf8_lossy(&body.to_bytes()).into_owned()),
        Err(error) if error.is::<hyper::Error>() => Err(NoAnswer::ClosedHalfWay(name)),
        Err(_) => Err(NoAnswer::TooLong(name)),
    }
}

fn request(address: &Address, receiver: &str, body: String) -> Request<Full<Bytes>> {
    let is_plain = |c: &char| c.is_ascii_graphic() || *c == ' ';
    let receiver: String = receiver.chars().filter(is_plain).collect();
    let built = Request::post("/")
        .header("Accept", "text/delim")
        .header("Host", address.text())
        .header("Sender", SENDER)
        .header("Receiver", receiver.trim())
        .header("Content-Type", "text/acl")
        .header("Connection", "close")
        .body(Full::new(Bytes::from(body)));
    built.expect("headers of printable characters")
}

fn explained(name: &'static str, error: hyper::Error) -> NoAnswer {
    let broken = error
        .source()
        .and_then(|cause| cause.downcast_ref::<io::Error>());
    if error.is_incomplete_message() || error.is_closed() || broken.is_some() {
        NoAnswer::Closed(name)
    } else {
        NoAnswer::NotHttp {
            request: name,
            error,
        }
    }
}

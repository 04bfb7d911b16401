//! Responses: JSON, and errors as one sentence.

use axum::body::{Body, to_bytes};
use axum::http::{StatusCode, header};
use axum::response::Response;
use serde::Serialize;
use serde_json::json;

/// The reason why a request is refused, with a status code.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    why: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.why)
    }
}

impl Refusal {
    pub(crate) fn missing(why: impl Into<String>) -> Self {
        Refusal {
            status: StatusCode::NOT_FOUND,
            why: why.into(),
        }
    }

    pub(crate) fn wrong(why: impl Into<String>) -> Self {
        Refusal {
            status: StatusCode::BAD_REQUEST,
            why: why.into(),
        }
    }

    pub(crate) fn broken(why: impl Into<String>) -> Self {
        Refusal {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            why: why.into(),
        }
    }

    pub(crate) fn forbidden(why: impl Into<String>) -> Self {
        Refusal {
            status: StatusCode::FORBIDDEN,
            why: why.into(),
        }
    }

    pub(crate) fn early(why: impl Into<String>) -> Self {
        Refusal {
            status: StatusCode::SERVICE_UNAVAILABLE,
            why: why.into(),
        }
    }

    pub(crate) fn conflict(why: impl Into<String>) -> Self {
        Refusal {
            status: StatusCode::CONFLICT,
            why: why.into(),
        }
    }
}

pub(crate) fn body(content_type: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    let value = header::HeaderValue::from_static(content_type);
    response.headers_mut().insert(header::CONTENT_TYPE, value);
    response
}

pub(crate) fn json_text(text: String) -> Response {
    body("application/json", text)
}

pub(crate) fn answer<T: Serialize>(made: Result<T, Refusal>) -> Response {
    match made.map(|made| serde_json::to_string(&made)) {
        Ok(Ok(text)) => json_text(text),
        Ok(Err(error)) => refuse(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
        Err(refusal) => refuse(refusal.status, &refusal.why),
    }
}

pub(crate) fn refuse(status: StatusCode, why: &str) -> Response {
    let mut response = json_text(json!({ "error": why }).to_string());
    *response.status_mut() = status;
    response
}

/// Converts errors that axum has found, such as an invalid number in the address, to JSON. Other
/// responses stay as they are.
pub(crate) async fn errors_as_json(response: Response) -> Response {
    /// Longer sentences are cut.
    const MOST: usize = 4096;
    let status = response.status();
    let content_type = response.headers().get(header::CONTENT_TYPE);
    let is_json = content_type.is_some_and(|value| value.as_bytes() == b"application/json");
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let text = to_bytes(body, MOST).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let allowed = head.headers.get(header::ALLOW);
    let why = match (text.trim(), allowed.and_then(|value| value.to_str().ok())) {
        ("", Some(methods)) => format!("this address takes {methods}"),
        ("", None) => status.canonical_reason().unwrap_or("an error").to_owned(),
        (text, _) => text.to_owned(),
    };
    let refused = refuse(status, &why);
    head.headers.remove(header::CONTENT_LENGTH);
    head.headers.extend(refused.headers().clone());
    Response::from_parts(head, refused.into_body())
}

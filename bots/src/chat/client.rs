//! The requests to the server. Every answer is bounded in size and time, and the key is in none of what
//! comes out of here.

use std::fmt;
use std::io::Read as _;
use std::time::{Duration, SystemTime};

use protocol::excerpt;
use serde_json::Value;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, LOCATION, RETRY_AFTER};
use ureq::http::{Response, StatusCode};
use ureq::{Agent, Body};

use super::answer::Reply;
use super::options::{ChatOptions, USUAL_KEY};

/// The most that is read of an answer, in bytes.
const MOST_ANSWER: u64 = 4 << 20;
/// The most characters that are quoted of what a server says about a fault.
const MOST_QUOTED: usize = 200;
/// A shorter key, in bytes, is a word like `none`, and no secret.
const SHORTEST_SECRET: usize = 8;
/// Stands for the key where a server says it.
const HIDDEN: &str = "[key]";

/// A key. It is shown to servers alone.
#[derive(Default)]
struct Key(Option<String>);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl Key {
    /// The key in the environment.
    ///
    /// # Errors
    /// If the variable that is named is not set, or cannot be a key.
    fn from_environment(name: Option<&str>) -> Result<Self, String> {
        let variable = name.unwrap_or(USUAL_KEY);
        let key = match (std::env::var_os(variable), name) {
            (None, None) => return Ok(Key(None)),
            (None, Some(_)) => {
                return Err(format!("--key-from: the variable `{variable}` is not set"));
            }
            (Some(key), _) => key.into_string().unwrap_or_default(),
        };
        let key = key.trim();
        let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
        match (is_key, name) {
            (true, _) => Ok(Key(Some(key.to_owned()))),
            (false, None) if key.is_empty() => Ok(Key(None)),
            (false, _) => Err(format!(
                "the variable `{variable}` has no key: a key is printable ASCII without blanks"
            )),
        }
    }

    /// The text without the key.
    fn hide(&self, text: String) -> String {
        match &self.0 {
            Some(key) if key.len() >= SHORTEST_SECRET && text.contains(key) => {
                text.replace(key, HIDDEN)
            }
            _ => text,
        }
    }
}

/// A connection to one server.
#[derive(Debug)]
pub(super) struct Client {
    agent: Agent,
    url: String,
    key: Key,
    /// The longest time for a request.
    timeout: Duration,
}

/// Why a request has no answer. The texts are parts of sentences whose subject is the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CallError {
    /// It may work later, perhaps after this time.
    Passing { why: String, wait: Option<Duration> },
    /// It refuses this request.
    Refused { why: String, status: u16 },
    /// What it says is no answer of a model.
    NoAnswer { why: String },
    /// It never will.
    Final { why: String },
}

impl Client {
    /// # Errors
    /// If the key is not there.
    pub(super) fn new(options: &ChatOptions) -> Result<Self, String> {
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(concat!("referee/", env!("CARGO_PKG_VERSION")))
            // The key is for this server alone.
            .max_redirects(0)
            .max_redirects_will_error(false);
        if is_local(&options.url) {
            config = config.proxy(None);
        }
        Ok(Client {
            agent: config.build().into(),
            url: options.url.clone(),
            key: Key::from_environment(options.key_from.as_deref())?,
            timeout: options.timeout,
        })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Asks the server once. It has this much time at most.
    ///
    /// # Errors
    /// If there is no answer of a model.
    pub(super) fn ask(&self, request: &Value, time: Duration) -> Result<Reply, CallError> {
        let time = self.timeout.min(time);
        let mut asked = self.agent.post(&self.url);
        asked = asked.header(CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key.0 {
            let header = HeaderValue::try_from(format!("Bearer {key}"));
            let mut header = header.expect("a key is printable ASCII");
            header.set_sensitive(true);
            asked = asked.header(AUTHORIZATION, header);
        }
        let asked = asked.config().timeout_global(Some(time)).build();
        let response = asked.send(request.to_string().as_bytes());
        let mut response = response.map_err(|error| self.broken(&error, time))?;
        let body = self.read(&mut response, time);
        match response.status() {
            StatusCode::OK => self.reply(&body?),
            // What it says besides its status is not needed.
            status => Err(self.refusal(&response, status, &body.unwrap_or_default())),
        }
    }

    /// The beginning of the body of an answer.
    fn read(&self, response: &mut Response<Body>, time: Duration) -> Result<String, CallError> {
        let mut body = Vec::new();
        let reader = response.body_mut().with_config().limit(u64::MAX).reader();
        let read = reader.take(MOST_ANSWER + 1).read_to_end(&mut body);
        if let Err(error) = read {
            return Err(self.broken(&ureq::Error::from(error), time));
        }
        if body.len() as u64 > MOST_ANSWER {
            let why = format!("sent an answer of more than {} MiB", MOST_ANSWER >> 20);
            return Err(CallError::NoAnswer { why });
        }
        Ok(self.key.hide(String::from_utf8_lossy(&body).into_owned()))
    }

    fn broken(&self, error: &ureq::Error, time: Duration) -> CallError {
        let why = match error {
            ureq::Error::Timeout(_) => {
                format!("did not answer within {}", protocol::in_words(time))
            }
            error => {
                let error = self.key.hide(error.to_string());
                format!(
                    "broke the connection: {}",
                    excerpt(error.as_bytes(), MOST_QUOTED)
                )
            }
        };
        CallError::Passing { why, wait: None }
    }

    /// The error for a status other than 200.
    fn refusal(&self, response: &Response<Body>, status: StatusCode, body: &str) -> CallError {
        let header = |name| {
            let value = response.headers().get(name)?;
            Some(self.key.hide(value.to_str().ok()?.to_owned()))
        };
        let said = match status.is_redirection() {
            true => header(LOCATION).map(|place| format!("{place}, where the bot does not follow")),
            false => said_about_fault(body),
        };
        let said = said.map_or(String::new(), |said| {
            format!(": {}", excerpt(said.as_bytes(), MOST_QUOTED))
        });
        let why = format!("answered {status}");
        match status.as_u16() {
            // What it says may quote a part of the key.
            401 | 403 => CallError::Final {
                why: format!("{why}: is the key right?"),
            },
            404 => CallError::Final {
                why: format!("{why}: are the URL and the name of the model right?"),
            },
            408 | 425 | 429 | 500.. => CallError::Passing {
                why: format!("{why}{said}"),
                wait: header(RETRY_AFTER).and_then(|text| seconds(&text)),
            },
            status => CallError::Refused {
                why: format!("{why}{said}"),
                status,
            },
        }
    }

    /// The answer in a body.
    fn reply(&self, body: &str) -> Result<Reply, CallError> {
        let value: Value = serde_json::from_str(body).unwrap_or_default();
        let Some(choice) = value["choices"]
            .get(0)
            .filter(|choice| choice["message"].is_object())
        else {
            let said = said_about_fault(body).unwrap_or_default();
            let said = excerpt(said.as_bytes(), MOST_QUOTED);
            let why = format!("sent no chat completion: {said}");
            return Err(CallError::NoAnswer { why });
        };
        // Escapes in the JSON may have hidden it before.
        let text = |value: &Value| value.as_str().map(|text| self.key.hide(text.to_owned()));
        let message = &choice["message"];
        Ok(Reply {
            text: self.key.hide(content(&message["content"])),
            refusal: text(&message["refusal"]),
            finish: text(&choice["finish_reason"]),
            model: text(&value["model"]).map(|model| excerpt(model.as_bytes(), MOST_QUOTED)),
            tokens_in: value["usage"]["prompt_tokens"].as_u64(),
            tokens_out: value["usage"]["completion_tokens"].as_u64(),
        })
    }
}

/// The text of a message: a text, or parts that have texts.
fn content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect()
        }
        _ => String::new(),
    }
}

/// The message in the answer of a server at fault, or else the answer as it is; `None` if it is empty.
fn said_about_fault(body: &str) -> Option<String> {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let error = &value["error"];
    let message = error["message"].as_str().or_else(|| error.as_str());
    let said = message.unwrap_or(body).trim();
    (!said.is_empty()).then(|| said.to_owned())
}

/// The time in `Retry-After`: a number of seconds, or a date.
fn seconds(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.trim().parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text.trim()).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

/// True for a server on this machine, which no proxy leads to.
fn is_local(url: &str) -> bool {
    let uri = url.parse::<ureq::http::Uri>().ok();
    let host = uri.as_ref().and_then(|uri| uri.host()).unwrap_or_default();
    host == "localhost" || host.starts_with("127.") || host == "[::1]"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client() -> Client {
        let agent = Agent::new_with_defaults();
        Client {
            agent,
            url: "http://127.0.0.1:1/chat/completions".to_owned(),
            key: Key(Some("sk-secret".to_owned())),
            timeout: Duration::from_secs(1),
        }
    }

    #[test]
    fn what_servers_say_is_read_whatever_their_dialect() {
        let body = r#"{"model":"m","choices":[{"finish_reason":"stop","message":{"role":"assistant",
            "content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}}],
            "usage":{"prompt_tokens":7,"completion_tokens":2}}"#;
        let reply = client().reply(body).unwrap();
        assert_eq!(
            (reply.text.as_str(), reply.model.as_deref()),
            ("ab", Some("m"))
        );
        assert_eq!((reply.tokens_in, reply.tokens_out), (Some(7), Some(2)));
        let bare = client().reply(r#"{"choices":[{"message":{"content":null,"refusal":"no"}}]}"#);
        assert_eq!(bare.unwrap().refusal.as_deref(), Some("no"));
        for body in [
            "",
            "<html>",
            "{}",
            r#"{"choices":[]}"#,
            r#"{"choices":[{"text":"a"}]}"#,
            "[1]",
        ] {
            assert!(
                matches!(client().reply(body), Err(CallError::NoAnswer { .. })),
                "{body}"
            );
        }
    }

    #[test]
    fn a_key_that_a_server_says_is_hidden() {
        let body = r#"{"choices":[{"message":{"content":"sk\u002dsecret sk-secret","refusal":"sk-secret"},
            "finish_reason":"sk-secret"}],"model":"sk-secret"}"#;
        let reply = client().reply(body).unwrap();
        assert!(!format!("{reply:?}{:?}", client()).contains("sk-secret"));
        assert_eq!(reply.text, "[key] [key]");
    }

    #[test]
    fn pauses_are_numbers_or_dates() {
        assert_eq!(seconds("3"), Some(Duration::from_secs(3)));
        assert_eq!(seconds("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(
            seconds("Sun, 06 Nov 1994 08:49:37 GMT"),
            Some(Duration::ZERO)
        );
        for wrong in ["-1", "soon", "nan", "1e300"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn proxies_are_not_asked_for_this_machine() {
        assert!(is_local("http://127.0.0.1:80/v1"));
        assert!(is_local("http://localhost/v1"));
        assert!(is_local("http://[::1]:8/v1"));
        assert!(!is_local("http://example.org/v1"));
    }
}

//! Requests to our servers, as bytes of a connection: the answer is always HTTP, and requests for
//! another host or from a page of another site are refused.

use std::path::PathBuf;
use std::sync::OnceLock;

use games::Rng;
use tempfile::TempDir;

use crate::probe::{ggp_player_answers, web_answers};

const SEEDS: [&str; 8] = [
    "GET / HTTP/1.1\r\nHost: localhost:8642\r\n\r\n",
    "GET /app.js HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nAccept: */*\r\n\r\n",
    "GET /style.css HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n",
    "POST / HTTP/1.0\r\nSender: GM\r\nReceiver: x\r\nContent-Type: text/acl\r\nContent-Length: 6\r\n\r\n(INFO)",
    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16\r\n\r\n(PLAY m1 (a b))\n",
    "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n(INFO)\r\n0\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 43\r\n\r\n(START m1 me ((role me) (legal me a)) 10 5)",
];

pub(crate) fn seeds(_: &mut Rng) -> Vec<Vec<u8>> {
    SEEDS.iter().map(|seed| seed.bytes().collect()).collect()
}

/// A folder without a match.
fn folder() -> PathBuf {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder"));
    folder.path().to_owned()
}

pub(crate) fn run(input: &[u8]) -> bool {
    let pages = web_answers(&folder(), input);
    let player = ggp_player_answers(input);
    for answers in [&pages, &player] {
        let is_http = answers.is_empty() || answers.starts_with(b"HTTP/1.");
        assert!(is_http, "{}", String::from_utf8_lossy(answers));
    }
    // The first request of a connection decides what the first answer may be.
    let head = head(input);
    let names_origin = head.iter().any(|(name, _)| name == "origin");
    assert!(!(names_origin && is_good(&player)), "a page was answered");
    let is_foreign = |value: &str| {
        !["localhost", "127.", "[::1]", "[::ffff:127.", "[0:"]
            .iter()
            .any(|own| value.to_ascii_lowercase().starts_with(own))
    };
    let for_others = head
        .iter()
        .any(|(name, value)| name == "host" && is_foreign(value));
    assert!(
        !(for_others && (is_good(&pages) || is_good(&player))),
        "answered for another host"
    );
    is_good(&pages) || is_good(&player)
}

/// True if the first answer is a success.
fn is_good(answers: &[u8]) -> bool {
    answers.starts_with(b"HTTP/1.1 200 ") || answers.starts_with(b"HTTP/1.0 200 ")
}

/// The headers of the first request, as far as they are plain.
fn head(input: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(input);
    // A line may end without a carriage return.
    let lines = text.split('\n').map(|line| line.trim_end_matches('\r'));
    let lines = lines.skip(1).take_while(|line| !line.is_empty());
    let headers = lines.filter_map(|line| line.split_once(':'));
    let headers = headers.filter(|(name, _)| {
        name.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    });
    headers
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect()
}

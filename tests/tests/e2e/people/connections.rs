//! Our servers under idle and slow connections: others still get answers, and a person who plays
//! keeps the place.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;
use tests::flood::{
    connections, drips_until_ended, is_cut_off_without_reading, is_ended, may_open,
};
use tests::web::{Server, ask};
use tests::{Arena, needs, referee};

use crate::rules::ggp_player::GGP_PLAYER;

/// More connections than a server of ours has at a time.
const FLOOD: usize = 1_100;

/// True if a flood is possible here; otherwise notes the test as skipped.
fn can_flood() -> bool {
    let can = may_open(FLOOD as u64 + 400);
    if !can {
        needs::skip("this user may not open 1,500 files");
    }
    can
}

fn watch(arena: &Arena) -> Server {
    let log = arena.write("games.jsonl", "");
    Server::start(
        ["watch".into(), log, "--listen".into(), "127.0.0.1:0".into()],
        1,
    )
}

/// A player for game managers, which prints its address.
fn player() -> Server {
    let mut command = Command::new(referee());
    command.args(GGP_PLAYER);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    Server::of(command, 1)
}

#[test]
fn silent_and_half_sent_connections_shut_nobody_out() {
    if !can_flood() {
        return;
    }
    let arena = Arena::new("");
    let (pages, player) = (watch(&arena), player());
    for (host, path, method, body) in [
        (pages.host(), "/api/overview", "GET", ""),
        (player.host(), "/", "POST", "(INFO)"),
    ] {
        for sent in [
            "",
            "GET /api/overview HTTP/1.1\r\nHost: 127",
            "POST / HTTP/1.1\r\nContent-Length: 99\r\n\r\n(",
        ] {
            let held = connections(host, FLOOD, sent);
            let answer = ask(host, method, path, "", body);
            assert_eq!(answer.status, 200, "{path} after {sent:?}");
            drop(held);
        }
    }
}

#[test]
fn who_plays_keeps_the_place() {
    if !can_flood() {
        return;
    }
    let options = r#"{"size":5}"#;
    let args = [
        "play",
        "amazons",
        "--options",
        options,
        "--web",
        "--human",
        "0",
        "--bot",
        "random",
    ];
    let server = Server::start(args, 1);
    let at = server.links[0].find("?token=").expect("a token") + 7;
    let token = server.links[0][at..at + 32].to_owned();
    let mut events = server.events(&format!("/api/play/events?token={token}"));
    let first = events.wait_for("play", |seen| !seen["legal"].as_array().unwrap().is_empty());
    // Strangers that are answered, too: their streams go before the person's.
    let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.host());
    let answered = connections(server.host(), FLOOD, &request);
    let silent = connections(server.host(), FLOOD, "");
    let body = json!({"move": first["legal"][0], "ply": first["ply"]}).to_string();
    let headers = format!("X-Token: {token}\r\n");
    let played = ask(server.host(), "POST", "/api/play/move", &headers, &body);
    assert_eq!(played.status, 200, "{}", played.body);
    let next = events.wait_for("play", |seen| seen["ply"] != first["ply"]);
    assert!(next["ply"].as_u64() > first["ply"].as_u64());
    drop((answered, silent));
}

#[test]
fn a_client_that_sends_or_reads_too_slowly_is_cut_off() {
    let arena = Arena::new("");
    let (pages, player) = (watch(&arena), player());
    for server in [&pages, &player] {
        let host = server.host();
        std::thread::scope(|scope| {
            for sent in [
                "",
                "GET / HT",
                "POST / HTTP/1.1\r\nContent-Length: 99\r\n\r\n(",
            ] {
                scope.spawn(move || {
                    let mut stream = connections(host, 1, sent).remove(0);
                    assert!(is_ended(&mut stream), "{sent:?}");
                });
            }
            scope.spawn(|| assert!(drips_until_ended(host), "a head that never ends"));
        });
    }
    let wait = Duration::from_secs(25);
    let size = pages.get("/app.js").body.len();
    let cut_off = is_cut_off_without_reading(pages.host(), "/app.js", size, wait);
    assert!(cut_off, "who does not read");
    // An answer between two requests is waited for longer than a head.
    let overview = pages.json("/api/overview");
    assert_eq!(overview["played"], 0);
}

#[test]
fn a_player_is_asked_by_programs_under_its_own_names_alone() {
    let player = player();
    let port = player.host().rsplit(':').next().unwrap();
    let status = |headers: &str| ask(player.host(), "POST", "/", headers, "(INFO)").status;
    assert_eq!(status(&format!("Host: localhost:{port}\r\n")), 200);
    assert_eq!(status("Host: 127.0.0.1:1\r\n"), 200);
    for headers in [
        "Host: evil.example\r\n",
        "Host: 10.0.0.1:9147\r\n",
        "Host: localhost.evil.example\r\n",
        "Host: localhost\r\nOrigin: http://localhost\r\n",
        "Host: localhost\r\nOrigin: null\r\n",
    ] {
        assert_eq!(status(headers), 403, "{headers}");
    }
    let mut command = Command::new(referee());
    command.args([
        "ggp-player",
        "--port",
        "0",
        "--host",
        "0.0.0.0",
        "--allow-host",
        "player.example",
    ]);
    command.args(["--", "referee", "bot", "random"]);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    let open = Server::of(command, 1);
    let host = open.host().replace("0.0.0.0", "127.0.0.1");
    let status = |headers: &str| ask(&host, "POST", "/", headers, "(INFO)").status;
    assert_eq!(status("Host: 10.0.0.1:9147\r\n"), 200);
    assert_eq!(status("Host: Player.example:80\r\n"), 200);
    assert_eq!(status("Host: evil.example\r\n"), 403);
}

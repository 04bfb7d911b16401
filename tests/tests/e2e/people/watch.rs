//! `referee watch` and `referee tournament --watch`, with requests like a browser's.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tests::web::{Events, Server, ask};
use tests::{Arena, assert_contains, good, referee, root, wait_until};

use crate::{GREEDY, RANDOM, config};

/// A tournament of an earlier version.
fn fixture() -> String {
    fs::read_to_string(root().join("tests/fixtures/tournament-0.1/games.jsonl")).expect("a log")
}

/// A folder with the first matches of that.
fn folder(matches: usize) -> (Arena, Vec<String>) {
    let lines: Vec<String> = fixture().lines().map(|line| format!("{line}\n")).collect();
    let arena = Arena::new("");
    fs::create_dir(arena.path("out")).unwrap();
    arena.write("out/games.jsonl", &lines[..matches].concat());
    (arena, lines)
}

fn watch(arena: &Arena) -> Server {
    Server::start(["watch".into(), arena.path("out")], 1)
}

fn append(arena: &Arena, text: &str) {
    let mut log = OpenOptions::new();
    let mut log = log
        .append(true)
        .open(arena.path("out/games.jsonl"))
        .unwrap();
    log.write_all(text.as_bytes()).unwrap();
}

#[test]
fn a_tournament_that_is_over_is_shown() {
    let (arena, lines) = folder(6);
    let server = watch(&arena);
    assert!(server.links[0].starts_with("http://127.0.0.1:"));
    let page = server.get("/");
    assert_eq!(page.status, 200);
    assert!(
        page.head
            .contains("content-security-policy: default-src 'none'; script-src 'self'")
    );
    assert!(page.head.contains("text/html") && page.body.contains("<!doctype html>"));
    assert_eq!(server.get("/app.js").status, 200);
    assert_eq!(server.get("/../Cargo.toml").status, 404);
    let overview = server.json("/api/overview");
    assert_eq!(
        (&overview["state"], &overview["played"]),
        (&json!("over"), &json!(6))
    );
    let standings = overview["standings"].as_array().unwrap();
    assert_eq!(
        overview["crosstable"].as_array().unwrap().len(),
        standings.len()
    );
    let list = server.json("/api/matches?limit=2&sort=plies&desc=1");
    assert_eq!(
        (&list["total"], list["matches"].as_array().unwrap().len()),
        (&json!(6), 2)
    );
    let record: Value = serde_json::from_str(&lines[0]).unwrap();
    let id = record["match"].as_str().unwrap();
    let page = server.json(&format!("/api/match/{id}"));
    let plies = record["moves"].as_array().unwrap().len();
    assert_eq!(page["views"].as_array().unwrap().len(), plies + 1);
    assert_eq!(page["moves"].as_array().unwrap().len(), plies);
    let position = server.json(&format!("/api/match/{id}/position/{plies}"));
    assert_eq!(position["request"]["op"], "new");
    assert_eq!(server.get("/api/match/m-999999").status, 404);
    assert_eq!(
        server
            .get(&format!("/api/match/{id}/position/99999"))
            .status,
        404
    );
}

#[test]
fn a_tournament_of_which_a_part_was_played_has_stopped() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    let out = arena.path("out");
    let words = [
        "tournament".into(),
        arena.path("t.toml"),
        "--out".into(),
        out,
    ];
    assert_eq!(tests::run(words).code, Some(0));
    let log = arena.read("out/games.jsonl");
    let lines: Vec<String> = log.lines().map(|line| format!("{line}\n")).collect();
    let state = |lines: &[String]| {
        arena.write("out/games.jsonl", &lines.concat());
        let overview = watch(&arena).json("/api/overview");
        assert_eq!(overview["scheduled"], json!(log.lines().count()));
        overview["state"].clone()
    };
    assert_eq!(state(&lines), json!("over"));
    assert_eq!(state(&lines[..1]), json!("stopped"));
}

/// A bot that prints the ply of each turn on stderr.
const TALKER: &str = r#"
import json, sys
print("hello there", file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        reply = {"type": "hello", "protocol": 1, "name": "talker"}
    elif message["type"] == "start":
        reply = {"type": "ready"}
    elif message["type"] == "turn":
        if message["ply"] % 4 < 2:
            print("asked at", message["ply"], file=sys.stderr, flush=True)
        reply = {"type": "move", "move": message["legal"][0]}
    else:
        continue
    print(json.dumps(reply), flush=True)
"#;

#[test]
fn what_bots_print_is_shown_with_the_turns_in_which_they_print_it() {
    let bots = [
        ("one", r#""python3 bot.py""#),
        ("two", r#""python3 bot.py""#),
    ];
    let arena = Arena::new(&config(&bots));
    arena.write("bot.py", TALKER);
    good(arena.play());
    let server = watch(&arena);
    for id in ["m-000001", "m-000002"] {
        let page = server.json(&format!("/api/match/{id}"));
        let moves = page["moves"].as_array().unwrap();
        assert!(moves.len() > 8);
        for (ply, played) in moves.iter().enumerate() {
            let printed = played["stderr"].as_str().unwrap_or_default();
            let expected = if ply % 4 < 2 {
                format!("asked at {ply}")
            } else {
                String::new()
            };
            assert_eq!(printed, expected, "{id} at {ply}");
        }
    }
}

#[test]
fn a_log_that_changes_is_followed_and_what_happened_said() {
    let (arena, lines) = folder(2);
    let server = watch(&arena);
    let mut events = server.events("/api/events");
    assert!(events.next("hello").unwrap()["version"].is_string());
    let played = |count: u64| move |overview: &Value| overview["played"] == json!(count);
    events.wait_for("overview", played(2));
    append(&arena, &(lines[2].clone() + &lines[3][..50]));
    let overview = events.wait_for("overview", played(3));
    assert_eq!(overview["problem"], Value::Null, "a line is being written");
    arena.write("out/games.jsonl", &lines[0]);
    let overview = events.wait_for("overview", played(1));
    assert!(overview["problem"].as_str().unwrap().contains("cut off"));
    let other = arena.write("other.jsonl", &lines[..5].concat());
    fs::rename(other, arena.path("out/games.jsonl")).unwrap();
    let overview = events.wait_for("overview", played(5));
    assert!(overview["problem"].as_str().unwrap().contains("replaced"));
    append(&arena, "nonsense\n");
    let problem = |part: &'static str| {
        move |overview: &Value| {
            overview["problem"]
                .as_str()
                .is_some_and(|it| it.contains(part))
        }
    };
    events.wait_for("overview", problem("line 6"));
    fs::remove_file(arena.path("out/games.jsonl")).unwrap();
    let overview = events.wait_for("overview", problem("is gone"));
    assert_eq!(overview["played"], 5, "what was read stays");
    assert_eq!(server.json("/api/matches")["total"], 5);
}

#[test]
fn only_its_own_pages_may_ask() {
    let (arena, _) = folder(1);
    let server = watch(&arena);
    let status = |headers: &str| ask(server.host(), "GET", "/api/overview", headers, "").status;
    let own = format!("Host: {}\r\n", server.host());
    assert_eq!(status(&own), 200);
    assert_eq!(
        status("Host: localhost:1234\r\n"),
        200,
        "a tunnel has another port"
    );
    assert_eq!(status("Host: evil.example\r\n"), 403);
    assert_eq!(
        status(&format!("{own}Origin: http://evil.example\r\n")),
        403
    );
    assert_eq!(
        status(&format!("{own}Origin: http://{}\r\n", server.host())),
        200
    );
    assert_eq!(status(&format!("{own}Sec-Fetch-Site: cross-site\r\n")), 403);
    assert_eq!(
        ask(server.host(), "POST", "/api/overview", &own, "{}").status,
        405
    );
}

#[test]
fn a_taken_port_gives_the_next_free_one_and_ssh_its_tunnel() {
    let (arena, _) = folder(1);
    let first = watch(&arena);
    let mut command = Command::new(referee());
    command
        .arg("watch")
        .arg(arena.path("out"))
        .args(["--listen", first.host()]);
    command
        .env("SSH_CONNECTION", "10.0.0.2 5000 10.0.0.1 22")
        .env("USER", "anna");
    command.stderr(Stdio::piped());
    let mut second = Server::of(command, 1);
    assert_ne!(first.host(), second.host());
    let hint = second.line_of_stderr();
    let port = second.host().rsplit(':').next().unwrap();
    let tunnel = format!("ssh -L {port}:{} anna@10.0.0.1", second.host());
    assert_contains(&hint, &tunnel);
}

#[test]
fn what_cannot_be_shown_is_said_at_once() {
    let ran = tests::run(["watch", "nowhere/at/all"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let (arena, _) = folder(1);
    let out = arena.path("out").display().to_string();
    let ran = tests::run(["watch", &out, "--listen", "203.0.113.1"]);
    tests::refused(&ran, 2, "--listen");
}

#[test]
fn a_folder_without_matches_is_shown_as_empty() {
    let arena = Arena::new("");
    fs::create_dir(arena.path("out")).unwrap();
    // A folder without a log is no tournament.
    let ran = tests::run(["watch".into(), arena.path("out")]);
    tests::refused(&ran, 2, "games.jsonl");
    arena.write("out/games.jsonl", "");
    let server = watch(&arena);
    let overview = server.json("/api/overview");
    assert_eq!(
        (&overview["state"], &overview["played"]),
        (&json!("empty"), &json!(0))
    );
    assert_eq!(overview["problem"], Value::Null);
    assert_eq!(
        server.json("/api/matches"),
        json!({"total": 0, "matches": []})
    );
}

#[test]
fn two_logs_are_shown_as_one() {
    let (arena, lines) = folder(3);
    arena.write("more.jsonl", &lines[..2].concat());
    let (first, second) = (arena.path("out"), arena.path("more.jsonl"));
    let server = Server::start(["watch".into(), first, second], 1);
    assert_eq!(server.json("/api/overview")["played"], 5);
    let record: Value = serde_json::from_str(&lines[1]).unwrap();
    let id = record["match"].as_str().unwrap();
    let path = format!("/api/match/{id}~2");
    assert_eq!(server.json(&path)["id"], format!("{id}~2"));
    assert_eq!(server.get(&format!("/api/match/{id}~3")).status, 404);
}

#[test]
fn two_hundred_pages_are_served_and_those_that_do_not_read_dropped() {
    let (arena, lines) = folder(1);
    let server = watch(&arena);
    let mut pages: Vec<Events> = (0..200).map(|_| server.events("/api/events")).collect();
    // Asks for a stream and reads nothing of it.
    let mut silent = TcpStream::connect(server.host()).unwrap();
    let request = format!(
        "GET /api/events HTTP/1.1\r\nHost: {}\r\n\r\n",
        server.host()
    );
    silent.write_all(request.as_bytes()).unwrap();
    append(&arena, &lines[1]);
    for page in &mut pages {
        page.wait_for("overview", |overview| overview["played"] == 2);
    }
    drop(pages);
    assert_eq!(server.json("/api/overview")["played"], 2);
    let _ = silent.read(&mut [0; 1]);
}

#[test]
fn a_tournament_is_watched_while_it_runs() {
    let arena = Arena::new(&(config(&[RANDOM, GREEDY]) + "[opening]\nrandom_plies = 1\n"));
    let text = arena.read("t.toml");
    arena.write(
        "t.toml",
        &format!("rounds = 30000\nconcurrency = 1\n{text}"),
    );
    let mut command = Command::new(referee());
    command
        .args(arena.tournament())
        .args(["--watch", "--quiet"]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut line = String::new();
    let mut stderr = std::io::BufReader::new(process.stderr.take().unwrap());
    std::io::BufRead::read_line(&mut stderr, &mut line).unwrap();
    let link = &line[line.find("http://").expect("an address")..];
    let mut events = Events::of(tests::web::host(link), "/api/events");
    let live = events.next("live").expect("a match in flight");
    assert_eq!(live["game"], "amazons");
    assert_eq!(live["players"].as_array().unwrap().len(), 2);
    assert_eq!(live["view"]["cells"].as_array().unwrap().len(), 25);
    let overview = events.wait_for("overview", |overview| overview["live"] == true);
    assert_eq!(
        (&overview["state"], &overview["scheduled"]),
        (&json!("running"), &json!(60000))
    );
    assert_eq!(overview["format"], "round_robin");
    let process_id = Pid::from_raw(process.id() as i32);
    kill(process_id, Signal::SIGINT).unwrap();
    // The stream ends with the tournament.
    while events.next("overview").is_some() {}
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(process.wait().unwrap().code(), Some(130), "{rest}");
    wait_until("the socket is gone", || !arena.path("out/live").exists());
}

/// The data in a page that was exported.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"data\">").expect("data");
    let (data, _) = rest.split_once("</script>").expect("its end");
    serde_json::from_str(data).expect("JSON")
}

#[test]
fn a_tournament_is_exported_as_one_page() {
    let (arena, lines) = folder(4);
    let mut odd: Value = serde_json::from_str(&lines[4]).unwrap();
    odd["players"][0]["name"] = json!("</script><script>alert(1)</script>\u{202e}");
    append(&arena, &format!("{odd}\n"));
    let export = |more: &[&str]| {
        let mut args = vec!["export".to_owned(), arena.path("out").display().to_string()];
        args.extend(
            ["--format", "html"]
                .iter()
                .chain(more)
                .map(|word| (*word).to_owned()),
        );
        let ran = good(tests::run(args));
        ran.stdout
    };
    let page = export(&[]);
    assert!(!page.contains("<script>alert"));
    let all = data(&page);
    assert_eq!(all["/api/overview"]["played"], 5);
    let rows = all["/api/matches"]["matches"].as_array().unwrap();
    assert_eq!(rows.len(), 5);
    assert_eq!(rows[4]["players"][0], odd["players"][0]["name"]);
    for row in rows {
        let shown = &all[format!("/api/match/{}", row["id"].as_str().unwrap())];
        let plies = shown["moves"].as_array().unwrap().len();
        assert_eq!(shown["views"].as_array().unwrap().len(), plies + 1);
    }
    // The same as the server answers.
    let id = rows[0]["id"].as_str().unwrap();
    let path = format!("/api/match/{id}");
    assert_eq!(all[&path], watch(&arena).json(&path));
    let one = data(&export(&["--match", id]));
    assert_eq!(one["/api/matches"]["total"], 1);
    assert_eq!(
        (
            one.get("/api/overview"),
            one.get(format!("{path}/position/0")).is_some()
        ),
        (None, true)
    );
}

#[test]
fn every_error_of_the_server_is_json() {
    let (arena, _) = folder(2);
    let server = watch(&arena);
    let wrong = [
        ("GET", "/api/matches?offset=-1", 400),
        ("GET", "/api/matches?offset=x&limit=1e99", 400),
        ("GET", "/api/matches?sort=nonsense", 400),
        ("GET", "/api/matches?offset=1&offset=2", 400),
        ("GET", "/api/match/m-000001/position/x", 400),
        ("GET", "/api/match/m-000001/position/-1", 400),
        (
            "GET",
            "/api/match/m-000001/position/99999999999999999999999",
            400,
        ),
        ("GET", "/api/match/%ff", 400),
        ("GET", "/api/match/m-000001?as=a&as=b", 400),
        ("GET", "/api/match/nothing", 404),
        ("GET", "/api/nothing", 404),
        ("GET", "/nothing", 404),
        ("POST", "/api/overview", 405),
        ("DELETE", "/", 405),
    ];
    for (method, path, status) in wrong {
        let answer = ask(server.host(), method, path, "", "");
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
        assert!(
            answer.head.contains("content-type: application/json"),
            "{}",
            answer.head
        );
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        let why = body["error"].as_str().unwrap();
        assert!(
            !why.is_empty() && body.as_object().unwrap().len() == 1,
            "{why}"
        );
    }
    let answer = ask(server.host(), "POST", "/api/overview", "", "");
    assert!(answer.head.contains("allow: get"), "{}", answer.head);
    // Nor do pages for which something is wrong become something else.
    assert!(server.get("/").body.contains("<!doctype html>"));
}

//! `referee play --web`: people play in the browser.

use serde_json::{Value, json};
use tests::web::{Answer, Events, Server, ask};
use tests::{Arena, wait_until};

/// A table on the smallest board, and the token of each person.
fn table(arena: &Arena, people: &[&str], bots: usize) -> (Server, Vec<String>) {
    let mut args = vec!["play", "amazons", "--options", r#"{"size":5}"#, "--web"];
    for seat in people {
        args.extend(["--human", seat]);
    }
    for _ in 0..bots {
        args.extend(["--bot", "random"]);
    }
    let log = arena.path("match.jsonl");
    args.extend(["--log", log.to_str().unwrap()]);
    let server = Server::start(args, people.len());
    let token = |link: &String| {
        let at = link.find("?token=").expect("a token") + 7;
        link[at..at + 32].to_owned()
    };
    let tokens = server.links.iter().map(token).collect();
    (server, tokens)
}

fn post(server: &Server, token: &str, what: &str, body: Value) -> Answer {
    let headers = format!("X-Token: {token}\r\n");
    let path = format!("/api/play/{what}");
    ask(server.host(), "POST", &path, &headers, &body.to_string())
}

fn events(server: &Server, token: &str) -> Events {
    server.events(&format!("/api/play/events?token={token}"))
}

/// Waits for the turn of this person, or the end.
fn turn(events: &mut Events) -> Value {
    events.wait_for("play", |seen| {
        !seen["legal"].as_array().unwrap().is_empty() || !seen["result"].is_null()
    })
}

/// Makes the first legal move.
fn play_first(server: &Server, token: &str, seen: &Value) {
    let body = json!({"move": seen["legal"][0], "ply": seen["ply"]});
    let answer = post(server, token, "move", body);
    assert_eq!(answer.status, 200, "{}", answer.body);
}

#[test]
fn a_match_is_played_taken_back_resigned_and_played_again() {
    let arena = Arena::new("");
    let (server, tokens) = table(&arena, &["0"], 1);
    assert!(
        server.links[0].ends_with("#/play/light"),
        "{}",
        server.links[0]
    );
    let token = &*tokens[0];
    let mut events = events(&server, token);
    let first = turn(&mut events);
    assert_eq!(
        (&first["ply"], &first["can_undo"]),
        (&json!(0), &json!(false))
    );
    let wrong = |body: Value| post(&server, token, "move", body).status;
    assert_eq!(wrong(json!({"move": "nonsense", "ply": 0})), 400);
    assert_eq!(wrong(json!({"move": first["legal"][0], "ply": 7})), 409);
    assert_eq!(wrong(json!({"ply": 0})), 400);
    play_first(&server, token, &first);
    let second = turn(&mut events);
    assert_eq!(
        (&second["ply"], &second["can_undo"]),
        (&json!(2), &json!(true))
    );
    assert_eq!(second["last"].as_array().unwrap().len(), 2);
    assert_eq!(post(&server, token, "undo", json!({})).status, 200);
    let again = events.wait_for("play", |seen| {
        seen["ply"] == 0 && seen["legal"] != json!([])
    });
    assert_eq!(again["legal"], first["legal"]);
    assert_eq!(
        post(&server, token, "rematch", json!({})).status,
        409,
        "it is not over"
    );
    assert_eq!(post(&server, token, "resign", json!({})).status, 200);
    let over = events.wait_for("play", |seen| !seen["result"].is_null());
    assert_eq!(over["result"]["outcome"], json!([0.0, 1.0]));
    assert!(over["result"]["text"].as_str().unwrap().contains("wins"));
    assert_eq!(post(&server, token, "rematch", json!({})).status, 200);
    let mut seen = events.wait_for("play", |seen| seen["result"].is_null() && seen["ply"] == 0);
    // To the end.
    loop {
        if seen["legal"] != json!([]) {
            play_first(&server, token, &seen);
        }
        if !seen["result"].is_null() {
            break;
        }
        seen = turn(&mut events);
    }
    let log = || arena.read("match.jsonl");
    // The page knows the result as soon as there is one, which may be before the log does.
    wait_until("both matches in the log", || {
        log().matches('\n').count() == 2
    });
    let log = log();
    let ids = log.lines().map(|line| {
        let record: Value = serde_json::from_str(line).unwrap();
        record["match"].as_str().unwrap().to_owned()
    });
    assert_eq!(ids.collect::<Vec<_>>(), ["m-000001", "m-000002"]);
}

#[test]
fn two_people_have_a_link_each() {
    let arena = Arena::new("");
    let (server, tokens) = table(&arena, &["light", "dark"], 0);
    let (mut light, mut dark) = (events(&server, &tokens[0]), events(&server, &tokens[1]));
    let seen = turn(&mut light);
    assert_eq!(seen["seat"], 0);
    let body = json!({"move": seen["legal"][0], "ply": 0});
    assert_eq!(
        post(&server, &tokens[1], "move", body).status,
        409,
        "it is not their turn"
    );
    play_first(&server, &tokens[0], &seen);
    let seen = turn(&mut dark);
    assert_eq!(
        (&seen["seat"], &seen["ply"], &seen["can_undo"]),
        (&json!(1), &json!(1), &json!(false))
    );
    assert_eq!(post(&server, &tokens[0], "undo", json!({})).status, 409);
    assert_eq!(post(&server, &tokens[1], "resign", json!({})).status, 200);
    let over = light.wait_for("play", |seen| !seen["result"].is_null());
    assert_eq!(over["result"]["outcome"], json!([1.0, 0.0]));
}

#[test]
fn nobody_plays_without_a_token() {
    let arena = Arena::new("");
    let (server, tokens) = table(&arena, &["0"], 1);
    assert_eq!(server.get("/").status, 200);
    assert_eq!(server.get("/api/play").status, 403);
    assert_eq!(server.get("/api/play?token=0000").status, 403);
    // There is nothing to see before the match has begun.
    let own = format!("/api/play?token={}", tokens[0]);
    wait_until("the match", || server.get(&own).status == 200);
    for what in ["move", "undo", "resign", "rematch"] {
        assert_eq!(post(&server, "0000", what, json!({})).status, 403, "{what}");
        let path = format!("/api/play/{what}?token={}", tokens[0]);
        let answer = ask(server.host(), "POST", &path, "", "{}");
        assert_eq!(answer.status, 403, "a token in the address changes nothing");
    }
    let cross = format!("X-Token: {}\r\nOrigin: http://evil.example\r\n", tokens[0]);
    assert_eq!(
        ask(server.host(), "POST", "/api/play/resign", &cross, "{}").status,
        403
    );
}

//! Coordinators that attack the machines of workers, and workers that deliver more than was
//! requested.

use std::fs;

use nix::sys::signal::Signal;
use tests::cluster::announcer::{
    Announcer, Answered, exploding, honest, malformed, publish_raw, reaching,
};
use tests::cluster::nats::NatsServer;
use tests::cluster::workers::{Field, config, undisturbed};
use tests::{assert_contains, needs, referee, wait_until};

/// A secret that no one may read.
const SECRET: &str = "the-secret-of-this-machine";
/// A few short matches.
const SHORT: &str = "rounds = 4\ngames = [{ id = \"amazons\", options = { size = 5 } }]\n\
                     opening = { random_plies = 2 }\n";

/// A worker without `--trust`, unless `more` has it, on a machine with a secret.
fn spied_on(more: &[&str]) -> Field {
    let mut field = Field::with_server("", NatsServer::start());
    fs::write(field.arena.path("secret"), SECRET).unwrap();
    let mut command = field.command("one", referee());
    let cache = field.arena.path("cache").display().to_string();
    command.args(["worker", &field.nats.address(), "--name", "one"]);
    command.args(["--bundle-cache", &cache, "--slots", "1"]);
    let child = command.args(more).env("SECRET", SECRET).spawn().unwrap();
    field.adopt("one", child);
    wait_until("the worker", || {
        field.stderr("one").contains("waits for matches")
    });
    field
}

/// Workers without `--trust`.
fn untrusting(field: &mut Field, names: &[&str]) {
    for name in names {
        let mut command = field.command(name, referee());
        command.args(["worker", &field.nats.address(), "--name", name]);
        field.adopt(name, command.spawn().unwrap());
    }
}

/// Checks that the worker still runs, and ends on request.
fn ends_well(field: &mut Field) {
    field.signal("one", Signal::SIGTERM);
    assert_eq!(field.ended("one"), Some(0), "{}", field.stderr("one"));
    let said = field.stderr("one");
    assert!(!said.contains("panicked"), "{said}");
    assert!(!said.contains(SECRET), "{said}");
}

#[tokio::test]
async fn what_reaches_for_a_machine_is_declined_with_bot_and_key() {
    let mut field = spied_on(&[]);
    let secret = field.arena.path("secret");
    let mut announcer = Announcer::open(&field.nats.address()).await;
    for attempt in reaching(&secret) {
        let answered = announcer.announce(&attempt, "one").await;
        let Answered::Declines(why) = answered else {
            panic!("{}: {answered:?}", attempt.name);
        };
        assert!(why.contains(&attempt.says), "{}: {why}", attempt.name);
        assert!(!why.contains(SECRET) && !why.contains('\n'), "{why}");
    }
    ends_well(&mut field);
}

/// Otherwise it would say nothing that they are declined.
#[tokio::test]
async fn a_worker_that_trusts_takes_what_others_decline() {
    let field = spied_on(&["--trust"]);
    let mut announcer = Announcer::open(&field.nats.address()).await;
    let attempts = reaching(&field.arena.path("secret"));
    let mut served = 0;
    for attempt in attempts {
        if ["readable", "env"]
            .iter()
            .any(|key| attempt.says.ends_with(key))
        {
            let answered = announcer.announce(&attempt, "one").await;
            served += u32::from(answered == Answered::Serves);
        }
    }
    assert!(served >= 3, "{served}: {}", field.stderr("one"));
}

#[tokio::test]
async fn messages_that_are_no_announcements_do_no_harm() {
    let mut field = spied_on(&[]);
    let port = field.nats.port();
    let mut announcer = Announcer::open(&field.nats.address()).await;
    for attempt in malformed() {
        let answered = announcer.announce(&attempt, "one").await;
        let Answered::Declines(why) = answered else {
            panic!("{}: {answered:?}", attempt.name);
        };
        assert!(why.contains(&attempt.says), "{}: {why}", attempt.name);
    }
    let answered = announcer.announce(&exploding(), "one").await;
    assert_ne!(answered, Answered::Silence);
    for name in ["..%2f..%2fx", "../../x", "x!", &"x".repeat(300)] {
        publish_raw(port, &format!("referee.tournament.{name}"), b"x");
    }
    // The worker is none the worse for it, and those do not hide what comes later.
    if needs::has(needs::Need::Root) {
        for lease in [0, 1, u64::MAX] {
            let answered = announcer.announce(&honest(lease), "one").await;
            assert_eq!(answered, Answered::Serves, "{}", field.stderr("one"));
        }
    }
    ends_well(&mut field);
}

#[test]
fn each_worker_that_declines_is_named_once_and_others_play() {
    let env = "\"random\"]\nenv = { A = \"${A:-b}\" }";
    let config = config(SHORT).replacen("\"random\"]", env, 1);
    let mut field = Field::new(&config);
    untrusting(&mut field, &["one", "two"]);
    let mut coordinator = field.coordinator(&[]).spawn().unwrap();
    let says = |name: &str| {
        format!("the worker `{name}` plays no matches: bot `random`: `env`: `${{A}}` would be")
    };
    wait_until("their words", || {
        let said = field.stderr("coordinator");
        ["one", "two"].iter().all(|name| said.contains(&says(name)))
    });
    field.worker("three", &[]);
    field.ends_well(&mut coordinator);
    let said = field.stderr("coordinator");
    for name in ["one", "two"] {
        assert_eq!(said.matches(&says(name)).count(), 1, "{said}");
    }
    let (_, expected) = undisturbed(&config);
    assert!(field.matches() == expected, "another log");
}

#[test]
fn a_tournament_that_everybody_declines_stops_with_the_reason() {
    let config = config(SHORT).replacen("\"random\"]", "\"random\"]\nreadable = [\".\"]", 1);
    let mut field = Field::new(&config);
    untrusting(&mut field, &["one"]);
    let status = field.coordinator(&[]).status().unwrap();
    let said = field.stderr("coordinator");
    assert_eq!(status.code(), Some(4), "{said}");
    let stops = "none of the workers that are there plays matches of this tournament: bot `random`: `readable`";
    assert_contains(&said, stops);
}

/// Results under unrequested numbers, before anybody plays.
#[test]
fn results_that_nobody_asked_for_are_of_no_use() {
    let config = config(SHORT);
    let mut field = Field::new(&config);
    let mut coordinator = field.coordinator(&[]).spawn().unwrap();
    let noted = field.arena.path("out/nats.toml");
    wait_until("the tournament", || noted.exists());
    let noted: toml::Table = fs::read_to_string(noted).unwrap().parse().unwrap();
    let id = noted["id"].as_str().unwrap();
    let port = field.nats.port();
    for job in [
        "0",
        "2",
        "24",
        "999999999",
        "18446744073709551615",
        "x",
        "-1",
        "1",
        "3",
        "5",
    ] {
        for payload in [&b"junk"[..], b"junk again"] {
            publish_raw(port, &format!("referee.result.{id}.{job}"), payload);
        }
    }
    let begins = "{\"begins\":{\"job\":1,\"number\":99999,\"first\":true}}";
    for news in ["x", begins, "[[[["] {
        publish_raw(port, &format!("referee.news.{id}.one"), news.as_bytes());
    }
    let long = "x".repeat(90_000);
    let heartbeat = format!(
        "{{\"name\":\"liar\",\"slots\":4294967295,\"busy\":1,\"matches\":1,\"since\":\"{long}\"}}"
    );
    publish_raw(port, "referee.worker.liar", heartbeat.as_bytes());
    field.worker("one", &[]);
    field.ends_well(&mut coordinator);
    let (_, expected) = undisturbed(&config);
    assert!(field.matches() == expected, "another log");
    assert_eq!(field.left(), Vec::<String>::new());
}

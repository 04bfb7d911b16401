//! Whole exchanges with scripted players.

use std::sync::Arc;
use std::time::Duration;

use arbiter::early_end::EarlyEnds;
use arbiter::{Arbiter, FinishedMatch, SeatSetup, Setup};
use games::Limits;
use gdl::{Names, SheetGame};
use protocol::{FaultCode, Millis, TimeControl};
use supervisor::GgpPlayer;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::*;
use crate::match_runner::{self, Timing};

/// Requests to a player with its answers; `None` if it never answers. Of a request that ends with `…`,
/// only the start counts.
type Script<'s> = &'s [(&'s str, Option<&'s str>)];

/// A player that follows a script. The task returns the first request that differs, if any.
async fn scripted(script: Script<'_>) -> (String, JoinHandle<Result<(), String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let own =
        |(request, answer): &(&str, Option<&str>)| (request.to_string(), answer.map(str::to_owned));
    let script: Vec<_> = script.iter().map(own).collect();
    let played = tokio::spawn(async move {
        for (expected, answer) in script {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = String::new();
            let mut bytes = [0; 1 << 16];
            let body = loop {
                let read = stream.read(&mut bytes).await.unwrap();
                request += std::str::from_utf8(&bytes[..read]).unwrap();
                let Some((head, body)) = request.split_once("\r\n\r\n") else {
                    continue;
                };
                assert!(head.starts_with("POST / HTTP/1.1\r\n"), "{head}");
                assert!(
                    head.contains("\r\nSender: GAMESERVER\r\nReceiver: x y\r\n"),
                    "{head}"
                );
                if head.contains(&format!("\r\nContent-Length: {}", body.len())) {
                    break body.to_owned();
                }
            };
            let is_right = match expected.strip_suffix('…') {
                Some(begin) => body.starts_with(begin),
                None => body == expected,
            };
            if !is_right {
                return Err(format!("{body} instead of {expected}"));
            }
            let Some(answer) = answer else {
                std::future::pending::<()>().await;
                continue;
            };
            let length = answer.len();
            let text = format!("HTTP/1.0 200 OK\r\nContent-Length: {length}\r\n\r\n{answer}");
            stream.write_all(text.as_bytes()).await.unwrap();
        }
        Ok(())
    });
    (address, played)
}

/// A match of scripted players.
struct Exchange {
    sheet: &'static str,
    opening: Vec<String>,
    seed: u64,
    scramble: bool,
    per_move: Duration,
}

impl Exchange {
    fn of(sheet: &'static str) -> Self {
        Exchange {
            sheet,
            opening: Vec::new(),
            seed: 1,
            scramble: false,
            per_move: Duration::from_secs(20),
        }
    }

    /// Plays the match, and asserts that the scripts were followed to their ends.
    async fn play(&self, scripts: &[Script<'_>]) -> FinishedMatch {
        let names = Names {
            id: "test",
            own_id: "test",
        };
        let rules = SheetGame::new(&names, self.sheet).unwrap().rules;
        let start = rules.start(self.seed).unwrap();
        let time = TimeControl {
            per_move: Some(Millis(self.per_move)),
            startup: Millis(Duration::from_secs(30)),
            ..TimeControl::default()
        };
        let (mut players, mut tasks) = (Vec::new(), Vec::new());
        for (seat, script) in scripts.iter().enumerate() {
            let (address, task) = scripted(script).await;
            tasks.push(task);
            let mut spec = BotSpec::new("x y".to_owned(), Vec::new(), "/".into(), &time);
            let player = GgpPlayer {
                address,
                scramble: self.scramble,
            };
            spec.ggp = Some(player.clone());
            let played = GgpMatch {
                id: "m-000001",
                rules: &*rules,
                start: &*start,
                opening: &self.opening,
                seed: self.seed,
            };
            let arrival = Arrival::of(&spec, &player).await;
            let (player, talk) = Ggp::new(&spec, arrival, seat, &played).unwrap();
            tokio::spawn(talk);
            players.push(player);
        }
        let seats = (0..rules.seats()).map(|_| SeatSetup {
            name: "x y".to_owned(),
            time: time.clone(),
            cpu_time: None,
            info_bytes: 0,
        });
        let setup = Setup {
            match_id: "m-000001".to_owned(),
            start,
            opening: self.opening.clone(),
            seed: self.seed,
            deal: None,
            recorded: Vec::new(),
            limits: Limits::NONE,
            seats: seats.collect(),
            early_ends: EarlyEnds::default(),
            cores: 1,
            rules: Arc::clone(&rules),
        };
        let run = match_runner::run(setup, players, Timing::Real, &mut |_: &Arbiter| ()).await;
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        run.played.unwrap().unwrap()
    }
}

/// Players alternate, after a step before the first choice.
const TURNS: &str = "(role white) (role Black) ; players\n (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= (legal white (Take ?x)) (true (step 1)) (or (succ 0 ?x) (succ 1 ?x)))
    (<= (legal black (take ?x)) (true (step 2)) (or (succ 0 ?x) (succ 1 ?x)))
    (<= (legal white noop) (not (true (step 1)))) (<= (legal black noop) (not (true (step 2))))
    (<= (next (took ?x)) (does ?r (take ?x))) (<= (next (took ?x)) (true (took ?x)))
    (<= terminal (true (step 3))) (<= (goal white 100) (true (took 2))) (<= (goal black 50) (role black))
    (<= (goal white 0) (not (true (took 2))))";

/// The sheet in the players' form, without its end.
const SENT: &str = "((role white) (role Black) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) \
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= (legal white (Take ?x)) (true (step 1))";

#[tokio::test]
async fn players_are_asked_at_every_step_and_told_all_moves() {
    let start = |role: &str| format!("(START m-000001 {role} {SENT}…");
    let played = Exchange::of(TURNS);
    let finished = played
        .play(&[
            &[
                ("(INFO)", Some("((name a))")),
                (&start("white"), Some("ready\r\n")),
                ("(PLAY m-000001 NIL)", Some("(noop)")),
                ("(PLAY m-000001 (noop noop))", Some("( TAKE\n2 )")),
                ("(PLAY m-000001 ((Take 2) noop))", Some("NOOP")),
                ("(STOP m-000001 (noop (Take 1)))", Some("done")),
            ],
            &[
                ("(INFO)", Some("busy")),
                (&start("Black"), Some("busy")),
                ("(ABORT m-000001)", Some("busy")),
                (&start("Black"), Some("READY")),
                ("(PLAY m-000001 NIL)", Some("noop")),
                ("(PLAY m-000001 (noop noop))", Some("noop")),
                ("(PLAY m-000001 ((Take 2) noop))", Some("(take 1)")),
                ("(STOP m-000001 (noop (Take 1)))", Some("done")),
            ],
        ])
        .await;
    let moves: Vec<&str> = finished.moves.iter().map(|made| &*made.mv).collect();
    assert_eq!(moves, ["(Take 2)", "(Take 1)"]);
    assert_eq!(finished.result.scores, [100, 50]);
    assert_eq!(finished.result.faults, []);
}

#[tokio::test]
async fn after_an_opening_the_sheet_begins_there() {
    let mut played = Exchange::of(TURNS);
    played.opening = vec!["(Take 1)".to_owned()];
    let sheet = SENT.replace("(init (step 0)) ", "");
    let start = |role: &str| format!("(START m-000001 {role} {sheet}…");
    let finished = played
        .play(&[
            &[
                ("(INFO)", Some("")),
                (&start("white"), Some("ready")),
                ("(PLAY m-000001 NIL)", Some("noop")),
                ("(STOP m-000001 (noop (Take 2)))", Some("done")),
            ],
            &[
                ("(INFO)", Some("")),
                (&start("Black"), Some("ready")),
                ("(PLAY m-000001 NIL)", Some("(take 2)")),
                ("(STOP m-000001 (noop (Take 2)))", Some("done")),
            ],
        ])
        .await;
    assert_eq!(finished.result.scores, [100, 50]);
}

/// The fault that a script leads to.
async fn fault(script: Script<'_>, per_move: Duration) -> (FaultCode, String) {
    let mut played = Exchange::of(TURNS);
    played.per_move = per_move;
    let other: Script<'_> = &[
        ("(INFO)", Some("")),
        ("(START m-000001 Black…", Some("ready")),
    ];
    let goes_on: Vec<_> = other
        .iter()
        .copied()
        .chain([("(PLAY m-000001 NIL)", Some("noop"))])
        .collect();
    let begun: Vec<_> = [
        ("(INFO)", Some("")),
        ("(START m-000001 white…", Some("ready")),
    ]
    .into_iter()
    .chain(script.iter().copied())
    .collect();
    let finished = played.play(&[&begun, &goes_on]).await;
    let fault = finished.result.faults.first().unwrap();
    assert_eq!(fault.seat, 0);
    (fault.code, fault.message.clone())
}

#[tokio::test]
async fn answers_that_are_no_moves_are_faults() {
    let long = Duration::from_secs(20);
    let first = ("(PLAY m-000001 NIL)", Some("noop"));
    let second = "(PLAY m-000001 (noop noop))";
    let abort = ("(ABORT m-000001)", Some("aborted"));
    for (answer, code, says) in [
        (
            "nil",
            FaultCode::IllegalMove,
            "answered `PLAY` with `nil`, which is not legal here",
        ),
        (
            "noop",
            FaultCode::IllegalMove,
            "answered `PLAY` with `noop`, which is not legal here",
        ),
        (
            "((",
            FaultCode::Protocol,
            "answered `PLAY` with `((`, which is no term",
        ),
        (
            "",
            FaultCode::Protocol,
            "answered `PLAY` with nothing, which is no term",
        ),
        ("(take 1) (take 2)", FaultCode::Protocol, "which is no term"),
    ] {
        let script = [first, (second, Some(answer)), abort];
        let (found, message) = fault(&script, long).await;
        assert_eq!(found, code, "{message}");
        assert!(message.contains(says), "{message}");
    }
    let (code, message) = fault(&[("(PLAY m-000001 NIL)", Some("(take 1)")), abort], long).await;
    assert_eq!(code, FaultCode::IllegalMove);
    assert!(
        message.contains("in a step in which `noop` is its only legal move"),
        "{message}"
    );
}

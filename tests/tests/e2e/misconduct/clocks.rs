//! CPU clocks, bots that rest between turns, slots that keep to a core.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tests::web::{Server, ask};
use tests::{Arena, Ran, assert_contains, good, needs, referee, verified, wait_until};

use crate::misconduct::arena::{judge, moves_of_hostile, named, play_cleanly};
use crate::rules::ggp_player::GGP_PLAYER;
use crate::{GREEDY, RANDOM, config};

/// A hostile bot against a random one; the first lines go to the top.
fn two(top: &str, how: &str, variables: &str, more: &str) -> Arena {
    let bots = config(&[RANDOM]) + &named("hostile", how, variables, more);
    Arena::new(&format!("{top}\n{bots}"))
}

/// Plays the two; returns the hostile bot's faults.
#[track_caller]
fn faults(arena: &Arena) -> Vec<Value> {
    good(play_cleanly(arena, &[]));
    judge(arena, 2)
        .into_iter()
        .filter_map(|(_, fault)| fault)
        .collect()
}

#[track_caller]
fn assert_timeouts(arena: &Arena, message: &str) {
    let faults = faults(arena);
    assert_eq!(faults.len(), 2);
    for fault in faults {
        assert_eq!(fault["code"], "timeout", "{fault}");
        assert!(
            fault["message"].as_str().unwrap().contains(message),
            "{fault}"
        );
        // What the turn had taken; there was no answer.
        assert!(fault["ms"].as_f64() > Some(0.0), "{fault}");
        assert!(fault.get("answered").is_none(), "{fault}");
    }
}

const CPU: &str = "clock = \"cpu\"";

#[test]
fn who_sleeps_uses_no_cpu_time() {
    let limit = "time = { per_move = \"100ms\", wall = \"30s\" }";
    let arena = two(CPU, "sleeps", "SLEEP_MS = '300'", limit);
    assert_eq!(faults(&arena), [json!(null); 0]);
    let moves = moves_of_hostile(&arena);
    let slept: Vec<&Value> = moves
        .iter()
        .filter(|mv| mv["ms"].as_f64() > Some(300.0))
        .collect();
    assert!(slept.len() > moves.len() / 2);
    assert!(slept.iter().all(|mv| mv["cpu_ms"].as_f64() < Some(100.0)));
}

#[test]
fn who_spins_runs_out_of_cpu_time() {
    let limit = "time = { per_move = \"300ms\", wall = \"30s\" }";
    for how in ["spins", "spins-in-child"] {
        let arena = two(CPU, how, "", limit);
        assert_timeouts(&arena, "of CPU time (allowed: 300 ms");
    }
    let arena = two(
        CPU,
        "spins-in-child",
        "",
        &format!("sandbox = \"limits\"\n{limit}"),
    );
    assert_timeouts(&arena, "of CPU time (allowed: 300 ms");
}

#[test]
fn who_sleeps_for_ever_is_stopped_by_the_clock_on_the_wall() {
    let limit = "time = { per_move = \"300ms\", wall = \"1s\" }";
    assert_timeouts(
        &two(CPU, "hang", "", limit),
        "of wall-clock time (allowed: 1000 ms",
    );
}

#[test]
fn cpu_time_within_the_limit_is_logged() {
    let limit = "time = { per_move = \"10s\", wall = \"60s\" }";
    let arena = two(CPU, "spins-a-little", "BUSY_MS = '200'", limit);
    assert_eq!(faults(&arena), [json!(null); 0]);
    for record in arena.matches() {
        assert_eq!(record["time"]["clock"], "cpu");
    }
    let moves = moves_of_hostile(&arena);
    let busy = moves
        .iter()
        .filter(|mv| mv["cpu_ms"].as_f64() > Some(20.0))
        .count();
    assert!(
        busy > moves.len() / 2,
        "however little of the machine it got"
    );
}

/// CPU time of a bot that thinks all the time while it is not its turn, and the length of that time.
fn pondered(idle: &str) -> (u64, u64) {
    let sleeper = named("sleeper", "sleeps", "SLEEP_MS = '250'", "");
    let bots = config(&[]) + &named("hostile", "ponders", "", "") + &sleeper;
    let arena = Arena::new(&format!("idle = \"{idle}\"\n{bots}"));
    assert_eq!(faults(&arena), [json!(null); 0]);
    let moves = moves_of_hostile(&arena);
    let sum = |field: &str| {
        moves
            .iter()
            .filter_map(|mv| mv["info"][field].as_u64())
            .sum()
    };
    (sum("cpu_ms"), sum("wall_ms"))
}

#[test]
fn a_frozen_bot_does_not_think_on_the_others_time() {
    let (cpu, wall) = pondered("freeze");
    assert!(wall > 1000 && cpu * 20 < wall, "{cpu} ms of {wall} ms");
    let (cpu, wall) = pondered("run");
    assert!(wall > 1000 && cpu * 10 > wall, "{cpu} ms of {wall} ms");
}

#[test]
fn a_slot_keeps_to_one_core() {
    for (affinity, one) in [("cores", true), ("off", false)] {
        let arena = two(&format!("affinity = \"{affinity}\""), "cores", "", "");
        assert_eq!(faults(&arena), [json!(null); 0]);
        let moves = moves_of_hostile(&arena);
        assert!(!moves.is_empty());
        let all = std::thread::available_parallelism().unwrap().get();
        for mv in moves {
            let cores = mv["info"]["cores"].as_str().unwrap();
            assert_eq!(cores.parse::<u32>().is_ok(), one || all == 1, "{cores}");
        }
        for record in arena.matches() {
            assert_eq!(record["conditions"]["affinity"], affinity);
        }
    }
}

/// `referee` by a clock of 1960, as boards without a battery may have it; `None` if the machine cannot.
fn in_1960() -> Option<Command> {
    let is_there = Command::new("faketime").arg("--version").output();
    if is_there.is_err() {
        needs::skip("there is no `faketime`");
        return None;
    }
    let mut command = Command::new("faketime");
    command.args(["-f", "@1960-01-01 00:00:00"]).arg(referee());
    command
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        .env("TZ", "UTC");
    Some(command)
}

#[test]
fn a_clock_before_1970_plays() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    let Some(mut command) = in_1960() else { return };
    command.args(arena.tournament()).arg("--quiet");
    let ran: Ran = command.output().expect("it runs").into();
    good(ran);
    for record in arena.matches() {
        let started = record["started"].as_str().unwrap();
        assert!(started.starts_with("1960-01-01T"), "{started}");
    }
    verified(arena.path("out"));
}

/// Live pages show times, too.
#[test]
fn a_match_is_watched_by_a_clock_before_1970() {
    let bots = [RANDOM, ("slow", "\"python3 slow.py\"")];
    let arena = Arena::new(&config(&bots));
    arena.write(
        "slow.py",
        "import sys, time, json\n\
         for line in sys.stdin:\n    message = json.loads(line)\n    kind = message['type']\n    \
         if kind == 'turn': time.sleep(0.2)\n    \
         answer = {'hello': {'type': 'hello', 'protocol': 1, 'name': 'slow'}, 'start': {'type': 'ready'}, \
         'turn': {'type': 'move', 'move': message.get('legal', [''])[0]}}.get(kind)\n    \
         if answer: print(json.dumps(answer), flush=True)\n",
    );
    let Some(mut command) = in_1960() else { return };
    command.args(arena.tournament()).arg("--quiet");
    let mut tournament = command.stdout(Stdio::null()).spawn().unwrap();
    wait_until("the folder", || arena.path("out/games.jsonl").exists());
    let server = Server::start(["watch".into(), arena.path("out")], 1);
    let mut events = server.events("/api/events");
    let live = events.wait_for("live", |live| live["match"].is_string());
    assert!(live["match"].as_str().unwrap().starts_with("m-"), "{live}");
    assert!(tournament.wait().unwrap().success());
}

/// HTTP cannot express such a date.
#[test]
fn servers_say_that_a_clock_before_1970_is_wrong() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    arena.write("games.jsonl", "");
    let log = arena.path("games.jsonl").display().to_string();
    for args in [
        &["watch", &log, "--listen", "127.0.0.1:0"][..],
        &[
            "play",
            "run",
            "--web",
            "--human",
            "0",
            "--bot",
            "random",
            "--listen",
            "127.0.0.1:0",
        ],
        &GGP_PLAYER,
    ] {
        let Some(mut command) = in_1960() else { return };
        command
            .args(args)
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        let server = Server::of(command, 1);
        // It is there for the next one, too.
        for _ in 0..2 {
            let answer = ask(server.host(), "GET", "/", "", "");
            assert_eq!(answer.status, 503, "{args:?}");
            assert_contains(&answer.body, "before 1970");
        }
    }
}

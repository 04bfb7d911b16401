//! Tournaments with a hostile bot, and invariants that it must not break.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Value, json};
use tests::traces::{self, MARK};
use tests::{Arena, Ran, assert_contains, good, referee, verified};

use crate::{GREEDY, HOSTILE, RANDOM, config};

/// Time limits for bots that are waited for; the others have lots of time on any machine.
pub(crate) const SHORT: &str = "time = { per_move = \"700ms\", startup = \"1500ms\" }";

/// A hostile bot of this kind as a table; `more` are further lines of it.
pub(crate) fn hostile(how: &str, more: &str) -> String {
    named("hostile", how, "", more)
}

/// The same with a name of its own and more variables in its environment.
pub(crate) fn named(name: &str, how: &str, variables: &str, more: &str) -> String {
    format!(
        "[[bots]]\nname = \"{name}\"\ncommand = ['{HOSTILE}', '{how}']\n\
         env = {{ {MARK} = '{}', {variables} }}\n{more}\n",
        mark()
    )
}

/// Marks the processes of this test.
pub(crate) fn mark() -> String {
    let thread = thread::current();
    let test = thread.name().expect("tests have names").to_owned();
    format!("{}.{test}", std::process::id())
}

/// Hostile, random and greedy against each other. The first lines go to the top.
pub(crate) fn three(top: &str, how: &str, more: &str) -> Arena {
    let bots = config(&[RANDOM, GREEDY]) + &hostile(how, more);
    Arena::new(&format!("{top}\n{bots}"))
}

/// Plays, and checks that nothing is left: no process, no control group, no temporary file.
#[track_caller]
pub(crate) fn play_cleanly(arena: &Arena, variables: &[(&str, &str)]) -> Ran {
    let tmp = arena.path("tmp");
    fs::create_dir_all(&tmp).expect("a folder");
    let child = Command::new(referee())
        .args(arena.tournament())
        .env("TMPDIR", &tmp)
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("referee runs");
    let pid = child.id();
    let ran: Ran = child.wait_with_output().expect("referee ends").into();
    assert_eq!(traces::marked(&mark()), [0; 0], "processes are left");
    assert!(
        traces::control_groups(pid).is_empty(),
        "control groups are left"
    );
    assert!(
        traces::temporary(&tmp).is_empty(),
        "temporary folders are left"
    );
    ran
}

/// The hostile bot's seat and fault, if any, in each match. Checks all invariants.
#[track_caller]
pub(crate) fn judge(arena: &Arena, matches: usize) -> Vec<(usize, Option<Value>)> {
    let records = arena.matches();
    assert_eq!(records.len(), matches, "the tournament goes on to its end");
    let mut judged = Vec::new();
    for record in &records {
        let players = record["players"].as_array().unwrap();
        let faults = record["result"]["faults"].as_array().unwrap();
        let Some(seat) = players.iter().position(|p| p["name"] == "hostile") else {
            assert!(faults.is_empty(), "{faults:?}");
            continue;
        };
        if let Some(fault) = faults.first() {
            assert_eq!(fault["seat"], seat, "{fault}");
            assert_eq!(faults.len(), 1);
            let outcome = if seat == 0 {
                json!([0.0, 1.0])
            } else {
                json!([1.0, 0.0])
            };
            assert_eq!(record["result"]["outcome"], outcome);
            assert_eq!(record["result"]["reason"], "forfeit");
            assert_eq!(fault["ply"], record["moves"].as_array().unwrap().len());
            let message = fault["message"].as_str().unwrap();
            assert!(message.len() < 1000, "{} bytes of message", message.len());
            assert!(!message.contains(char::is_control), "{message:?}");
        } else {
            assert_ne!(record["result"]["reason"], "forfeit");
        }
        judged.push((seat, faults.first().cloned()));
    }
    verified(arena.path("out"));
    judged
}

/// Plays the three against each other; the hostile bot loses all its matches like this. `plies`
/// are those of seat 0 and seat 1.
#[track_caller]
pub(crate) fn assert_fault(arena: &Arena, code: &str, plies: [u32; 2], message: &str) {
    good(play_cleanly(arena, &[]));
    let judged = judge(arena, 6);
    assert_eq!(judged.len(), 4);
    for (seat, fault) in judged {
        let fault = fault.expect("a fault in each match");
        let expected = (&json!(code), &json!(plies[seat]));
        assert_eq!((&fault["code"], &fault["ply"]), expected, "{fault}");
        let said = fault["message"].as_str().unwrap();
        assert_contains(said, message);
    }
}

/// Plays the three against each other; nobody is at fault.
#[track_caller]
pub(crate) fn assert_well(arena: &Arena) {
    good(play_cleanly(arena, &[]));
    let faults: Vec<Value> = judge(arena, 6)
        .into_iter()
        .filter_map(|(_, fault)| fault)
        .collect();
    assert!(faults.is_empty(), "{faults:?}");
}

pub(crate) fn stderr(arena: &Arena) -> String {
    let files = stderr_files(arena).into_iter();
    files
        .map(|file| fs::read_to_string(file).unwrap_or_default())
        .collect()
}

/// The files with the bots' stderr, one for each process, without their indexes.
pub(crate) fn stderr_files(arena: &Arena) -> Vec<PathBuf> {
    let entries = fs::read_dir(arena.path("out/stderr")).into_iter().flatten();
    let files = entries.map(|entry| entry.unwrap().path());
    files
        .filter(|file| file.extension().is_none_or(|end| end != "turns"))
        .collect()
}

pub(crate) fn moves_of_hostile(arena: &Arena) -> Vec<Value> {
    let mut moves = Vec::new();
    for record in arena.matches() {
        let players = record["players"].as_array().unwrap();
        let Some(seat) = players.iter().position(|p| p["name"] == "hostile") else {
            continue;
        };
        let made = record["moves"].as_array().unwrap();
        moves.extend(made.iter().filter(|mv| mv["seat"] == seat).cloned());
    }
    moves
}

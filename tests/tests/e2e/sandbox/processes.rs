//! No bot outlives its purpose.

use std::fs;
use std::path::PathBuf;
use std::process::Child;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tests::{Arena, good, verified, wait_until};

use crate::{HOSTILE, RANDOM, config};

/// A bot that writes its process id and that of a child of its own into its folder, and then
/// plays. The child sleeps for longer than any test takes.
const FAMILY: &str = r#"#!/bin/sh
sleep 600 &
echo $! >> pids
echo $$ >> pids
exec HOSTILE "$1"
"#;

/// A tournament that lasts until it is ended.
fn family(how: &str) -> Arena {
    let bot = ("family", &*format!(r#"["sh", "family.sh", "{how}"]"#));
    let arena = Arena::new(&format!("rounds = 100000\n{}", config(&[RANDOM, bot])));
    arena.write("family.sh", &FAMILY.replace("HOSTILE", HOSTILE));
    arena
}

fn start(arena: &Arena) -> Child {
    let child = arena.silent().spawn().expect("referee runs");
    let log = arena.path("out/games.jsonl");
    wait_until("a few matches", || {
        fs::read_to_string(&log).is_ok_and(|log| log.lines().count() > 3)
    });
    child
}

/// The reported processes that still run. Zombies of gone parents do not count.
fn alive(arena: &Arena) -> Vec<i32> {
    let pids = arena.read("pids");
    assert!(pids.lines().count() >= 2);
    let runs = |pid: &i32| {
        kill(Pid::from_raw(*pid), None).is_ok()
            && !fs::read_to_string(PathBuf::from(format!("/proc/{pid}/stat")))
                .is_ok_and(|stat| stat.contains(") Z "))
    };
    pids.lines()
        .filter_map(|pid| pid.parse().ok())
        .filter(runs)
        .collect()
}

fn signal(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id()).expect("a process id");
    kill(Pid::from_raw(pid), signal).expect("a running referee");
}

#[test]
fn bots_and_their_children_end_with_the_tournament() {
    for how in ["plays", "stays"] {
        let arena = family(how);
        let config = arena.read("t.toml");
        arena.write("t.toml", &config.replace("100000", "1"));
        good(arena.play());
        wait_until("the bots to end", || alive(&arena).is_empty());
    }
}

#[test]
fn an_interrupt_ends_the_bots_and_keeps_the_log() {
    for how in [Signal::SIGINT, Signal::SIGTERM] {
        let arena = family("stays");
        let mut child = start(&arena);
        signal(&child, how);
        assert_eq!(child.wait().unwrap().code(), Some(130));
        wait_until("the bots to end", || alive(&arena).is_empty());
        verified(arena.path("out"));
    }
}

#[test]
fn bots_end_when_the_referee_is_killed() {
    let arena = family("stays");
    let mut child = start(&arena);
    signal(&child, Signal::SIGKILL);
    child.wait().unwrap();
    wait_until("the bots to end", || alive(&arena).is_empty());
}

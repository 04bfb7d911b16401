//! The log stays true: changes are found, and restored only as they were.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use nix::unistd::geteuid;
use serde_json::Value;
use tests::needs::{Need, has, skip};
use tests::{
    Arena, Ran, assert_contains, good, hostile, referee, run, unchained, verified, verify,
};

use crate::{GREEDY, RANDOM, config};

/// `nobody` on most machines.
const ORDINARY: u32 = 65534;

/// Six matches, played to the end; with its log.
fn played() -> (Arena, String) {
    let arena = Arena::new(&format!("rounds = 3\n{}", config(&[RANDOM, GREEDY])));
    good(arena.play());
    let log = arena.read("out/games.jsonl");
    assert_eq!(log.lines().count(), 6);
    (arena, log)
}

/// The lines in this order, from 1; those after `change` was made of the third one.
fn lines(log: &str, order: &[usize], change: impl Fn(&str) -> String) -> String {
    let lines: Vec<&str> = log.lines().collect();
    let line = |number: &usize| match number {
        3 => change(lines[2]),
        number => lines[number - 1].to_owned(),
    };
    order.iter().map(|number| line(number) + "\n").collect()
}

/// A log that says another thing, but is no less a log.
fn later(line: &str) -> String {
    let changed = line.replacen("\"started\":\"2", "\"started\":\"3", 1);
    assert_ne!(changed, line);
    changed
}

fn resume(arena: &Arena) -> Ran {
    let mut args = arena.tournament();
    args.push("--resume".into());
    run(args)
}

#[test]
fn lines_that_were_changed_removed_added_or_moved_are_found() {
    let (arena, log) = played();
    let same = |line: &str| line.to_owned();
    verified(arena.path("out"));
    let found = [
        (lines(&log, &[1, 2, 3, 4, 5, 6], later), 4),
        (lines(&log, &[1, 2, 4, 5, 6], same), 3),
        (lines(&log, &[1, 2, 4, 3, 5, 6], same), 3),
        (lines(&log, &[2, 3, 4, 5, 6], same), 1),
        (lines(&log, &[1, 2, 4, 5, 6, 3], later), 3),
        (lines(&log, &[1, 2, 3, 4, 5, 6], unchained), 3),
    ];
    for (text, line) in found {
        arena.write("out/games.jsonl", &text);
        let ran = verify(arena.path("out"));
        assert_eq!(ran.code, Some(3), "{}", ran.stdout);
        let place = format!("games.jsonl: line {line} breaks the log's hash chain");
        assert_contains(&ran.stdout, &place);
        assert_contains(&ran.stdout, " 0 with mismatches");
        assert_contains(&ran.stderr, "not follow the line before");
        let ran = resume(&arena);
        assert_eq!(ran.code, Some(4), "{}", ran.stderr);
        let place = format!("games.jsonl` line {line} breaks the log's hash chain");
        assert_contains(&ran.stderr, &place);
        let after = arena.read("out/games.jsonl");
        assert_eq!(after, text, "nothing is changed");
        // Statistics are made of any lines.
        good(run(["standings".into(), arena.path("out")]));
    }
}

#[test]
fn a_log_without_a_chain_goes_on_with_one() {
    let (arena, log) = played();
    let old = |count: usize| -> String {
        let lines = log.lines().take(count);
        lines.map(|line| unchained(line) + "\n").collect()
    };
    arena.write("out/games.jsonl", &old(6));
    let ran = good(verify(arena.path("out")));
    assert_contains(&ran.stdout, "has no hash chain");
    arena.write("out/games.jsonl", &old(4));
    good(resume(&arena));
    let ran = good(verify(arena.path("out")));
    let begins = "the hash chain begins in line 5";
    assert_contains(&ran.stdout, begins);
}

#[test]
fn matches_played_into_one_log_follow_each_other() {
    let arena = Arena::new("");
    for _ in 0..3 {
        let log = arena.path("log.jsonl").display().to_string();
        let play = "play amazons --options {\"size\":5} --bot random --bot random --quiet --log";
        good(run(play.split(' ').chain([&*log])));
    }
    let ran = good(verify(arena.path("log.jsonl")));
    assert!(ran.stdout.contains("3 verified") && !ran.stdout.contains("hash chain"));
}

/// Eight matches against a bot that swaps all outcomes that it can reach. The referee and its bots
/// are of another user, where one is given.
fn attacked(user: Option<u32>) -> (Arena, Ran) {
    let arena = Arena::new("");
    fs::set_permissions(arena.path(""), Permissions::from_mode(0o777)).unwrap();
    let forger = format!("[{:?}, \"forges-log\"]", hostile().display().to_string());
    let bots = config(&[("forger", &forger), RANDOM]);
    arena.write("t.toml", &format!("rounds = 4\nconcurrency = 1\n{bots}"));
    let mut command = Command::new(referee());
    command
        .args(arena.tournament())
        .env("FORGE_LOG", arena.path("out/games.jsonl"))
        .current_dir(arena.path(""))
        .stdin(Stdio::null());
    if let Some(user) = user {
        command.uid(user).gid(user);
    }
    let ran = command.output().expect("referee runs").into();
    (arena, ran)
}

/// The most writes in one turn that the forger reports.
fn forged(arena: &Arena, what: &str) -> u64 {
    let matches = arena.matches();
    let moves = matches
        .iter()
        .flat_map(|record| record["moves"].as_array().unwrap());
    let reported = moves.filter_map(|played: &Value| played["info"][what].as_u64());
    reported.max().expect("the forger reported something")
}

#[test]
fn a_forger_among_the_bots_of_an_ordinary_user_changes_nothing() {
    let user = match geteuid().is_root() {
        true if !is_open_to_all(referee().into()) => {
            skip("an ordinary user cannot start the programs that are tested");
            return;
        }
        root => root.then_some(ORDINARY),
    };
    let (arena, ran) = attacked(user);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_contains(&ran.stderr, "it was put back as it was");
    assert_eq!(forged(&arena, "log"), 1, "the log itself can be written");
    if cfg!(target_os = "linux") {
        assert_eq!(forged(&arena, "open"), 0, "the copy is out of reach");
        assert_eq!(forged(&arena, "memory"), 0, "and so are the hashes");
    }
    let ran = good(verify(arena.path("out")));
    assert_contains(&ran.stdout, "8 verified");
}

/// Root reaches the copy as well: lines forged in both are lost, but never believed.
#[test]
fn a_forger_among_the_bots_of_root_is_found_out() {
    if !has(Need::Root) {
        return;
    }
    let (arena, mut ran) = attacked(None);
    // Each resumption plays on until the forger strikes again.
    for _ in 0..3 {
        verified(arena.path("out"));
        if ran.code == Some(0) {
            break;
        }
        tests::refused(&ran, 4, "as it was written any more");
        assert_contains(&ran.stderr, "--resume");
        ran = resume(&arena);
    }
    verified(arena.path("out"));
}

/// True if everyone may enter all folders on the way to a file.
fn is_open_to_all(path: PathBuf) -> bool {
    let entered = |path: &std::path::Path| {
        fs::metadata(path).is_ok_and(|there| there.permissions().mode() & 0o5 == 0o5)
    };
    path.ancestors().all(entered)
}

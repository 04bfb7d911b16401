//! No process of a bot outlives it, no matter how it tries to escape its supervisor, and the
//! referee keeps nothing of it either.

use std::process::Child;
use std::thread;
use std::time::Duration;
use std::{fs, iter};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tests::traces::{children, marked, open_files, temporary};
use tests::{Arena, assert_contains, good, wait_until};

use crate::misconduct::arena::{SHORT, assert_fault, assert_well, hostile, judge, mark, named};
use crate::misconduct::arena::{play_cleanly, stderr, three};
use crate::{HOSTILE, RANDOM, config};

/// Number of hidden processes of the bots; each reported itself on stderr.
fn secret(arena: &Arena) -> usize {
    stderr(arena).matches("child").count()
}

/// Starts a tournament of this bot against a random one, one match at a time.
fn start(top: &str, how: &str, more: &str) -> (Arena, Child) {
    let bots = config(&[RANDOM]) + &hostile(how, more);
    let arena = Arena::new(&format!("concurrency = 1\n{top}\n{bots}"));
    let child = arena.silent().spawn().expect("referee runs");
    (arena, child)
}

#[test]
fn children_and_daemons_end_with_the_bot() {
    for how in ["children", "daemons", "closed-daemons"] {
        let arena = three("", how, "");
        assert_well(&arena);
        assert!(secret(&arena) > 0, "{how}");
    }
}

#[test]
fn daemons_end_with_a_bot_that_kills_its_supervisor() {
    let arena = three("", "daemons-and-kills-supervisor", "");
    assert_fault(&arena, "crash", [2, 3], "ended together with");
    assert!(secret(&arena) > 0);
}

#[test]
fn daemons_end_at_the_end_of_each_match() {
    let (arena, mut child) = start("rounds = 10", "daemons", "restart = \"each-match\"");
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = most.max(marked(&mark()).len());
        thread::sleep(Duration::from_millis(20));
    }
    let started = secret(&arena);
    assert!(started >= 40, "{started} in twenty matches");
    // A supervisor, a bot and its daemons; and those of the match before, which may be ending still.
    assert!(most <= 40, "{most} at a time");
    assert!(marked(&mark()).is_empty());
}

#[test]
fn daemons_end_when_the_referee_is_killed() {
    for more in ["", "sandbox = \"limits\"", "sandbox = \"strict\""] {
        let (arena, mut child) = start("rounds = 100000", "daemons", more);
        wait_until("daemons", || {
            secret(&arena) > 3 && marked(&mark()).len() > 3
        });
        // Supervisors, and what forks them.
        let own = children(child.id());
        assert!(own.len() >= 2, "{own:?}");
        kill(Pid::from_raw(child.id() as i32), Signal::SIGKILL).unwrap();
        child.wait().unwrap();
        wait_until("their end", || {
            let is_there = |pid: &u32| fs::exists(format!("/proc/{pid}")).unwrap();
            marked(&mark()).is_empty() && !own.iter().any(is_there)
        });
    }
}

/// All supervisors are forked by one process, which a bot without a sandbox can reach.
#[test]
fn a_lost_spawner_costs_no_match() {
    for signal in [Signal::SIGKILL, Signal::SIGSTOP] {
        let bots = config(&[RANDOM]) + &hostile("", "");
        let arena = Arena::new(&format!(
            "concurrency = 2\nrestart = \"each-match\"\nrounds = 10\n{bots}"
        ));
        let mut child = arena.silent().spawn().unwrap();
        wait_until("a match", || has_played(&arena));
        // It was the first child that stayed.
        let spawner = children(child.id()).into_iter().min().unwrap();
        kill(Pid::from_raw(spawner as i32), signal).unwrap();
        assert!(child.wait().unwrap().success());
        for (_, fault) in judge(&arena, 20) {
            assert_eq!(fault, None);
        }
        assert!(marked(&mark()).is_empty());
    }
}

fn has_played(arena: &Arena) -> bool {
    fs::metadata(arena.path("out/games.jsonl")).is_ok_and(|log| log.len() > 0)
}

#[test]
fn temporary_folders_go_when_the_referee_is_killed() {
    let bots = config(&[RANDOM]) + &hostile("", "sandbox = \"restricted\"");
    let arena = Arena::new(&format!("concurrency = 1\nrounds = 100000\n{bots}"));
    let tmp = arena.path("tmp");
    fs::create_dir(&tmp).unwrap();
    let mut child = arena.silent().env("TMPDIR", &tmp).spawn().unwrap();
    wait_until("a match", || has_played(&arena));
    assert!(!temporary(&tmp).is_empty());
    kill(Pid::from_raw(child.id() as i32), Signal::SIGKILL).unwrap();
    child.wait().unwrap();
    wait_until("its end", || temporary(&tmp).is_empty());
    wait_until("the bots' end", || marked(&mark()).is_empty());
}

/// A bot that counts how often it is started.
fn counted(how: &str) -> Arena {
    let script = format!("echo started >> starts; exec '{HOSTILE}' '{how}'");
    let more = format!(
        "[[bots]]\nname = \"hostile\"\ncommand = [\"sh\", \"-c\", \"{script}\"]\n{SHORT}\n"
    );
    Arena::new(&format!("rounds = 10\n{}{more}", config(&[RANDOM])))
}

#[test]
fn a_bot_that_never_starts_is_waited_for_once() {
    // It is asked for its games once. Then the first start is tried up to three times, by one slot alone. A bot that introduces itself
    // gets a few matches, and at most one more in each slot.
    for (how, most) in [
        ("no-hello", 1 + 3),
        ("exit-at-start", 1 + 3),
        ("no-ready", 1 + 2 + 2),
    ] {
        let arena = counted(how);
        let arena_path = arena.path("t.toml");
        let text = fs::read_to_string(&arena_path).unwrap();
        arena.write("t.toml", &format!("concurrency = 2\n{text}"));
        let ran = good(play_cleanly(&arena, &[]));
        let starts = arena.read("starts").lines().count();
        assert!((1..=most).contains(&starts), "{how}: {starts} starts");
        let messages: Vec<String> = judge(&arena, 20)
            .into_iter()
            .map(|(_, fault)| fault.expect("a fault in each match"))
            .inspect(|fault| assert_eq!(fault["code"], "startup"))
            .map(|fault| fault["message"].as_str().unwrap().to_owned())
            .collect();
        assert!(messages.iter().all(|message| *message == messages[0]));
        assert_eq!(
            ran.stderr.matches("does not start").count(),
            1,
            "{}",
            ran.stderr
        );
    }
}

/// A bot that starts well, but only at its n-th attempt.
fn starts_at(attempt: u32, more: &str) -> Arena {
    let script = format!(
        "echo started >> starts; [ $(wc -l < starts) -ge {attempt} ] || exit 1; exec '{HOSTILE}' plays"
    );
    // Its games are known, so nobody starts it to ask for them.
    let bot = format!(
        "[[bots]]\nname = \"hostile\"\ngames = [\"amazons\"]\ncommand = [\"sh\", \"-c\", \"{script}\"]\n"
    );
    Arena::new(&format!("{more}{}{bot}", config(&[RANDOM])))
}

#[test]
fn a_bot_that_misses_its_start_is_started_again() {
    let arena = starts_at(3, "");
    let ran = play_cleanly(&arena, &[]);
    assert!(judge(&arena, 2).iter().all(|(_, fault)| fault.is_none()));
    let warning = "the bot `hostile` started only at attempt 3; before, it exited with code 1";
    assert_contains(&ran.stderr, warning);
}

#[test]
fn starts_are_tried_as_often_as_the_configuration_says() {
    let arena = starts_at(3, "start_attempts = 2\n");
    play_cleanly(&arena, &[]);
    for (_, fault) in judge(&arena, 2) {
        let message = fault.expect("a fault")["message"].to_string();
        assert_contains(&message, "the last of 2 attempts");
    }
    let starts = arena.read("starts");
    assert_eq!(starts.lines().count(), 2);
    let arena = starts_at(1, "start_attempts = 0\n");
    let ran = play_cleanly(&arena, &[]);
    assert_eq!(ran.code, Some(2));
    for part in [
        "line 1: `start_attempts`",
        "0 is not a whole number from 1 to 20",
    ] {
        assert_contains(&ran.stderr, part);
    }
}

#[test]
fn hundreds_of_matches_leave_no_zombie_and_no_open_file() {
    let quick = "[limits]\nmax_plies = 2\n";
    let bots = named("hostile", "plays", "", "") + &named("other", "children", "", "");
    let text = format!(
        "rounds = 150\nrestart = \"each-match\"\n{}{quick}{bots}",
        config(&[])
    );
    let arena = Arena::new(&text);
    let mut child = arena.silent().spawn().expect("referee runs");
    let pid = child.id();
    let mut samples: Vec<(usize, usize)> = Vec::new();
    while child.try_wait().unwrap().is_none() {
        let sample = (open_files(pid), children(pid).len());
        // Nothing of a process that has just ended.
        samples.extend(iter::once(sample).filter(|(files, _)| *files > 0));
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(judge(&arena, 300).len(), 300);
    assert!(samples.len() >= 10, "{} samples", samples.len());
    // Two slots by two bots, and as many that are ending; four to six files for each.
    let most = |part: &[(usize, usize)]| {
        let files = part.iter().map(|(files, _)| *files).max().unwrap_or(0);
        let children = part
            .iter()
            .map(|(_, children)| *children)
            .max()
            .unwrap_or(0);
        (files, children)
    };
    let (first, second) = samples.split_at(samples.len() / 2);
    let ((files, children), (later_files, later_children)) = (most(first), most(second));
    assert!(
        later_files <= files + 40,
        "{files}, then {later_files} open files"
    );
    assert!(
        later_children <= children + 8,
        "{children}, then {later_children} children"
    );
}

/// The campaign in small: its commands in `tests/CAMPAIGNS.md` play thousands of matches.
#[test]
fn half_of_the_entrants_are_hostile() {
    let findings = tests::campaign::hostile::run(60, 1);
    assert!(findings.wrong.is_empty(), "{findings}");
}

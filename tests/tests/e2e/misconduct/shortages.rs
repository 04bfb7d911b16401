//! Exhausted resources of the referee itself are no bot's fault.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::unistd::geteuid;
use tests::needs::skip;
use tests::traces::children;
use tests::{Arena, Ran, assert_contains, good, referee, wait_until};

use crate::{RANDOM, config};

const OTHER: (&str, &str) = ("other", r#"["referee", "bot", "random"]"#);

/// Runs `referee` after some commands of a shell.
fn after<S: AsRef<OsStr>>(shell: &str, args: impl IntoIterator<Item = S>) -> Ran {
    let script = format!("{shell}; exec \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &script, "sh"])
        .arg(referee())
        .args(args)
        .stdin(Stdio::null())
        .output();
    output.expect("a shell").into()
}

fn assert_no_fault(arena: &Arena, matches: usize) {
    let played = arena.matches();
    assert_eq!(played.len(), matches);
    for record in played {
        assert_eq!(
            record["result"]["faults"],
            serde_json::json!([]),
            "{record}"
        );
    }
}

#[test]
fn too_many_matches_at_a_time_are_refused_before_anything_is_played() {
    let arena = Arena::new(&format!(
        "concurrency = 200\nrounds = 500\n{}",
        config(&[RANDOM, OTHER])
    ));
    let ran = after("ulimit -n 64", arena.tournament());
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    let message = ran.stderr.trim_end();
    assert_eq!(message.lines().count(), 1, "{message}");
    for part in [
        "200 matches at a time need about ",
        "`ulimit -n` allows ",
        "`concurrency = 1`",
    ] {
        assert_contains(message, part);
    }
    assert!(!arena.path("out").exists(), "nothing is made");
    let ran = after("ulimit -n 24", arena.tournament());
    tests::refused(&ran, 4, "not enough for one");
}

#[test]
fn what_is_left_to_the_machine_is_lowered_to_what_is_possible() {
    let bots = config(&[RANDOM, OTHER]);
    let arena = Arena::new(&format!("concurrency = \"auto\"\nrounds = 4\n{bots}"));
    let cores = std::thread::available_parallelism().unwrap().get();
    let ran = good(after("ulimit -n 64", arena.tournament()));
    assert_no_fault(&arena, 8);
    let at_a_time = &arena.matches()[0]["conditions"]["concurrency"];
    assert_eq!(*at_a_time, 1);
    assert_eq!(
        ran.stderr.contains("warning: `concurrency`: "),
        cores > 1,
        "{}",
        ran.stderr
    );
}

#[test]
fn a_soft_limit_is_raised_for_the_referee_alone() {
    let command = r#"["sh", "-c", "echo soft $(ulimit -Sn) >&2; exec \"$REFEREE\" bot random"]"#;
    let bots = config(&[RANDOM, ("reports", command)]);
    let arena = Arena::new(&format!("concurrency = 12\nrounds = 12\n{bots}"));
    good(after("ulimit -Sn 64", arena.tournament()));
    assert_no_fault(&arena, 24);
    let kept = fs::read_dir(arena.path("out/stderr")).unwrap();
    let reported: Vec<String> = kept
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert!(
        !reported.is_empty() && reported.iter().all(|reported| reported == "soft 64\n"),
        "{reported:?}"
    );
}

/// Starts a tournament of 60 matches that needs new processes for each, waits for its first match,
/// and then lowers a limit of the referee and its children, as an option of prlimit(1). `program` makes the commands.
/// It must stop with these parts in its message, and blame nobody; what it played stays, and it can
/// be resumed.
#[track_caller]
fn runs_out(program: impl Fn(&Path) -> Command, limit: &str, parts: &[&str]) {
    let bots = config(&[RANDOM, OTHER]);
    let arena = Arena::new(&format!(
        "concurrency = 2\nrestart = \"each-match\"\nrounds = 30\n{bots}"
    ));
    // Also for a user who did not make it.
    fs::set_permissions(arena.path(""), Permissions::from_mode(0o777)).unwrap();
    let child = program(referee())
        .args(arena.tournament())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let log = arena.path("out/games.jsonl");
    wait_until("a match", || {
        fs::metadata(&log).is_ok_and(|meta| meta.len() > 0)
    });
    let limit = |pid: &str| {
        // Its own user may lower its limits.
        let mut prlimit = program(Path::new("prlimit"));
        let limited = prlimit.args(["--pid", pid, limit]).stderr(Stdio::null());
        limited.status().unwrap().success()
    };
    // The processes of its bots start below it, and may be gone by now.
    for child in children(child.id()) {
        limit(&child.to_string());
    }
    assert!(limit(&child.id().to_string()));
    let ran: Ran = child.wait_with_output().unwrap().into();
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    for part in parts.iter().chain(&["no bot is at fault"]) {
        assert_contains(&ran.stderr, part);
    }
    let before = arena.matches().len();
    assert!((1..60).contains(&before), "{before}");
    assert_no_fault(&arena, before);
    let again = program(referee())
        .args(arena.tournament())
        .arg("--resume")
        .output();
    good(Ran::from(again.unwrap()));
    assert_no_fault(&arena, 60);
}

#[test]
fn running_out_in_the_middle_stops_it_and_nobody_is_blamed() {
    runs_out(
        |program| Command::new(program),
        "--nofile=12:12",
        &["Too many open files", "`ulimit -n`", "--resume --out"],
    );
}

/// A command for a user id of its own: root's processes have no limit on their number.
fn as_somebody(program: &Path) -> Command {
    if !geteuid().is_root() {
        return Command::new(program);
    }
    let id = (1_200_000_000 + std::process::id()).to_string();
    let mut command = Command::new("setpriv");
    command.args(["--reuid", &id, "--regid", &id, "--clear-groups", "--"]);
    command.arg(program);
    command
}

#[test]
fn running_out_of_processes_stops_it_and_nobody_is_blamed() {
    let usable = as_somebody(referee()).arg("--version").output();
    if !usable.is_ok_and(|ran| ran.status.success()) {
        return skip("an ordinary user cannot run the program where it is");
    }
    runs_out(
        as_somebody,
        "--nproc=1:1",
        &["no more processes", "`ulimit -u`"],
    );
}

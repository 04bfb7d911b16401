//! Resource limits: the log says how they are enforced, and faults name the limit.

use std::process::Command;

use serde_json::{Value, json};
use tests::needs::{Need, has};
use tests::{Arena, Ran, good, referee};

use crate::misconduct::arena::{
    SHORT, assert_fault, assert_well, judge, play_cleanly, stderr, three,
};

const SECOND_TURN: [u32; 2] = [2, 3];

fn limited(how: &str, resources: &str) -> Arena {
    three("", how, &format!("resources = {{ {resources} }}"))
}

/// The limits that were enforced on the hostile bot.
fn confined(arena: &Arena) -> Value {
    let records = arena.matches();
    let mut players = records
        .iter()
        .flat_map(|m| m["players"].as_array().unwrap());
    let hostile = players
        .find(|p| p["name"] == "hostile")
        .expect("the bot has played");
    hostile["confined"].clone()
}

#[test]
fn memory() {
    if !has(Need::ControlGroups) {
        return;
    }
    let arena = limited("allocates", "memory = \"64MiB\"");
    assert_fault(
        &arena,
        "crash",
        SECOND_TURN,
        "it was out of the memory allowed to it",
    );
    let confined = confined(&arena);
    assert_eq!(confined["sandbox"], "limits");
    assert_eq!(
        confined["limits"]["memory"],
        json!({"limit": 64 << 20, "by": "cgroup"})
    );
}

#[test]
fn memory_of_all_processes_together() {
    // The kernel ends one of them; which one is its business.
    let more = format!("{SHORT}\nresources = {{ memory = \"64MiB\" }}");
    let arena = three("", "allocates-in-child", &more);
    good(play_cleanly(&arena, &[]));
    for (_, fault) in judge(&arena, 6) {
        let fault = fault.expect("a fault in each match");
        assert!(
            fault["code"] == "crash" || fault["code"] == "timeout",
            "{fault}"
        );
    }
}

#[test]
fn a_fork_bomb() {
    if !has(Need::ControlGroups) {
        return;
    }
    let more = format!("{SHORT}\nresources = {{ processes = 40 }}");
    let arena = three("", "fork-bomb", &more);
    assert_fault(&arena, "timeout", SECOND_TURN, "allowed: 700 ms");
    let limit = json!({"limit": 40, "by": "cgroup"});
    assert_eq!(confined(&arena)["limits"]["processes"], limit);
}

#[test]
fn processes() {
    let arena = limited("many-children", "processes = 20");
    assert_well(&arena);
    // Each of at most two slots has one process of this bot, with up to nineteen beside it.
    let children = stderr(&arena).matches("child").count();
    assert!((2..=38).contains(&children), "{children} children");
}

#[test]
fn sizes_of_files() {
    let arena = limited("fills-disk", "file_size = \"1MiB\"");
    assert_fault(&arena, "crash", [0, 1], "SIGXFSZ");
}

#[test]
fn open_files() {
    let arena = limited("opens-files", "open_files = 100");
    assert_fault(&arena, "crash", SECOND_TURN, "exited with code 24");
}

#[test]
fn cpu_time() {
    for how in ["spins", "spins-in-child"] {
        let arena = limited(how, "cpu_time = \"400ms\"");
        assert_fault(
            &arena,
            "timeout",
            SECOND_TURN,
            "of CPU time in this match (allowed: 400 ms)",
        );
    }
}

#[test]
fn cpu_time_in_a_control_group() {
    let arena = three(
        "",
        "spins-in-child",
        "sandbox = \"limits\"\nresources.cpu_time = \"400ms\"",
    );
    assert_fault(
        &arena,
        "timeout",
        SECOND_TURN,
        "of CPU time in this match (allowed: 400 ms)",
    );
}

#[test]
fn output() {
    for (limit, message) in [
        ("output_lines = 50", "50 lines"),
        ("output_bytes = 4000", "4000 bytes"),
    ] {
        let arena = limited("prints-some", limit);
        assert_fault(
            &arena,
            "protocol",
            SECOND_TURN,
            &format!("printed more than {message}"),
        );
    }
    assert_well(&limited(
        "prints-some",
        "output_lines = 101, output_bytes = 16384",
    ));
}

#[test]
fn stderr_and_info() {
    let arena = limited("floods-stderr", "stderr_bytes = 5000");
    assert_well(&arena);
    let kept = stderr(&arena).matches('x').count();
    assert_eq!(kept, 5000);
    let arena = limited("large-numbers", "info_bytes = 10");
    assert_well(&arena);
    let message = crate::misconduct::arena::moves_of_hostile(&arena);
    assert!(!message.is_empty() && message.iter().all(|mv| mv["info"].is_null()));
}

#[test]
fn limits_of_the_kernel_need_a_sandbox() {
    let more = "sandbox = \"none\"\nresources = { memory = \"64MiB\" }";
    let ran = three("", "plays", more).play();
    tests::refused(&ran, 2, "use `sandbox = \"limits\"` or stricter");
}

/// Plays on a machine without control groups.
fn without_groups(arena: &Arena) -> Ran {
    let hide = "mount -t tmpfs none /sys/fs/cgroup && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args([
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        hide,
        "sh",
    ]);
    command.arg(referee()).args(arena.tournament());
    command.output().expect("unshare is there").into()
}

#[test]
fn memory_without_control_groups() {
    if !has(Need::Namespaces) {
        return;
    }
    let arena = limited("allocates", "memory = \"64MiB\"");
    good(without_groups(&arena));
    let limit = json!({"limit": 64 << 20, "by": "rlimit, watch"});
    assert_eq!(confined(&arena)["limits"]["memory"], limit);
    for (_, fault) in judge(&arena, 6) {
        let fault = fault.expect("a fault in each match");
        assert_eq!(fault["code"], "crash", "{fault}");
        // A single process is refused more by the kernel, and many are watched together.
        let message = fault["message"].as_str().unwrap();
        assert!(message.contains("SIGABRT") || message.contains("of memory (allowed: 64.0 MiB)"));
    }
}

#[test]
fn processes_without_control_groups() {
    if !has(Need::Namespaces) {
        return;
    }
    let arena = limited("many-children", "processes = 20");
    good(without_groups(&arena));
    let limit = json!({"limit": 20, "by": "watch"});
    assert_eq!(confined(&arena)["limits"]["processes"], limit);
    let faults: Vec<Value> = judge(&arena, 6)
        .into_iter()
        .filter_map(|(_, fault)| fault)
        .collect();
    assert!(!faults.is_empty(), "it is looked at every few milliseconds");
    for fault in faults {
        assert_eq!(fault["code"], "crash", "{fault}");
        assert!(
            fault["message"]
                .as_str()
                .unwrap()
                .contains("processes and threads (allowed: 20)")
        );
    }
}

//! Embedded examples, without a checkout.

use std::process::Command;

use tests::{Ran, assert_contains, good, referee, refused, verified};

/// Runs the program in an empty folder.
fn run(folder: &std::path::Path, args: &[&str]) -> Ran {
    let mut command = Command::new(referee());
    let output = command.current_dir(folder).args(args).output();
    output.expect("referee runs").into()
}

#[test]
fn examples_are_listed_printed_and_played_without_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let list = good(run(folder, &["examples"])).stdout;
    for name in ["quickstart", "all-eight", "sheets", "ten-seconds"] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{list}");
    }
    let text = good(run(folder, &["examples", "quickstart"])).stdout;
    assert_contains(&text, "name = \"quickstart\"");

    // Bots in Python, rules programs and sheets are found, too.
    for name in ["quickstart", "rules-programs", "sheets"] {
        good(run(folder, &["config", "check", name]));
    }
    let quick = ["--set", "time.per_move=5ms", "--set", "limits.max_plies=6"];
    let tournament = ["tournament", "ten-seconds", "--quiet", "--out", "played"];
    good(run(folder, &[&tournament[..], &quick[..]].concat()));
    verified(folder.join("played"));
}

#[test]
fn a_file_goes_before_an_example_of_its_name() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("quickstart"), "name = 1").unwrap();
    refused(
        &run(folder.path(), &["config", "check", "quickstart"]),
        2,
        "quickstart: line 1",
    );
    refused(
        &run(folder.path(), &["examples", "nothing"]),
        2,
        "no example `nothing`",
    );
}

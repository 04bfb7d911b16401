//! Tournaments in parts, and merging their logs.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tests::{
    Arena, Ran, assert_contains, good, referee, refused_in_one_line as refused, run_in, timeless,
    verified,
};

use crate::{GREEDY, RANDOM, config};

/// Six groups, each of two matches.
fn arena() -> Arena {
    let bots = [RANDOM, ("other", RANDOM.1), GREEDY];
    Arena::new(&format!("rounds = 2\n{}", config(&bots)))
}

fn play(arena: &Arena, args: &str) -> Ran {
    let config = arena.path("t.toml").display().to_string();
    let args = format!("tournament {config} --quiet {args}");
    run_in(arena, &args)
}

/// The matches of a folder by their ids, without data that differ between runs.
fn matches(arena: &Arena, folder: &str) -> BTreeMap<String, Value> {
    let log = fs::read_to_string(arena.path(folder).join("games.jsonl")).unwrap();
    let records = log.lines().map(|line| {
        let record: Value = serde_json::from_str(line).unwrap();
        (
            record["match"].as_str().unwrap().to_owned(),
            timeless(&record),
        )
    });
    records.collect()
}

#[test]
fn parts_make_up_the_whole() {
    let arena = arena();
    good(play(&arena, "--out whole"));
    let whole = matches(&arena, "whole");
    assert_eq!(whole.len(), 12);
    let mut together = BTreeMap::new();
    for part in 1..=4 {
        good(play(&arena, &format!("--shard {part}/4 --out part-{part}")));
        let part = matches(&arena, &format!("part-{part}"));
        // Groups are whole: each bot sits in each seat as often as in the other.
        let mut seats: BTreeMap<String, i32> = BTreeMap::new();
        for record in part.values() {
            for (seat, player) in record["players"].as_array().unwrap().iter().enumerate() {
                *seats.entry(player["name"].to_string()).or_default() += 1 - 2 * seat as i32;
            }
        }
        assert!(seats.values().all(|balance| *balance == 0), "{seats:?}");
        assert!((2..=4).contains(&part.len()), "{} matches", part.len());
        together.extend(part);
    }
    assert_eq!(together, whole);

    // All but one part, then all, one of them twice.
    let ran = good(run_in(&arena, "merge part-1 part-2 part-4 --out most"));
    let lacking = matches(&arena, "part-3").len();
    let left = 12 - lacking;
    assert_contains(&ran.stdout, &format!("{left} of 12 matches are in most"));
    let config = arena.path("t.toml").canonicalize().unwrap();
    let command = format!(
        "{lacking} matches are missing of part 3/4: `referee tournament {} --shard 3/4 --out part-3` \
         plays the rest",
        config.display()
    );
    assert_contains(&ran.stderr, &command);
    let ran = good(run_in(
        &arena,
        "merge part-1 part-2 part-3 part-4 most --out all",
    ));
    assert_contains(&ran.stdout, "12 of 12 matches are in all");
    assert_contains(&ran.stdout, &format!("same in all of them: {left}"));
    assert_eq!(ran.stderr, "");
    assert_eq!(matches(&arena, "all"), whole);
    verified(arena.path("all"));
    // What was put together goes on like any other tournament.
    let ran = good(play(&arena, "--out all --resume"));
    assert_contains(&ran.stderr, "all 12 matches");
    good(play(&arena, "--out most --resume"));
    assert_eq!(matches(&arena, "most"), whole);
}

#[test]
fn parts_are_resumed_as_parts() {
    let arena = arena();
    good(play(&arena, "--shard 2/3 --out part"));
    let all = matches(&arena, "part");
    // As after a crash: the first match is there, and no more.
    let log = arena.path("part/games.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.split_inclusive('\n').next().unwrap()).unwrap();
    let ran = run_in(&arena, "merge part --out merged");
    let mine = format!(
        "{} matches are missing of part 2/3: `referee tournament ",
        all.len() - 1
    );
    assert_contains(&ran.stderr, &mine);
    assert_contains(&ran.stderr, "--resume --out part` plays the rest");
    refused(
        &play(&arena, "--shard 1/3 --out part --resume"),
        2,
        "`part` has part 2/3 of the schedule, not part 1/3",
    );
    good(play(&arena, "--out part --resume"));
    assert_eq!(matches(&arena, "part"), all);
    good(play(&arena, "--shard 2/3 --out part --resume"));
    assert_eq!(matches(&arena, "part"), all);
}

#[test]
fn what_does_not_fit_is_refused() {
    let arena = arena();
    good(play(&arena, "--shard 1/2 --out one"));
    good(play(&arena, "--shard 2/2 --out two"));
    refused(
        &run_in(&arena, "merge one nowhere --out all"),
        2,
        "`nowhere/tournament.toml`",
    );
    refused(
        &run_in(&arena, "merge one two --out one"),
        2,
        "already holds a tournament",
    );
    let ran = play(&arena, "--shard 3/2 --out x");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let sentence = "`3/2` is not a part of a schedule, as in `3/8`";
    assert_contains(&ran.stderr, sentence);
    refused(
        &play(
            &arena,
            "--shard 1/2 --out x --set format=swiss --set rounds=1",
        ),
        2,
        "the schedule of the format `swiss` depends on results",
    );
    good(play(&arena, "--shard 2/2 --out seven --set seed=7"));
    refused(
        &run_in(&arena, "merge one seven --out all"),
        2,
        "are not parts of one tournament: `seed`",
    );
    good(play(&arena, "--shard 1/3 --out third"));
    refused(
        &run_in(&arena, "merge one third --out all"),
        2,
        "one has 2 parts, the other 3",
    );
    good(play(&arena, "--shard 1/2 --out again"));
    // The same moves at other times are another course.
    refused(
        &run_in(&arena, "merge one again --out all"),
        3,
        "was played twice, with different courses",
    );

    let log = arena.path("two/games.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    let changed = text.replacen("\"outcome\":[1", "\"outcome\":[2", 1);
    let changed = if changed == text {
        text.replacen("\"outcome\":[0", "\"outcome\":[2", 1)
    } else {
        changed
    };
    fs::write(&log, changed).unwrap();
    refused(
        &run_in(&arena, "merge one two --out all"),
        3,
        "does not verify: `outcome",
    );
    fs::write(
        &log,
        text.replacen("\"duration_ms\":", "\"duration_ms\":1", 1),
    )
    .unwrap();
    refused(&run_in(&arena, "merge one two --out all"), 3, "line 2");
    assert!(!arena.path("all").exists(), "nothing was written");
}

/// The example of the README, for real.
#[test]
fn gnu_parallel_plays_the_parts() {
    if Command::new("parallel").arg("--version").output().is_err() {
        tests::needs::skip("GNU parallel is not there");
        return;
    }
    let arena = arena();
    let script = "parallel referee tournament t.toml --quiet --shard {}/3 --out part-{} ::: 1 2 3 && \
                  referee merge part-* --out all";
    let mut path = vec![referee().parent().unwrap().to_owned()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let ran = Command::new("sh")
        .args(["-c", script])
        .env("PATH", std::env::join_paths::<_, PathBuf>(path).unwrap())
        .env("HOME", arena.path(""))
        .current_dir(arena.path(""))
        .output()
        .unwrap();
    let ran = good(ran.into());
    assert_contains(&ran.stdout, "12 of 12 matches are in all");
    good(play(&arena, "--out whole"));
    assert_eq!(matches(&arena, "all"), matches(&arena, "whole"));
}

//! The machine in the log, and its effects.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tests::{Arena, Ran, assert_contains, good, referee};

use crate::{GREEDY, HOSTILE, RANDOM, config};

/// Runs a command line in the arena's folder.
fn run_in(arena: &Arena, args: &[&str]) -> Ran {
    let mut command = Command::new(referee());
    command.args(args).current_dir(arena.path(""));
    command.env_remove("REFEREE_YARDSTICK");
    command.output().unwrap().into()
}

/// The speed of this machine, as `doctor` says it.
fn speed(arena: &Arena) -> f64 {
    let doctor = good(run_in(arena, &["doctor"])).stdout;
    let figure = doctor.split("the speed is ").nth(1).unwrap();
    figure.split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn each_line_has_the_machine() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    good(run_in(&arena, &["tournament", "t.toml", "--out", "out"]));
    for record in arena.matches() {
        let machine = &record["machine"];
        assert!(!machine["name"].as_str().unwrap().is_empty(), "{machine}");
        assert!(machine["cores"].as_u64() >= Some(1), "{machine}");
        assert!(machine["speed"].as_f64() > Some(0.0), "{machine}");
        assert!(machine.to_string().len() < 180, "{machine}");
    }
    let mut command = Command::new(referee());
    command.args([
        "tournament",
        "t.toml",
        "--out",
        "other",
        "--machine",
        "rack 7",
    ]);
    command.env("REFEREE_YARDSTICK", "off");
    good(command.current_dir(arena.path("")).output().unwrap().into());
    let log = arena.read("other/games.jsonl");
    let record: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!(record["machine"]["name"], "rack 7");
    assert_eq!(record["machine"].get("speed"), None);
    good(run_in(&arena, &["replay", "other", "--verify"]));
}

#[test]
fn limits_are_scaled_by_the_speed() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    // A machine twice as fast as this one; what is measured varies.
    let reference = 2.0 * speed(&arena);
    let text = arena.read("t.toml");
    let scale = |more: &str| text.replace("[time]\n", &format!("[time]\n{more}\n"));
    let scaled = format!("scale = \"yardstick\"\nreference = {reference:.1}");
    let own = "[[bots]]\nname = \"own\"\ncommand = \"referee bot random\"\ntime = { per_move = \"10s\" }\n";
    arena.write("t.toml", &(scale(&scaled) + own));
    let ran = good(run_in(&arena, &["tournament", "t.toml", "--out", "out"]));
    assert_contains(&ran.stderr, "so time limits are multiplied by ");
    for record in arena.matches() {
        let factor = reference / record["machine"]["speed"].as_f64().unwrap();
        let is_scaled = |time: &Value, limit: f64| {
            let scaled = time["per_move_ms"].as_f64().unwrap();
            // The speed in the log is rounded.
            assert!(
                (scaled / (limit * factor) - 1.0).abs() < 0.1,
                "{time}, {factor}"
            );
            assert_eq!(time["startup_ms"], 20_000);
        };
        is_scaled(&record["time"], 20_000.0);
        for player in record["players"].as_array().unwrap() {
            if player["name"] == "own" {
                is_scaled(&player["time"], 10_000.0);
            }
        }
    }
    for (more, part) in [
        ("scale = \"yardstick\"", "`time.scale`: needs `reference`"),
        ("reference = 5", "`time.reference`: needs `scale"),
        (
            "scale = \"yardstick\"\nreference = 1e6",
            "that is no difference between machines",
        ),
    ] {
        arena.write("t.toml", &scale(more));
        let ran = run_in(&arena, &["tournament", "t.toml", "--out", "refused"]);
        tests::refused(&ran, 2, part);
    }
    assert!(!arena.path("refused").exists());
}

#[test]
fn matches_that_are_disturbed_do_not_count() {
    if !Path::new("/proc/pressure/cpu").exists() {
        tests::needs::skip("this machine does not report who waits for a core");
        return;
    }
    // Both bots, and one that computes without end, share a core: somebody always waits.
    let busy = format!(r#"["sh", "-c", "while :; do :; done & exec {HOSTILE} plays"]"#);
    let engine = r#"["referee", "bot", "mcts", "--playouts", "200"]"#;
    let text = config(&[("busy", &busy), ("engine", engine)]);
    let arena = Arena::new(&format!(
        "concurrency = 1\nmachine = {{ max_waiting = 0.01, attempts = 2 }}\n{text}"
    ));
    let ran = run_in(&arena, &["tournament", "t.toml", "--out", "out"]);
    assert_eq!(ran.code, Some(4), "{}{}", ran.stdout, ran.stderr);
    for part in [
        "warning: match m-000001 is played again: processes waited for a core in ",
        "match m-000001 was played 2 times and did not count, the last time because processes waited",
        "no bot is at fault",
    ] {
        assert_contains(&ran.stderr, part);
    }
    assert_eq!(arena.matches().len(), 0);
}

/// A log of matches on two machines. On `slow`, which is busy, the bot `a` loses all, on `fast` half of them.
fn two_machines(arena: &Arena) {
    let bots = [("a", RANDOM.1), ("b", RANDOM.1)];
    arena.write("t.toml", &format!("rounds = 20\n{}", config(&bots)));
    good(run_in(
        arena,
        &[
            "tournament",
            "t.toml",
            "--out",
            "out",
            "--quiet",
            "--machine",
            "fast",
        ],
    ));
    let log = arena.read("out/games.jsonl");
    let lines = log.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        let fields = record.as_object_mut().unwrap();
        fields.remove("prev");
        fields.remove("load");
        // Both seat orders of a start are on one machine.
        let number: usize = record["match"].as_str().unwrap()[2..].parse().unwrap();
        let group = (number - 1) / 2;
        let slow = group.is_multiple_of(2);
        if slow {
            record["machine"]["name"] = "slow".into();
            record["load"] = serde_json::json!({"waiting": 0.9});
        }
        let players = record["players"].as_array().unwrap();
        let a = players
            .iter()
            .position(|player| player["name"] == "a")
            .unwrap();
        let won = if slow || group % 4 == 1 { 1 - a } else { a };
        record["result"]["outcome"] = serde_json::json!([f64::from(won == 0), f64::from(won == 1)]);
        record.to_string() + "\n"
    });
    arena.write("two.jsonl", &lines.collect::<String>());
}

#[test]
fn results_are_compared_by_machine() {
    let arena = Arena::new("");
    two_machines(&arena);
    let ran = good(run_in(
        &arena,
        &["standings", "two.jsonl", "--by", "machine"],
    ));
    for part in [
        "The machine `slow`: its results are not those of the other machines (p = 0.0004).",
        "`--without machine=slow` leaves them out",
        "Each bot on each machine, and elsewhere",
        "0/20",
    ] {
        assert_contains(&ran.stdout, part);
    }
    let noisy =
        "The machine `slow` is too noisy for matches by the clock: during 20 of 20 matches it had";
    let ran = good(run_in(&arena, &["standings", "two.jsonl"]));
    assert_contains(&ran.stdout, noisy);
    let json = |more: &[&str]| -> Value {
        let args = [&["standings", "two.jsonl", "--format", "json"], more].concat();
        good(run_in(&arena, &args)).json()
    };
    let by_machine = json(&["--by", "machine"]);
    let slow = &by_machine["machines"][1];
    assert_eq!(
        (&slow["name"], &slow["matches"]),
        (&"slow".into(), &20.into())
    );
    assert_eq!(slow["bots"][0]["points"], 0.0);
    assert_eq!(slow["homogeneity"]["freedom"], 1);
    assert_eq!(json(&[])["machines"][1].get("homogeneity"), None);
    let csv = good(run_in(
        &arena,
        &[
            "standings",
            "two.jsonl",
            "--by",
            "machine",
            "--format",
            "csv",
        ],
    ));
    assert_eq!(csv.stdout.lines().count(), 1 + 2 * 3, "{}", csv.stdout);

    let without = json(&["--without", "machine=slow"]);
    assert_eq!(without["matches"], 20);
    assert_eq!(without["machines"].as_array().unwrap().len(), 1);
    assert_eq!(without["bots"][0]["results"]["points"], 10.0);
    for (value, part) in [
        (
            "machine=other",
            "no match was played on a machine `other`; there are `fast`, `slow`",
        ),
        ("slow", "as in `machine=rack7`"),
    ] {
        let ran = run_in(&arena, &["standings", "two.jsonl", "--without", value]);
        tests::refused(&ran, 2, part);
    }
}

#[test]
fn a_log_of_nothing_but_what_is_left_out_is_told_from_an_empty_one() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    let args = ["tournament", "t.toml", "--out", "out", "--machine", "only"];
    good(run_in(&arena, &args));
    let ran = run_in(&arena, &["standings", "out", "--without", "machine=only"]);
    tests::refused(&ran, 2, "--without: no other match is in");
}

#[test]
fn parts_keep_their_machines() {
    let arena = Arena::new(&config(&[RANDOM, ("other", RANDOM.1), GREEDY]));
    for part in ["1", "2"] {
        let (shard, out) = (format!("{part}/2"), format!("part-{part}"));
        let args = [
            "tournament",
            "t.toml",
            "--quiet",
            "--shard",
            &shard,
            "--out",
            &out,
            "--machine",
            &out,
        ];
        good(run_in(&arena, &args));
    }
    good(run_in(
        &arena,
        &["merge", "part-1", "part-2", "--out", "out"],
    ));
    let mut machines: Vec<String> = arena
        .matches()
        .iter()
        .map(|record| record["machine"]["name"].as_str().unwrap().to_owned())
        .collect();
    machines.sort();
    machines.dedup();
    assert_eq!(machines, ["part-1", "part-2"]);
}

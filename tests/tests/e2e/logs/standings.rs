//! Commands that read a log: standings, exports, JSON for programs.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tests::{Arena, Ran, assert_contains, good, referee, run, wait_until};

use crate::{GATED, GREEDY, RANDOM, config};

/// Sixteen matches, played to the end.
fn played() -> (Arena, Ran) {
    let arena = Arena::new(&format!("rounds = 8\n{}", config(&[RANDOM, GREEDY])));
    let ran = good(arena.play());
    (arena, ran)
}

fn standings(log: PathBuf, args: &[&str]) -> Ran {
    let args = args.iter().map(PathBuf::from);
    run(["standings".into(), log].into_iter().chain(args))
}

#[track_caller]
fn json(ran: &Ran) -> Value {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.json()
}

#[test]
fn standings_are_made_from_the_log_alone() {
    let (arena, ran) = played();
    let header = ran.stdout.lines().nth(1).expect("a header");
    for column in ["elo", "±", "points", "matches", "faults"] {
        assert!(header.contains(column), "{column} in {header}");
    }
    // Nothing but the log is needed.
    fs::copy(arena.path("out/games.jsonl"), arena.path("log.jsonl")).unwrap();
    let text = standings(arena.path("log.jsonl"), &[]);
    assert_eq!((text.code, &*text.stderr), (Some(0), ""));
    for part in [
        "16 matches of 2 bots in 1 game.",
        "as light",
        "advantage",
        "CPU ms",
        "clusters in turn",
    ] {
        assert_contains(&text.stdout, part);
    }
    let again = standings(arena.path("out"), &[]);
    assert_eq!(text.stdout, again.stdout, "the same log, the same text");

    let report = json(&standings(
        arena.path("out"),
        &["--format", "json", "--anchor", "random=100"],
    ));
    assert_eq!(report["matches"], 16);
    assert_eq!(report["units"], 8);
    let names: Vec<&Value> = (0..2).map(|bot| &report["bots"][bot]["name"]).collect();
    assert_eq!(names, ["greedy", "random"]);
    assert_eq!(report["ratings"]["bots"][1]["elo"], 100.0);
    let points = arena.matches().into_iter().map(|record| {
        let greedy = record["players"].as_array().unwrap();
        let seat = greedy
            .iter()
            .position(|player| player["name"] == "greedy")
            .unwrap();
        record["result"]["outcome"][seat].as_f64().unwrap()
    });
    assert_eq!(report["bots"][0]["results"]["points"], points.sum::<f64>());
}

#[test]
fn standings_are_written_in_all_formats() {
    let (arena, _) = played();
    for by in ["game", "seat", "opening", "pair"] {
        for (format, part) in [
            ("text", "Standings\n"),
            ("markdown", "|--:|---|"),
            (
                "csv",
                if by == "pair" {
                    "bot,other,elo,"
                } else {
                    "game,"
                },
            ),
            ("json", "\"schema\""),
            ("html", "<svg"),
        ] {
            let ran = good(standings(
                arena.path("out"),
                &["--by", by, "--format", format],
            ));
            assert_contains(&ran.stdout, part);
        }
    }
    let page = arena.path("page.html");
    let plot = arena.path("plot.svg");
    let (to, svg) = (page.display().to_string(), plot.display().to_string());
    let args = ["--format", "html", "--out", &to, "--svg", &svg];
    let ran = standings(arena.path("out"), &args);
    assert_eq!((ran.code, &*ran.stdout), (Some(0), ""));
    assert!(fs::read_to_string(page).unwrap().ends_with("</html>\n"));
    assert!(fs::read_to_string(plot).unwrap().starts_with("<svg"));
}

/// One column of a CSV table.
fn column(csv: &str, name: &str) -> Vec<String> {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().expect("names");
    let at = names.iter().position(|known| *known == name).expect(name);
    lines.map(|cells| cells[at].to_owned()).collect()
}

#[test]
fn openings_are_shown_with_their_moves() {
    let bots = config(&[RANDOM, GREEDY]);
    let arena = Arena::new(&format!("rounds = 2\n{bots}[opening]\nrandom_plies = 2\n"));
    good(arena.play());
    let first = &arena.matches()[0];
    let moves: Vec<&str> = (0..2)
        .map(|i| first["moves"][i]["move"].as_str().unwrap())
        .collect();
    let moves = moves.join(" ");
    let text = standings(arena.path("out"), &["--by", "opening"]).stdout;
    assert!(text.contains(&moves), "{moves} in {text}");
    let csv = standings(arena.path("out"), &["--by", "opening", "--format", "csv"]).stdout;
    assert_eq!(column(&csv, "moves")[0], moves, "{csv}");
    let report = json(&standings(
        arena.path("out"),
        &["--by", "opening", "--format", "json"],
    ));
    assert_eq!(report["opening_moves"][0].as_array().unwrap().len(), 2);
}

#[test]
fn each_two_bots_are_compared() {
    let (arena, _) = played();
    let report = json(&standings(arena.path("out"), &["--format", "json"]));
    let apart = &report["ratings"]["differences"][0];
    assert_eq!(apart["bots"], serde_json::json!([0, 1]));
    let figure = |value: &Value| value.as_f64().expect("a number");
    let ratings = [0, 1].map(|bot| figure(&report["ratings"]["bots"][bot]["elo"]));
    assert!((figure(&apart["elo"]) - (ratings[0] - ratings[1])).abs() < 1e-6);
    assert_eq!(apart["superiority"], report["ratings"]["superiority"][0][1]);
    let csv = standings(arena.path("out"), &["--by", "pair", "--format", "csv"]).stdout;
    let sure = figure(&apart["false_discovery"]) <= 0.05;
    assert_eq!(column(&csv, "sure"), [sure.to_string()]);
    assert_eq!(column(&csv, "matches"), ["16"]);
    let text = standings(arena.path("out"), &["--by", "pair"]).stdout;
    assert_eq!(text.contains("▲  "), sure, "{text}");
    // 200 Elo are three points of four, independent of the rest of the report.
    let score = 1.0 / (1.0 + 10_f64.powf(-figure(&apart["elo"]) / 400.0));
    let points = figure(&report["bots"][0]["results"]["points"]);
    assert!((score - points / 16.0).abs() < 0.08, "{score} {points}");
}

#[test]
fn several_logs_make_one_table() {
    let (arena, _) = played();
    let log = arena.read("out/games.jsonl");
    // A bot of the second log is another one, and its faults are not even there, as there are none.
    let other = log.replace("\"name\":\"random\"", "\"name\":\"dice\"");
    let other = other.replace(",\"faults\":[]", "");
    arena.write("other.jsonl", &other);
    let both = [
        "standings".into(),
        arena.path("out"),
        arena.path("other.jsonl"),
    ];
    let text = good(run(both.iter().cloned()));
    let head = "2 logs: 32 matches of 3 bots in 1 game.";
    assert_contains(&text.stdout, head);
    let more = ["--by", "opening", "--format", "csv"].map(PathBuf::from);
    let csv = run(both.iter().cloned().chain(more)).stdout;
    assert_eq!(column(&csv, "log")[0], "1", "{csv}");
    let more = ["--anchor", "random=0", "--anchor", "dice=100"].map(PathBuf::from);
    let more = more
        .into_iter()
        .chain(["--format", "json"].map(PathBuf::from));
    let report = json(&run(both.iter().cloned().chain(more)));
    assert_eq!(report["logs"], 2);
    assert_eq!(report["units"], 16);
    let elo = |bot: usize| report["ratings"]["bots"][bot]["elo"].as_f64().unwrap();
    // Bots are by name: dice, greedy, random.
    assert!((elo(0) + elo(2) - 100.0).abs() < 1e-6, "{report}");

    let twice = run(both.iter().cloned().chain([arena.path("out/games.jsonl")]));
    tests::refused(&twice, 2, "is given twice");
}

#[test]
fn versions_of_a_bot_are_told_apart() {
    let (arena, _) = played();
    let log = arena.read("out/games.jsonl");
    let lines: Vec<String> = log
        .lines()
        .enumerate()
        .map(|(number, line)| {
            let mut record: Value = serde_json::from_str(line).unwrap();
            for player in record["players"].as_array_mut().unwrap() {
                if player["name"] == "greedy" {
                    player["version"] = format!("{}", 1 + number / 8).into();
                }
            }
            format!("{record}\n")
        })
        .collect();
    arena.write("versions.jsonl", &lines.concat());
    let log = arena.path("versions.jsonl");
    let csv = standings(log.clone(), &["--by", "version", "--format", "csv"]).stdout;
    let mut names = column(&csv, "bot");
    names.sort();
    assert_eq!(names.len(), 3, "{csv}");
    assert_eq!(names[..2], ["greedy (1)", "greedy (2)"]);
    assert!(names[2].starts_with("random ("), "{csv}");
    assert_eq!(column(&csv, "matches").len(), 3);
    let whole = standings(log, &["--format", "csv"]).stdout;
    assert_eq!(column(&whole, "bot").len(), 2);
}

#[test]
fn ratings_leave_out_what_they_are_told_to() {
    let (arena, _) = played();
    let log = arena.read("out/games.jsonl");
    // `random` wins two matches more by faults of `greedy`.
    let lines = log.lines().enumerate().map(|(number, line)| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        if number < 2 {
            let players = record["players"].as_array().unwrap();
            let seat = usize::from(players[1]["name"] == "greedy");
            record["result"]["outcome"] = serde_json::json!([seat, 1 - seat]);
            record["result"]["faults"] = serde_json::json!([
                {"seat": seat, "code": "crash", "ply": 3, "message": "gone"}
            ]);
        }
        format!("{record}\n")
    });
    arena.write("faults.jsonl", &lines.collect::<String>());
    let report = |args: &[&str]| {
        let args = [&["--format", "json"], args].concat();
        json(&standings(arena.path("faults.jsonl"), &args))
    };
    let (all, clean) = (report(&[]), report(&["--without-forfeits"]));
    let elo = |report: &Value| report["ratings"]["bots"][0]["elo"].as_f64().unwrap();
    assert!(elo(&clean) > elo(&all), "{} {}", elo(&clean), elo(&all));
    assert_eq!(
        (&all["forfeits"], &clean["forfeits"]),
        (&Value::Null, &2.into())
    );
    assert_eq!(all["bots"], clean["bots"], "points are as they were");
    assert_eq!(
        report(&["--weight", "amazons=3"])["weights"],
        serde_json::json!([3.0])
    );
}

#[test]
fn a_test_is_read_from_any_log() {
    let (arena, _) = played();
    let test = |args: &str| {
        let args: Vec<&str> = args.split(' ').collect();
        standings(arena.path("out"), &args)
    };
    let text = good(test(
        "--sprt greedy random --elo0 -5 --elo1 5.5 --alpha 0.1",
    ));
    for part in [
        "SPRT\n",
        "(alpha 0.1, beta 0.05)",
        "(-2.89 to 2.25) after",
        "in which `greedy`",
    ] {
        assert_contains(&text.stdout, part);
    }
    let there = json(&test("--format json --sprt greedy random"))["sprt"].clone();
    let back = json(&test(
        "--format json --sprt random greedy --elo0 -20 --elo1 0",
    ))["sprt"]
        .clone();
    let llr = |test: &Value| test["llr"].as_f64().expect("a number");
    assert!((llr(&there) + llr(&back)).abs() < 1e-6, "{there} {back}");
    for (args, part) in [
        ("--sprt greedy nobody", "no bot is called `nobody`"),
        ("--sprt greedy greedy", "not `greedy` twice"),
        ("--sprt greedy random --elo1 0", "`elo1` above `elo0`"),
        ("--sprt greedy random --beta 0.5", "`beta` must be"),
        ("--elo0 3", "--sprt"),
        ("--sprt greedy", "2 values"),
        (
            "--sprt greedy random --format csv",
            "no part of `--format csv`",
        ),
    ] {
        let ran = test(args);
        assert_eq!(ran.code, Some(2), "{args}: {}", ran.stdout);
        assert_contains(&ran.stderr, part);
    }
}

#[test]
fn each_game_tells_who_is_better_and_how_sure_that_is() {
    let (arena, _) = played();
    let text = standings(arena.path("out"), &["--by", "game"]).stdout;
    for part in ["against greedy", "against random", "95 % interval"] {
        assert_contains(&text, part);
    }
    let report = json(&standings(arena.path("out"), &["--format", "json"]));
    let met = &report["meetings"][0];
    let [pairs, points] =
        ["pairs", "pair_points"].map(|name| met[name].as_f64().expect("a number"));
    let score = |name: &str| met["score"][name].as_f64().expect("a number");
    assert_eq!(pairs, 8.0);
    assert!((score("mean") - points / pairs).abs() < 1e-12);
    assert!(score("low") < score("mean") || score("mean") == 0.0);
    assert!(score("high") > score("mean") || score("mean") == 1.0);
    // Greedy is the first bot by name.
    let mark = if score("low") > 0.5 { "▲" } else { ")" };
    assert_contains(&text, mark);
}

#[test]
fn the_load_of_the_machine_and_the_use_of_limits_are_told() {
    let (arena, _) = played();
    let text = standings(arena.path("out"), &[]).stdout;
    for part in ["How busy the machine was", "forgiven", "to 10 %"] {
        assert_contains(&text, part);
    }
    let noise = &json(&standings(arena.path("out"), &["--format", "json"]))["noise"];
    let logged = arena.matches();
    let loaded = logged.iter().filter(|record| record["load"].is_object());
    assert_eq!(noise["machine"]["matches"], loaded.count());
    let made = |record: &Value| {
        let moves = record["moves"].as_array().expect("moves").len() as u64;
        moves - record["opening"].as_u64().expect("a number")
    };
    let plies: u64 = logged.iter().map(made).sum();
    let shares = noise["shares"].as_array().expect("a histogram");
    let all: u64 = shares.iter().filter_map(Value::as_u64).sum();
    assert_eq!(all, plies, "every move of a bot is in one class");
}

#[test]
fn standings_work_while_the_tournament_runs() {
    let bots = config(&[RANDOM, GREEDY, GATED]).replace("startup = \"20s\"", "startup = \"2m\"");
    let arena = Arena::new(&format!("concurrency = 1\n{bots}"));
    let mut child = arena
        .silent()
        .env("REFEREE", referee())
        .spawn()
        .expect("referee runs");
    let log = arena.path("out/games.jsonl");
    wait_until("the first matches", || {
        fs::read_to_string(&log).is_ok_and(|text| text.lines().count() == 2)
    });
    let ran = standings(arena.path("out"), &[]);
    arena.write("go", "");
    let ended = child.wait().unwrap();
    assert!(ended.success());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_contains(&ran.stdout, "2 matches of 2 bots");
}

#[test]
fn a_cut_line_is_dropped_and_told() {
    let (arena, _) = played();
    let log = arena.path("out/games.jsonl");
    let whole = fs::read_to_string(&log).unwrap();
    arena.write("cut.jsonl", &whole[..whole.len() - 10]);
    let ran = good(standings(arena.path("cut.jsonl"), &["--by", "seat"]));
    assert_contains(&ran.stdout, "15 matches");
    assert_contains(&ran.stderr, "line 16, the last one, is cut off");
}

#[test]
fn what_is_not_there_is_named() {
    let (arena, _) = played();
    arena.write("empty.jsonl", "");
    for (log, args, error) in [
        (
            "out",
            &["--anchor", "nobody"][..],
            "no bot is called `nobody`; there are greedy, random",
        ),
        (
            "out",
            &["--anchor", "random=x"],
            "`x` is not a number of Elo",
        ),
        ("out", &["--game", "siam"], "there are amazons (size=5)"),
        (
            "out",
            &["--weight", "siam=2"],
            "no match of `siam` was played; there are amazons (size=5)",
        ),
        (
            "out",
            &["--weight", "siam"],
            "a game and its weight are needed",
        ),
        ("out", &["--weight", "amazons=-1"], "`-1` is not a weight"),
        (
            "out",
            &["--anchor", "random", "--anchor", "random=5"],
            "`random` is an anchor twice",
        ),
        ("empty.jsonl", &[], "has no finished match yet"),
        ("nothing", &[], "nothing` cannot be read"),
    ] {
        let ran = standings(arena.path(log), args);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains(error), "{error} in {}", ran.stderr);
    }
    let ran = standings(arena.path("out"), &["--game", "amazons"]);
    assert_contains(&ran.stdout, "16 matches");
}

#[test]
fn a_match_is_exported_as_text() {
    let (arena, _) = played();
    let args = ["export".into(), arena.path("out")];
    let one = good(run(args
        .iter()
        .cloned()
        .chain(["--match".into(), "m-000003".into()])));
    assert!(
        one.stdout
            .starts_with("[Match \"m-000003\"]\n[Game \"amazons (size=5)\"]\n")
    );
    let record = &arena.matches()[2];
    for (ply, logged) in record["moves"].as_array().unwrap().iter().enumerate() {
        let mv = logged["move"].as_str().unwrap();
        let number = format!("{}. ", ply + 1);
        let line = one
            .stdout
            .lines()
            .find(|line| line.trim_start().starts_with(&number));
        assert!(line.expect("a line a ply").contains(mv));
    }
    let all = run(&args);
    assert_eq!(all.stdout.matches("[Match ").count(), 16);
    let none = run(args
        .into_iter()
        .chain(["--match".into(), "m-000099".into()]));
    tests::refused(&none, 2, "there is no match `m-000099`");
}

#[test]
fn matches_and_moves_are_exported_as_rows() {
    let (arena, _) = played();
    let export = |more: &[&str]| {
        let args = ["export".to_owned(), arena.path("out").display().to_string()];
        run(args
            .into_iter()
            .chain(more.iter().map(|it| (*it).to_owned())))
    };
    let matches = good(export(&["--format", "csv"]));
    let lines: Vec<&str> = matches.stdout.lines().collect();
    assert!(
        lines[0].starts_with("match,game,options,seed,"),
        "{}",
        lines[0]
    );
    assert_eq!(lines.len(), 1 + 16);
    let third = lines
        .iter()
        .find(|line| line.starts_with("m-000003,amazons,"));
    assert!(third.is_some(), "{}", matches.stdout);
    let plies = arena.matches()[2]["moves"].as_array().unwrap().len();
    let moves = export(&["--format", "csv", "--rows", "moves", "--match", "m-000003"]);
    let lines: Vec<&str> = moves.stdout.lines().collect();
    assert_eq!(lines[0], "match,game,ply,seat,role,bot,by,move,ms,cpu_ms");
    assert_eq!(lines.len(), 1 + plies);
    let wrong = export(&["--rows", "moves"]);
    tests::refused(&wrong, 2, "`--rows` is for `--format csv`");
}

#[test]
fn programs_get_json() {
    let games = json(&run(["games", "--format", "json"]));
    assert_eq!(games.as_array().unwrap().len(), 8);
    let siam = json(&run(["games", "siam", "--format", "json"]));
    assert_eq!(siam["example"]["legal"].as_array().unwrap().len(), 64);
    assert_eq!(siam["roles"][1], "rhinos");
    let bots = json(&run(["bot", "--format", "json"]));
    assert!(
        bots.as_array()
            .unwrap()
            .iter()
            .any(|bot| bot["name"] == "mcts")
    );

    let (arena, _) = played();
    let lines = |more: &str| -> Vec<Value> {
        let args = [more, "--format", "json"]
            .into_iter()
            .filter(|arg| !arg.is_empty());
        let args = args.map(PathBuf::from);
        let ran = good(run(["replay".into(), arena.path("out")]
            .into_iter()
            .chain(args)));
        let lines = ran.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let list = lines("");
    let log = arena.matches();
    assert_eq!(list.len(), 16);
    let listed = list
        .iter()
        .find(|line| line["match"] == "m-000005")
        .unwrap();
    assert_eq!(listed["result"], log[4]["result"]);
    assert_eq!(listed["plies"], log[4]["moves"].as_array().unwrap().len());
    let verified = lines("--verify");
    assert_eq!(verified.len(), 16);
    assert!(
        verified
            .iter()
            .all(|line| line["ok"] == true && line["mismatch"].is_null())
    );
}

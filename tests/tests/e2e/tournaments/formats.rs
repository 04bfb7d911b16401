//! Tournament formats with real processes: schedules, reports, resuming.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tests::{Arena, Ran, assert_contains, good, run, timeless, unchained};

use crate::{GREEDY, RANDOM, config, config_of};

/// Bots that play at random, from different seeds.
const OTHERS: [(&str, &str); 4] = [
    ("r2", r#""referee bot random --seed 2""#),
    ("r3", r#""referee bot random --seed 3""#),
    ("r4", r#""referee bot random --seed 4""#),
    ("r5", r#""referee bot random --seed 5""#),
];

fn bots(number: usize) -> Vec<(&'static str, &'static str)> {
    let all = [RANDOM, GREEDY].into_iter().chain(OTHERS);
    all.take(number).collect()
}

fn names(record: &Value) -> Vec<&str> {
    let players = record["players"].as_array().unwrap().iter();
    players.map(|p| p["name"].as_str().unwrap()).collect()
}

fn resume(arena: &Arena) -> Ran {
    let mut args = arena.tournament();
    args.push("--resume".into());
    run(args)
}

/// Without data that depend on the run.
fn essence(record: &Value) -> Value {
    let mut record = timeless(record);
    record.as_object_mut().unwrap().remove("conditions");
    record
}

fn log(arena: &Arena) -> String {
    arena.read("out/games.jsonl")
}

/// Plays a configuration as a whole, and with an interruption; log and output must be the same.
/// Returns the output, with the matches.
#[track_caller]
fn played_and_resumed(text: &str) -> (String, Vec<Value>) {
    let arena = Arena::new(&format!("concurrency = 3\n{text}"));
    let ran = good(arena.play());
    let expected: Vec<Value> = arena.matches().iter().map(essence).collect();
    let whole = log(&arena);
    let lines: Vec<&str> = whole.lines().collect();
    for cut in [1, lines.len() / 2, lines.len() - 1] {
        let kept: String = lines[..cut].iter().flat_map(|line| [line, "\n"]).collect();
        fs::write(arena.path("out/games.jsonl"), &kept).unwrap();
        let again = good(resume(&arena));
        assert!(log(&arena).starts_with(&kept), "nothing is played again");
        let matches: Vec<Value> = arena.matches().iter().map(essence).collect();
        assert_eq!(matches, expected);
        assert_eq!(again.stdout, ran.stdout);
    }
    let complete = resume(&arena);
    assert_eq!(complete.stdout, ran.stdout);
    assert_contains(&complete.stderr, "were played already");
    (ran.stdout, expected)
}

#[test]
fn a_gauntlet_has_a_challenger_in_every_match() {
    let text = format!(
        "format = \"gauntlet\"\nchallengers = [\"greedy\"]\nrounds = 2\n{}",
        config(&bots(4))
    );
    let (_, matches) = played_and_resumed(&text);
    assert_eq!(matches.len(), 3 * 2 * 2);
    assert!(matches.iter().all(|m| names(m).contains(&"greedy")));
}

#[test]
fn a_swiss_tournament_pairs_everybody_each_round() {
    let text = format!("format = \"swiss\"\nrounds = 3\n{}", config(&bots(5)));
    let (shown, matches) = played_and_resumed(&text);
    assert_eq!(matches.len(), 3 * 2 * 2);
    for part in ["Swiss:", "Buchholz", "byes", "Standings"] {
        assert_contains(&shown, part);
    }
    let mut met: HashMap<Vec<&str>, u32> = HashMap::new();
    for record in &matches {
        let mut pair = names(record);
        pair.sort_unstable();
        *met.entry(pair).or_default() += 1;
    }
    assert_eq!(met.len(), 6, "nobody meets twice: {met:?}");
}

#[test]
fn a_knockout_ends_with_a_winner() {
    let games = r#"games = [{ id = "amazons", options = { size = 5 } }, "run"]"#;
    let head = "format = \"knockout\"\n";
    let text = format!("{head}{}", config_of(games, &bots(6)));
    let (shown, matches) = played_and_resumed(&text);
    assert!(matches.len() >= 5 * 4, "{}", matches.len());
    for part in ["Quarterfinals", "Semifinals", "Final", "Winner: ", ": bye"] {
        assert_contains(&shown, part);
    }
    let last = names(&matches[matches.len() - 1]);
    let winner = shown.split("Winner: ").nth(1).unwrap().lines().next();
    assert!(last.contains(&winner.unwrap()), "{shown}");
}

#[test]
fn a_test_stops_by_itself() {
    let head = "format = \"sprt\"\n";
    let tail = "[sprt]\nelo0 = 0\nelo1 = 300\n";
    let text = format!("{head}{}{tail}", config(&[GREEDY, RANDOM]));
    let arena = Arena::new(&format!("concurrency = 2\n{text}"));
    let ran = good(arena.play());
    assert!(
        ran.stdout.starts_with("SPRT: H1 accepted: greedy"),
        "{}",
        ran.stdout
    );
    assert_contains(&ran.stderr, "SPRT: LLR ");
    let decided = arena.matches().len();
    assert!(decided < 100, "{decided}");
    // The log alone says the same, without the matches in flight.
    let mut args = vec!["standings".into(), arena.path("out")];
    args.extend(
        "--format json --elo0 0 --elo1 300 --sprt greedy random"
            .split(' ')
            .map(PathBuf::from),
    );
    let report = run(args);
    let report = report.json();
    let test = &report["sprt"];
    assert_eq!(test["verdict"], "h1");
    let llr = test["llr"].as_f64().expect("a number");
    let line = format!(
        "LLR {llr:.2} (-2.94 to 2.94) after {} swapped pairs",
        test["pairs"]
    );
    assert!(ran.stdout.contains(&line), "{line} in {}", ran.stdout);
    let counted =
        test["pairs"].as_u64().expect("a number") + test["after"].as_u64().expect("a number");
    // One that was in flight may be half a pair.
    assert_eq!(counted as usize, decided / 2);
    // Interrupted, it reaches the same decision, after the same pairs.
    let first = |text: &str| text.lines().take(2).map(str::to_owned).collect::<Vec<_>>();
    let whole = log(&arena);
    let kept: String = whole
        .lines()
        .take(3)
        .flat_map(|line| [line, "\n"])
        .collect();
    fs::write(arena.path("out/games.jsonl"), kept).unwrap();
    let again = good(resume(&arena));
    assert_eq!(first(&again.stdout), first(&ran.stdout));
    let before = log(&arena);
    let complete = resume(&arena);
    assert_contains(&complete.stderr, "were played already");
    assert_eq!(log(&arena), before);
}

#[test]
fn a_match_that_a_swiss_tournament_does_not_have_is_refused() {
    let text = format!("format = \"swiss\"\nrounds = 2\n{}", config(&bots(4)));
    let arena = Arena::new(&text);
    good(arena.play());
    // The second round without the first.
    let whole = log(&arena);
    let late = whole
        .lines()
        .find(|line| line.contains("m-000005"))
        .unwrap();
    let late = unchained(late);
    fs::write(arena.path("out/games.jsonl"), format!("{late}\n")).unwrap();
    let ran = resume(&arena);
    tests::refused(&ran, 4, "`m-000005` is not in the schedule");
}

#[test]
fn three_seats_are_played_in_rotations_or_in_all_orders() {
    let games = r#"games = [{ id = "penguins", options = { players = 3 } }]"#;
    for (orders, matches) in [("rotations", 3), ("permutations", 6)] {
        let head = format!("seat_orders = \"{orders}\"\n");
        let arena = Arena::new(&(head + &config_of(games, &bots(3))));
        good(arena.play());
        let played = arena.matches();
        assert_eq!(played.len(), matches);
        assert!(played.iter().all(|m| m["seed"] == played[0]["seed"]));
    }
}

/// The bot after the first one around the circle, in each match.
fn neighbours(matches: &[Value]) -> Vec<String> {
    let after = |record: &Value| {
        let names = names(record);
        let at = names.iter().position(|name| *name == "random").unwrap();
        names[(at + 1) % names.len()].to_owned()
    };
    matches.iter().map(after).collect()
}

#[test]
fn cyclic_orders_change_and_tournaments_begun_before_keep_theirs() {
    let games = r#"games = [{ id = "penguins", options = { players = 3 } }]"#;
    let text = format!("rounds = 2\n{}", config_of(games, &bots(3)));
    let (_, matches) = played_and_resumed(&text);
    let after = neighbours(&matches);
    assert_eq!(after.len(), 6);
    assert!(after[..3].iter().all(|name| *name == after[0]), "{after:?}");
    assert!(after[3..].iter().all(|name| *name != after[0]), "{after:?}");
    // A folder of a tournament that was begun before orders changed.
    let arena = Arena::new(&text);
    let out = arena.path("out");
    fs::create_dir(&out).unwrap();
    fs::copy(arena.path("t.toml"), out.join("tournament.toml")).unwrap();
    fs::write(out.join("games.jsonl"), "").unwrap();
    good(resume(&arena));
    assert_eq!(neighbours(&arena.matches()), ["greedy"; 6]);
    let more = arena.read("t.toml");
    let more = more.replace("rounds = 2", "rounds = 3");
    fs::write(arena.path("t.toml"), more).unwrap();
    let mut args = arena.tournament();
    args.push("--extend".into());
    good(run(args));
    assert_eq!(neighbours(&arena.matches()), ["greedy"; 9]);
    let report = run(vec!["standings".into(), out]);
    let warning = "Confounded: ";
    assert_contains(&report.stdout, warning);
    assert_contains(&report.stdout, "`greedy` right after `random` (9 matches)");
}

#[test]
fn losers_of_the_semifinals_can_play_for_the_third_place() {
    let head = "format = \"knockout\"\nknockout = { third_place = true }\n";
    let text = format!("{head}{}", config(&bots(4)));
    let (shown, matches) = played_and_resumed(&text);
    assert!(matches.len() >= 4 * 2, "{}", matches.len());
    for part in ["Semifinals", " Third place\n", "Winner: ", "Third: "] {
        assert_contains(&shown, part);
    }
}

#[test]
fn a_test_says_what_to_expect_before_it_begins() {
    let head = "format = \"sprt\"\n";
    let tail = "[sprt]\nmodel = \"normalized\"\nelo0 = 0\nelo1 = 100\nmax_pairs = 4\n";
    let text = format!("{head}{}{tail}", config(&[GREEDY, RANDOM]));
    let arena = Arena::new(&text);
    let mut args = vec!["config".into(), "check".into()];
    args.push(arena.path("t.toml"));
    let checked = run(args);
    let ran = good(arena.play());
    for said in [&checked.stdout, &ran.stderr] {
        assert_contains(said, "Expected swapped pairs: ");
        assert_contains(said, "`sprt.max_pairs` = 4 will hardly suffice");
    }
    let args = "--model normalized --elo1 100 --sprt greedy random";
    let mut all = vec!["standings".into(), arena.path("out")];
    all.extend(args.split(' ').map(PathBuf::from));
    let report = run(all);
    assert_contains(&report.stdout, "or 100 normalized Elo");
}

#[test]
fn a_game_of_more_weight_is_played_more_often() {
    let games = r#"games = ["run", { id = "amazons", options = { size = 5 }, weight = 3 }]"#;
    let arena = Arena::new(&config_of(games, &bots(2)));
    good(arena.play());
    let matches = arena.matches();
    let amazons: Vec<&Value> = matches.iter().filter(|m| m["game"] == "amazons").collect();
    assert_eq!((matches.len(), amazons.len()), (8, 6));
    let mut seeds: Vec<u64> = amazons
        .iter()
        .map(|m| m["seed"].as_u64().unwrap())
        .collect();
    seeds.dedup();
    assert_eq!(seeds.len(), 3, "each time from another start");
}

#[test]
fn formats_that_cannot_be_are_refused() {
    let refused = |head: &str, games: &str, number: usize, parts: &[&str]| {
        let arena = Arena::new(&format!("{head}\n{}", config_of(games, &bots(number))));
        let ran = arena.play();
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert_eq!(ran.stderr.trim_end().lines().count(), 1, "{}", ran.stderr);
        for part in parts {
            assert_contains(&ran.stderr, part);
        }
        assert!(!arena.path("out").exists());
    };
    let run = r#"games = ["run"]"#;
    let three = r#"games = [{ id = "penguins", options = { players = 3 } }]"#;
    for format in ["swiss", "knockout"] {
        let head = format!("format = \"{format}\"");
        refused(
            &head,
            three,
            4,
            &["`format`", "penguins has 3 seats", "gauntlet"],
        );
    }
    let gauntlet = "format = \"gauntlet\"";
    refused(gauntlet, run, 3, &["`challengers`", "at least one"]);
    let other = format!("{gauntlet}\nchallengers = [\"nobody\"]");
    refused(&other, run, 3, &["there is no bot `nobody`"]);
    refused(
        "challengers = [\"random\"]",
        run,
        2,
        &["`challengers`", "gauntlet"],
    );
    refused("format = \"sprt\"", run, 3, &["`bots`", "2 bots, but 3"]);
    refused(
        "format = \"sprt\"\nrounds = 2",
        run,
        2,
        &["`rounds`", "max_pairs"],
    );
    refused("sprt = {}", run, 2, &["`sprt`", "format = \"sprt\""]);
    let sprt = "format = \"sprt\"\nsprt = { elo0 = 5, elo1 = 5 }";
    refused(sprt, run, 2, &["`sprt.elo1`", "above"]);
    refused(
        "seat_orders = \"all\"",
        run,
        2,
        &["line 1", "\"all\"", "permutations"],
    );
    let weight = r#"games = [{ id = "run", weight = 0 }]"#;
    refused(
        "",
        weight,
        2,
        &["`games.weight`", "0 is not a whole number from 1 to 1000"],
    );
}

fn extend(arena: &Arena) -> Ran {
    let mut args = arena.tournament();
    args.push("--extend".into());
    run(args)
}

#[test]
fn bots_rounds_and_games_are_added_to_a_finished_tournament() {
    let first = config(&bots(3));
    let arena = Arena::new(&first);
    good(arena.play());
    let played = log(&arena);
    // A bot between the others, another round, another game before the first one.
    let games = r#"games = ["run", { id = "amazons", options = { size = 5 } }]"#;
    let more = [OTHERS[1], RANDOM, GREEDY, OTHERS[0]];
    let text = format!("rounds = 2\n{}", config_of(games, &more));
    arena.write("t.toml", &text);
    let refused = resume(&arena);
    tests::refused(&refused, 2, "use --extend");
    let ran = good(extend(&arena));
    assert_contains(&ran.stderr, "6 of 48 matches were played");
    assert!(log(&arena).starts_with(&played), "what was played stays");
    let matches = arena.matches();
    let ids: Vec<String> = (1..=48).map(|n| format!("m-{n:06}")).collect();
    assert!(
        matches
            .iter()
            .map(|m| m["match"].as_str().unwrap())
            .eq(ids.iter())
    );
    // Apart from their numbers (which bots may make their moves from), these are the matches of a
    // tournament that began like this.
    let whole = Arena::new(&text);
    good(whole.play());
    let same = |arena: &Arena| {
        let key = |m: &Value| {
            let names = names(m).join(", ");
            format!(
                "{} {} {} {names} {}",
                m["game"], m["options"], m["seed"], m["start"]
            )
        };
        let mut keys: Vec<String> = arena.matches().iter().map(key).collect();
        keys.sort();
        keys
    };
    assert_eq!(same(&arena), same(&whole));
    // It goes on like any other, also when it is broken off or extended again.
    let all = log(&arena);
    let kept: String = all.lines().take(20).flat_map(|line| [line, "\n"]).collect();
    fs::write(arena.path("out/games.jsonl"), &kept).unwrap();
    good(resume(&arena));
    assert_eq!(arena.matches().len(), 48);
    arena.write("t.toml", &text.replace("rounds = 2", "rounds = 3"));
    good(extend(&arena));
    assert_eq!(arena.matches().len(), 72);
    assert!(resume(&arena).stderr.contains("all 72 matches"));
}

#[test]
fn what_is_more_than_an_addition_is_refused() {
    let arena = Arena::new(&config(&bots(3)));
    good(arena.play());
    let before = log(&arena);
    let refused = |text: &str, parts: &[&str]| {
        arena.write("t.toml", text);
        let ran = extend(&arena);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        for part in parts {
            assert_contains(&ran.stderr, part);
        }
        assert_eq!(log(&arena), before);
        assert!(!arena.path("out/tournament.1.toml").exists());
    };
    refused(&config(&bots(2)), &["the bot `r2` is not there any more"]);
    let slower = config(&bots(4)).replace("per_move = \"20s\"", "per_move = \"21s\"");
    refused(&slower, &["only bots, games and rounds", "`time.per_move`"]);
    refused(
        &config(&[GREEDY, RANDOM, OTHERS[0]]),
        &["the order of `bots`"],
    );
    // Formats that follow results cannot be extended.
    let swiss = Arena::new(&format!("format = \"swiss\"\n{}", config(&bots(3))));
    good(swiss.play());
    swiss.write(
        "t.toml",
        &format!("format = \"swiss\"\n{}", config(&bots(4))),
    );
    let ran = extend(&swiss);
    tests::refused(&ran, 2, "only round robins and gauntlets");
}

#[test]
fn results_are_printed_for_programs() {
    let play = |head: &str, bots: &[(&str, &str)]| -> Value {
        let arena = Arena::new(&format!("{head}\n{}", config(bots)));
        let mut args = arena.tournament();
        args.extend(["--quiet", "--format", "json"].map(PathBuf::from));
        let ran = run(args);
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
        ran.json()
    };
    let names = |rows: &Value| -> Vec<Value> {
        let rows = rows.as_array().expect("rows");
        rows.iter().map(|row| row["bot"].clone()).collect()
    };
    let swiss = play("format = \"swiss\"\nrounds = 3", &bots(3));
    assert_eq!(swiss["complete"], true);
    let rows = &swiss["standing"]["swiss"];
    assert_eq!((names(rows).len(), &rows[0]["byes"]), (3, &1.into()));
    assert_eq!(names(&swiss["bots"]).len(), 3);
    let knockout = play("format = \"knockout\"", &bots(3));
    let stages = &knockout["standing"]["knockout"];
    assert_eq!(stages[0][0]["decided"], "bye");
    assert!(stages[1][0]["winner"].is_string(), "{stages}");
    let test = play("format = \"sprt\"\nsprt.max_pairs = 1", &[GREEDY, RANDOM]);
    assert_eq!(
        test["standing"]["sprt"]["bots"],
        json!(["greedy", "random"])
    );
    let plain = play("rounds = 8", &[GREEDY, RANDOM]);
    assert_eq!(plain["standing"], Value::Null);
    let best = &plain["bots"][0];
    assert_eq!(
        (&best["bot"], &best["matches"]),
        (&"greedy".into(), &16.into())
    );
    assert!(best["rating"]["elo"].as_f64() > Some(0.0), "{best}");
}

//! Tournaments of games with one seat, and with more than four.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use serde_json::Value;
use tests::{Arena, assert_contains, good, root, run, verified};

use crate::{GREEDY, RANDOM, config_of};

/// Everybody takes 0, 1 or 2 of a heap, at once, three times.
fn meadow(seats: usize) -> String {
    let mut text = String::from(
        "(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (init (round 0))
         (value 0 0) (value 1 15) (value 2 30) (value 3 50) (value 4 65) (value 5 80) (value 6 100)
         (<= (legal ?r (take 0)) (role ?r)) (<= (legal ?r (take 1)) (role ?r))
         (<= (legal ?r (take 2)) (role ?r))
         (<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
         (<= (next (has ?r ?n)) (true (has ?r ?n)) (does ?r (take 0)))
         (<= (next (has ?r ?m)) (true (has ?r ?n)) (succ ?n ?m) (does ?r (take 1)))
         (<= (next (has ?r ?k)) (true (has ?r ?n)) (succ ?n ?m) (succ ?m ?k) (does ?r (take 2)))
         (<= terminal (true (round 3)))
         (<= (goal ?r ?v) (role ?r) (true (has ?r ?n)) (value ?n ?v))\n",
    );
    for seat in 0..seats {
        let _ = writeln!(text, "(role p{seat}) (init (has p{seat} 0))");
    }
    text
}

/// Bots that play at random, and one that takes the best.
fn bots(number: usize) -> Vec<(String, String)> {
    let random = |seed| {
        (
            format!("r{seed}"),
            format!("\"referee bot random --seed {seed}\""),
        )
    };
    let greedy = (GREEDY.0.to_owned(), GREEDY.1.to_owned());
    [greedy]
        .into_iter()
        .chain((2..=number).map(random))
        .collect()
}

/// A tournament of a meadow with this many seats.
fn arena(seats: usize, bots_there: usize, head: &str) -> Arena {
    let bots = bots(bots_there);
    let bots: Vec<(&str, &str)> = bots.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let games = format!("games = [\"meadow\"]\nrules = [\"meadow.kif\"]\n{head}");
    let arena = Arena::new(&config_of(&games, &bots));
    arena.write("meadow.kif", &meadow(seats));
    arena
}

fn standings(arena: &Arena, args: &[&str]) -> String {
    let out = arena.path("out").display().to_string();
    good(run([&["standings", &out], args].concat())).stdout
}

fn names(record: &Value) -> Vec<String> {
    let players = record["players"].as_array().unwrap().iter();
    players
        .map(|player| player["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn puzzles_are_ranked_by_mean_goals() {
    let sheet = root().join("games/sheets/lights-out.kif");
    let games = format!("games = [\"lights-out\"]\nrules = [{sheet:?}]\nrounds = 3");
    let crash = ("crash", r#"["/bin/sh", "-c", "exit 3"]"#);
    let mcts = (
        "mcts",
        r#"["referee", "bot", "mcts", "--playouts", "2000"]"#,
    );
    let arena = Arena::new(&config_of(&games, &[RANDOM, crash, mcts]));
    let ran = good(arena.play());
    assert!(!ran.stdout.contains("Crosstable"), "{}", ran.stdout);
    let matches = arena.matches();
    assert_eq!(matches.len(), 3 * 3);
    let mut seeds: HashMap<String, HashSet<String>> = HashMap::new();
    for record in &matches {
        let [bot] = &names(record)[..] else {
            panic!("one bot a match: {record}");
        };
        let goal = record["result"]["scores"][0].as_f64().unwrap();
        let outcome = record["result"]["outcome"][0].as_f64().unwrap();
        match &**bot {
            "crash" => assert_eq!(outcome, 0.0, "{record}"),
            _ => assert_eq!(outcome, goal / 100.0, "{record}"),
        }
        let seed = record["seed"].to_string();
        seeds.entry(bot.clone()).or_default().insert(seed);
    }
    let seeds: Vec<&HashSet<String>> = seeds.values().collect();
    assert!(
        seeds
            .iter()
            .all(|of_bot| of_bot.len() == 3 && *of_bot == seeds[0])
    );
    verified(arena.path("out"));

    let text = standings(&arena, &[]);
    assert_contains(&text, "`--by goal` has the goals of each bot");
    let places = ["mcts", "random", "crash"].map(|bot| text.find(&format!("   {bot} ")));
    assert!(places[0] < places[1] && places[0].is_some(), "{text}");
    let csv = standings(&arena, &["--by", "goal", "--format", "csv"]);
    assert_contains(&csv, "game,bot,goal,error,low,high,least,most,matches\n");
    assert_contains(&csv, "\nlights-out,mcts,100,,,,100,100,3\n");
    assert_contains(&csv, "\nlights-out,crash,0,,,,0,0,3\n");
    let resumed = run([arena.tournament(), vec!["--resume".into()]].concat());
    assert_contains(&good(resumed).stderr, "were played already");
}

#[test]
fn six_seats_are_played_by_a_balanced_design() {
    let arena = arena(6, 9, "rounds = 2");
    good(arena.play());
    let matches = arena.matches();
    // A group for each bot, each bot in each seat.
    assert_eq!(matches.len(), 2 * 9 * 6);
    let mut sat: HashMap<(String, usize), u32> = HashMap::new();
    for record in &matches {
        for (seat, name) in names(record).into_iter().enumerate() {
            *sat.entry((name, seat)).or_default() += 1;
        }
    }
    assert_eq!(sat.len(), 9 * 6);
    assert!(sat.values().all(|times| *times == 2 * 6), "{sat:?}");
    verified(arena.path("out"));
    let json: Value = serde_json::from_str(&standings(&arena, &["--format", "json"])).unwrap();
    let best = json["ranking"][0].as_u64().unwrap() as usize;
    assert_eq!(json["bots"][best]["name"], "greedy");
    assert!(
        json["ratings"]["bots"][best]["low"].as_f64().unwrap() > 0.0,
        "rated"
    );
    let goals = standings(&arena, &["--by", "goal"]);
    assert_contains(&goals, "greedy   100.00");
    let out = arena.path("out").display().to_string();
    let rows = good(run(["export", &out, "--format", "csv"])).stdout;
    let header = rows.lines().next().unwrap();
    assert!(header.ends_with("fault_5,fault_ply_5"), "{header}");
}

#[test]
fn sixteen_seats_are_the_limit() {
    let full = arena(16, 16, "");
    good(full.play());
    assert_eq!(full.matches().len(), 16);
    let text = standings(&full, &[]);
    assert_contains(&text, "Ratings are of games with 2 to 6 seats");
    let refused = |seats: usize, head: &str, parts: &[&str]| {
        let ran = arena(seats, 17, head).play();
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        for part in parts {
            assert_contains(&ran.stderr, part);
        }
    };
    refused(17, "", &["`games`", "meadow has 17 seats", "1 to 16"]);
    refused(
        5,
        "seat_orders = \"permutations\"",
        &["`seat_orders`", "at most 4", "rotations"],
    );
    refused(
        1,
        "format = \"swiss\"",
        &["`format`", "meadow has 1 seat;", "round-robin"],
    );
}

//! Deals follow from a secret, which is kept, committed to, checked, and never revealed while a
//! match with the same deal is still to be played.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tests::campaign::redteam::foreseen;
use tests::web::Server;
use tests::{
    Arena, Ran, assert_contains, good, referee, refused, root, run, timeless, verified, verify,
    wait_until,
};

use crate::rules::ggp_player::{GgpPlayer, Way};
use crate::{HOSTILE, RANDOM, config_of};

const ONE: &str = "1111111111111111111111111111111111111111111111111111111111111111";
/// The SHA-256 of the 32 bytes that [`ONE`] stands for.
const COMMITMENT_OF_ONE: &str = "02d449a31fbb267c8f352e9968a79e3e5fc95c1bbeaa502fd6454ebde5a4bedc";
const TWO: &str = "2222222222222222222222222222222222222222222222222222222222222222";
const OTHER: (&str, &str) = ("other", RANDOM.1);

fn sheets(ids: &[&str]) -> String {
    let path = |id: &&str| root().join(format!("games/sheets/{id}.kif"));
    let paths: Vec<_> = ids.iter().map(path).collect();
    format!("games = {ids:?}\nrules = {paths:?}\n")
}

/// Kuhn poker, and more lines at the top.
fn kuhn(top: &str, bots: &[(&str, &str)]) -> Arena {
    Arena::new(&config_of(&(sheets(&["kuhn-poker"]) + top), bots))
}

fn play(arena: &Arena, args: &[&str]) -> Ran {
    let mut command = Command::new(referee());
    command.arg("tournament").arg(arena.path("t.toml"));
    command
        .args(args)
        .arg("--quiet")
        .current_dir(arena.path(""));
    command.output().unwrap().into()
}

fn log(folder: &Path) -> String {
    fs::read_to_string(folder.join("games.jsonl")).unwrap()
}

fn records(folder: &Path) -> Vec<Value> {
    let text = log(folder);
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let mut records: Vec<Value> = lines.collect();
    records.sort_by_key(|record| record["match"].to_string());
    records
}

/// The moves of chance in all matches.
fn drawn(folder: &Path) -> Vec<Value> {
    let records = records(folder);
    let moves = records
        .iter()
        .flat_map(|record| record["moves"].as_array().unwrap());
    let chance = moves.filter(|played| played["seat"].is_null());
    chance.map(|played| played["move"].clone()).collect()
}

fn deals(folder: &Path) -> BTreeSet<String> {
    let records = records(folder);
    records
        .iter()
        .map(|record| record["deal"].to_string())
        .collect()
}

fn secret(folder: &Path) -> String {
    let text = fs::read_to_string(folder.join("secret.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap();
    table["secret"].as_str().unwrap().to_owned()
}

#[test]
fn each_tournament_has_a_secret_of_its_own_and_the_log_commits_to_it() {
    let arena = kuhn("rounds = 20\n", &[RANDOM, OTHER]);
    for folder in ["one", "two"] {
        good(play(&arena, &["--out", folder]));
        let path = arena.path(folder).join("secret.toml");
        assert_eq!(
            fs::metadata(path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(deals(&arena.path(folder)).len(), 1);
        good(run([
            "replay".into(),
            arena.path(folder),
            "--verify".into(),
        ]));
    }
    let [one, two] = ["one", "two"].map(|folder| arena.path(folder));
    assert_ne!(secret(&one), secret(&two));
    assert_ne!(deals(&one), deals(&two));
    assert_ne!(drawn(&one), drawn(&two), "2 of 6^20 runs are alike");
    // Swapped matches have the same draws, and seeds are what they always were.
    for pair in drawn(&one).chunks(2) {
        assert_eq!(pair[0], pair[1]);
    }
    let seeds = |folder: &Path| -> Vec<Value> {
        let records = records(folder);
        records
            .iter()
            .map(|record| record["seed"].clone())
            .collect()
    };
    assert_eq!(seeds(&one), seeds(&two));
}

#[test]
fn a_secret_in_the_configuration_deals_the_same_again_and_is_in_no_copy() {
    let top = format!("rounds = 5\nsecret = \"{ONE}\" # for the finals\n");
    let arena = kuhn(&top, &[RANDOM, OTHER]);
    good(play(&arena, &["--out", "one"]));
    good(play(&arena, &["--out", "two"]));
    good(play(
        &arena,
        &["--out", "three", "--set", &format!("secret=\"{TWO}\"")],
    ));
    let [one, two, three] = ["one", "two", "three"].map(|folder| arena.path(folder));
    assert_eq!(drawn(&one), drawn(&two));
    assert_ne!(
        drawn(&one),
        drawn(&three),
        "1 of 6^5 pairs of secrets deals alike"
    );
    assert_eq!(secret(&one), ONE);
    assert_eq!(
        deals(&one).into_iter().collect::<Vec<_>>(),
        [format!("\"{COMMITMENT_OF_ONE}\"")]
    );
    for (folder, digits) in [(&one, ONE), (&three, TWO)] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let has_it = fs::read_to_string(&path).is_ok_and(|text| text.contains(digits));
            assert_eq!(has_it, path.ends_with("secret.toml"), "{}", path.display());
        }
    }
    // Nothing that people are shown has it.
    let config = arena.path("t.toml").display().to_string();
    for args in [
        vec!["config", "check", &config],
        vec!["config", "check", &config, "--format", "json"],
        vec!["tournament", &config, "--dry-run", "--format", "json"],
        vec!["config", "explain", "--format", "json"],
        vec!["report", "one", "--all"],
        vec!["export", "one", "--format", "html"],
        vec!["standings", "one", "--format", "json"],
    ] {
        let mut command = Command::new(referee());
        let ran: Ran = command
            .args(&args)
            .current_dir(arena.path(""))
            .output()
            .unwrap()
            .into();
        assert!(
            !ran.stdout.contains(ONE) && !ran.stderr.contains(ONE),
            "{args:?}"
        );
    }
}

#[test]
fn a_tournament_goes_on_with_its_secret_and_with_no_other() {
    let arena = kuhn("rounds = 10\n", &[RANDOM, OTHER]);
    good(play(&arena, &["--out", "out"]));
    let out = arena.path("out");
    let all = records(&out);
    let lines = log(&out);
    let half: String = lines
        .lines()
        .take(7)
        .flat_map(|line| [line, "\n"])
        .collect();
    fs::write(out.join("games.jsonl"), &half).unwrap();
    let resume = ["--out", "out", "--resume"];
    let other = format!("secret=\"{TWO}\"");
    refused(
        &play(&arena, &["--out", "out", "--resume", "--set", &other]),
        2,
        "is not the one that this tournament deals from",
    );
    let kept = secret(&out);
    fs::remove_file(out.join("secret.toml")).unwrap();
    refused(&play(&arena, &resume), 2, "secret.toml` is missing");
    refused(
        &play(&arena, &["--out", "out", "--resume", "--set", &other]),
        2,
        "is not the one that this tournament deals from",
    );
    assert_eq!(log(&out), half, "nothing was changed");
    // The organiser remembers it.
    let own = format!("secret=\"{kept}\"");
    good(play(&arena, &["--out", "out", "--resume", "--set", &own]));
    assert_eq!(secret(&out), kept);
    let moves = |records: &[Value]| -> Vec<Value> {
        records
            .iter()
            .map(|record| timeless(&record["moves"]))
            .collect()
    };
    assert_eq!(moves(&records(&out)), moves(&all));
    good(verified(&out));
    // Rounds that are added have deals of the same secret.
    good(play(
        &arena,
        &["--out", "out", "--extend", "--set", "rounds=12"],
    ));
    assert_eq!((records(&out).len(), deals(&out).len()), (24, 1));
    good(verified(&out));
}

#[test]
fn a_game_with_deals_that_is_added_gets_a_secret() {
    let arena = Arena::new(&config_of(&sheets(&["tic-tac-toe"]), &[RANDOM, OTHER]));
    good(play(&arena, &["--out", "out"]));
    let out = arena.path("out");
    assert!(!out.join("secret.toml").exists());
    arena.write(
        "t.toml",
        &config_of(&sheets(&["tic-tac-toe", "kuhn-poker"]), &[RANDOM, OTHER]),
    );
    let ran = play(&arena, &["--out", "out", "--extend"]);
    // A new source of rules is a change beyond additions, unless it was there before.
    if ran.code == Some(2) {
        assert_contains(&ran.stderr, "rules");
        return;
    }
    good(ran);
    assert!(out.join("secret.toml").exists());
    good(verified(&out));
}

/// A folder as versions before secrets made it: with a copy of the configuration, and without a secret.
fn old_folder(arena: &Arena) -> Ran {
    good(play(arena, &["--out", "out"]));
    fs::remove_file(arena.path("out/secret.toml")).unwrap();
    fs::write(arena.path("out/games.jsonl"), "").unwrap();
    play(arena, &["--out", "out", "--resume"])
}

#[test]
fn old_folders_go_on_by_the_old_rule() {
    let arena = kuhn("rounds = 4\n", &[RANDOM, OTHER]);
    good(old_folder(&arena));
    let out = arena.path("out");
    assert!(!out.join("secret.toml").exists());
    assert_eq!(deals(&out).into_iter().collect::<Vec<_>>(), ["null"]);
    // As the version before dealt them.
    let expected = [
        "(deal king jack)",
        "(deal queen jack)",
        "(deal jack queen)",
        "(deal king queen)",
    ];
    let expected: Vec<Value> = expected
        .iter()
        .flat_map(|deal| [json!(deal), json!(deal)])
        .collect();
    assert_eq!(drawn(&out), expected);
    let ran = verified(&out);
    assert!(!ran.stdout.contains("deal not checked"), "{}", ran.stdout);
    let half: String = log(&out)
        .lines()
        .take(3)
        .flat_map(|line| [line, "\n"])
        .collect();
    fs::write(out.join("games.jsonl"), half).unwrap();
    let own = format!("secret=\"{ONE}\"");
    refused(
        &play(&arena, &["--out", "out", "--resume", "--set", &own]),
        2,
        "began without a secret",
    );
    good(play(&arena, &["--out", "out", "--resume"]));
    assert_eq!(drawn(&out), expected);
}

#[test]
fn who_knows_the_source_code_foresees_deals_of_seeds_and_no_others() {
    let foresees = ("a-foreseer", format!("['{HOSTILE}', 'foresees']"));
    let bots = [(foresees.0, &*foresees.1), OTHER];
    let arena = kuhn(&format!("rounds = 60\nsecret = \"{ONE}\"\n"), &bots);
    good(play(&arena, &["--out", "new"]));
    let (right, all) = foreseen(&records(&arena.path("new")));
    assert_eq!(all, 120);
    // One of three is right by chance. The secret is given, so it is always the same number.
    assert!((20..60).contains(&right), "{right} of {all}");
    let arena = kuhn("rounds = 60\n", &bots);
    good(old_folder(&arena));
    assert_eq!(foreseen(&records(&arena.path("out"))), (120, 120));
}

#[test]
fn what_was_dealt_is_checked_where_the_secret_is_there() {
    let arena = kuhn("rounds = 3\n", &[RANDOM, OTHER]);
    good(play(&arena, &["--out", "out"]));
    let out = arena.path("out");
    let (text, kept) = (log(&out), secret(&out));
    let first = drawn(&out)[0].as_str().unwrap().to_owned();
    let other = if first == "(deal jack king)" {
        "(deal king jack)"
    } else {
        "(deal jack king)"
    };
    fs::write(out.join("games.jsonl"), text.replacen(&first, other, 1)).unwrap();
    let ran = verify(&out);
    assert_eq!(ran.code, Some(3));
    let said = format!("but the match's deal brings `{first}`");
    assert_contains(&ran.stdout, &said);
    // A log that does not say that there is a secret.
    let (begin, rest) = text.split_once(",\"deal\":").unwrap();
    fs::write(out.join("games.jsonl"), format!("{begin}{}", &rest[66..])).unwrap();
    let ran = verify(&out);
    assert_eq!(ran.code, Some(3));
    assert_contains(&ran.stdout, "`deal` is recorded as nothing");
    fs::write(out.join("games.jsonl"), &text).unwrap();
    let wrong = if kept == ONE { TWO } else { ONE };
    fs::write(out.join("secret.toml"), format!("secret = \"{wrong}\"\n")).unwrap();
    let ran = verify(&out);
    assert_eq!(ran.code, Some(3));
    assert_contains(&ran.stdout, "the secret that is there has the SHA-256");
    fs::remove_file(out.join("secret.toml")).unwrap();
    let ran = verified(&out);
    assert_contains(&ran.stdout, "deal not checked");
    let json: Ran = run([
        "replay".into(),
        out,
        "--verify".into(),
        "--format".into(),
        "json".into(),
    ]);
    assert_contains(&json.stdout, "\"deal\":\"not checked\"");
}

#[test]
fn parts_need_a_common_secret() {
    let arena = kuhn("rounds = 4\n", &[RANDOM, OTHER]);
    refused(
        &play(&arena, &["--out", "part", "--shard", "1/2"]),
        2,
        "set `secret`",
    );
    assert!(!arena.path("part").exists());
    let own = |digits: &str| format!("secret=\"{digits}\"");
    for (part, digits, folder) in [
        ("1/2", ONE, "one"),
        ("2/2", ONE, "two"),
        ("2/2", TWO, "other"),
    ] {
        good(play(
            &arena,
            &["--out", folder, "--shard", part, "--set", &own(digits)],
        ));
    }
    let merge = |folders: [&str; 2], out: &str| -> Ran {
        let mut command = Command::new(referee());
        command.arg("merge").args(folders).args(["--out", out]);
        command.current_dir(arena.path("")).output().unwrap().into()
    };
    refused(
        &merge(["one", "other"], "bad"),
        2,
        "are not dealt from one secret",
    );
    assert!(!arena.path("bad").exists());
    good(merge(["one", "two"], "all"));
    let all = arena.path("all");
    assert_eq!((records(&all).len(), secret(&all)), (8, ONE.to_owned()));
    let ran = verified(&all);
    assert!(!ran.stdout.contains("not checked"), "{}", ran.stdout);
    good(play(&arena, &["--out", "whole", "--set", &own(ONE)]));
    assert_eq!(drawn(&arena.path("whole")), drawn(&all));
    for part in ["one", "two"] {
        fs::remove_file(arena.path(part).join("secret.toml")).unwrap();
    }
    let ran = good(merge(["one", "two"], "unchecked"));
    assert_contains(&ran.stdout, "deal not checked in 8");
}

/// A game of Pig with undeclared chance.
#[test]
fn chance_that_rules_do_not_declare_follows_from_the_seed_with_a_warning() {
    let program = format!(
        "import sys\nsys.path.insert(0, '{}')\nfrom pig import Pig, run\n\
         class Quiet(Pig):\n    id = 'quiet'\n    @classmethod\n    def describe(cls):\n        \
         entry = super().describe()\n        del entry['chance']\n        return entry\nrun(Quiet)\n",
        root().join("games/examples").display()
    );
    let top = "games = [{ id = \"quiet\", options = { target = 10 } }]\nrules = [\"python3 quiet.py\"]\n\
               rules_timeout = \"60s\"\n";
    let arena = Arena::new(&config_of(top, &[RANDOM, OTHER]));
    arena.write("quiet.py", &program);
    let mut seen = Vec::new();
    for folder in ["one", "two"] {
        let ran = good(play(&arena, &["--out", folder]));
        let warning = "chance is to move in `quiet`, but its rules say neither";
        assert_eq!(ran.stderr.matches(warning).count(), 1, "{}", ran.stderr);
        assert!(!arena.path(folder).join("secret.toml").exists());
        let moves = records(&arena.path(folder))
            .iter()
            .map(|record| timeless(&record["moves"]))
            .collect::<Vec<_>>();
        seen.push(moves);
        verified(arena.path(folder));
    }
    assert_eq!(seen[0], seen[1]);
}

/// Reports its process id, and in its second match only chats until a file exists.
const WAITING: &str = r#"
import json, os, sys, time
match = ""
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        reply = {"type": "hello", "protocol": 1, "name": "waiting"}
    elif message["type"] == "start":
        match = message["match"]
        reply = {"type": "ready"}
    elif message["type"] == "turn":
        while match == "m-000002" and not os.path.exists("go"):
            time.sleep(0.05)
            print('{"type":"info","text":"waiting"}', flush=True)
        reply = {"type": "move", "move": message["legal"][0], "info": {"process": os.getpid()}}
    else:
        continue
    print(json.dumps(reply), flush=True)
"#;

#[test]
fn a_match_is_shown_when_all_matches_with_its_deal_are_over() {
    let bots = [("one", "\"python3 bot.py\""), ("two", "\"python3 bot.py\"")];
    for game in ["kuhn-poker", "pig"] {
        let time = "[time]\nper_move = \"100s\"\nstartup = \"100s\"\n";
        let bots: String = bots
            .iter()
            .map(|(name, command)| format!("[[bots]]\nname = \"{name}\"\ncommand = {command}\n"))
            .collect();
        let arena = Arena::new(&format!(
            "name = \"t\"\nconcurrency = 1\n{}limits = {{ max_plies = 40 }}\n{time}{bots}",
            sheets(&[game])
        ));
        arena.write("bot.py", WAITING);
        let mut tournament = Command::new(referee());
        tournament
            .args(arena.tournament())
            .arg("--quiet")
            .current_dir(arena.path(""));
        let mut tournament = tournament.stdout(Stdio::null()).spawn().unwrap();
        let out = arena.path("out");
        wait_until("the first match", || {
            fs::read_to_string(out.join("games.jsonl")).is_ok_and(|log| log.ends_with('\n'))
        });
        let server = Server::start(["watch".into(), out.clone()], 1);
        let mut events = server.events("/api/events");
        // What is sent of the match in flight says nothing of its course.
        let live = events.wait_for("live", |live| live["match"] == "m-000002");
        assert_eq!(
            (
                &live["ply"],
                &live["to_move"],
                &live["view"],
                &live["last"],
                &live["over"]
            ),
            (
                &json!(0),
                &json!([]),
                &Value::Null,
                &Value::Null,
                &json!(false)
            ),
            "{live}"
        );
        assert_eq!(live["clocks_ms"], json!([null, null]));
        assert_eq!(server.json("/api/overview")["played"], 0);
        assert_eq!(server.json("/api/matches")["total"], 0);
        assert_eq!(server.get("/api/match/m-000001").status, 404);
        assert_eq!(records(&out).len(), 1, "the line was written at once");
        arena.write("go", "");
        assert!(tournament.wait().unwrap().success());
        wait_until("both matches", || {
            server.json("/api/overview")["played"] == 2
        });
        assert_eq!(server.get("/api/match/m-000001").status, 200);
        // Each match had processes of its own.
        let mut processes = BTreeSet::new();
        for record in records(&out) {
            let moves = record["moves"].as_array().unwrap().iter();
            let own: BTreeSet<String> = moves
                .filter(|played| !played["info"].is_null())
                .map(|played| played["info"]["process"].to_string())
                .collect();
            assert!(
                own.iter().all(|process| processes.insert(process.clone())),
                "{game}"
            );
        }
    }
}

/// The opening draws of each match, by the match.
fn cards(folder: &Path) -> Vec<(BTreeSet<String>, Vec<Value>)> {
    let drawn = |record: &Value| {
        let moves = record["moves"].as_array().unwrap().iter();
        let chance = moves.filter(|played| played["seat"].is_null());
        chance.map(|played| played["move"].clone()).collect()
    };
    let names = |record: &Value| {
        let players = record["players"].as_array().unwrap().iter();
        players.map(|player| player["name"].to_string()).collect()
    };
    let records = records(folder);
    records
        .iter()
        .map(|record| (names(record), drawn(record)))
        .collect()
}

#[test]
fn a_player_that_stays_has_no_two_matches_with_one_deal() {
    let player = GgpPlayer::new(1, 0, Way::Plays);
    let mut config = format!(
        "rounds = 12\nconcurrency = 1\n{}[time]\nper_move = \"60s\"\nstartup = \"60s\"\n",
        sheets(&["kuhn-poker"])
    );
    config += &format!("[[bots]]\nname = \"stays\"\n{}\n", player.key());
    for (name, command) in [RANDOM, OTHER] {
        config += &format!("[[bots]]\nname = \"{name}\"\ncommand = {command}\n");
    }
    let arena = Arena::new(&format!("name = \"t\"\nsecret = \"{ONE}\"\n{config}"));
    let ran = good(play(&arena, &["--out", "out"]));
    assert_contains(&ran.stderr, "each of their matches has a deal of its own");
    let out = arena.path("out");
    let cards = cards(&out);
    assert_eq!(cards.len(), 72);
    for pair in cards.chunks(2) {
        assert_eq!(pair[0].0, pair[1].0, "twins are neighbours");
    }
    let differ = |stays: bool| {
        let of_kind = cards
            .chunks(2)
            .filter(move |pair| pair[0].0.contains("\"stays\"") == stays);
        of_kind.map(|pair| usize::from(pair[0].1 != pair[1].1))
    };
    assert_eq!(differ(false).sum::<usize>(), 0, "bots share their deals");
    // By chance, one pair in six is dealt alike.
    let (pairs, other) = (differ(true).count(), differ(true).sum::<usize>());
    assert_eq!(pairs, 24);
    assert!((12..24).contains(&other), "{other} of {pairs} differ");
    // What is said to the player is what its seat perceives: one card a match, and no joint moves.
    let said = player.asked().concat();
    assert_eq!(said.matches("(START ").count(), 24 * 2);
    verified(&out);
}

#[test]
fn players_over_http_may_have_shared_deals_in_older_logs() {
    let arena = kuhn(
        &format!("secret = \"{ONE}\"\nrounds = 4\nconcurrency = 1\n"),
        &[RANDOM, OTHER],
    );
    good(play(&arena, &["--out", "out"]));
    let out = arena.path("out");
    let mut first = records(&out).remove(0);
    // As versions logged it in which such players had the deal of their pairing.
    first["players"][0]["command"] = json!(["ggp", "http://127.0.0.1:9147"]);
    fs::write(out.join("games.jsonl"), format!("{first}\n")).unwrap();
    verified(&out);
    // And what was dealt by neither rule is noticed.
    first["seed"] = json!(first["seed"].as_u64().unwrap() ^ 1);
    fs::write(out.join("games.jsonl"), format!("{first}\n")).unwrap();
    refused(&verify(out), 3, "1 of 1 matches did not verify");
}

#[test]
fn a_match_whose_twin_is_never_played_is_shown_when_the_tournament_has_stopped() {
    let arena = kuhn("rounds = 2\n", &[RANDOM, OTHER]);
    good(play(&arena, &["--out", "out"]));
    let out = arena.path("out");
    let text: String = log(&out)
        .lines()
        .take(1)
        .flat_map(|line| [line, "\n"])
        .collect();
    fs::write(out.join("games.jsonl"), text).unwrap();
    let server = Server::start(["watch".into(), out], 1);
    wait_until("the match", || server.json("/api/overview")["played"] == 1);
}

//! Bots from folders: built, checked, and left out if they are broken.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use tests::{Arena, Ran, assert_contains, good, run};

pub(crate) const BOT: &str = r#"import json, sys
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        print(json.dumps({"type": "hello", "protocol": 1, "name": "mine"}), flush=True)
    elif kind == "start":
        print(json.dumps({"type": "ready"}), flush=True)
    elif kind == "turn":
        print(json.dumps({"type": "move", "move": message["legal"][0]}), flush=True)
    elif kind == "quit":
        break
"#;

/// A class: Anna's bot runs as it is, Ben's is built, Carl's does not build, Dora's ends at once.
pub(crate) fn class(more: &str) -> Arena {
    let arena = Arena::new(&format!(
        "name = \"class\"\ngames = [\"run\"]\nconcurrency = 1\nbots_from = \"submissions/*\"\n{more}\n\
         [time]\nper_move = \"20s\"\nstartup = \"20s\"\n\
         [[bots]]\nname = \"random\"\ncommand = \"referee bot random\"\n"
    ));
    let bots = [
        ("anna", "command = \"python3 bot.py\"\n"),
        (
            "ben",
            "command = \"python3 built.py\"\nbuild = [\"sh\", \"-c\", \"echo building; cp bot.py built.py\"]\n",
        ),
        (
            "carl",
            "command = \"./bot\"\nbuild = \"sh -c 'echo; echo line 3: Error: no bot; echo ^^^; exit 7'\"\n",
        ),
        (
            "dora",
            "command = \"sh -c 'echo out of ideas >&2; exit 5'\"\n",
        ),
    ];
    for (name, text) in bots {
        fs::create_dir_all(arena.path(&format!("submissions/{name}"))).unwrap();
        arena.write(&format!("submissions/{name}/bot.toml"), text);
        arena.write(&format!("submissions/{name}/bot.py"), BOT);
    }
    fs::create_dir_all(arena.path("submissions/no-bot")).unwrap();
    arena
}

pub(crate) fn with(arena: &Arena, before: &[&str], after: &[&str]) -> Ran {
    let path = arena.path("t.toml");
    let path = path.to_str().unwrap();
    run([before, &[path], after].concat())
}

#[test]
fn submissions_are_built_and_broken_ones_are_left_out() {
    let arena = class("");
    let ran = good(arena.play());
    for part in [
        "building `ben`",
        "left out: bot `carl`: its build exited with code 7: line 3: Error: no bot (all",
        "left out: bot `dora`: did not pass the check `handshake`",
        "the last it printed on stderr: out of ideas\n",
    ] {
        assert_contains(&ran.stderr, part);
    }
    let log = arena.path("submissions/ben/build.log");
    assert_eq!(fs::read_to_string(log).unwrap(), "building\n");
    let matches = arena.matches();
    assert_eq!(matches.len(), 6, "three bots are left");
    for record in &matches {
        assert_eq!(record["result"]["faults"], serde_json::json!([]));
        for player in record["players"].as_array().unwrap() {
            let name = player["name"].as_str().unwrap();
            assert!(["anna", "ben", "random"].contains(&name), "{name}");
        }
    }
    // It goes on with those that it began with.
    let path = arena.path("out/games.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let first = text.lines().next().unwrap();
    fs::write(&path, format!("{first}\n")).unwrap();
    let mut args = arena.tournament();
    args.push("--resume".into());
    good(run(args));
    assert_eq!(arena.matches().len(), 6);
}

#[test]
fn new_bots_can_be_handed_in_as_they_are() {
    let arena = Arena::new("name = \"class\"\ngames = [\"run\"]\nbots_from = \"submissions/*\"\n");
    for language in ["python", "c", "java", "typescript"] {
        let folder = arena.path(&format!("submissions/my-{language}"));
        let ran = good(run(["new-bot", language, folder.to_str().unwrap()]));
        assert_contains(&ran.stdout, "bot.toml");
    }
    // Nothing is built for that.
    let ran = good(with(&arena, &["config", "check"], &[]));
    assert_contains(&ran.stdout, "12 matches of 4 bots");
    let text = arena.read("submissions/my-c/bot.toml");
    assert!(
        text.ends_with("build = [\"sh\", \"-c\", \"make\"]\n"),
        "{text}"
    );
}

#[test]
fn pages_say_who_was_left_out() {
    let arena = class("");
    good(arena.play());
    let [out, site] = ["out", "site"].map(|name| arena.path(name).display().to_string());
    let ran = run(["report", &out, "--bot", "carl"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    let part = "`carl` played no match, because it was left out: its build exited with code 7";
    assert_contains(&ran.stderr, part);
    good(run(["report", &out, "--all", "--out", &site]));
    let index = arena.read("site/index.html");
    let (_, left_out) = index.split_once("Left out").expect("a heading");
    for part in ["carl", "its build exited with code 7", "dora"] {
        assert_contains(left_out, part);
    }
}

#[test]
fn broken_submissions_stop_a_tournament_that_wants_that() {
    let arena = class("on_broken = \"stop\"");
    let ran = arena.play();
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    for part in ["bot `carl`: its build", "bot `dora`: did not pass"] {
        assert_contains(&ran.stderr, part);
    }
    assert!(!arena.path("out").exists(), "nothing is written");
}

#[test]
fn the_bots_of_a_configuration_are_checked_as_they_would_play() {
    let arena = class("");
    let check = |bot: &[&str]| {
        let only = ["--only", "match/", "--turns", "1"];
        with(&arena, &["check", "--config"], &[&only[..], bot].concat())
    };
    let ran = good(check(&["--bot", "ben"]));
    assert_contains(&ran.stdout, "ben: match/run/");
    assert!(!ran.stdout.contains("match/siam"), "{}", ran.stdout);
    let ran = check(&["--bot", "carl", "--bot", "dora"]);
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    for part in ["carl: build", "dora: handshake"] {
        assert_contains(&ran.stdout, part);
    }
    let ran = check(&["--bot", "no-bot"]);
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    let part = "no-bot: configuration";
    assert_contains(&ran.stdout, part);
    let ran = check(&["--bot", "benn"]);
    tests::refused(&ran, 2, "did you mean `ben`?");
}

/// Errors in a `bot.toml`, with their messages.
const MISTAKES: [(&str, &str); 8] = [
    (
        "comand = \"x\"\n",
        "submissions/anna/bot.toml: line 1: unknown key `comand`",
    ),
    (
        "\ncommand = 7\n",
        "submissions/anna/bot.toml: line 2: `command`: 7 is not",
    ),
    ("name = \"anna\"\n", "line 1: missing field `command`"),
    (
        "command = \"x\n",
        "submissions/anna/bot.toml: line 1: invalid",
    ),
    (
        "command = \"x\"\nreadable = [\"none\"]\n",
        "line 2: `readable`: there is no file or folder `submissions/anna/none`",
    ),
    (
        "command = \"x\"\n\nenv = { A = \"${NO_SUCH_VARIABLE}\" }\n",
        "line 3: `env`: `${NO_SUCH_VARIABLE}` is not a variable that a submission may use",
    ),
    (
        "command = \"no-such-program\"\n",
        "there is no program `no-such-program`",
    ),
    (
        "command = \"python3 none.py\"\n",
        "there is no script `none.py`",
    ),
];

#[test]
fn mistakes_in_one_submission_stop_no_class() {
    let arena = class("sandbox = \"strict\"");
    fs::set_permissions(arena.path(""), Permissions::from_mode(0o755)).unwrap();
    fs::write(arena.path("submissions/no-bot/README"), "").unwrap();
    fs::create_dir_all(arena.path("submissions/nested/project")).unwrap();
    arena.write("submissions/nested/project/bot.toml", "command = \"x\"\n");
    let check = || with(&arena, &["config", "check"], &[]);
    let ran = good(check());
    assert_contains(&ran.stdout, "20 matches of 5 bots");
    for part in [
        "left out: bot `no-bot`: there is no `bot.toml` in its folder\n",
        "left out: bot `nested`: its `bot.toml` is one folder too deep: it is in `project`",
    ] {
        assert_contains(&ran.stderr, part);
    }
    for (text, part) in MISTAKES {
        arena.write("submissions/anna/bot.toml", text);
        let ran = check();
        assert_eq!(ran.code, Some(0), "{text}: {}", ran.stderr);
        assert_contains(&ran.stdout, "12 matches of 4 bots");
        let part = format!("left out: bot `anna`: {part}");
        let said = ran
            .stderr
            .replace("submissions/anna/bot.toml: line", "line");
        let either = ran.stderr.contains(&part) || said.contains(&part);
        assert!(either, "`{part}` in {}", ran.stderr);
        assert!(
            !ran.stderr.contains(&*arena.path("").to_string_lossy()),
            "{}",
            ran.stderr
        );
        let stopped = with(&arena, &["config", "check"], &["--set", "on_broken=stop"]);
        assert_eq!(stopped.code, Some(2), "{text}: {}", stopped.stderr);
        assert_contains(&stopped.stderr, "anna");
    }
    // The tournament says the same, and plays.
    let ran = good(arena.play());
    let left_out = arena.read("out/left-out.toml");
    for part in ["\"anna\"", "none.py", "\"no-bot\"", "\"nested\""] {
        assert_contains(&left_out, part);
        assert!(part == "none.py" || ran.stderr.contains(&part.replace('"', "`")));
    }
    assert!(
        !left_out.contains(&*arena.path("").to_string_lossy()),
        "{left_out}"
    );
    let mut args = arena.tournament();
    args.push("--resume".into());
    good(run(args));
    let arena = Arena::new("name = \"x\"\ngames = [\"run\"]\nbots_from = \"none/*\"\n");
    let ran = with(&arena, &["config", "check"], &[]);
    assert_eq!(ran.code, Some(2));
    let part = "line 3: `bots_from`: there is no folder with a `bot.toml` that matches `none/*`";
    assert_contains(&ran.stderr, part);
    let ran = with(
        &class(""),
        &["config", "check"],
        &["--set", "bots_from=none/*"],
    );
    tests::refused(&ran, 2, "matches `none/*`");
}

#[test]
fn bots_that_always_answer_alike_are_pointed_out() {
    let bots: String = ["anna", "copy", "twin"]
        .map(|name| format!("[[bots]]\nname = \"{name}\"\ncommand = \"python3 {name}.py\"\n"))
        .concat();
    let arena = Arena::new(&format!(
        "name = \"copies\"\nrounds = 6\nopening.random_plies = 2\n\
         games = [{{ id = \"amazons\", options = {{ size = 5 }} }}]\n\
         [time]\nper_move = \"20s\"\nstartup = \"20s\"\n{bots}\
         [[bots]]\nname = \"random\"\ncommand = \"referee bot random\"\n"
    ));
    arena.write("anna.py", BOT);
    arena.write("twin.py", BOT);
    arena.write("copy.py", &BOT.replace("mine", "my own work"));
    let ran = good(arena.play());
    let identical = "the bots `anna`, `twin` are identical";
    assert_contains(&ran.stderr, identical);
    let out = arena.path("out").display().to_string();
    let standings = run(["standings", &out]).stdout.replace('\n', " ");
    for pair in ["`anna` and `copy`", "`copy` and `twin`"] {
        let part = format!("{pair} always answered alike: in ");
        assert_contains(&standings, &part);
    }
    assert!(!standings.contains("`anna` and `twin`"), "{standings}");
    assert!(!standings.contains("`random` always"), "{standings}");
    let page = run(["report", &out, "--bot", "copy"])
        .stdout
        .replace('\n', " ");
    assert_contains(&page, "`anna` and `copy` always");
    let json = run(["standings", &out, "--format", "json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        json["same_answers"][0]["bots"],
        serde_json::json!(["anna", "copy"])
    );
}

/// A build that writes to its folder, and then to this path.
fn writes_to(path: &str) -> String {
    format!(
        "command = \"python3 deep/built.py\"\nbuild = [\"sh\", \"-c\", \"mkdir -p deep && cp bot.py \
         deep/built.py && echo x > $TMPDIR/x && echo stolen > {path}\"]\n"
    )
}

#[test]
fn builds_write_to_their_folder_only_in_sandboxes_that_hide_files() {
    for tier in ["restricted", "strict"] {
        let arena = class(&format!("sandbox = \"{tier}\""));
        // Where root runs the referee, bots are other users.
        fs::set_permissions(arena.path(""), Permissions::from_mode(0o755)).unwrap();
        let outside = arena.path("submissions/ben/bot.py").display().to_string();
        arena.write("submissions/anna/bot.toml", &writes_to("deep/mine"));
        arena.write("submissions/carl/bot.toml", &writes_to(&outside));
        arena.write("submissions/dora/bot.toml", &writes_to("../new"));
        // Again over what was built.
        for _ in 0..2 {
            let _ = fs::remove_dir_all(arena.path("out"));
            let ran = arena.play();
            assert_eq!(ran.code, Some(0), "{tier}: {}", ran.stderr);
            for bot in ["carl", "dora"] {
                let part = format!("left out: bot `{bot}`: its build exited with code");
                assert_contains(&ran.stderr, &part);
            }
            assert_eq!(arena.matches().len(), 6, "{tier}: {}", ran.stderr);
        }
        assert_eq!(fs::read_to_string(outside).unwrap(), BOT);
        assert!(!arena.path("submissions/new").exists());
        let owner = |name: &str| fs::metadata(arena.path(name)).unwrap().uid();
        for built in ["", "/deep", "/deep/mine", "/build.log"] {
            let name = format!("submissions/anna{built}");
            assert_eq!(owner(&name), owner("t.toml"), "{tier}: {name}");
        }
    }
}

#[test]
fn a_broken_list_of_who_was_left_out_is_named_and_nothing_is_lost() {
    let arena = class("");
    good(arena.play());
    arena.write("out/left-out.toml", "left_out = 7\n");
    let mut args = arena.tournament();
    args.push("--resume".into());
    let ran = run(args);
    tests::refused(&ran, 2, "left-out.toml`: ");
    assert_eq!(arena.matches().len(), 6);
}

/// Plays a tournament, or goes on with it as these arguments say.
fn go_on(arena: &Arena, args: &[&str]) -> Ran {
    let mut all = arena.tournament();
    all.extend(args.iter().map(|arg| (*arg).into()));
    run(all)
}

#[test]
fn bots_that_are_added_are_built_and_checked_too() {
    let arena = class("");
    good(arena.play());
    // Carl has repaired his bot, Eve and Fred come later; Dora's is still broken.
    let copies = "build = \"cp bot.py built.py\"\ncommand = \"python3 built.py\"\n";
    arena.write("submissions/carl/bot.toml", copies);
    for (name, text) in [
        ("eve", copies),
        ("fred", "command = \"x\"\nbuild = \"false\"\n"),
    ] {
        fs::create_dir_all(arena.path(&format!("submissions/{name}"))).unwrap();
        arena.write(&format!("submissions/{name}/bot.toml"), text);
        arena.write(&format!("submissions/{name}/bot.py"), BOT);
    }
    let ran = good(go_on(&arena, &["--extend"]));
    for part in [
        "building `carl`",
        "building `eve`",
        "left out: bot `dora`: did not pass the check `handshake`",
        "left out: bot `fred`: its build exited with code 1",
        "6 of 20 matches were played",
    ] {
        assert_contains(&ran.stderr, part);
    }
    assert!(!ran.stderr.contains("building `ben`"), "{}", ran.stderr);
    assert_eq!(arena.matches().len(), 20, "five bots play");
    let left_out = arena.read("out/left-out.toml");
    assert!(left_out.contains("\"dora\"") && left_out.contains("\"fred\""));
    assert!(!left_out.contains("carl"), "{left_out}");
    let ran = good(go_on(&arena, &["--resume"]));
    assert_contains(&ran.stderr, "all 20 matches");
    // Nothing is built for an extension that is refused.
    let ran = go_on(&arena, &["--extend", "--set", "seed=7"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(!ran.stderr.contains("building"), "{}", ran.stderr);
}

#[test]
fn an_added_bot_that_is_broken_stops_a_tournament_that_wants_that() {
    let arena = class("on_broken = \"stop\"");
    for name in ["carl", "dora"] {
        fs::rename(
            arena.path(&format!("submissions/{name}/bot.toml")),
            arena.path(&format!("submissions/{name}/later.toml")),
        )
        .unwrap();
    }
    good(arena.play());
    let before = arena.read("out/tournament.toml");
    let (later, now) = ("submissions/carl/later.toml", "submissions/carl/bot.toml");
    fs::rename(arena.path(later), arena.path(now)).unwrap();
    let ran = go_on(&arena, &["--extend"]);
    tests::refused(&ran, 2, "bot `carl`: its build");
    let after = arena.read("out/tournament.toml");
    assert_eq!(after, before);
    assert_eq!(arena.matches().len(), 6);
}

#[test]
fn a_bot_whose_matches_are_played_again_is_built_again() {
    let arena = class("");
    good(arena.play());
    let replay = ["--resume", "--replay-bot", "ben"];
    arena.write("submissions/ben/bot.py", &BOT.replace("mine", "better"));
    let ran = good(go_on(&arena, &replay));
    assert_contains(&ran.stderr, "building `ben`");
    assert_contains(&ran.stderr, "4 matches are played again");
    let built = arena.read("submissions/ben/built.py");
    assert_contains(&built, "better");
    let before = arena.read("out/games.jsonl");
    arena.write("submissions/ben/bot.py", "no Python");
    let ran = go_on(&arena, &replay);
    tests::refused(&ran, 2, "bot `ben`: did not pass");
    let after = arena.read("out/games.jsonl");
    assert_eq!(after, before);
}

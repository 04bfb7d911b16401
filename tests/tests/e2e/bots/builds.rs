//! Builds of submissions: quotas, time limits, and protected files.

use std::fs::{self, Permissions};
use std::io::Read as _;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tests::traces::children;
use tests::{Arena, assert_contains, good, referee, run, wait_until};

const RANDOM: &str = "command = \"referee bot random\"\n";

/// A class whose bots have these shell scripts as builds, in a sandbox.
fn class(tier: &str, more: &str, builds: &[(&str, &str)]) -> Arena {
    let arena = Arena::new(&format!(
        "name = \"class\"\ngames = [\"run\"]\nconcurrency = 1\nbots_from = \"submissions/*\"\n\
         sandbox = \"{tier}\"\n[build]\n{more}\n[limits]\nmax_plies = 4\n\
         [time]\nper_move = \"20s\"\nstartup = \"20s\"\n\
         [[bots]]\nname = \"one\"\n{RANDOM}[[bots]]\nname = \"two\"\n{RANDOM}"
    ));
    fs::set_permissions(arena.path(""), Permissions::from_mode(0o755)).unwrap();
    for (name, script) in builds {
        fs::create_dir_all(arena.path(&format!("submissions/{name}"))).unwrap();
        let file = format!("{RANDOM}build = ['sh', '-c', '''{script}''']\n");
        arena.write(&format!("submissions/{name}/bot.toml"), &file);
    }
    arena
}

fn names(arena: &Arena, folder: &str) -> Vec<String> {
    let list = fs::read_dir(arena.path(folder)).unwrap();
    let names = list.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn a_build_that_makes_too_much_is_ended_and_nothing_of_it_stays() {
    for tier in ["limits", "restricted", "strict"] {
        let arena = class(
            tier,
            "disk = \"8MiB\"\nfiles = 100",
            &[
                (
                    "files",
                    "mkdir d; for i in $(seq 500); do : > d/$i; done; sleep 60",
                ),
                ("bytes", "head -c 20000000 /dev/zero > big; sleep 60"),
                // Also if all is over before anybody has looked.
                ("quick", "for i in $(seq 150); do : > $i; done"),
                ("fair", "for i in $(seq 50); do : > $i; done"),
            ],
        );
        arena.write("submissions/files/own", "stays");
        let ran = arena.play();
        assert_eq!(ran.code, Some(0), "{tier}: {}", ran.stderr);
        for part in [
            "left out: bot `files`: its build added more than 100 files to its folder (`build.files`) and \
             was ended; what it had added was removed",
            "left out: bot `bytes`: its build added more than 8.0 MiB to its folder (`build.disk`)",
            "left out: bot `quick`: its build added more than 100 files",
        ] {
            assert!(
                ran.stderr.contains(part),
                "{tier}: `{part}` in {}",
                ran.stderr
            );
        }
        assert!(!ran.stderr.contains("bot `fair`"), "{tier}: {}", ran.stderr);
        assert_eq!(
            names(&arena, "submissions/files"),
            ["bot.toml", "build.log", "own"]
        );
        assert_eq!(
            names(&arena, "submissions/bytes"),
            ["bot.toml", "build.log"]
        );
        assert_eq!(names(&arena, "submissions/fair").len(), 52);
    }
}

#[test]
fn a_build_that_changes_its_bot_file_is_left_out_and_the_file_is_put_back() {
    for tier in ["limits", "restricted", "strict"] {
        let scripts = [
            ("writes", "echo name = 1 >> bot.toml; exit 0"),
            ("replaces", "echo > new; mv -f new bot.toml; exit 0"),
            (
                "removes",
                "rm -f bot.toml; ln -s ../../t.toml bot.toml; exit 0",
            ),
        ];
        let arena = class(tier, "", &scripts);
        let file = |name: &str| {
            let path = arena.path(&format!("submissions/{name}/bot.toml"));
            assert!(!path.is_symlink(), "{tier}: {name}");
            fs::read_to_string(path).unwrap()
        };
        let before = scripts.map(|(name, _)| file(name));
        let ran = arena.play();
        assert_eq!(ran.code, Some(0), "{tier}: {}", ran.stderr);
        assert_eq!(scripts.map(|(name, _)| file(name)), before, "{tier}");
        for (name, _) in scripts {
            let part = format!(
                "left out: bot `{name}`: its build changed its `bot.toml`, which no build may; it was put back"
            );
            // In the strict sandbox it could not.
            let said = ran.stderr.contains(&part);
            assert_eq!(said, tier != "strict", "{tier}: `{part}` in {}", ran.stderr);
        }
    }
}

/// A link in the place of a folder that was checked opens nothing.
#[test]
fn a_build_that_swaps_what_is_readable_is_left_out() {
    let swap = "rm -rf data; ln -s ../../private data";
    let arena = class("restricted", "", &[("eve", swap)]);
    fs::create_dir(arena.path("private")).unwrap();
    fs::create_dir(arena.path("submissions/eve/data")).unwrap();
    let bot = arena.path("submissions/eve/bot.toml");
    let text = fs::read_to_string(&bot).unwrap();
    fs::write(&bot, format!("{text}readable = ['data']\n")).unwrap();
    let ran = good(arena.play());
    let part = "left out: bot `eve`: `data` is not in the bot's folder";
    assert_contains(&ran.stderr, part);
}

#[test]
fn time_in_which_the_referee_was_suspended_is_not_the_builds() {
    let script = "touch begun; while [ ! -e go-on ]; do sleep 0.1; done";
    let arena = class("limits", "timeout = \"4s\"", &[("anna", script)]);
    let mut command = std::process::Command::new(referee());
    command.args(arena.tournament()).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let begun = arena.path("submissions/anna/begun");
    wait_until("the build", || begun.exists());
    // Itself, the supervisor, and what that has started.
    let mut all = vec![child.id()];
    let mut at = 0;
    while at < all.len() {
        all.extend(children(all[at]));
        at += 1;
    }
    for pid in &all {
        kill(Pid::from_raw(*pid as i32), Signal::SIGSTOP).unwrap();
    }
    sleep(Duration::from_millis(6500));
    arena.write("submissions/anna/go-on", "");
    for pid in all.iter().rev() {
        // The build's pauses may be over.
        let _ = kill(Pid::from_raw(*pid as i32), Signal::SIGCONT);
    }
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(!stderr.contains("left out"), "{stderr}");
    assert_eq!(arena.matches().len(), 6, "three bots play");
}

/// In `"strict"`, `build.network` allows builds the network, but not their bots.
#[test]
fn a_build_reaches_the_network_only_where_the_organiser_says_so() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let says = |who: &str| format!("{{ echo {who} > /dev/tcp/127.0.0.1/{port}; }} 2> /dev/null");
    let (bot, build) = (says("bot"), says("build"));
    for (line, reached) in [
        ("", ""),
        ("network = false", ""),
        ("network = true", "build\n"),
    ] {
        let arena = class("strict", line, &[]);
        fs::create_dir_all(arena.path("submissions/anna")).unwrap();
        let file = format!(
            "command = ['bash', '-c', '{bot}; exec \"$REFEREE\" bot random']\n\
             build = ['bash', '-c', '{build}; exit 0']\n"
        );
        arena.write("submissions/anna/bot.toml", &file);
        let ran = good(arena.play());
        assert!(!ran.stderr.contains("left out"), "{}", ran.stderr);
        assert_eq!(arena.matches().len(), 6, "three bots play");
        let mut received = String::new();
        while let Ok((mut stream, _)) = listener.accept() {
            stream.set_nonblocking(false).unwrap();
            stream.read_to_string(&mut received).unwrap();
        }
        assert_eq!(received, reached, "`{line}`");
    }
}

/// A folder that a version began which let authors choose their names.
#[test]
fn a_tournament_goes_on_with_the_names_that_it_has() {
    let arena = class("limits", "", &[]);
    for (name, called) in [("a1", "Anna B."), ("b2", "Ben")] {
        fs::create_dir_all(arena.path(&format!("submissions/{name}"))).unwrap();
        let file = format!("name = \"{called}\"\n{RANDOM}");
        arena.write(&format!("submissions/{name}/bot.toml"), &file);
    }
    let tournament = |more: &[&str]| {
        let more = more.iter().map(|arg| (*arg).into());
        run(arena.tournament().into_iter().chain(more))
    };
    good(tournament(&["--set", "submissions.names=true"]));
    let whole = arena.matches().len();
    // As it was written then.
    let copy = arena.path("out/tournament.toml");
    let text = fs::read_to_string(&copy).unwrap();
    let mut table: toml::Table = text.parse().unwrap();
    table.remove("submissions");
    for bot in table["bots"].as_array_mut().unwrap() {
        bot.as_table_mut().unwrap().remove("submission");
    }
    fs::write(&copy, table.to_string()).unwrap();
    let log = arena.path("out/games.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    let first = text.lines().next().unwrap();
    fs::write(&log, format!("{first}\n")).unwrap();
    good(tournament(&["--resume"]));
    let matches = arena.matches();
    assert_eq!(matches.len(), whole);
    let players = matches
        .iter()
        .flat_map(|it| it["players"].as_array().unwrap());
    let mut names: Vec<&str> = players.map(|it| it["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names, ["Anna B.", "Ben", "one", "two"]);
    // Another one comes later, and has the name of its folder.
    fs::create_dir_all(arena.path("submissions/c3")).unwrap();
    arena.write(
        "submissions/c3/bot.toml",
        &format!("name = \"Carl\"\n{RANDOM}"),
    );
    good(tournament(&["--extend"]));
    let played = arena.matches();
    assert_eq!(played.len(), 20, "five bots");
    let has = |name: &str| {
        played
            .iter()
            .any(|it| it["players"].to_string().contains(name))
    };
    assert!(has("\"c3\"") && has("\"Anna B.\"") && !has("Carl"));
}

/// A repeated question to a submission trusts it no more than the tournament did.
#[test]
fn a_submission_is_asked_again_in_its_sandbox() {
    let arena = class("strict", "", &[]);
    fs::create_dir_all(arena.path("submissions/anna")).unwrap();
    let spy = "import os\nif os.path.exists('SECRET'):\n    open('READ', 'w').write('x')\n";
    let [secret, read] = ["secret", "read"].map(|name| arena.path(name).display().to_string());
    arena.write("secret", "x");
    let spy = spy.replace("SECRET", &secret).replace("READ", &read);
    let bot = fs::read_to_string(tests::root().join("bots/examples/python/random_bot.py")).unwrap();
    let (head, rest) = bot.split_once("import").unwrap();
    arena.write(
        "submissions/anna/bot.py",
        &format!("{head}{spy}import{rest}"),
    );
    arena.write("submissions/anna/bot.toml", "command = 'python3 bot.py'\n");
    good(arena.play());
    let out = arena.path("out").display().to_string();
    let id = arena
        .matches()
        .into_iter()
        .find(|it| it["players"].to_string().contains("anna"));
    let id = id.unwrap()["match"].as_str().unwrap().to_owned();
    let ran = good(run(["replay", &out, "--match", &id, "--bot", "anna"]));
    assert_contains(&ran.stderr, "it runs in its sandbox, `strict`");
    assert_contains(&ran.stdout, "moves as recorded");
    assert!(
        !arena.path("read").exists(),
        "it was outside of its sandbox"
    );
}

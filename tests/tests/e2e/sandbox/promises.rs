//! The strict sandbox keeps each of its promises against a bot that tries to break it.

use std::collections::BTreeMap;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use serde_json::{Value, json};
use tests::{Arena, Ran, assert_contains, good, run};

use crate::misconduct::arena::{
    assert_fault, assert_well, judge, moves_of_hostile, named, play_cleanly, three,
};
use crate::{HOSTILE, RANDOM, config};

/// A PATH without bubblewrap.
const NO_BUBBLEWRAP: (&str, &str) = ("PATH", "/nowhere");

/// Services of this machine that bots should not reach.
struct Listeners {
    tcp: TcpListener,
    udp: UdpSocket,
    _unix: UnixListener,
}

impl Listeners {
    fn contacted(&self) -> (bool, bool) {
        self.tcp.set_nonblocking(true).unwrap();
        self.udp.set_nonblocking(true).unwrap();
        (
            self.tcp.accept().is_ok(),
            self.udp.recv(&mut [0; 8]).is_ok(),
        )
    }
}

/// A spy with a folder of its own, beside another bot with its own and the tournament's.
fn spy(top: &str, more: &str) -> (Arena, Listeners) {
    let arena = Arena::new("");
    for folder in ["spy", "other"] {
        fs::create_dir(arena.path(folder)).unwrap();
        arena.write(&format!("{folder}/code.py"), "secret = 1\n");
    }
    let listeners = Listeners {
        tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
        udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
        _unix: UnixListener::bind(arena.path("socket")).unwrap(),
    };
    let path = |name: &str| arena.path(name).display().to_string();
    let home = std::env::var("HOME").unwrap();
    let read = [
        path("other/code.py"),
        path("out/games.jsonl"),
        path("t.toml"),
        home,
        shadow(),
    ];
    let variables = [
        ("SPY_READ", read.join(":")),
        ("SPY_WRITE", path("out/games.jsonl")),
        ("SPY_TCP", listeners.tcp.local_addr().unwrap().to_string()),
        ("SPY_UDP", listeners.udp.local_addr().unwrap().to_string()),
        ("SPY_UNIX", path("socket")),
        ("SPY_PID", std::process::id().to_string()),
        ("SPY_FILL", "3".to_owned()),
    ];
    let variables = variables
        .map(|(name, value)| format!("{name} = '{value}'"))
        .join(", ");
    let more = format!("dir = \"spy\"\n{more}");
    let bots = config(&[RANDOM]) + &named("hostile", "spy", &variables, &more);
    // The second match finds the first one in the log.
    arena.write("t.toml", &format!("{top}\nconcurrency = 1\n{bots}"));
    (arena, listeners)
}

fn shadow() -> String {
    "/etc/shadow".to_owned()
}

#[track_caller]
fn play(arena: &Arena, variables: &[(&str, &str)]) -> BTreeMap<String, bool> {
    let secret = ("SPY_SECRET", "1");
    let variables: Vec<_> = variables.iter().copied().chain([secret]).collect();
    good(play_cleanly(arena, &variables));
    assert_eq!(faults(arena, 2), Vec::<Value>::new());
    let moves = moves_of_hostile(arena);
    let last = moves.last().expect("the spy has moved");
    serde_json::from_value(last["info"].clone()).unwrap()
}

fn faults(arena: &Arena, matches: usize) -> Vec<Value> {
    let judged = judge(arena, matches).into_iter();
    judged.filter_map(|(_, fault)| fault).collect()
}

/// Names of successful attempts, with paths in the arena cut short.
fn succeeded(arena: &Arena, seen: &BTreeMap<String, bool>) -> Vec<String> {
    let top = arena.path("").display().to_string();
    let names = seen.iter().filter(|(_, succeeded)| **succeeded);
    names.map(|(name, _)| name.replace(&top, "")).collect()
}

fn confined(arena: &Arena) -> Value {
    let record = &arena.matches()[0];
    let players = record["players"].as_array().unwrap();
    let spy = players.iter().find(|p| p["name"] == "hostile").unwrap();
    spy["confined"].clone()
}

#[test]
fn without_a_sandbox_everything_succeeds() {
    let (arena, listeners) = spy("", "");
    let seen = play(&arena, &[]);
    let failed: Vec<&String> = seen
        .iter()
        .filter(|(_, seen)| !**seen)
        .map(|(name, _)| name)
        .collect();
    let expected = if fs::read(shadow()).is_ok() {
        vec![]
    } else {
        vec!["read /etc/shadow"]
    };
    assert_eq!(failed, expected);
    assert_eq!(listeners.contacted(), (true, true));
    assert_eq!(confined(&arena), json!(null));
}

#[test]
fn in_the_strict_sandbox_nothing_succeeds() {
    let (arena, listeners) = spy("", "sandbox = \"strict\"\nresources = { tmp = \"2MiB\" }");
    let seen = play(&arena, &[]);
    assert_eq!(succeeded(&arena, &seen), [""; 0]);
    assert!(seen.len() > 12);
    assert_eq!(listeners.contacted(), (false, false));
    let confined = confined(&arena);
    assert_eq!(confined["sandbox"], "strict");
    assert!(
        confined["walls"][0]
            .as_str()
            .unwrap()
            .starts_with("bubblewrap"),
        "{confined}"
    );
    assert_eq!(confined["missing"], json!(null));
}

#[test]
fn without_bubblewrap_a_bot_is_restricted_and_the_log_says_what_is_missing() {
    let (arena, listeners) = spy("best_effort = true", "sandbox = \"strict\"");
    let seen = play(&arena, &[NO_BUBBLEWRAP]);
    assert_eq!(succeeded(&arena, &seen), ["fill own /tmp"]);
    assert_eq!(listeners.contacted(), (false, false));
    let confined = confined(&arena);
    assert_eq!(confined["sandbox"], "restricted");
    assert_eq!(confined["walls"], json!(["landlock", "seccomp"]));
    let missing: Vec<String> = serde_json::from_value(confined["missing"].clone()).unwrap();
    assert!(missing[0].starts_with("`sandbox = \"strict\"` (there is no `bwrap`"));
    for lost in [
        "see other processes",
        "write more into its temporary folder than allowed",
    ] {
        assert!(missing.iter().any(|what| what == lost), "{missing:?}");
    }
}

#[test]
fn the_sandbox_restricted_needs_no_bubblewrap() {
    let (arena, _) = spy("", "sandbox = \"restricted\"");
    let seen = play(&arena, &[NO_BUBBLEWRAP]);
    assert_eq!(succeeded(&arena, &seen), ["fill own /tmp"]);
    assert_eq!(confined(&arena)["sandbox"], "restricted");
}

#[test]
fn what_is_missing_is_an_error_without_best_effort() {
    let (arena, _) = spy("", "sandbox = \"strict\"");
    let ran: Ran = play_cleanly(&arena, &[NO_BUBBLEWRAP]);
    tests::refused(
        &ran,
        2,
        "bot `hostile`: this machine cannot enforce `sandbox = \"strict\"`",
    );
    assert_contains(&ran.stderr, "best_effort = true");
}

/// The tournament's folder lies in the bot's own here.
#[test]
fn the_log_and_the_configuration_are_hidden_also_in_a_bots_own_folder() {
    for (variables, more) in [(&[][..], ""), (&[NO_BUBBLEWRAP][..], "best_effort = true")] {
        let (arena, _) = spy(more, "sandbox = \"strict\"\nresources = { tmp = \"2MiB\" }");
        let text = arena.read("t.toml");
        arena.write("t.toml", &text.replace("dir = \"spy\"", "dir = \".\""));
        let seen = play(&arena, variables);
        let mut succeeded = succeeded(&arena, &seen);
        succeeded.retain(|name| name != "fill own /tmp");
        // What else is in its own folder it may read.
        assert_eq!(succeeded, ["read other/code.py"]);
    }
}

#[test]
fn without_a_folder_of_its_own_a_strict_bot_sees_its_program_only() {
    let (arena, _) = spy("", "sandbox = \"strict\"\nresources = { tmp = \"2MiB\" }");
    let text = arena.read("t.toml");
    arena.write("t.toml", &text.replace("dir = \"spy\"", ""));
    let seen = play(&arena, &[]);
    assert_eq!(succeeded(&arena, &seen), [""; 0]);
}

#[test]
fn bots_have_no_files_open_but_their_own() {
    let walls = ("sandbox = \"strict\"", &[NO_BUBBLEWRAP][..]);
    for (more, variables) in [
        ("", &[][..]),
        ("sandbox = \"limits\"", &[]),
        ("sandbox = \"strict\"", &[]),
        walls,
    ] {
        let arena = three("best_effort = true", "descriptors", more);
        let path = ("PATH", std::env::var("PATH").unwrap());
        let path = (path.0, &*path.1);
        let variables: Vec<_> = [path]
            .into_iter()
            .chain(variables.iter().copied())
            .collect();
        good(play_cleanly(&arena, &variables));
        assert_eq!(faults(&arena, 6), Vec::<Value>::new());
        let moves = moves_of_hostile(&arena);
        assert!(!moves.is_empty());
        for mv in moves {
            assert_eq!(mv["info"]["descriptors"], json!(["0", "1", "2"]), "{more}");
        }
    }
}

#[test]
fn a_bot_that_kills_its_parent_in_the_sandbox_kills_nobody() {
    assert_well(&three("", "kills-supervisor", "sandbox = \"strict\""));
}

#[test]
fn what_bots_start_in_the_sandbox_ends_with_them() {
    for how in [
        "children",
        "daemons",
        "closed-daemons",
        "stays",
        "ignores-term",
    ] {
        assert_well(&three("", how, "sandbox = \"strict\""));
    }
}

#[test]
fn a_crash_in_the_sandbox_is_told_with_its_cause() {
    let more = "sandbox = \"strict\"";
    assert_fault(
        &three("", "crash", more),
        "crash",
        [2, 3],
        "exited with code 5",
    );
    let more = "sandbox = \"strict\"\nresources = { memory = \"64MiB\" }";
    assert_fault(
        &three("", "allocates", more),
        "crash",
        [2, 3],
        "out of the memory",
    );
}

/// The sandbox shows a folder under its real name only.
#[test]
fn a_folder_may_be_a_link() {
    for (variables, more) in [(&[][..], ""), (&[NO_BUBBLEWRAP][..], "best_effort = true")] {
        let (arena, _) = spy(more, "sandbox = \"strict\"\nresources = { tmp = \"2MiB\" }");
        std::os::unix::fs::symlink("spy", arena.path("link")).unwrap();
        let text = arena.read("t.toml");
        arena.write("t.toml", &text.replace("dir = \"spy\"", "dir = \"link\""));
        play(&arena, variables);
    }
}

/// A bot in the folder `mine`, in the strict sandbox.
fn in_strict(command: &str) -> Arena {
    let bot = format!(
        "[[bots]]\nname = \"hostile\"\ncommand = [\"{command}\", \"plays\"]\ndir = \"mine\"\n\
         sandbox = \"strict\"\n"
    );
    let arena = Arena::new(&(config(&[RANDOM]) + &bot));
    for folder in ["mine/venv/bin", "python/bin", "python/lib"] {
        fs::create_dir_all(arena.path(folder)).unwrap();
    }
    arena
}

#[test]
fn a_program_may_be_a_link_to_a_link_outside() {
    let arena = in_strict("./run");
    fs::copy(HOSTILE, arena.path("python/real")).unwrap();
    symlink("real", arena.path("python/step")).unwrap();
    symlink(arena.path("python/step"), arena.path("mine/run")).unwrap();
    good(play_cleanly(&arena, &[]));
    assert_eq!(faults(&arena, 2), Vec::<Value>::new());
}

#[test]
fn an_interpreter_whose_installation_is_hidden_is_refused_with_advice() {
    let arena = in_strict("venv/bin/python");
    fs::copy(HOSTILE, arena.path("python/bin/python3")).unwrap();
    symlink(
        arena.path("python/bin/python3"),
        arena.path("mine/venv/bin/python"),
    )
    .unwrap();
    let python = arena.path("python").canonicalize().unwrap();
    arena.write(
        "mine/venv/pyvenv.cfg",
        &format!("home = {}/bin\n", python.display()),
    );
    let ran = play_cleanly(&arena, &[]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let advice = format!(
        "which its sandbox hides; add `readable = [\"{}\"]`",
        python.display()
    );
    assert_contains(&ran.stderr, &advice);
    let text = arena.read("t.toml");
    arena.write("t.toml", &(text + "readable = [\"python\"]\n"));
    good(play_cleanly(&arena, &[]));
    assert_eq!(faults(&arena, 2), Vec::<Value>::new());
}

#[test]
fn another_program_than_outside_is_said() {
    let arena = in_strict("sh");
    let (bin, path) = (arena.path("bin"), std::env::var("PATH").unwrap());
    fs::create_dir(&bin).unwrap();
    fs::copy("/bin/sh", bin.join("sh")).unwrap();
    let path = format!("{}:{path}", bin.display());
    let ran = play_cleanly(&arena, &[("PATH", &path)]);
    let warning = format!(
        "/sh` is run, not `{}/sh`, which is hidden there",
        bin.display()
    );
    assert_contains(&ran.stderr, &warning);
}

/// A bot in plain shell that makes itself longer in its first match.
const CHANGES: &str = r#"
while read -r line; do
    case $line in
    *'"type":"hello"'*) echo '{"type":"hello","protocol":1,"name":"changes"}' ;;
    *'"type":"start"'*) echo '{"type":"ready"}' ;;
    *'"type":"turn"'*) echo '# longer' >> changes.sh; echo '{"type":"resign"}' ;;
    esac
done
"#;

#[test]
fn a_script_that_changes_is_said_and_the_log_has_its_hashes() {
    let bot = "[[bots]]\nname = \"changes\"\ncommand = [\"sh\", \"changes.sh\"]\n";
    let head = "restart = \"each-match\"\nconcurrency = 1\n";
    let arena = Arena::new(&format!("{head}{}{bot}", config(&[RANDOM])));
    arena.write("changes.sh", CHANGES);
    let ran = good(play_cleanly(&arena, &[]));
    assert_contains(
        &ran.stderr,
        "the bot `changes` is not what it was: changes.sh changed",
    );
    let hash = |record: &Value| {
        let players = record["players"].as_array().unwrap();
        let bot = players.iter().find(|player| player["name"] == "changes");
        bot.unwrap()["files"]["changes.sh"].clone()
    };
    let hashes: Vec<Value> = arena.matches().iter().map(hash).collect();
    assert_eq!(hashes.len(), 2);
    assert!(hashes.iter().all(|hash| hash.as_str().unwrap().len() == 64));
    assert_ne!(hashes[0], hashes[1]);
}

#[test]
fn cpu_time_that_is_estimated_is_said_in_every_result() {
    // Somebody else's program, which plays like one of the referee's own.
    let other = ("other", "[\"sh\", \"-c\", \"exec $REFEREE bot random\"]");
    let arena = Arena::new(&format!("clock = \"cpu\"\n{}", config(&[RANDOM, other])));
    let ran = good(play_cleanly(&arena, &[]));
    assert_contains(
        &ran.stderr,
        "the CPU time of `random`, `other` is an estimate",
    );
    for record in arena.matches() {
        for player in record["players"].as_array().unwrap() {
            assert_eq!(player["cpu_time"], "estimated");
        }
    }
    let standings = good(run(["standings".into(), arena.path("out")])).stdout;
    for part in [
        "The CPU time of `other` was limited, but only estimated",
        "The CPU time of `random` was estimated, too, but the referee's own bots hide nothing.",
    ] {
        assert_contains(&standings, part);
    }
}

/// These variables make the program loader write to this file, or else to stdout, as the user of
/// the program: the file shows that a process outside of the sandbox was started with them.
#[test]
fn variables_of_a_bot_change_nothing_outside_of_its_sandbox() {
    for tier in ["restricted", "strict"] {
        let arena = Arena::new("");
        for folder in ["own", "traces"] {
            fs::create_dir(arena.path(folder)).unwrap();
        }
        let traces = arena.path("traces");
        let loud = format!(
            "[[bots]]\nname = \"loud\"\ndir = \"own\"\ncommand = \"referee bot random\"\n\
             env = {{ LD_DEBUG = \"libs\", LD_DEBUG_OUTPUT = '{}/of' }}\n",
            traces.display()
        );
        let text = format!("sandbox = \"{tier}\"\n{}{loud}", config(&[RANDOM]));
        arena.write("t.toml", &text);
        good(play_cleanly(&arena, &[]));
        assert_eq!(fs::read_dir(traces).unwrap().count(), 0, "{tier}");
        // The bot itself had them.
        let said = arena.matches()[0]["result"]["faults"].to_string();
        assert!(said.contains("library="), "{tier}: {said}");
    }
}

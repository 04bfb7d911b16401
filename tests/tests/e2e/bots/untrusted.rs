//! Submissions are data: allowed keys, and forbidden ones.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use tests::{assert_contains, good};

use crate::bots::submissions::{BOT, class, with};

#[test]
fn a_submission_has_the_name_of_its_folder() {
    let arena = class("");
    let named = "name = \"random\"\ncommand = \"python3 bot.py\"\n";
    arena.write("submissions/anna/bot.toml", named);
    let ran = good(with(&arena, &["config", "check"], &[]));
    assert_contains(&ran.stdout, "(random, anna, ben");
    let note = "note: `submissions/anna/bot.toml`, line 1: the name \"random\" is ignored";
    assert_contains(&ran.stderr, note);
    let named = named.replace("random", "Anna B.");
    arena.write("submissions/anna/bot.toml", &named);
    let chosen = ["--set", "submissions.names=true"];
    let ran = with(&arena, &["config", "check"], &chosen);
    assert_contains(&ran.stdout, "(random, Anna B., ben");
    // Names of others are protected.
    arena.write(
        "submissions/anna/bot.toml",
        &named.replace("Anna B.", "random"),
    );
    let ran = good(with(&arena, &["config", "check"], &chosen));
    let part = "left out: bot `submissions/anna`: submissions/anna/bot.toml: line 1: `bots.name`: two bots";
    assert_contains(&ran.stderr, part);
    assert_contains(&ran.stdout, "(random, ben");
}

/// Forbidden lines by key, and a part of the message. `TOP` is the folder of the class.
const FORBIDDEN: [(&str, &str); 33] = [
    (
        "readable = [\"/\"]",
        "`readable`: `/` is not in the bot's folder",
    ),
    (
        "readable = [\"..\"]",
        "`readable`: `..` is not in the bot's folder",
    ),
    ("readable = [\"../ben\"]", "`readable`: `../ben` is not"),
    ("readable = [\"../../t.toml\"]", "`readable`: "),
    ("readable = [\"TOP/t.toml\"]", "`readable`: "),
    ("readable = [\"up\"]", "`readable`: `up` is not"),
    ("readable = [\"up/private\"]", "`readable`: "),
    (
        "readable = [\"${HOME}\"]",
        "`readable`: there is no file or folder",
    ),
    (
        "env = { X = \"${HOME}\" }",
        "`env`: `${HOME}` is not a variable",
    ),
    ("env = { X = \"${HOME:-x}\" }", "`env`: `${HOME}` is not"),
    ("build = \"echo ${HOME}\"", "`build`: `${HOME}` is not"),
    ("setup = \"echo ${HOME}\"", "`setup`: `${HOME}` is not"),
    (
        "build = \"cat ../ben/bot.py\"",
        "`build`: `../ben/bot.py` is not",
    ),
    ("setup = \"cat up/private\"", "`setup`: `up/private` is not"),
    (
        "build = \"up/private\"",
        "`build`: the program `up/private` is not",
    ),
    ("dir = \"../ben\"", "unknown key `dir`"),
    ("sandbox = \"none\"", "unknown key `sandbox`"),
    (
        "resources = { memory = \"none\" }",
        "unknown key `resources`",
    ),
    ("time = { per_move = \"1h\" }", "unknown key `time`"),
    ("restart = \"on-fault\"", "unknown key `restart`"),
    ("start_attempts = 20", "unknown key `start_attempts`"),
    ("idle = \"run\"", "unknown key `idle`"),
    ("in_place = true", "unknown key `in_place`"),
    ("deterministic = true", "unknown key `deterministic`"),
    ("must_pass_check = false", "unknown key `must_pass_check`"),
    ("ggp = \"http://127.0.0.1:9147\"", "unknown key `ggp`"),
    ("scramble = true", "unknown key `scramble`"),
    ("submission = \"x\"", "unknown key `submission`"),
    ("rules = [\"sh x\"]", "unknown key `rules`"),
    ("best_effort = true", "unknown key `best_effort`"),
    ("include = [\"../../t.toml\"]", "unknown key `include`"),
    ("bots = []", "unknown key `bots`"),
    (
        "submissions = { names = true }",
        "unknown key `submissions`",
    ),
];
/// Forbidden commands.
const FORBIDDEN_COMMANDS: [(&str, &str); 9] = [
    ("${HOME}/x", "`command`: `${HOME}` is not a variable"),
    ("${HOME:-python3} bot.py", "`command`: `${HOME}` is not"),
    (
        "python3 ../ben/bot.py",
        "`command`: `../ben/bot.py` is not in the bot's folder",
    ),
    (
        "python3 bot.py TOP/t.toml",
        "`command`: `TOP/t.toml` is not",
    ),
    (
        "python3 bot.py up/private",
        "`command`: `up/private` is not",
    ),
    ("TOP/private", "`command`: the program `TOP/private` is not"),
    (
        "./to-private",
        "`command`: the program `./to-private` is not",
    ),
    (
        "./script",
        "`command`: the interpreter of `./script` is not",
    ),
    ("python3 /etc/shadow", "`command`: `/etc/shadow` is not"),
];

#[test]
fn a_submission_is_held_to_its_own_folder() {
    let arena = class("");
    let top = arena.path("").display().to_string();
    let top = top.trim_end_matches('/');
    arena.write("private", "#!/bin/sh\necho secret\n");
    arena.write("submissions/anna/script", &format!("#!{top}/private\n"));
    for name in ["private", "submissions/anna/script"] {
        fs::set_permissions(arena.path(name), Permissions::from_mode(0o755)).unwrap();
    }
    symlink("../..", arena.path("submissions/anna/up")).unwrap();
    symlink("../../private", arena.path("submissions/anna/to-private")).unwrap();
    let check = |text: String, more: &[&str]| {
        arena.write("submissions/anna/bot.toml", &text.replace("TOP", top));
        with(&arena, &["config", "check"], more)
    };
    let of_key = |line: &str| format!("command = \"python3 bot.py\"\n{line}\n");
    let of_command = |command: &str| format!("command = \"{command}\"\n");
    let keys = FORBIDDEN.map(|(line, part)| (of_key(line), part));
    let commands = FORBIDDEN_COMMANDS.map(|(command, part)| (of_command(command), part));
    for (text, part) in keys.into_iter().chain(commands) {
        let ran = check(text.clone(), &["--set", "sandbox=restricted"]);
        assert_eq!(ran.code, Some(0), "{text}: {}", ran.stderr);
        let part = part.replace("TOP", ".").replace("`./", "`");
        let line = ran
            .stderr
            .lines()
            .find(|line| line.contains("left out: bot `anna`: "));
        let line = line.unwrap_or_else(|| panic!("{text}: {}", ran.stderr));
        assert!(
            line.replace("`./", "`").contains(&part),
            "`{part}` in {line}"
        );
    }
    // What is its own, or the system's, or allowed.
    for (text, more) in [
        (
            of_key("readable = [\"bot.py\", \".\", \"/usr/share\"]"),
            &[][..],
        ),
        (of_command("python3 bot.py --x /no/such/file $${HOME}"), &[]),
        (
            of_key("readable = [\"../../private\"]"),
            &["--set", "submissions.readable=['private']"],
        ),
        (
            of_key("readable = [\"../../private\"]"),
            &["--set", "readable=['private']"],
        ),
        (
            of_command("./to-private"),
            &["--set", "submissions.readable=['private']"],
        ),
        (
            of_key("env = { X = \"${HOME}\" }"),
            &["--set", "submissions.variables=['HOME']"],
        ),
    ] {
        let ran = check(text.clone(), more);
        assert_eq!(ran.code, Some(0), "{text}: {}", ran.stderr);
        assert!(!ran.stderr.contains("bot `anna`"), "{text}: {}", ran.stderr);
    }
}

#[test]
fn the_file_of_a_submission_is_no_link_and_is_in_the_log() {
    let arena = class("");
    good(arena.play());
    let digest = |name: &str| {
        let text = fs::read(arena.path(&format!("submissions/{name}/bot.toml"))).unwrap();
        serde_json::Value::from(referee::supervisor::bot::files::digest_of(&text))
    };
    for record in arena.matches() {
        for player in record["players"].as_array().unwrap() {
            let name = player["name"].as_str().unwrap();
            let expected = match name {
                "random" => serde_json::Value::Null,
                name => digest(name),
            };
            assert_eq!(player["bot_file"], expected, "{name}");
        }
    }
    let bot = arena.path("submissions/anna/bot.toml");
    fs::rename(&bot, arena.path("elsewhere.toml")).unwrap();
    symlink("../../elsewhere.toml", &bot).unwrap();
    let ran = with(&arena, &["config", "check"], &[]);
    let part = "bot `anna`: submissions/anna/bot.toml: cannot be read: it is a link";
    assert_contains(&ran.stderr, part);
}

/// A bot's variables reach the bot, and nothing that starts it: there they would be obeyed outside of the
/// sandbox.
#[test]
fn variables_of_a_bot_do_nothing_outside_its_sandbox() {
    for tier in ["restricted", "strict"] {
        let arena = class(&format!("sandbox = \"{tier}\""));
        fs::set_permissions(arena.path(""), Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(arena.path("private")).unwrap();
        fs::set_permissions(arena.path("private"), Permissions::from_mode(0o777)).unwrap();
        let output = arena.path("private/loader").display().to_string();
        arena.write(
            "submissions/anna/bot.toml",
            &format!(
                "command = \"python3 bot.py\"\n\
                 env = {{ LD_DEBUG = \"files\", LD_DEBUG_OUTPUT = \"{output}\" }}\n"
            ),
        );
        let proof = "import os, sys\nassert os.environ['PROOF'] == 'a b'\n\
                     assert not [name for name in os.environ if 'REFEREE_BOT' in name]\n";
        arena.write("submissions/dora/bot.py", &format!("{proof}{BOT}"));
        let proof = "command = \"python3 bot.py\"\nenv = { PROOF = \"a b\" }\n";
        arena.write("submissions/dora/bot.toml", proof);
        let ran = arena.play();
        assert_eq!(ran.code, Some(0), "{tier}: {}", ran.stderr);
        assert!(!ran.stderr.contains("bot `dora`"), "{tier}: {}", ran.stderr);
        let written = fs::read_dir(arena.path("private")).unwrap().count();
        assert_eq!(
            written, 0,
            "{tier}: something outside obeyed the bot's variables"
        );
    }
}

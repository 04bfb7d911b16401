//! The commands and configurations of the documents, run as they are written.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use tests::{referee, root};

use crate::config_of;

/// Commands that are not run: how they begin, and why.
const LEFT_OUT: [(&str, &str); 15] = [
    (
        "cargo ",
        "builds, or takes minutes; see the test of the names in them",
    ),
    ("DIFFERENTIAL_GAMES=", "builds, and takes minutes"),
    ("FIT=", "builds, and takes minutes"),
    ("SETTLED_POSITIONS=", "builds, and takes minutes"),
    ("referee solve ", "takes hours; see `solve`"),
    ("DUEL=", "builds, and takes minutes"),
    ("tests/run", "runs this test"),
    ("bots/examples/test", "installs languages"),
    ("referee watch ", "serves pages until it is stopped"),
    ("referee ggp-player ", "answers until it is stopped"),
    (
        "referee tournament tournaments/quickstart.toml --watch",
        "serves pages",
    ),
    (
        "referee play siam --human rhinos --bot mcts --web",
        "waits for a browser",
    ),
    ("referee play siam --human 0", "waits for browsers"),
    ("referee worker", "needs a NATS server, which `cluster` has"),
    (
        "referee tournament evening.toml --nats",
        "needs a NATS server, which `cluster` has",
    ),
];

/// Tournaments that take minutes: they are only checked.
const LONG: [&str; 4] = [
    "tournaments/all-eight.toml",
    "tournaments/repeated-games.toml",
    "tournaments/identical-three.toml",
    "tournaments/rules-programs.toml",
];

/// What is added to commands to make them short, or to keep them apart from each other: how they
/// begin, and what.
const ADDED: [(&str, &str); 10] = [
    ("referee analyse", "--time 20ms"),
    ("referee tournament class.toml", "--set limits.max_plies=8"),
    ("referee play amazons", "--per-move 20ms --max-plies 12"),
    ("referee play siam --bot", "--per-move 20ms --max-plies 12"),
    (
        "referee tournament evening.toml --set",
        "--set time.per_move=2ms --set games='[\"run\"]' --out runs/set",
    ),
    ("referee tournament evening.toml --resume --out", SHORT),
    ("referee tournament evening.toml --resume", SHORT),
    ("referee tournament evening.toml --extend", SHORT),
    ("referee tournament evening.toml --shard", SHORT),
    (
        "referee tournament evening.toml --bundles",
        "--set time.per_move=2ms --set limits.max_plies=12 --bundle-cache cache",
    ),
];

/// Makes the tournament of the README short.
const SHORT: &str = "--set time.per_move=2ms --set limits.max_plies=12";

fn document(name: &str) -> String {
    fs::read_to_string(root().join(name)).expect(name)
}

/// The commands of a document: lines of its blocks, without their remarks.
fn commands(name: &str) -> Vec<String> {
    let text = document(name);
    let lines = text.lines().filter_map(|line| {
        let line = line.strip_prefix("    ")?;
        let line = line.split("  #").next()?.trim_end();
        let is_path =
            |line: &str| line.starts_with("tests/run") || line.starts_with("bots/examples/test");
        let known = ["referee ", "cargo ", "DIFFERENTIAL_GAMES=", "FIT=", "DUEL="];
        let is_command = is_path(line) || known.iter().any(|begin| line.starts_with(begin));
        // In the map of the crates, words are far apart.
        (is_command && !line.contains("   ")).then(|| line.to_owned())
    });
    lines.collect()
}

/// The block of this language in a document that comes after this many others.
fn block(name: &str, language: &str, nth: usize) -> String {
    let text = document(name);
    let begin = format!("```{language}\n");
    let block = text.split(&begin).nth(nth + 1).expect("a block");
    block.split("```").next().expect("its end").to_owned()
}

/// A place like that of somebody who reads the documents, with tournaments that were played.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let place = Place { folder };
        let bot = block("protocol/PROTOCOL.md", "python", 0);
        for dir in [
            "mybot",
            "weights",
            "here/tournaments",
            "here/submissions/anna",
            "here/submissions/ben",
            "bin",
        ] {
            fs::create_dir_all(place.folder.path().join(dir)).expect("a folder");
        }
        for path in [
            "mybot/mybot.py",
            "here/mybot.py",
            "here/submissions/anna/bot.py",
            "here/submissions/ben/bot.py",
        ] {
            fs::write(place.folder.path().join(path), &bot).expect("a bot");
        }
        for shared in ["games", "bots"] {
            let link = place.path(shared);
            std::os::unix::fs::symlink(root().join(shared), link).expect("a link");
        }
        let program = place.folder.path().join("bin/referee");
        std::os::unix::fs::symlink(referee(), program).expect("a link");
        let sheet = root().join("games/sheets/nim.kif");
        fs::copy(sheet, place.path("my-game.kif")).expect("a file");
        let rules = games::find("siam").expect("a game");
        let start = rules
            .configure(&serde_json::Value::Null)
            .and_then(|rules| Ok(rules.start(1)?));
        let state = start.expect("a start").state().expect("a state");
        fs::write(place.path("position.json"), state.to_string()).expect("a file");
        fs::write(place.path("evening.toml"), block("README.md", "toml", 0)).expect("a file");
        fs::write(place.path("class.toml"), block("README.md", "toml", 1)).expect("a file");
        let anna = block("README.md", "toml", 2);
        fs::write(place.path("submissions/anna/bot.toml"), anna).expect("a file");
        let ben = "command = \"python3 bot.py\"\n";
        fs::write(place.path("submissions/ben/bot.toml"), ben).expect("a file");
        let games = "games = [\"run\", { id = \"siam\", limits = { max_plies = 8 } }]";
        let bots = [
            ("mcts", "\"referee bot mcts --playouts 5\""),
            ("python", "\"python3 mybot.py\""),
            ("greedy", "\"referee bot greedy\""),
            ("random", "\"referee bot random\""),
        ];
        fs::write(place.path("quick.toml"), config_of(games, &bots)).expect("a file");
        place
    }

    /// The tournaments that the README speaks of.
    fn play(&self) {
        for out in ["quickstart-1", "monday-1", "tuesday-1"] {
            self.passes(
                &format!("referee tournament quick.toml --out runs/{out}"),
                "",
            );
        }
        for _ in 0..2 {
            self.passes(&format!("referee tournament evening.toml {SHORT}"), "");
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("here").join(name)
    }

    /// Runs a command in a shell.
    fn passes(&self, command: &str, input: &str) {
        let bin = self.folder.path().join("bin");
        let path = std::env::var("PATH").expect("a path");
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(self.path(""));
        shell.env("PATH", format!("{}:{path}", bin.display()));
        shell
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = shell.spawn().expect("a shell");
        // A command that does not read it may have ended.
        let _ = child
            .stdin
            .take()
            .expect("a pipe")
            .write_all(input.as_bytes());
        let output = child.wait_with_output().expect("it ends");
        let code = output.status.code();
        // Whether a bot keeps its time depends on the machine.
        let passed = code == Some(0) || command.starts_with("referee check") && code == Some(3);
        assert!(
            passed,
            "`{command}` ended with {code:?}\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

fn is_left_out(command: &str) -> bool {
    LEFT_OUT.iter().any(|(begin, _)| command.starts_with(begin))
}

fn run_all(name: &str) {
    let place = Place::new();
    if name == "README.md" {
        place.play();
    }
    let mut tried = 0;
    for command in commands(name)
        .iter()
        .filter(|command| !is_left_out(command))
    {
        if let Some(long) = LONG.iter().find(|path| command.contains(*path)) {
            let path = root().join(long);
            let config = fs::read_to_string(&path).expect("a configuration");
            fs::write(place.path(long), config).expect("a file");
            place.passes(&format!("referee config check {}", path.display()), "");
            continue;
        }
        let added = ADDED.iter().find(|(begin, _)| command.starts_with(begin));
        let added = added.map_or("", |(_, added)| *added);
        place.passes(&format!("{command} {added}"), "resign\n");
        tried += 1;
    }
    assert!(tried > 0, "{name} has commands");
}

#[test]
fn commands_of_the_readme_run() {
    run_all("README.md");
}

#[test]
fn commands_of_the_protocol_run() {
    run_all("protocol/PROTOCOL.md");
}

#[test]
fn commands_of_contributing_run() {
    run_all("CONTRIBUTING.md");
}

#[test]
fn what_cargo_is_to_run_exists() {
    let workspace = fs::read_to_string(root().join("Cargo.toml")).expect("a file");
    let workspace: toml::Table = workspace.parse().expect("TOML");
    let members = workspace["workspace"]["members"].as_array();
    let names = members
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str());
    let crates: Vec<PathBuf> = names.map(|name| root().join(name)).collect();
    let folder = |package: &str| {
        let named = format!("name = \"{package}\"");
        let is_it = |path: &&PathBuf| {
            fs::read_to_string(path.join("Cargo.toml")).is_ok_and(|text| text.contains(&named))
        };
        crates.iter().find(is_it).cloned()
    };
    for document in [
        "README.md",
        "CONTRIBUTING.md",
        "tests/CAMPAIGNS.md",
        "protocol/PROTOCOL.md",
    ] {
        for command in commands(document) {
            let words: Vec<&str> = command.split_whitespace().collect();
            let after = |flag: &str| {
                let at = words.iter().position(|word| *word == flag)?;
                words.get(at + 1).copied()
            };
            let Some(package) = after("-p") else { continue };
            let folder = folder(package).unwrap_or_else(|| panic!("no package for `{command}`"));
            for (flag, places) in [
                ("--bin", ["src/bin", "src"]),
                ("--example", ["examples", "examples"]),
                ("--test", ["tests", "tests"]),
            ] {
                let Some(name) = after(flag) else { continue };
                let exists = |place: &&str| {
                    let place: &Path = &folder.join(place);
                    place.join(name).is_dir() || place.join(format!("{name}.rs")).is_file()
                };
                assert!(places.iter().any(exists), "`{command}`");
            }
        }
    }
}

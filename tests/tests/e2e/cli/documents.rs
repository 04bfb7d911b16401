//! The commands and configurations of the documents, run verbatim.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use tests::{referee, root};

use crate::config_of;

/// Commands that are not run: prefix and reason.
const LEFT_OUT: [(&str, &str); 18] = [
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
        "referee merge part-*",
        "needs the parts that a batch scheduler plays",
    ),
    (
        "referee tournament quickstart",
        "unpacks into the user's cache; `tests/run` plays it",
    ),
    ("referee completions bash", "writes to the home folder"),
    ("referee man --out", "writes to the home folder"),
];

/// Commands with this need a NATS server, which `cluster` has.
const NATS: &str = " --nats ";

/// Tournaments that take minutes: they are only checked.
const LONG: [&str; 4] = [
    "tournaments/all-eight.toml",
    "tournaments/repeated-games.toml",
    "tournaments/identical-three.toml",
    "tournaments/rules-programs.toml",
];

/// Additional flags that make commands short, or keep them apart from each other, by the start of
/// the command.
const ADDED: [(&str, &str); 12] = [
    ("referee analyse", "--time 20ms"),
    ("referee tournament class.toml", "--set limits.max_plies=8"),
    (
        "referee tournament first.toml",
        "--set time.per_move=2ms --set limits.max_plies=8",
    ),
    (
        "referee tournament change.toml",
        "--set sprt.max_pairs=2 --set time.per_move=2ms",
    ),
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

/// Makes the tournament of the guides short.
const SHORT: &str = "--set time.per_move=2ms --set limits.max_plies=12";

fn document(name: &str) -> String {
    fs::read_to_string(root().join(name)).expect(name)
}

/// The commands of a document: lines of its blocks, indented or fenced as `sh`, without their remarks.
fn commands(name: &str) -> Vec<String> {
    let text = document(name);
    let mut fence = None;
    let lines = text.lines().filter_map(|line| {
        if let Some(language) = line.strip_prefix("```") {
            fence = match fence {
                None => Some(language.to_owned()),
                Some(_) => None,
            };
            return None;
        }
        let line = match fence.as_deref() {
            None => line.strip_prefix("    ")?,
            Some("sh") => line,
            Some(_) => return None,
        };
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

/// A reader's folder, with finished tournaments.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let place = Place { folder };
        let bot = block("protocol/PROTOCOL.md", "python", 0);
        let tutorial = "docs/src/start/first-tournament.md";
        let evening = "docs/src/guides/tournaments/configuration.md";
        let class = "docs/src/guides/tournaments/contest.md";
        let change = "docs/src/guides/tournaments/sprt.md";
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
        for (file, page) in [
            ("first.toml", tutorial),
            ("evening.toml", evening),
            ("class.toml", class),
            ("change.toml", change),
        ] {
            fs::write(place.path(file), block(page, "toml", 0)).expect("a file");
        }
        let anna = block(class, "toml", 1);
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

    /// The tournaments that the documents speak of.
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
    command.contains(NATS) || LEFT_OUT.iter().any(|(begin, _)| command.starts_with(begin))
}

/// Runs the commands of these documents in one place, one after another.
fn run_all(names: &[String]) {
    let place = Place::new();
    let all: Vec<String> = names.iter().flat_map(|name| commands(name)).collect();
    if all
        .iter()
        .any(|command| command.contains("runs/") || command.contains(" --resume"))
    {
        place.play();
    }
    let mut tried = 0;
    for command in all.iter().filter(|command| !is_left_out(command)) {
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
    assert!(tried > 0, "{names:?} have commands");
}

/// The pages of this folder of the book.
fn pages(folder: &str) -> Vec<String> {
    let path = root().join("docs/src").join(folder);
    let files = fs::read_dir(&path).expect("a folder of the book");
    let names = files.map(|file| {
        file.expect("a file")
            .file_name()
            .into_string()
            .expect("UTF-8")
    });
    let mut pages: Vec<String> = names
        .filter(|name| name.ends_with(".md"))
        .map(|name| format!("docs/src/{folder}/{name}"))
        .collect();
    pages.sort();
    pages
}

#[test]
fn commands_of_the_readme_run() {
    run_all(&["README.md".to_owned()]);
}

#[test]
fn commands_of_the_protocol_run() {
    run_all(&["protocol/PROTOCOL.md".to_owned()]);
}

#[test]
fn commands_of_contributing_run() {
    run_all(&["CONTRIBUTING.md".to_owned()]);
}

#[test]
fn commands_of_the_books_start_run() {
    let mut pages = pages("start");
    // It takes place in a project of its own; `bots/examples/test` follows it.
    pages.retain(|page| !page.ends_with("your-own-game.md"));
    run_all(&pages);
}

#[test]
fn commands_of_the_books_guides_run() {
    run_all(&pages("guides"));
}

#[test]
fn commands_of_the_books_guides_to_tournaments_run() {
    run_all(&pages("guides/tournaments"));
}

#[test]
fn commands_of_the_books_reference_run() {
    let mut pages = pages("reference");
    pages.extend(["docs/src/troubleshooting.md".to_owned()]);
    run_all(&pages);
}

/// The first match of a log, as if a language model had chosen the moves.
fn log_of_a_model(log: &str) -> (TempDir, String) {
    let text = fs::read_to_string(Path::new(log).join("games.jsonl")).expect("a log");
    let mut record: serde_json::Value =
        serde_json::from_str(text.lines().next().expect("a match")).expect("JSON");
    record["moves"][0]["info"] = serde_json::json!({"calls": 1, "tokens_in": 7});
    record.as_object_mut().expect("an object").remove("prev");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.jsonl");
    fs::write(&path, format!("{record}\n")).expect("a file");
    (folder, path.display().to_string())
}

/// Every column of CSV is on the page about them, and every column there exists.
#[test]
fn columns_of_csv_are_in_the_book() {
    let log = root().join("tests/fixtures/tournament-0.1");
    let log = log.to_str().expect("UTF-8");
    let (_folder, of_model) = log_of_a_model(log);
    let mut tables: Vec<Vec<&str>> = vec![
        vec!["export", log, "--format", "csv"],
        vec!["export", log, "--format", "csv", "--rows", "moves"],
        vec!["standings", log, "--format", "csv"],
        vec!["standings", &of_model, "--format", "csv"],
    ];
    for by in [
        "version", "game", "seat", "goal", "opening", "pair", "machine",
    ] {
        tables.push(vec!["standings", log, "--format", "csv", "--by", by]);
    }
    let mut columns = BTreeSet::new();
    for table in tables {
        let output = Command::new(referee())
            .args(&table)
            .output()
            .expect("it runs");
        assert!(output.status.success(), "{table:?}");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let header = text.lines().next().expect("a header");
        columns.extend(header.split(',').map(|column| {
            let seat = column
                .rsplit_once('_')
                .filter(|(_, seat)| seat.parse::<u8>().is_ok());
            seat.map_or(column.to_owned(), |(column, _)| format!("{column}_N"))
        }));
    }
    let page = document("docs/src/reference/csv.md");
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let words = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
    let is_name = |word: &&str| {
        let is_letter =
            |letter: char| letter.is_ascii_lowercase() || letter == '_' || letter == 'N';
        word.chars().all(is_letter)
    };
    // Values of columns, and a field of the log.
    let others = [
        "at_least", "at_most", "unknown", "forced", "chance", "load", "version",
    ];
    let named = words.filter(is_name).filter(|word| !others.contains(word));
    let named: BTreeSet<String> = named.map(str::to_owned).collect();
    assert_eq!(named, columns.into_iter().chain(bys()).collect());
}

/// The values of `--by`, which the page names as well.
fn bys() -> impl Iterator<Item = String> {
    ["game", "seat", "opening", "pair", "machine"]
        .map(str::to_owned)
        .into_iter()
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
        "docs/src/guides/tournaments/cluster.md",
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

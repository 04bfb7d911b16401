//! Which crates may depend on which, and what Cargo cannot hold: rooms without input and output,
//! and moves that nobody but `games` reads.

use std::fs;
use std::path::{Path, PathBuf};

/// Our crates, by folder, with those of ours that each may depend on. Cargo refuses an import that
/// the manifest does not name; this holds what the manifests name.
const ALLOWED: [(&str, &[&str]); 10] = [
    ("protocol", &[]),
    ("games", &[]),
    ("games/solver", &["games"]),
    ("bots", &["games", "protocol"]),
    ("referee/arbiter", &["games", "protocol"]),
    // How a bot used its time is judged by the arbiter's clock arithmetic.
    ("referee/ratings", &["arbiter", "games", "protocol"]),
    ("referee/supervisor", &["protocol"]),
    // Messages of whatever.
    ("referee/cluster", &[]),
    (
        "referee",
        &[
            "arbiter",
            "bots",
            "cluster",
            "games",
            "protocol",
            "ratings",
            "solver",
            "supervisor",
        ],
    ),
    // Through the built programs; but who lies to a coordinator has to speak its language, and the
    // program has to be built with workers.
    ("tests", &["cluster", "referee"]),
];

/// Folders in which nothing reads a clock, a file or a socket.
const PURE: [&str; 4] = [
    "referee/arbiter/src",
    "referee/ratings/src",
    "referee/src/tournament/schedule",
    "referee/src/tournament/remote/dispatch",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Our crates that the manifest in this folder names, those for tests left out.
fn imports(folder: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(folder).join("Cargo.toml")).expect("a manifest");
    let manifest: toml::Table = text.parse().expect("TOML");
    let dependencies = manifest["dependencies"].as_table().expect("a table");
    let name = |folder: &str| folder.rsplit('/').next().unwrap_or(folder).to_owned();
    let ours: Vec<String> = ALLOWED.iter().map(|(folder, _)| name(folder)).collect();
    let named = dependencies.keys().filter(|key| ours.contains(key));
    named.cloned().collect()
}

/// All sources below a folder, with their paths.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a source");
                found.push((path, text));
            }
        }
    }
    assert!(!found.is_empty(), "{folder} has no sources");
    found
}

#[test]
fn crates_import_only_what_is_below_them() {
    for (folder, allowed) in ALLOWED {
        assert_eq!(imports(folder), allowed, "{folder}");
    }
}

#[test]
fn pure_rooms_stay_pure() {
    let impure = [
        "tokio",
        "std::fs",
        "std::io",
        "std::net",
        "std::process",
        "Instant",
        "SystemTime",
    ];
    for folder in PURE {
        for (path, text) in sources(folder) {
            for word in impure {
                assert!(!text.contains(word), "{} names {word}", path.display());
            }
        }
    }
}

/// Whoever calls the solver watches the time and keeps the files.
#[test]
fn the_solver_reads_no_clock_and_no_file() {
    let impure = [
        "std::fs",
        "std::net",
        "std::process",
        "Instant",
        "SystemTime",
    ];
    for (path, text) in sources("games/solver/src") {
        for word in impure {
            assert!(!text.contains(word), "{} names {word}", path.display());
        }
    }
}

#[test]
fn moves_are_opaque_outside_games() {
    let games = games::GAMES.iter().map(|game| &game.info.id);
    let modules: Vec<String> = games.map(|id| id.replace('-', "_")).collect();
    for folder in [
        "protocol/src",
        "referee/src",
        "referee/arbiter/src",
        "referee/supervisor/src",
    ] {
        for (path, text) in sources(folder) {
            for module in &modules {
                for name in [format!("games::{module}"), format!("rules::{module}")] {
                    assert!(!text.contains(&name), "{} names {name}", path.display());
                }
            }
            assert!(
                !text.contains("parse_move"),
                "{} parses moves",
                path.display()
            );
        }
    }
}

/// The files and folders that CONTRIBUTING.md names are there.
#[test]
fn the_places_of_the_guide_exist() {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).expect("the guide");
    let quoted = text.split('`').skip(1).step_by(2);
    let tops = [
        "referee/",
        "games/",
        "bots/",
        "protocol/",
        "tests/",
        "tournaments/",
    ];
    let is_path = |words: &&str| {
        let top = tops.iter().any(|top| words.starts_with(top));
        top && !words.contains([' ', '*', '<'])
    };
    let paths: Vec<&str> = quoted.filter(is_path).collect();
    assert!(paths.len() > 20, "{paths:?}");
    for path in paths {
        assert!(root().join(path).exists(), "CONTRIBUTING.md names `{path}`");
    }
}

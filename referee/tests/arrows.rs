//! Rules that Cargo cannot enforce: crates without input and output, and moves that only `games`
//! interprets. The manifests say which crate may import which.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders in which nothing reads a clock, a file or a socket.
const PURE: [&str; 4] = [
    "referee/arbiter/src",
    "referee/ratings/src",
    "referee/schedule/src",
    "referee/workers/src/dispatch",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
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

/// The solver's caller watches the time and keeps the files.
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
    for folder in ["protocol/src", "referee"] {
        for (path, text) in sources(folder) {
            if path.ends_with(file!()) {
                continue;
            }
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

/// A room imports only rooms that come before it in ARCHITECTURE.md's picture, which has the lowest line last.
#[test]
fn the_picture_of_the_rooms_is_true() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the guide");
    let picture = text.lines().filter(|line| line.starts_with("    "));
    let picture = picture.take_while(|line| !line.starts_with("    protocol"));
    let mut lines: Vec<&str> = picture.collect();
    lines.reverse();
    let words = lines.iter().flat_map(|line| line[4..].split("  ").skip(1));
    let words = words.map(|word| word.split('(').next().unwrap_or_default().trim());
    let rooms: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    assert!(rooms.len() > 20, "{rooms:?}");
    let manifest = |room: &str| {
        let places = [room.to_owned(), format!("referee/{room}")];
        let manifests = places.map(|place| root().join(place).join("Cargo.toml"));
        let path = manifests.into_iter().find(|path| path.is_file());
        let text = fs::read_to_string(path.unwrap_or_else(|| panic!("no room {room}")));
        text.expect("a manifest")
            .parse::<toml::Table>()
            .expect("TOML")
    };
    for (at, room) in rooms.iter().enumerate() {
        let manifest = manifest(room);
        let imported = manifest.get("dependencies").and_then(toml::Value::as_table);
        for name in imported.into_iter().flat_map(toml::Table::keys) {
            let is_it = |other: &&str| other.rsplit('/').next() == Some(name.as_str());
            if let Some(place) = rooms.iter().position(is_it) {
                assert!(place < at, "{room} imports {name}");
            }
        }
    }
}

/// The files and folders that the guides name are there.
#[test]
fn the_places_of_the_guide_exist() {
    let guides = ["ARCHITECTURE.md", "CONTRIBUTING.md", "tests/CAMPAIGNS.md"];
    let text = guides.map(|guide| fs::read_to_string(root().join(guide)).expect("the guide"));
    let text = text.join("\n");
    let quoted = text.split('`').skip(1).step_by(2);
    let tops = [
        "referee/",
        "games/",
        "bots/",
        "protocol/",
        "tests/",
        "tournaments/",
        "docs/",
    ];
    let is_path = |words: &&str| {
        let top = tops.iter().any(|top| words.starts_with(top));
        top && !words.contains([' ', '*', '<'])
    };
    let paths: Vec<&str> = quoted.filter(is_path).collect();
    assert!(paths.len() > 20, "{paths:?}");
    for path in paths {
        assert!(root().join(path).exists(), "a guide names `{path}`");
    }
}

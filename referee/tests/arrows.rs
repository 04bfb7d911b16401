//! Who may know whom: the arrows between crates, and the rooms that stay pure.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates of this workspace.
const OURS: [&str; 5] = ["protocol", "games", "bots", "referee", "tests"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Our crates that a crate depends on, tests left out.
fn imports(name: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(name).join("Cargo.toml"));
    let text = text.expect("a manifest");
    let manifest: toml::Table = text.parse().expect("TOML");
    let dependencies = manifest["dependencies"].as_table().expect("a table");
    let ours = dependencies
        .keys()
        .filter(|key| OURS.contains(&key.as_str()));
    ours.cloned().collect()
}

/// The sources of a module, whether a file or a folder.
fn sources(module: &str) -> Vec<(PathBuf, String)> {
    let path = root().join("referee/src").join(module);
    let file = path.with_extension("rs");
    let files = match file.is_file() {
        true => vec![file],
        false => {
            let entries = fs::read_dir(path).expect("a folder");
            entries
                .map(|entry| entry.expect("an entry").path())
                .collect()
        }
    };
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a source");
        (path, text)
    };
    files.into_iter().map(read).collect()
}

#[test]
fn crates_import_only_what_is_below_them() {
    assert!(imports("protocol").is_empty());
    assert!(imports("games").is_empty());
    assert_eq!(imports("bots"), ["games", "protocol"]);
    assert_eq!(imports("referee"), ["bots", "games", "protocol"]);
    assert!(imports("tests").is_empty(), "tests drive programs");
}

#[test]
fn pure_rooms_stay_pure() {
    for module in [
        "arbiter",
        "clock",
        "ending",
        "rating",
        "tournament/schedule",
    ] {
        let sources = sources(module);
        assert!(!sources.is_empty(), "{module}");
        for (path, text) in sources {
            for word in [
                "tokio",
                "std::fs",
                "std::io",
                "std::process",
                "Instant",
                "SystemTime",
            ] {
                assert!(!text.contains(word), "{} mentions {word}", path.display());
            }
        }
    }
}

#[test]
fn moves_are_opaque_outside_games() {
    for name in ["protocol", "referee"] {
        let mut folders = vec![root().join(name).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = fs::read_to_string(&path).unwrap();
                // Tests and examples in comments may name a game; code may not name its type.
                assert!(!text.contains("games::siam"), "{}", path.display());
                assert!(!text.contains("parse_move"), "{}", path.display());
            }
        }
    }
}

//! Projects of rules programs: the same small game in each language.

use super::{Kind, LONGEST, Language, ScaffoldError};

/// Rules programs: a small game, to be replaced by the author's own.
pub(crate) static RULES: Kind = Kind {
    noun: "game",
    word: "language",
    languages: LANGUAGES,
    readme: include_str!("../../../shipped/games/templates/README.md"),
    tournament: include_str!("../../../shipped/games/templates/tournament.toml"),
    more: &[],
    look: "referee check --rules \"{{command}}\"",
    check_name,
    package,
};

fn check_name(name: &str) -> Result<(), ScaffoldError> {
    let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    if !begins || name.len() > LONGEST || !name.chars().all(letters) {
        return Err(ScaffoldError::GameId(name.to_owned()));
    }
    if games::find(name).is_some() {
        return Err(ScaffoldError::BuiltIn(name.to_owned()));
    }
    Ok(())
}

fn package(name: &str) -> String {
    format!("{name}-rules")
}

/// A file of the templates.
macro_rules! template {
    ($path:literal) => {
        include_str!(concat!("../../../shipped/games/templates/", $path))
    };
}

/// A file from the SDKs or the examples of bots.
macro_rules! shared {
    ($path:literal) => {
        include_str!(concat!("../../../shipped/bots/", $path))
    };
}

/// The game's id in quotes.
const ID: (&str, &str) = ("\"nim\"", "\"{{name}}\"");
/// The same inside a string.
const ESCAPED_ID: (&str, &str) = ("\\\"nim\\\"", "\\\"{{name}}\\\"");

static LANGUAGES: &[Language] = &[
    Language {
        id: "python",
        aliases: &["py", "python3"],
        title: "Python",
        needs: "Python 3.9 or newer",
        check: "python3 -m unittest",
        command: &["python3", "game.py"],
        about: "`game.py` is the game, `test_game.py` its tests. The folder `referee_rules` speaks the protocol and \
                plays\nrandom games for tests; it is a part of the package `referee-sdk`.",
        files: &[
            ("game.py", template!("python/game.py")),
            ("test_game.py", template!("python/test_game.py")),
        ],
        sdk: Some(("bots/sdk/python/src/referee_rules", "referee_rules")),
        names: &[("id = \"nim\"\n    title", "id = \"{{name}}\"\n    title")],
        ignored: &["__pycache__/"],
    },
    Language {
        id: "javascript",
        aliases: &["js", "node", "nodejs"],
        title: "JavaScript",
        needs: "Node 18 or newer",
        check: "node --test",
        command: &["node", "game.js"],
        about: "`game.js` is the game, `game.test.js` its tests. The folder `referee-rules` speaks the protocol and \
                plays\nrandom games for tests; it is a part of the package `referee-ggp`.",
        files: &[
            ("game.js", template!("javascript/game.js")),
            ("game.test.js", template!("javascript/game.test.js")),
            ("package.json", template!("javascript/package.json")),
        ],
        sdk: Some(("bots/sdk/javascript/src/rules", "referee-rules")),
        names: &[ID, ("templates-javascript", "{{package}}")],
        ignored: &["node_modules/"],
    },
    Language {
        id: "rust",
        aliases: &["rs"],
        title: "Rust",
        needs: "Rust 1.85 or newer; cargo brings the crate `serde_json`",
        check: "cargo build --release && cargo test",
        command: &["target/release/game"],
        about: "`src/game.rs` is the game with its tests; `src/main.rs` speaks the protocol.",
        files: &[
            ("src/game.rs", template!("rust/src/game.rs")),
            ("src/main.rs", template!("rust/src/main.rs")),
            ("Cargo.toml", template!("rust/manifest.toml")),
        ],
        sdk: None,
        names: &[
            ID,
            ("nim-rules", "{{package}}"),
            // So that it can be in the folder of another project.
            ("[dependencies]", "[workspace]\n\n[dependencies]"),
        ],
        ignored: &["/target"],
    },
    Language {
        id: "c",
        aliases: &[],
        title: "C",
        needs: "a C compiler and make",
        check: "make && make test",
        command: &["./game"],
        about: "`game.c` is the game, `program.c` speaks the protocol, `json.c` reads JSON, and `test_game.c` \
                tests all.",
        files: &[
            ("game.c", template!("c/game.c")),
            ("game.h", template!("c/game.h")),
            ("program.c", template!("c/program.c")),
            ("program.h", template!("c/program.h")),
            ("json.c", shared!("examples/c/json.c")),
            ("json.h", shared!("examples/c/json.h")),
            ("test_game.c", template!("c/test_game.c")),
            ("Makefile", template!("c/Makefile")),
        ],
        sdk: None,
        names: &[ID, ESCAPED_ID],
        ignored: &["/game", "/test_game"],
    },
    Language {
        id: "go",
        aliases: &["golang"],
        title: "Go",
        needs: "Go 1.19 or newer",
        check: "go build -o game && go test",
        command: &["./game"],
        about: "`game.go` is the game, `main.go` speaks the protocol, `game_test.go` tests both.",
        files: &[
            ("game.go", template!("go/game.go")),
            ("main.go", template!("go/main.go")),
            ("game_test.go", template!("go/game_test.go")),
            ("go.mod", template!("go/go.mod")),
        ],
        sdk: None,
        names: &[ID, ("module templates", "module {{package}}")],
        ignored: &["/game"],
    },
];

#[cfg(test)]
mod tests {
    use super::super::Project;
    use super::*;

    #[test]
    fn ids_are_looked_at() {
        let make = |name: &str| Project::new(&RULES, &LANGUAGES[0], name).map(|_| ());
        for bad in ["", "7up", "a b", "a_b", "Gyre", "ä", &"x".repeat(41)] {
            assert!(matches!(make(bad), Err(ScaffoldError::GameId(_))), "{bad}");
        }
        assert!(matches!(make("siam"), Err(ScaffoldError::BuiltIn(_))));
        make("four-in-a-row2").unwrap();
    }
}

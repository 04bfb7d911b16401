//! Projects of bots: their files and builds, language by language.

use super::{Kind, LONGEST, Language, ScaffoldError};

/// A file of the examples.
macro_rules! example {
    ($path:literal) => {
        include_str!(concat!("../../../shipped/bots/examples/", $path))
    };
}

/// Bots: each is the one-ply bot of the language's examples, renamed.
pub(crate) static BOTS: Kind = Kind {
    noun: "bot",
    word: "language",
    languages: LANGUAGES,
    readme: include_str!("../../../shipped/bots/templates/README.md"),
    tournament: include_str!("../../../shipped/bots/templates/tournament.toml"),
    more: &[("bot.toml", SUBMISSION)],
    look: "referee check -- {{command}}",
    check_name,
    package,
};

/// For tournaments that take bots from folders.
const SUBMISSION: &str = "\
# How a tournament of many authors, with `bots_from`, builds and runs this bot.
name = \"{{name}}\"
command = {{command_list}}
{{build_line}}";

/// The other bot of the tournament.
const OPPONENT: &str = "random";

pub(super) fn check_name(name: &str) -> Result<(), ScaffoldError> {
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if !begins || name.len() > LONGEST || !name.chars().all(letters) {
        return Err(ScaffoldError::BotName(name.to_owned()));
    }
    if name == OPPONENT {
        return Err(ScaffoldError::Opponent(OPPONENT));
    }
    Ok(())
}

pub(super) fn package(name: &str) -> String {
    let name = name.to_lowercase();
    if name.contains("bot") && name != "bot" {
        name
    } else {
        format!("{name}-bot")
    }
}

static LANGUAGES: &[Language] = &[
    Language {
        id: "python",
        aliases: &["py", "python3"],
        title: "Python",
        needs: "Python 3.9 or newer",
        check: "python3 -m unittest",
        command: &["python3", "bot.py"],
        about: "`bot.py` is the bot, `test_bot.py` its tests. The folder `referee_bot` has a class to \
                derive a bot from, with clock\nand forward model; it is the package `referee-sdk`.",
        files: &[
            ("bot.py", example!("python/one_ply_bot.py")),
            ("test_bot.py", example!("python/test_one_ply_bot.py")),
        ],
        sdk: Some(("bots/sdk/python/src/referee_bot", "referee_bot")),
        names: &[("one-ply-python", "{{name}}"), ("one_ply_bot", "bot")],
        ignored: &["__pycache__/"],
    },
    Language {
        id: "javascript",
        aliases: &["js", "node", "nodejs"],
        title: "JavaScript",
        needs: "Node 18 or newer",
        check: "node --test",
        command: &["node", "bot.js"],
        about: "`bot.js` is the bot, `bot.test.js` its tests. The folder `referee-ggp` has a class to \
                derive a bot from, with clock\nand forward model; it is the package of that name.",
        files: &[
            ("bot.js", example!("javascript/one-ply-bot.js")),
            ("bot.test.js", example!("javascript/one-ply-bot.test.js")),
            ("package.json", example!("javascript/package.json")),
        ],
        sdk: Some(("bots/sdk/javascript", "referee-ggp")),
        names: &[
            ("one-ply-javascript", "{{name}}"),
            ("one-ply-bot", "bot"),
            ("examples-javascript", "{{package}}"),
        ],
        ignored: &["node_modules/"],
    },
    Language {
        id: "typescript",
        aliases: &["ts"],
        title: "TypeScript",
        needs: "Node 18 or newer, and npm for the compiler",
        check: "npm install && npm run build && npm test",
        command: &["node", "dist/bot.js"],
        about: "`src/bot.ts` is the bot, `src/bot.test.ts` its tests; `npm run build` compiles them \
                into `dist`.",
        files: &[
            ("src/bot.ts", example!("typescript/src/one-ply-bot.ts")),
            (
                "src/bot.test.ts",
                example!("typescript/src/one-ply-bot.test.ts"),
            ),
            ("package.json", example!("typescript/package.json")),
            ("tsconfig.json", example!("typescript/tsconfig.json")),
        ],
        sdk: None,
        names: &[
            ("one-ply-typescript", "{{name}}"),
            ("one-ply-bot", "bot"),
            ("examples-typescript", "{{package}}"),
            ("    \"referee-ggp\": \"file:../../sdk/javascript\",\n", ""),
        ],
        ignored: &["node_modules/", "dist/"],
    },
    Language {
        id: "c",
        aliases: &[],
        title: "C",
        needs: "a C compiler and make",
        check: "make && make test",
        command: &["./bot"],
        about: "`bot.c` is the bot, `test_bot.c` its tests; `json.c` reads JSON.",
        files: &[
            ("bot.c", example!("c/one_ply_bot.c")),
            ("bot.h", example!("c/one_ply_bot.h")),
            ("json.c", example!("c/json.c")),
            ("json.h", example!("c/json.h")),
            ("test_bot.c", example!("c/test_one_ply_bot.c")),
            ("Makefile", example!("c/Makefile")),
        ],
        sdk: None,
        names: &[
            ("one-ply-c", "{{name}}"),
            ("random_bot one_ply_bot search_bot", "bot"),
            ("Builds the bots", "Builds the bot"),
            ("ONE_PLY_BOT", "BOT"),
            ("one_ply_bot", "bot"),
        ],
        ignored: &["/bot", "/test_bot"],
    },
    Language {
        id: "cpp",
        aliases: &["c++", "cxx"],
        title: "C++",
        needs: "a C++ compiler (C++17) and make",
        check: "make && make test",
        command: &["./bot"],
        about: "`bot.hpp` is the bot, `bot.cpp` its `main`, `test_bot.cpp` its tests; `json.hpp` \
                reads JSON.",
        files: &[
            ("bot.hpp", example!("cpp/one_ply_bot.hpp")),
            ("bot.cpp", example!("cpp/one_ply_bot.cpp")),
            ("json.hpp", example!("cpp/json.hpp")),
            ("test_bot.cpp", example!("cpp/test_one_ply_bot.cpp")),
            ("Makefile", example!("cpp/Makefile")),
        ],
        sdk: None,
        names: &[
            ("one-ply-cpp", "{{name}}"),
            ("random_bot one_ply_bot search_bot", "bot"),
            ("Builds the bots", "Builds the bot"),
            ("ONE_PLY_BOT", "BOT"),
            ("one_ply_bot", "bot"),
        ],
        ignored: &["/bot", "/test_bot"],
    },
    Language {
        id: "go",
        aliases: &["golang"],
        title: "Go",
        needs: "Go 1.19 or newer",
        check: "go build -o bot && go test",
        command: &["./bot"],
        about: "`main.go` is the bot, `main_test.go` its tests.",
        files: &[
            ("main.go", example!("go/one-ply/main.go")),
            ("main_test.go", example!("go/one-ply/main_test.go")),
            ("go.mod", example!("go/go.mod")),
        ],
        sdk: None,
        names: &[
            ("one-ply-go", "{{name}}"),
            ("Command one-ply", "Command {{name}}"),
            ("module ladder", "module {{package}}"),
        ],
        ignored: &["/bot"],
    },
    Language {
        id: "java",
        aliases: &[],
        title: "Java",
        needs: "a JDK, 17 or newer",
        check: "javac -d classes *.java && java -cp classes BotTest",
        command: &["java", "-cp", "classes", "Bot"],
        about: "`Bot.java` is the bot, `BotTest.java` its tests; `Json.java` reads JSON.",
        files: &[
            ("Bot.java", example!("java/OnePlyBot.java")),
            ("BotTest.java", example!("java/OnePlyBotTest.java")),
            ("Json.java", example!("java/Json.java")),
        ],
        sdk: None,
        names: &[("one-ply-java", "{{name}}"), ("OnePlyBot", "Bot")],
        ignored: &["classes/"],
    },
    Language {
        id: "rust",
        aliases: &["rs"],
        title: "Rust",
        needs: "Rust 1.85 or newer",
        check: "cargo build --release && cargo test",
        command: &["target/release/bot"],
        about: "`src/bin/bot.rs` is the bot with its tests; `src/json.rs` reads JSON. The rules themselves \
                are in the\ncrate `referee-games`.",
        files: &[
            ("src/bin/bot.rs", example!("rust/src/bin/one_ply_bot.rs")),
            ("src/lib.rs", example!("rust/src/lib.rs")),
            ("src/json.rs", example!("rust/src/json.rs")),
            ("Cargo.toml", example!("rust/manifest.toml")),
        ],
        sdk: None,
        names: &[
            ("one-ply-rust", "{{name}}"),
            ("use ladder::", "use {{crate}}::"),
            ("\"ladder\"", "\"{{package}}\""),
            // So that it can be in the folder of another project.
            ("[dependencies]", "[workspace]\n\n[dependencies]"),
            ("What the bots share", "What the bot uses"),
        ],
        ignored: &["/target"],
    },
    Language {
        id: "sh",
        aliases: &["shell", "posix"],
        title: "plain shell",
        needs: "a POSIX shell and awk",
        check: "sh test.sh",
        command: &["./bot.sh"],
        about: "`bot.sh` is the bot, `choose.awk` chooses its moves, `json.awk` reads JSON, `test.sh` \
                are the tests.",
        files: &[
            ("bot.sh", example!("sh/one_ply_bot.sh")),
            ("choose.awk", example!("sh/choose.awk")),
            ("json.awk", example!("sh/json.awk")),
            ("test.sh", example!("sh/test.sh")),
        ],
        sdk: None,
        names: &[("one-ply-sh", "{{name}}"), ("one_ply_bot", "bot")],
        ignored: &[],
    },
];

#[cfg(test)]
mod tests {
    use super::super::Project;
    use super::*;

    #[test]
    fn names_are_looked_at() {
        let make = |name: &str| Project::new(&BOTS, &LANGUAGES[0], name).map(|_| ());
        for bad in ["", "7up", "a b", "a/b", "ä", &"x".repeat(41)] {
            assert!(matches!(make(bad), Err(ScaffoldError::BotName(_))), "{bad}");
        }
        assert!(matches!(make("random"), Err(ScaffoldError::Opponent(_))));
        assert_eq!(package("bot"), "bot-bot");
        assert_eq!(package("MyBot"), "mybot");
    }
}

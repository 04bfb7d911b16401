//! Projects that seat an engine which speaks a protocol of its own.

use super::bots::{check_name, package};
use super::{Kind, Language};

/// A file of the bridges.
macro_rules! bridge {
    ($path:literal) => {
        include_str!(concat!("../../../shipped/bots/bridges/", $path))
    };
}

const SDK: Option<(&str, &str)> = Some(("bots/sdk/python/src/referee_bot", "referee_bot"));
const NEEDS: &str = "Python 3.9 or newer, and the engine";

/// Bridges: each is the one in `bots/bridges`, with its tests and the SDK.
pub(crate) static BRIDGES: Kind = Kind {
    noun: "bridge",
    word: "bridge",
    languages: &[
        Language {
            id: "uci",
            aliases: &[],
            title: "Python for an engine that speaks UCI",
            needs: NEEDS,
            check: "python3 -m unittest",
            command: &["python3", "uci.py", "fairy-stockfish"],
            about: "`uci.py` translates positions, clocks, moves and reports of the search. The last word of its \
                    command is\nthe engine; `--option NAME=VALUE` before it sets an option of the engine, and \
                    `--variant NAME` the game\nas the engine calls it.",
            files: &[
                ("uci.py", bridge!("uci.py")),
                ("test_uci.py", bridge!("test_uci.py")),
            ],
            sdk: SDK,
            names: &[("name = \"uci\"", "name = \"{{name}}\"")],
            ignored: &["__pycache__/"],
        },
        Language {
            id: "botzone",
            aliases: &[],
            title: "Python for a bot that was written for Botzone",
            needs: NEEDS,
            check: "python3 -m unittest",
            command: &["python3", "botzone.py", "./mybot"],
            about: "`botzone.py` asks the bot for each move, with the whole history or, if the bot wants to be kept \
                    running,\nwith the last move. The last word of its command is the bot; `--simple` before it is \
                    for bots that read\nplain numbers.",
            files: &[
                ("botzone.py", bridge!("botzone.py")),
                ("test_botzone.py", bridge!("test_botzone.py")),
            ],
            sdk: SDK,
            names: &[
                ("name = \"botzone\"", "name = \"{{name}}\""),
                ("size = 10", "size = 8"),
            ],
            ignored: &["__pycache__/"],
        },
    ],
    readme: bridge!("README.md"),
    tournament: bridge!("tournament.toml"),
    more: &[],
    look: "referee check --game amazons -- {{command}}",
    check_name,
    package,
};

//! End-to-end tests of the program, with real processes.

#![expect(
    clippy::unwrap_used,
    reason = "in tests, also in what several tests share"
)]

mod agents;
mod bots;
mod cli;
mod logs;
mod misconduct;
mod people;
mod rules;
mod sandbox;
mod tournaments;

/// The misbehaving bot.
const HOSTILE: &str = env!("CARGO_BIN_EXE_hostile");

/// A configuration of Amazons on the smallest board, with lots of time, and these bots: names
/// with their commands as TOML.
fn config(bots: &[(&str, &str)]) -> String {
    config_of(
        r#"games = [{ id = "amazons", options = { size = 5 } }]"#,
        bots,
    )
}

/// The same with other games.
fn config_of(games: &str, bots: &[(&str, &str)]) -> String {
    let mut text =
        format!("name = \"test\"\n{games}\n[time]\nper_move = \"20s\"\nstartup = \"20s\"\n");
    for (name, command) in bots {
        text.push_str(&format!(
            "[[bots]]\nname = \"{name}\"\ncommand = {command}\n"
        ));
    }
    text
}

/// A bot that does not start before the file `go` exists; so its games must be given.
const GATED: (&str, &str) = (
    "gated",
    r#"["sh", "-c", "until [ -e go ]; do sleep 0.05; done; exec \"$REFEREE\" bot random"]
       games = ["amazons"]"#,
);

const RANDOM: (&str, &str) = ("random", r#"["referee", "bot", "random"]"#);
const GREEDY: (&str, &str) = ("greedy", r#"["referee", "bot", "greedy"]"#);

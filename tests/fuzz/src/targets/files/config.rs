//! Tournament configurations as TOML; or as JSON, so that they are changed without breaking TOML.

use std::path::Path;
use std::time::Duration;

use arbiter::clock::{self, Clock, Used};
use games::Rng;
use referee::config::Config;
use schedule::{Schedule, Scheduled};
use serde_json::{Map, Value};
use tournament::playing::openings::{moves as opening_moves, seed as opening_seed};

/// Configurations with every key.
const FULL: &str = r#"name = "full"
seed = 9007199254740991
format = "round-robin"
rounds = 2
concurrency = "auto"
games = ["amazons", { id = "elephant-run", options = { target = 9, ranged_jumps = true } }, { id = "penguins", options = { players = 3 }, limits = { max_plies = "none" } }]

[time]
per_move = "100ms"
base = "10s"
increment = "100ms"
startup = "1m 30s"
margin = "20ms"

[limits]
max_plies = 300
repetition = "none"

[opening]
random_plies = 2

[[bots]]
name = "mcts"
command = ["referee", "bot", "mcts"]

[[bots]]
name = "mine"
command = "sh -c 'exit 0' \"a b\" c\\ d"
dir = "tmp"
env = { KEY = "value", "ÄÖ" = "" }
time = { per_move = "200ms" }

[[bots]]
name = 'third'
command = "referee bot random"
[bots.time]
base = "1h"
"#;

const SHORT: &str = r#"name = "short"
games = [{ id = "siam", limits = { max_plies = 10, repetition = 2 } }, "giantslayer", "run"]
concurrency = 3
opening.random_plies = 40
bots = [{ name = "a", command = "referee bot random" }, { name = "b", command = ["referee"] }]
"#;

const GIVEN: &str = r#"name = "given"
rounds = 1
[[games]]
id = "paper-penguins"
options.size = 4
options.points = ["1231", "3211", "1112", "2213"]
[[games]]
id = "penguins"
options = { players = 4, setup = "laid" }
[[bots]]
name = "a"
command = "referee"
[[bots]]
name = "b"
command = "referee"
[[bots]]
name = "c"
command = "referee"
[[bots]]
name = "d"
command = "referee"
"#;

const FORMATS: [&str; 4] = [
    r#"format = "gauntlet"
challengers = ["b"]
seat_orders = "permutations"
games = [{ id = "penguins", options = { players = 3 }, weight = 3 }]
opening = { random_plies = 2, balanced = 0.1 }
"#,
    "format = \"swiss\"\ngames = [\"run\"]\n",
    r#"format = "knockout"
games = ["run", "siam"]
knockout = { seeding = "lot", tie_breaks = 2 }
"#,
    r#"format = "sprt"
games = ["run"]
sprt = { elo0 = -5.5, elo1 = 5, alpha = 0.05, beta = 0.1, max_pairs = 50 }
"#,
];

/// A configuration in one of the formats; tests are between two bots.
fn of_format(head: &str) -> String {
    let bots = if head.contains("sprt") { "ab" } else { "abcde" };
    let bots: Vec<String> = bots
        .chars()
        .map(|name| format!("{{ name = \"{name}\", command = \"referee\" }}"))
        .collect();
    format!("name = \"f\"\n{head}bots = [{}]\n", bots.join(", "))
}

pub(crate) fn seeds(_: &mut Rng) -> Vec<Vec<u8>> {
    let both = |text: &str| {
        let json: Value = toml::from_str(text).expect("TOML");
        [text.to_owned(), json.to_string()].map(String::into_bytes)
    };
    let formats = FORMATS.map(of_format);
    let formats = formats.iter().map(String::as_str);
    let all = [FULL, SHORT, GIVEN].into_iter().chain(formats);
    all.flat_map(both).collect()
}

/// The input as TOML, if it is an object in JSON that TOML can hold; else as it is.
fn as_toml(input: &[u8]) -> String {
    let json = serde_json::from_slice::<Map<String, Value>>(input);
    let toml = json.ok().and_then(|json| toml::to_string(&json).ok());
    toml.unwrap_or_else(|| String::from_utf8_lossy(input).into_owned())
}

pub(crate) fn run(input: &[u8]) -> bool {
    let text = as_toml(input);
    match Config::parse(&text, Path::new("/")) {
        Ok(config) => {
            check(&config);
            true
        }
        Err(problem) => {
            let message = problem.to_string();
            assert!(message.len() < 4000 + 2 * text.len(), "{message}");
            false
        }
    }
}

/// A configuration that is taken can be played, as far as that can be seen without bots.
fn check(config: &Config) {
    let count = config.shape().count();
    let schedule = Schedule::new(&config.shape());
    assert!(schedule.total() >= count.least && schedule.total() <= count.most);
    let schedule: Vec<Scheduled> = schedule.known().collect();
    for scheduled in schedule.iter().rev().take(2) {
        let game = &config.games[scheduled.game];
        let seed = opening_seed(config, scheduled);
        let start = game.rules.start(seed).unwrap();
        let moves =
            opening_moves(&*start, game.limits, seed, config.openings.random_plies).unwrap();
        assert!(moves.len() <= config.openings.random_plies as usize);
        let bots = scheduled.seats.iter().map(|bot| &config.bots[*bot]);
        let mut clocks: Vec<Clock> = bots.map(|bot| Clock::new(bot.time.clone())).collect();
        for seat in 0..clocks.len() {
            clocks[seat].charge(Used {
                wall: Duration::from_millis(5),
                cpu: None,
            });
            let message = clock::state(clocks.iter(), seat);
            assert!(serde_json::to_string(&message).is_ok());
            let now = std::time::Instant::now();
            let times = [clocks[seat].deadline(), Some(config.time.startup.0)];
            // A machine's clock does not run over.
            assert!(
                times
                    .into_iter()
                    .flatten()
                    .all(|time| now.checked_add(time).is_some())
            );
        }
    }
}

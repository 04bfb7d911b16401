//! The rules against `games/perft/GAME.json`, tables of node counts that a slow second
//! implementation made (`tests/oracle/examples/perft-tables.rs`), and against published counts.

#![expect(
    clippy::unwrap_used,
    reason = "in tests, also in what several tests share"
)]

use std::path::Path;
use std::{fs, iter};

use games::Session;
use serde_json::{Value, json};

fn load(game: &str, options: &Value, state: &Value) -> Box<dyn Session> {
    let entry = games::find(game).expect("a game");
    let rules = entry.configure(options).expect("options");
    rules
        .load(state)
        .unwrap_or_else(|e| panic!("{game}: {e} in {state}"))
}

fn start(game: &str, options: &Value) -> Box<dyn Session> {
    let entry = games::find(game).expect("a game");
    let rules = entry.configure(options).expect("options");
    rules.start(0).unwrap()
}

/// One entry's wrong counts, in words.
fn wrong_counts<'a>(game: &'a str, entry: &'a Value) -> impl Iterator<Item = String> + 'a {
    let (name, options) = (&entry["name"], &entry["options"]);
    let session = load(game, options, &entry["state"]);
    let nodes = entry["nodes"].as_array().expect("a list of counts");
    iter::zip(1.., nodes).filter_map(move |(depth, nodes)| {
        let found = session.perft_nodes(depth).unwrap();
        (nodes != found)
            .then(|| format!("{game} {options}, {name}, depth {depth}: {found} nodes, not {nodes}"))
    })
}

fn check(game: &str) {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/perft"));
    let text = fs::read_to_string(folder.join(format!("{game}.json"))).expect("a table");
    let table: Vec<Value> = serde_json::from_str(&text).expect("a list of entries");
    assert!(table.len() > 50, "{game} has only {} entries", table.len());
    let wrong: Vec<String> = table
        .iter()
        .flat_map(|entry| wrong_counts(game, entry))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

macro_rules! tables {
    ($($test:ident $game:literal,)*) => {
        $(
            #[test]
            fn $test() {
                check($game);
            }
        )*

        #[test]
        fn every_game_has_a_table() {
            let ids: Vec<&str> = games::GAMES.iter().map(|entry| entry.info.id.as_str()).collect();
            assert_eq!(ids, [$($game),*]);
        }
    };
}

tables![
    amazons "amazons",
    amazon_penguins "amazon-penguins",
    elephant_run "elephant-run",
    giantslayer "giantslayer",
    paper_penguins "paper-penguins",
    penguins "penguins",
    run "run",
    siam "siam",
];

#[test]
fn amazons_on_10x10_has_the_published_counts() {
    let start = start("amazons", &json!({}));
    assert_eq!(start.perft_nodes(1).unwrap(), 2_176);
    assert_eq!(start.perft_nodes(2).unwrap(), 4_307_152);
}

#[test]
fn amazons_on_10x10_three_plies_deep() {
    assert_eq!(
        start("amazons", &json!({})).perft_nodes(3).unwrap(),
        8_350_439_170
    );
}

#[test]
#[ignore = "half a minute, if it is optimised: cargo test --profile campaign -p referee-games --test perft -- --ignored"]
fn amazons_on_6x6_four_plies_deep() {
    assert_eq!(
        start("amazons", &json!({"size": 6}))
            .perft_nodes(4)
            .unwrap(),
        28_857_914_846
    );
}

//! Regenerates the perft tables `games/perft/GAME.json`, the same ones on every machine:
//!
//!     cargo run --profile campaign -p oracle --example perft-tables [GAME]...
//!
//! Each game has starts, moments of random games (changes of phase, skips, the last plies)
//! and scattered pieces, under many options.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::{env, fs, io, thread};

use oracle::random::Random;
use oracle::{Oracle, open, perft, scattered, sets, start};
use serde_json::{Value, json};

/// Depths are added while the next one should have no more nodes than this.
const MOST_NODES: u64 = 600_000;
/// The same for the second ply, so that the start of every game has two.
const MOST_AT_SECOND: u64 = 5_000_000;
/// Nor does a table go deeper.
const MOST_DEPTH: u32 = 8;
/// No random game is followed for longer.
const LONGEST: usize = 400;

fn main() -> io::Result<()> {
    let mut games: Vec<String> = env::args().skip(1).collect();
    if games.is_empty() {
        games = oracle::GAMES.map(String::from).to_vec();
    }
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/perft"));
    fs::create_dir_all(folder)?;
    let queue = Mutex::new(games.into_iter());
    let next = || queue.lock().ok().and_then(|mut games| games.next());
    let work = || -> io::Result<()> {
        while let Some(game) = next() {
            let lines: Vec<String> = table(&game).iter().map(Value::to_string).collect();
            println!("{game}: {} positions", lines.len());
            let text = format!("[\n{}\n]\n", lines.join(",\n"));
            fs::write(folder.join(format!("{game}.json")), text)?;
        }
        Ok(())
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().expect("no panic"))
    })
}

/// All entries of a game.
fn table(game: &str) -> Vec<Value> {
    let sets = sets::of(game);
    // Games with few options are looked at more often under each.
    let (games, scatter) = if sets.len() == 1 { (10, 20) } else { (1, 2) };
    let mut entries = Vec::new();
    for (number, options) in sets.iter().enumerate() {
        for seed in 0..games {
            let mut random = Random(1000 * number as u64 + seed);
            entries.extend(game_entries(game, options, seed, &mut random));
        }
        let mut random = Random(77 + number as u64);
        for nth in 0..scatter {
            let state = scattered::state(game, options, &mut random);
            let position = open(game, options, &state);
            entries.push(entry(
                &format!("scattered {nth}"),
                options,
                position.as_ref(),
            ));
        }
    }
    entries
}

/// The start and some moments of one random game.
fn game_entries(game: &str, options: &Value, seed: u64, random: &mut Random) -> Vec<Value> {
    let mut history = vec![start(game, options, seed)];
    while history.len() <= LONGEST {
        let mut position = history[history.len() - 1].clone_box();
        let legal = position.legal();
        if legal.is_empty() {
            break;
        }
        let mv = random.pick(&legal);
        position.play(mv);
        history.push(position);
    }
    let last = history.len() - 1;
    let mut entries = Vec::new();
    for ply in moments(&history) {
        // A fixed start is the same in every game.
        if ply > 0 || seed == 0 {
            let name = format!("game {seed}, ply {ply} of {last}");
            entries.push(entry(&name, options, history[ply].as_ref()));
        }
    }
    entries
}

/// The plies of a game that are worth a look: its start, thirds and end, and the plies before
/// phases change and before the first seats are skipped.
fn moments(history: &[Box<dyn Oracle>]) -> BTreeSet<usize> {
    let last = history.len() - 1;
    let mut moments = BTreeSet::from([0, last / 3, last * 2 / 3, last]);
    for back in [2, 4, 7] {
        moments.insert(last.saturating_sub(back));
    }
    let states: Vec<Value> = history.iter().map(|position| position.state()).collect();
    let pairs = || states.windows(2).enumerate();
    for (ply, _) in pairs().filter(|(_, pair)| pair[0]["phase"] != pair[1]["phase"]) {
        moments.insert(ply.saturating_sub(1));
    }
    for (ply, _) in pairs()
        .filter(|(_, pair)| skips(&pair[0], &pair[1]))
        .take(2)
    {
        moments.insert(ply.saturating_sub(1));
    }
    moments
}

/// True if a seat plays again though its turn was over.
fn skips(before: &Value, after: &Value) -> bool {
    let moving = |state: &Value| state.get("phase").is_none_or(|phase| phase == "move");
    let again = before["to_move"] == after["to_move"];
    moving(before) && again && after.get("acted").is_none_or(Value::is_null)
}

fn entry(name: &str, options: &Value, position: &dyn Oracle) -> Value {
    let mut nodes = vec![perft(position, 1)];
    let mut before = 1;
    for depth in 2..=MOST_DEPTH {
        let last = nodes[nodes.len() - 1];
        // Each ply is taken to multiply the nodes as the one before did.
        let most = if depth == 2 {
            MOST_AT_SECOND
        } else {
            MOST_NODES
        };
        if last == 0 || last * last / before > most {
            break;
        }
        before = last;
        nodes.push(perft(position, depth));
    }
    json!({"name": name, "options": options, "state": position.state(), "nodes": nodes})
}

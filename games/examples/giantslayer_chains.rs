//! Searches for the state of Giantslayer in which the giants have the most moves, by simulated
//! annealing. Every prefix of a chain of tramples is a move, so there can be many.
//!
//!     cargo run --profile campaign -p referee-games --example giantslayer_chains -- [STEPS] [SEED]

#![expect(clippy::unwrap_used, reason = "an example whose rules are compiled in")]

use std::env;
use std::time::Instant;

use games::{Rng, Rules};
use serde_json::{Value, json};

const HALOGAI: usize = 24;
const GIANTS: usize = 6;

/// The cells but the middle one: first those of the halogai, then those of the giants, then the
/// vacant ones.
type Cells = Vec<String>;

fn state(cells: &Cells) -> Value {
    json!({"ply": 0, "to_move": 1, "halogai": &cells[..HALOGAI],
           "giants": &cells[HALOGAI..][..GIANTS], "scores": [0, 0]})
}

/// Number of legal moves of the giants; 0 if they are not to move.
fn moves(rules: &dyn Rules, cells: &Cells) -> u64 {
    match rules.load(&state(cells)) {
        Ok(session) if session.to_move().alone() == Some(1) => session.perft_nodes(1).unwrap(),
        _ => 0,
    }
}

fn main() {
    let number = |place, default| {
        let text = env::args().nth(place);
        text.map_or(default, |text| text.parse().expect("a number"))
    };
    let (steps, seed) = (number(1, 200_000), number(2, 1));
    let rules = games::find("giantslayer").expect("a game");
    let rules = rules.configure(&Value::Null).expect("no options");
    let view = rules.start(0).unwrap().view().unwrap().expect("a drawing");
    let cells = view.cells.into_iter();
    let mut cells: Cells = cells.map(|c| c.name).filter(|c| c != "e5").collect();
    let mut rng = Rng::new(seed);
    rng.shuffle(&mut cells);
    let mut current = moves(&*rules, &cells);
    let mut best = 0;
    let began = Instant::now();
    for step in 0..steps {
        // Logarithms are compared: one stone can change the number by a factor.
        let heat = 0.5 * (1.0 - step as f64 / steps as f64) + 0.01;
        let (a, b) = (rng.index(HALOGAI + GIANTS), rng.index(cells.len()));
        cells.swap(a, b);
        let next = moves(&*rules, &cells);
        let gain = (next.max(1) as f64).ln() - (current.max(1) as f64).ln();
        let luck = rng.below(1 << 32) as f64 / (1u64 << 32) as f64;
        if gain >= 0.0 || luck < (gain / heat).exp() {
            current = next;
        } else {
            cells.swap(a, b);
        }
        if current > best {
            best = current;
            if step > steps / 2 {
                println!("{best} after {:.0?}: {}", began.elapsed(), state(&cells));
            }
        }
    }
    println!("the most were {best}");
}

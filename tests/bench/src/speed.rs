//! Perft nodes and random playouts per second, for each game. Figures are medians of several runs, in CPU seconds
//! of one thread. `generation` is the share of a playout's time that goes into drawing the moves, found by
//! drawing each move twice.

use std::time::Duration;

use games::registry::{Visitor, visit};
use games::{GAMES, Game, Options, Rng};
use nix::time::{ClockId, clock_gettime};

/// Runs for each figure.
const RUNS: usize = 7;
/// The approximate length of a run.
const RUN: Duration = Duration::from_millis(150);

/// A visitor that measures runs of this length.
struct Measure(Duration);

struct Speed {
    perft_depth: u32,
    perft_nodes: f64,
    playouts: f64,
    plies: f64,
    length: f64,
    generation: f64,
}

impl Visitor for Measure {
    type Output = Speed;

    fn visit<G: Game>(self) -> Speed {
        let game = G::new(&Options::defaults_of::<G>()).expect("the defaults fit");
        let start = game.start(&mut Rng::new(1));
        let (perft_depth, perft_nodes) = perft(&game, &start, self.0);
        let mut rng = Rng::new(1);
        let (mut games, mut plies) = (0u64, 0u64);
        let once = median(|| {
            timed(self.0, || {
                games += 1;
                plies += playout(&game, start, &mut rng, 1);
            })
        });
        let twice = median(|| {
            timed(self.0, || {
                playout(&game, start, &mut rng, 2);
            })
        });
        let length = plies as f64 / games as f64;
        Speed {
            perft_depth,
            perft_nodes,
            playouts: 1.0 / once,
            plies: length / once,
            length,
            generation: ((twice - once) / once).clamp(0.0, 1.0),
        }
    }
}

/// Plays a random game in which each move is drawn `draws` times; returns its plies.
fn playout<G: Game>(game: &G, start: G::Position, rng: &mut Rng, draws: u32) -> u64 {
    let max = G::INFO.limits.max_plies.unwrap_or(u32::MAX);
    let mut position = start;
    let mut scratch = Vec::new();
    let mut plies = 0;
    while game.to_move(&position).is_some() && game.ply(&position) < max {
        let mut mv = game.random_move(&position, rng, &mut scratch);
        for _ in 1..draws {
            mv = std::hint::black_box(game.random_move(&position, rng, &mut scratch));
        }
        game.play_unchecked(&mut position, mv);
        plies += 1;
    }
    plies
}

/// The deepest perft that takes less than a run or so, and its nodes a second.
fn perft<G: Game>(game: &G, start: &G::Position, run: Duration) -> (u32, f64) {
    let mut depth = 1;
    loop {
        let clock = now();
        let nodes = games::perft::perft(game, start, depth);
        if now() - clock > run / 4 || depth == 8 {
            let seconds = median(|| {
                let clock = now();
                std::hint::black_box(games::perft::perft(game, start, depth));
                (now() - clock).as_secs_f64()
            });
            return (depth, nodes as f64 / seconds);
        }
        depth += 1;
    }
}

/// Seconds for one call, from as many calls as fit into a run.
fn timed(run: Duration, mut call: impl FnMut()) -> f64 {
    let clock = now();
    let mut calls = 0;
    while now() - clock < run {
        for _ in 0..32 {
            call();
        }
        calls += 32;
    }
    (now() - clock).as_secs_f64() / f64::from(calls)
}

/// The CPU time of this thread, which other programs on the machine disturb least.
fn now() -> Duration {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID);
    time.expect("every system has this clock").into()
}

fn median(mut measure: impl FnMut() -> f64) -> f64 {
    let mut values: Vec<f64> = (0..RUNS).map(|_| measure()).collect();
    values.sort_by(f64::total_cmp);
    values[RUNS / 2]
}

/// Measures these games, or all.
pub(crate) fn run(wanted: &[String], tiny: bool) {
    let run = if tiny { Duration::from_millis(1) } else { RUN };
    println!(
        "| game | perft depth | perft Mnodes/s | playouts/s | plies/s (M) | plies a game | generation |"
    );
    println!("|---|---|---|---|---|---|---|");
    for entry in GAMES.iter() {
        let id = entry.info.id.as_str();
        if !wanted.is_empty() && !wanted.iter().any(|name| name == id) {
            continue;
        }
        let speed =
            visit(id, &serde_json::Value::Null, Measure(run)).expect("a game of the registry");
        println!(
            "| {id} | {} | {:.1} | {:.0} | {:.1} | {:.1} | {:.0} % |",
            speed.perft_depth,
            speed.perft_nodes / 1e6,
            speed.playouts,
            speed.plies / 1e6,
            speed.length,
            100.0 * speed.generation
        );
    }
}

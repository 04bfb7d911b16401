//! Matches that bots lose on time though they are fast enough: because of the machine or the referee. Each
//! bot takes 1 ms of CPU time for a move.

use std::hint::spin_loop;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};

use crate::measure::{Tournament, play_on_time};

const THINK: &str = "1ms";
const DEFAULT_MARGIN: &str = "50ms";
/// By name, as lines of the table of a configuration. A game clock leaves the bots nothing of the increment,
/// so that whatever the machine takes from them is gone.
const TIMES: [(&str, &str); 2] = [
    ("10 ms + 1 ms", "base = \"10ms\"\nincrement = \"1ms\""),
    ("2 ms", "per_move = \"2ms\""),
];

/// Prints a table with this many matches in each row. By CPU time and with the default margin, none of them
/// may be lost.
pub(crate) fn run(matches: u32) -> ExitCode {
    let mut lost_by_cpu_time = 0;
    println!("| machine | `clock` | `margin` | time | matches | seconds | lost on time |");
    println!("|---|---|---|---|---|---|---|");
    for machine in ["quiet", "busy"] {
        let others = (machine == "busy").then(OtherWork::begin);
        for clock in ["cpu", "wall"] {
            for margin in [DEFAULT_MARGIN, "0ms"] {
                for (name, time) in TIMES {
                    let lost = row([machine, clock, margin, name], time, matches);
                    lost_by_cpu_time += match (clock, margin) {
                        ("cpu", DEFAULT_MARGIN) => lost,
                        _ => 0,
                    };
                }
            }
        }
        drop(others);
    }
    if lost_by_cpu_time > 0 {
        println!(
            "\nLost on time by CPU time, with the default margin: {lost_by_cpu_time} matches."
        );
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Returns the number of matches that were lost on time.
fn row(labels: [&str; 4], time: &str, matches: u32) -> u64 {
    let [machine, clock, margin, name] = labels;
    let base = Tournament::of_instant_bots(&["none", THINK], matches.div_ceil(2), cores());
    let cost = play_on_time(&Tournament {
        time: format!("{time}\nmargin = \"{margin}\""),
        more: format!("{}\nclock = \"{clock}\"", base.more),
        ..base
    });
    println!(
        "| {machine} | {clock} | {margin} | {name} | {} | {:.0} | {} |",
        cost.matches,
        cost.time.as_secs_f64(),
        cost.lost_on_time
    );
    cost.lost_on_time
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// A thread for each core that does nothing but use it; ends with this value.
struct OtherWork {
    ends: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl OtherWork {
    fn begin() -> Self {
        let ends = Arc::new(AtomicBool::new(false));
        let threads = (0..cores()).map(|_| {
            let ends = Arc::clone(&ends);
            thread::spawn(move || {
                while !ends.load(Relaxed) {
                    spin_loop();
                }
            })
        });
        let threads = threads.collect();
        OtherWork { ends, threads }
    }
}

impl Drop for OtherWork {
    fn drop(&mut self) {
        self.ends.store(true, Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

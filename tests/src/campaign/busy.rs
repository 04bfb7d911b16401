//! Fast bots on a busy machine.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::Value;

use super::{Findings, play};
use crate::Arena;
use crate::traces::MARK;

/// Busy loops on the machine.
const LOOPS: usize = 2;
/// Time limit per move, far above what the bots need.
const LIMIT: &str = "10ms";

/// Plays matches beside two busy loops by CPU time, and as many by wall-clock time to compare.
pub fn run(matches: u32) -> Findings {
    let stop = AtomicBool::new(false);
    let mut findings = Findings::default();
    thread::scope(|scope| {
        for _ in 0..LOOPS {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        for clock in ["cpu", "wall"] {
            let late = timeouts(clock, matches, &mut findings);
            findings.figure(format!("clock = \"{clock}\": {late} matches lost on time"));
            findings.wrong_unless(late == 0 || clock == "wall", || {
                format!("{late} matches lost on time by CPU time")
            });
        }
        stop.store(true, Ordering::Relaxed);
    });
    findings
}

fn timeouts(clock: &str, matches: u32, findings: &mut Findings) -> usize {
    let mark = format!("busy-{}", std::process::id());
    let wall = if clock == "cpu" {
        "wall = \"20s\"\n"
    } else {
        ""
    };
    let mut text = format!(
        "name = \"busy\"\nrounds = {}\nclock = \"{clock}\"\n\
         games = [{{ id = \"amazons\", options = {{ size = 6 }} }}]\n\
         [time]\nper_move = \"{LIMIT}\"\nmargin = \"0ms\"\nstartup = \"60s\"\n{wall}",
        matches.div_ceil(2)
    );
    for bot in ["random", "greedy"] {
        text.push_str(&format!(
            "[[bots]]\nname = \"{bot}\"\ncommand = [\"referee\", \"bot\", \"{bot}\"]\n\
             env = {{ {MARK} = '{mark}' }}\n"
        ));
    }
    let arena = Arena::new(&text);
    let records = play(&arena, &mark, 2 * matches.div_ceil(2) as usize, findings);
    let late = |record: &&Value| record["result"]["faults"][0]["code"] == "timeout";
    records.iter().filter(late).count()
}

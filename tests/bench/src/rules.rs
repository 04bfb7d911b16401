//! Cost of a move with rules in another process, beside the same game compiled in: instant bots
//! play Paper Pen-guins, by turns with the rules built in and through `referee model`.

use crate::measure::{Tournament, median, play};

/// Each figure is the median of this many pairs of runs.
const PAIRS: usize = 5;

pub(crate) fn run(tiny: bool) {
    println!("| bots want | built in, moves/s | rules program, moves/s | cost of a move, ratio |");
    println!("|---|---|---|---|");
    for (wants, rounds) in [("none", 1000), ("legal", 500), ("all", 300)] {
        let (rounds, pairs) = if tiny { (1, 1) } else { (rounds, PAIRS) };
        row(wants, rounds, pairs);
    }
}

fn row(wants: &str, rounds: u32, pairs: usize) {
    let tournament = |games: &str, rules: &str| Tournament {
        games: games.to_owned(),
        more: format!("affinity = \"cores\"\n{rules}"),
        ..Tournament::of_instant_bots(&[wants], rounds, 1)
    };
    let built_in = tournament("\"paper-penguins\"", "");
    let far = "rules = [{ command = \"referee model\", prefix = \"far\" }]";
    let far = tournament("\"far-paper-penguins\"", far);
    let (mut here, mut there, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..pairs {
        // In turn, so that a machine that changes its pace treats both alike.
        let (one, other) = if pair % 2 == 0 {
            let one = play(&built_in).rate();
            (one, play(&far).rate())
        } else {
            let other = play(&far).rate();
            (play(&built_in).rate(), other)
        };
        here.push(one);
        there.push(other);
        ratios.push(one / other);
    }
    println!(
        "| {wants} | {:.0} | {:.0} | {:.2} |",
        median(here),
        median(there),
        median(ratios)
    );
}

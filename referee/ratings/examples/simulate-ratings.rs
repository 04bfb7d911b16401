//! Simulated tournaments of bots with known strengths: in how many cases the intervals hold the
//! truth, and how often tests err, as Markdown. A number says how many tournaments each setting gets;
//! `small` after it is for those with few pairs alone, and words after that for tables with them in the
//! title.

use ratings::simulate::{Coverage, Draws, PLAIN, Row, Setting, decisions, grid, settings};
use ratings::sprt::{EloModel, Hypotheses};

const TOURNAMENTS: usize = 1000;
const SEED: u64 = 2026;
/// Accepted coverage in %.
const WANTED: std::ops::RangeInclusive<f64> = 93.0..=97.0;

/// Of tests between two bots: elo0, elo1, alpha and beta, draws, advantage, alike.
#[rustfmt::skip]
const TESTS: [(f64, f64, f64, f64, f64, f64); 7] = [
    (  0.0,  20.0, 0.05, 0.5,  80.0, 0.0),
    (  0.0,  50.0, 0.05, 0.5,  80.0, 0.0),
    (  0.0, 100.0, 0.05, 0.5,  80.0, 0.0),
    (-10.0,  30.0, 0.10, 0.5,  80.0, 0.0),
    (  0.0,  50.0, 0.05, 0.0,  80.0, 0.0),
    (  0.0,  50.0, 0.05, 4.0, 300.0, 0.0),
    (  0.0,  50.0, 0.05, 0.5,  80.0, 0.7),
];

fn share([inside, all]: [u32; 2]) -> f64 {
    100.0 * f64::from(inside) / f64::from(all)
}

/// Marked where it is not what it should be.
fn percent(counts: [u32; 2]) -> String {
    match counts {
        [_, 0] => "·".to_owned(),
        _ if WANTED.contains(&share(counts)) => format!("{:.1}", share(counts)),
        _ => format!("**{:.1}**", share(counts)),
    }
}

fn row(name: &str, coverage: &Coverage) {
    println!(
        "| {name} | {} | {} | {} | {} |",
        percent(coverage.ratings),
        percent(coverage.anchored),
        percent(coverage.advantage),
        percent(coverage.scores)
    );
}

fn coverage(tournaments: usize) {
    println!(
        "How many of the 95 % intervals hold the truth, in %, of {tournaments} tournaments of each"
    );
    println!(
        "kind; bold where it is not between {} and {}.\n",
        WANTED.start(),
        WANTED.end()
    );
    println!("| tournament | ratings | differences | seats | scores by game |");
    println!("|---|--:|--:|--:|--:|");
    let mut total = Coverage::default();
    for named in settings() {
        let coverage = named.setting.coverage(tournaments, SEED);
        total.join(&coverage);
        row(named.name, &coverage);
    }
    row("all", &total);
}

/// Small tournaments: how often the differences (`differences`) or the ratings hold the truth, and
/// half the width that is usual.
fn small(tournaments: usize, words: &str) {
    let tables = grid().into_iter();
    for (title, rows) in tables.filter(|(title, _)| title.contains(words)) {
        println!("\n{title}:\n");
        let counts = |row: &Row| -> Vec<usize> { row.settings.iter().map(|(n, _)| *n).collect() };
        let counts: String = counts(&rows[0]).iter().map(|n| format!(" {n} |")).collect();
        println!("| tournament |{counts}");
        println!("|---|{}", "--:|".repeat(rows[0].settings.len()));
        for row in rows {
            let cells = row.settings.iter().map(|(_, setting)| {
                let coverage = setting.coverage(tournaments, SEED);
                format!(
                    " {} ±{} |",
                    percent(coverage.anchored),
                    coverage.usual_reach()
                )
            });
            println!("| {} |{}", row.name, cells.collect::<String>());
        }
    }
}

fn tests(number: u32) {
    println!(
        "\nHow often tests accept the wrong hypothesis, in %, of {number} tests of each kind.\n"
    );
    println!(
        "| elo0 | elo1 | alpha, beta | δ | advantage | alike | under H0 | under H1 | pairs a test |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (elo0, elo1, allowed, draws, advantage, alike) in TESTS {
        let setting = Setting {
            advantage,
            draws: Draws::Davidson(draws),
            alike,
            ..PLAIN
        };
        let hypotheses = Hypotheses {
            model: EloModel::Logistic,
            elo0,
            elo1,
            alpha: allowed,
            beta: allowed,
        };
        let h0 = decisions(&setting, &hypotheses, elo0, number, SEED);
        let h1 = decisions(&setting, &hypotheses, elo1, number, SEED + 1);
        println!(
            "| {elo0} | {elo1} | {allowed} | {draws} | {advantage} | {alike} | {:.1} | {:.1} | {} |",
            share([h0.h1, number]),
            share([h1.h0, number]),
            (h0.pairs + h1.pairs) / u64::from(2 * number)
        );
    }
}

fn main() {
    let asked = std::env::args().nth(1);
    let only = std::env::args().nth(2);
    let tournaments = match asked.map(|text| text.parse()) {
        None => TOURNAMENTS,
        Some(Ok(number)) => number,
        Some(Err(_)) => {
            eprintln!("give the number of tournaments, such as {TOURNAMENTS}");
            std::process::exit(2);
        }
    };
    if only.as_deref() == Some("small") {
        let words: Vec<String> = std::env::args().skip(3).collect();
        return small(tournaments, &words.join(" "));
    }
    coverage(tournaments);
    small(tournaments, "");
    // Tests are quick, and their errors are rare.
    tests(10 * tournaments as u32);
}

//! Simulated tournaments of bots with known strengths: in how many cases the intervals hold the
//! truth, and how often tests err. A number says how many tournaments each setting gets.

use referee::rating::simulate::{Coverage, Setting, decisions};
use referee::rating::sprt::{EloModel, Hypotheses};

const TOURNAMENTS: usize = 1000;
const RESAMPLES: usize = 400;
const SEED: u64 = 2026;

/// Bots, seats, units, spread, advantage, draws, alike: see [`Setting`].
#[rustfmt::skip]
const SETTINGS: [(usize, usize, usize, f64, f64, f64, f64); 21] = [
    ( 2, 2,  10, 150.0,  80.0, 0.5, 0.0),
    ( 2, 2, 100, 150.0,  80.0, 0.5, 0.0),
    ( 3, 2,  10, 150.0,  80.0, 0.5, 0.0),
    ( 3, 2,  50, 150.0,  80.0, 0.5, 0.0),
    ( 3, 2, 200, 150.0,  80.0, 0.5, 0.0),
    ( 5, 2,  25, 150.0,  80.0, 0.5, 0.0),
    (10, 2,  10, 150.0,  80.0, 0.5, 0.0),
    (10, 2,  50, 150.0,  80.0, 0.5, 0.0),
    ( 3, 2,  10, 150.0,  80.0, 0.0, 0.0),
    ( 6, 2,  25, 150.0,  80.0, 2.0, 0.0),
    ( 3, 2,  10, 400.0,  80.0, 0.5, 0.0),
    (10, 2,  10, 300.0,  80.0, 0.5, 0.0),
    ( 3, 2,  20, 150.0, 300.0, 0.5, 0.0),
    ( 3, 2,  10, 150.0,  80.0, 0.5, 0.7),
    ( 5, 2, 100, 150.0,  80.0, 0.5, 0.7),
    ( 3, 3,  10, 150.0,  80.0, 0.3, 0.0),
    ( 3, 3,  40, 150.0,  80.0, 0.3, 0.0),
    ( 5, 3,   5, 150.0,  80.0, 0.3, 0.0),
    ( 6, 3,  20, 150.0,  80.0, 0.3, 0.0),
    ( 5, 3,   5, 150.0,  80.0, 0.0, 0.0),
    ( 4, 4,  10, 150.0,  80.0, 0.3, 0.0),
];

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

fn settings() -> impl Iterator<Item = Setting> {
    SETTINGS.into_iter().map(
        |(bots, seats, units, spread, advantage, draws, alike)| Setting {
            bots,
            seats,
            units,
            spread,
            advantage,
            draws,
            alike,
        },
    )
}

fn percent([inside, all]: [u32; 2]) -> String {
    format!("{:5.1}", 100.0 * f64::from(inside) / f64::from(all))
}

fn coverage(tournaments: usize) {
    println!("How many of the 95 % intervals hold the truth, in %, over {tournaments} tournaments");
    println!("bots seats units spread advantage draws alike   ratings anchored advantage");
    let mut total = Coverage::default();
    for s in settings() {
        let c = s.coverage(tournaments, RESAMPLES, SEED);
        total.join(&c);
        println!(
            "{:4} {:5} {:5} {:6} {:9} {:5} {:5}     {}    {}     {}",
            s.bots,
            s.seats,
            s.units,
            s.spread,
            s.advantage,
            s.draws,
            s.alike,
            percent(c.ratings),
            percent(c.anchored),
            percent(c.advantage)
        );
    }
    println!(
        "all                                              {}    {}     {}",
        percent(total.ratings),
        percent(total.anchored),
        percent(total.advantage)
    );
}

fn tests(number: u32) {
    println!("\nHow often tests accept the wrong hypothesis, in %, over {number} tests each");
    println!(" elo0 elo1 alpha beta draws advantage alike   under H0  under H1   pairs a test");
    for (elo0, elo1, allowed, draws, advantage, alike) in TESTS {
        // How many bots there are, and how they differ, is no matter here.
        let setting = Setting {
            bots: 2,
            seats: 2,
            units: 1,
            spread: 0.0,
            advantage,
            draws,
            alike,
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
            "{elo0:5} {elo1:4} {allowed:5} {allowed:4} {draws:5} {advantage:9} {alike:5}      {}     {}   {:6}",
            percent([h0.h1, number]),
            percent([h1.h0, number]),
            (h0.pairs + h1.pairs) / u64::from(2 * number)
        );
    }
}

fn main() {
    let asked = std::env::args().nth(1);
    let tournaments = match asked.map(|text| text.parse()) {
        None => TOURNAMENTS,
        Some(Ok(number)) => number,
        Some(Err(_)) => {
            eprintln!("give the number of tournaments, such as {TOURNAMENTS}");
            std::process::exit(2);
        }
    };
    coverage(tournaments);
    // Tests are quick, and their errors are rare.
    tests(10 * tournaments as u32);
}

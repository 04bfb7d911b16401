//! Simulated tournaments of bots with known strengths: in how many cases the intervals hold the
//! truth, and how often tests err. A number says how many tournaments each setting gets.

use referee::rating::simulate::{Coverage, Setting, decisions};
use referee::rating::sprt::Hypotheses;

const TOURNAMENTS: usize = 1000;
const RESAMPLES: usize = 400;
const SEED: u64 = 2026;

const BASE: Setting = Setting {
    bots: 3,
    seats: 2,
    units: 10,
    spread: 150.0,
    advantage: 80.0,
    draws: 0.5,
    alike: 0.0,
};

fn settings() -> Vec<Setting> {
    let two = |bots, units| Setting {
        bots,
        units,
        ..BASE
    };
    let three = |bots, units| Setting {
        seats: 3,
        draws: 0.3,
        ..two(bots, units)
    };
    vec![
        two(2, 10),
        two(2, 100),
        two(3, 10),
        two(3, 50),
        two(3, 200),
        two(5, 25),
        two(10, 10),
        two(10, 50),
        Setting {
            draws: 0.0,
            ..two(3, 10)
        },
        Setting {
            draws: 2.0,
            ..two(6, 25)
        },
        Setting {
            spread: 400.0,
            ..two(3, 10)
        },
        Setting {
            spread: 300.0,
            ..two(10, 10)
        },
        Setting {
            advantage: 300.0,
            ..two(3, 20)
        },
        Setting {
            alike: 0.7,
            ..two(3, 10)
        },
        Setting {
            alike: 0.7,
            ..two(5, 100)
        },
        three(3, 10),
        three(3, 40),
        three(5, 5),
        three(6, 20),
        Setting {
            draws: 0.0,
            ..three(5, 5)
        },
        Setting {
            seats: 4,
            ..three(4, 10)
        },
    ]
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
    for (elo0, elo1, allowed, setting) in [
        (0.0, 20.0, 0.05, BASE),
        (0.0, 50.0, 0.05, BASE),
        (0.0, 100.0, 0.05, BASE),
        (-10.0, 30.0, 0.1, BASE),
        (0.0, 50.0, 0.05, Setting { draws: 0.0, ..BASE }),
        (
            0.0,
            50.0,
            0.05,
            Setting {
                advantage: 300.0,
                draws: 4.0,
                ..BASE
            },
        ),
        (0.0, 50.0, 0.05, Setting { alike: 0.7, ..BASE }),
    ] {
        let hypotheses = Hypotheses {
            elo0,
            elo1,
            alpha: allowed,
            beta: allowed,
        };
        let h0 = decisions(&setting, &hypotheses, elo0, number, SEED);
        let h1 = decisions(&setting, &hypotheses, elo1, number, SEED + 1);
        println!(
            "{elo0:5} {elo1:4} {allowed:5} {allowed:4} {:5} {:9} {:5}      {}     {}   {:6}",
            setting.draws,
            setting.advantage,
            setting.alike,
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

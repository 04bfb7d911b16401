//! The grid of small tournaments for checks of intervals: few pairs, many draws, lopsided seats,
//! copied openings.

use super::{Draws, PLAIN, Pairing, Repeats, Setting};

/// A row of a table: tournaments that differ only in how many pairs (or groups, or openings) there are.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: String,
    /// By number of pairs.
    pub settings: Vec<(usize, Setting)>,
}

/// Elo that make the first seat win half or four of five of the decided matches of equals.
const SEATS: [(&str, f64); 2] = [("50", 0.0), ("80", 240.8)];
/// Share of draws between equals in %, with δ.
const DRAWS: [(&str, f64); 4] = [("0", 0.0), ("50", 2.0), ("95", 38.0), ("100", 1e12)];
const APART: [f64; 3] = [0.0, 100.0, 300.0];
const PAIRS: [usize; 6] = [1, 2, 4, 8, 16, 50];

/// All tables: two bots, then copies of openings, more bots, and more seats.
pub fn grid() -> Vec<(&'static str, Vec<Row>)> {
    vec![
        ("two bots, pairs", two_bots()),
        (
            "two bots, openings of one pair, each copied ten times",
            copied(),
        ),
        ("more bots, pairs of each two", more_bots()),
        (
            "three and four seats, groups",
            more_seats(&[(3, 3), (3, 5), (4, 4), (4, 6)]),
        ),
        (
            "five and six seats, groups",
            more_seats(&[(5, 5), (5, 7), (6, 6), (6, 8)]),
        ),
    ]
}

fn row(name: String, counts: &[usize], setting: impl Fn(usize) -> Setting) -> Row {
    Row {
        name,
        settings: counts
            .iter()
            .map(|&count| (count, setting(count)))
            .collect(),
    }
}

fn two_bots() -> Vec<Row> {
    let mut rows = Vec::new();
    for (drawn, tie) in DRAWS {
        for (first, advantage) in SEATS {
            for apart in APART {
                if tie > 1e9 && (apart > 0.0 || advantage > 0.0) {
                    continue;
                }
                let name = format!("{drawn} % draws, first seat {first} %, {apart} apart");
                rows.push(row(name, &PAIRS, |pairs| Setting {
                    apart,
                    advantage,
                    draws: Draws::Davidson(tie),
                    pairing: Pairing::All(pairs),
                    ..PLAIN
                }));
            }
        }
    }
    // e^3.45 : 600 is 5 % wins; losses are a thousand times as rare.
    rows.push(row(
        "wins 5 %, draws the rest".to_owned(),
        &PAIRS,
        |pairs| Setting {
            apart: 1200.0,
            draws: Draws::Davidson(600.0),
            pairing: Pairing::All(pairs),
            ..PLAIN
        },
    ));
    rows
}

fn copied() -> Vec<Row> {
    let mut rows = Vec::new();
    for (drawn, tie) in &DRAWS[..3] {
        for apart in [0.0, 100.0] {
            for (first, advantage) in SEATS {
                let name = format!("{drawn} % draws, first seat {first} %, {apart} apart");
                rows.push(row(name, &[4, 6, 16], |openings| Setting {
                    apart,
                    advantage,
                    draws: Draws::Davidson(*tie),
                    repeats: Repeats::Near {
                        openings,
                        times: 10,
                        same: 1.0,
                    },
                    ..PLAIN
                }));
            }
        }
    }
    rows
}

fn more_bots() -> Vec<Row> {
    let mut rows = Vec::new();
    for bots in [4, 8] {
        for (drawn, tie) in &DRAWS[..3] {
            for (first, advantage) in SEATS {
                let name = format!("{bots} bots, {drawn} % draws, first seat {first} %");
                rows.push(row(name, &[1, 2, 4, 8], |pairs| Setting {
                    bots,
                    advantage,
                    spread: 150.0,
                    draws: Draws::Davidson(*tie),
                    pairing: Pairing::All(pairs),
                    ..PLAIN
                }));
            }
        }
    }
    rows
}

fn more_seats(sizes: &[(usize, usize)]) -> Vec<Row> {
    let mut rows = Vec::new();
    for &(seats, bots) in sizes {
        for (ties, tie) in [("no", 0.0), ("some", 0.3), ("many", 20.0)] {
            let name = format!("{seats} seats, {bots} bots, {ties} ties");
            rows.push(row(name, &[1, 2, 4, 8], |groups| Setting {
                bots,
                seats,
                advantage: 80.0,
                spread: 150.0,
                draws: Draws::Davidson(tie),
                pairing: Pairing::All(groups),
                ..PLAIN
            }));
        }
    }
    rows
}

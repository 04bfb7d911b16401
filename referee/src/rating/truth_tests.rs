//! Simulated tournaments: intervals hold the truth, and tests err as often as they may. A small
//! cut with a fixed seed; `cargo run --release -p referee --example simulate-ratings` is the whole.

use super::simulate::{Setting, decisions};
use super::sprt::{EloModel, Hypotheses};

const TWO: Setting = Setting {
    bots: 4,
    seats: 2,
    units: 12,
    spread: 150.0,
    advantage: 80.0,
    draws: 0.5,
    alike: 0.4,
};

fn inside([hits, all]: [u32; 2]) -> f64 {
    f64::from(hits) / f64::from(all)
}

/// Five standard errors of 95 % in so many cases, as if they were independent.
fn tolerance([_, all]: [u32; 2]) -> f64 {
    5.0 * (0.95 * 0.05 / f64::from(all)).sqrt()
}

#[test]
fn intervals_hold_the_truth() {
    let three = Setting {
        seats: 3,
        draws: 0.3,
        units: 8,
        ..TWO
    };
    let decisive = Setting {
        draws: 0.0,
        bots: 3,
        units: 25,
        alike: 0.0,
        ..TWO
    };
    for setting in [TWO, three, decisive] {
        let coverage = setting.coverage(200, 100, 11);
        for counts in [coverage.ratings, coverage.anchored, coverage.advantage] {
            let off = (inside(counts) - 0.95).abs();
            assert!(off < tolerance(counts), "{setting:?}: {coverage:?}");
        }
    }
}

#[test]
fn tests_err_as_often_as_they_may() {
    let hypotheses = Hypotheses {
        model: EloModel::Logistic,
        elo0: 0.0,
        elo1: 60.0,
        alpha: 0.05,
        beta: 0.05,
    };
    let under_h0 = decisions(&TWO, &hypotheses, 0.0, 400, 3);
    let under_h1 = decisions(&TWO, &hypotheses, 60.0, 400, 4);
    // 20 of 400 are allowed; four standard deviations of that are 17.
    assert!((1..=37).contains(&under_h0.h1), "{under_h0:?}");
    assert!((1..=37).contains(&under_h1.h0), "{under_h1:?}");
    assert_eq!((under_h0.open, under_h1.open), (0, 0));
    let between = decisions(&TWO, &hypotheses, 30.0, 100, 5);
    assert!(between.pairs / 100 > under_h0.pairs / 400, "{between:?}");
}

//! Simulated tournaments: intervals cover the truth, and tests err at their nominal rates. A small
//! part with a fixed seed; `cargo run --profile campaign -p referee-ratings --example simulate-ratings`
//! runs all.

use crate::simulate::{Draws, PLAIN, Pairing, Setting, decisions, settings};
use crate::sprt::{EloModel, Hypotheses};

fn inside([hits, all]: [u32; 2]) -> f64 {
    f64::from(hits) / f64::from(all)
}

/// Few tournaments of each setting find only gross errors: beyond this many standard errors, as if
/// tournaments had one interval each.
#[test]
fn intervals_hold_the_truth() {
    const TOURNAMENTS: usize = 40;
    let tolerance = 4.5 * (0.95_f64 * 0.05 / TOURNAMENTS as f64).sqrt();
    for named in settings() {
        let coverage = named.setting.coverage(TOURNAMENTS, 11);
        for (what, counts) in coverage.named() {
            let off = 0.95 - inside(counts);
            assert!(off < tolerance, "{}: {what} {counts:?}", named.name);
        }
    }
}

/// One interval of each tournament suffices to see this: none is far too wide.
#[test]
fn intervals_are_not_too_wide() {
    let setting = Setting {
        bots: 4,
        pairing: Pairing::All(12),
        spread: 150.0,
        advantage: 80.0,
        draws: Draws::Davidson(0.5),
        ..PLAIN
    };
    let coverage = setting.coverage(300, 12);
    for (what, counts) in coverage.named() {
        assert!((0.92..0.98).contains(&inside(counts)), "{what} {counts:?}");
    }
}

#[test]
fn tests_err_as_often_as_they_may() {
    let setting = Setting {
        advantage: 80.0,
        draws: Draws::Davidson(0.5),
        alike: 0.4,
        ..PLAIN
    };
    let hypotheses = Hypotheses {
        model: EloModel::Logistic,
        elo0: 0.0,
        elo1: 60.0,
        alpha: 0.05,
        beta: 0.05,
    };
    let under_h0 = decisions(&setting, &hypotheses, 0.0, 400, 3);
    let under_h1 = decisions(&setting, &hypotheses, 60.0, 400, 4);
    // 20 of 400 are allowed; four standard deviations of that are 17.
    assert!((1..=37).contains(&under_h0.h1), "{under_h0:?}");
    assert!((1..=37).contains(&under_h1.h0), "{under_h1:?}");
    assert_eq!((under_h0.open, under_h1.open), (0, 0));
    let between = decisions(&setting, &hypotheses, 30.0, 100, 5);
    assert!(between.pairs / 100 > under_h0.pairs / 400, "{between:?}");
}

//! Checks the test against analytic results, against fishtest, and by simulation.

use games::Rng;

use super::*;

fn pairs(counts: [u64; 5]) -> Scores {
    let mut scores = Scores::new();
    for (quarter, count) in counts.into_iter().enumerate() {
        for _ in 0..count {
            scores.add(quarter as f64 / 4.0);
        }
    }
    scores
}

fn hypotheses(elo0: f64, elo1: f64) -> Hypotheses {
    Hypotheses {
        model: EloModel::Logistic,
        elo0,
        elo1,
        alpha: 0.05,
        beta: 0.05,
    }
}

#[test]
fn bounds_are_the_usual_ones() {
    let h = hypotheses(0.0, 5.0);
    assert!((h.upper() - 2.944_438_979).abs() < 1e-8, "ln 19");
    assert!((h.lower() + 2.944_438_979).abs() < 1e-8);
}

#[test]
fn scores_and_elo_belong_together() {
    assert_eq!(expected(0.0), 0.5);
    assert!((expected(400.0) - 10.0 / 11.0).abs() < 1e-12);
    assert!((elo(0.75) - 190.848_501_9).abs() < 1e-6);
    assert!((elo(expected(-37.0)) + 37.0).abs() < 1e-9);
}

/// With two values only, the distribution follows from its mean, and the ratio can be worked
/// out by hand: n₀ ln((1−s1)/(1−s0)) + n₂ ln(s1/s0).
#[test]
fn two_values_are_a_coin() {
    let scores = pairs([40, 0, 0, 0, 60]);
    let h = hypotheses(0.0, 100.0);
    let s1 = expected(100.0);
    let by_hand = 40.0 * ((1.0 - s1) / 0.5).ln() + 60.0 * (s1 / 0.5).ln();
    assert!(
        (scores.llr(&h) - by_hand).abs() < 0.01,
        "{}",
        scores.llr(&h)
    );
}

/// For small differences the ratio tends to n (s1−s0) (2 mean − s0 − s1) / (2 variance).
#[test]
fn small_differences_are_like_a_normal_distribution() {
    let scores = pairs([105, 510, 1250, 620, 133]);
    let h = hypotheses(0.0, 5.0);
    let (s0, s1) = (expected(0.0), expected(5.0));
    let normal = scores.units() as f64 * (s1 - s0) * (2.0 * scores.mean() - s0 - s1)
        / (2.0 * scores.variance());
    assert!(
        (scores.llr(&h) - normal).abs() < 0.01 * normal.abs(),
        "{normal}"
    );
    assert!(normal > 2.0);
}

#[test]
fn the_test_is_symmetric() {
    let there = pairs([3, 20, 50, 30, 8]).llr(&hypotheses(-3.0, 7.0));
    let back = pairs([8, 30, 50, 20, 3]).llr(&hypotheses(-7.0, 3.0));
    assert!((there + back).abs() < 1e-9, "{there} {back}");
}

#[test]
fn clear_results_are_accepted() {
    let h = hypotheses(0.0, 20.0);
    assert_eq!(Scores::new().verdict(&h), Verdict::Running);
    assert_eq!(Scores::new().llr(&h), 0.0);
    assert_eq!(pairs([0, 0, 2, 1, 1]).verdict(&h), Verdict::Running);
    assert_eq!(pairs([2, 10, 40, 60, 30]).verdict(&h), Verdict::H1);
    assert_eq!(pairs([30, 60, 40, 10, 2]).verdict(&h), Verdict::H0);
}

#[test]
fn values_off_the_quarters_are_no_pentanomial() {
    let mut scores = pairs([1, 0, 2, 0, 0]);
    assert_eq!(scores.pentanomial(), Some([1, 0, 2, 0, 0]));
    scores.add(5.0 / 12.0);
    assert_eq!(scores.pentanomial(), None);
    assert_eq!(scores.units(), 4);
    assert!((scores.mean() - (1.0 + 5.0 / 12.0) / 4.0).abs() < 1e-4);
}

fn normalized(elo0: f64, elo1: f64) -> Hypotheses {
    Hypotheses {
        model: EloModel::Normalized,
        ..hypotheses(elo0, elo1)
    }
}

/// The figures are those of fishtest's `LLRcalc.py` (`LLR_logistic`, `LLR_normalized`).
#[test]
fn ratios_are_those_of_fishtest() {
    for (elo0, elo1, counts, logistic, of_normalized) in [
        (0.0, 2.0, [105, 510, 1250, 620, 133], 2.182_170, 1.427_105),
        (0.0, 5.0, [3, 20, 50, 30, 8], 0.631_812, 0.420_862),
        (-3.0, 7.0, [40, 0, 0, 0, 60], 0.559_093, 0.780_892),
        (0.0, 20.0, [2, 10, 40, 60, 30], 7.266_441, 6.368_150),
        (0.0, 50.0, [0, 0, 3, 9, 20], 4.274_838, 5.043_176),
        (5.0, 10.0, [30, 60, 40, 10, 2], -1.944_341, -1.778_497),
        (-20.0, 0.0, [1, 0, 2, 0, 0], -0.167_498, -0.132_672),
    ] {
        let scores = pairs(counts);
        let llr = scores.llr(&hypotheses(elo0, elo1));
        assert!((llr - logistic).abs() < 1e-5, "{counts:?}: {llr}");
        let llr = scores.llr(&normalized(elo0, elo1));
        assert!((llr - of_normalized).abs() < 1e-5, "{counts:?}: {llr}");
    }
}

#[test]
fn normalized_elo_is_the_score_in_standard_deviations_of_a_match() {
    // Pairs whose matches are independent: each is won with a chance of ¾.
    let scores = pairs([100, 0, 600, 0, 900]);
    let of_a_match = 0.25 / (0.75_f64 * 0.25).sqrt();
    let elo = scores.elo(EloModel::Normalized);
    assert!(
        (elo - of_a_match * 800.0 / 10_f64.ln()).abs() < 1e-9,
        "{elo}"
    );
    assert!((scores.elo(EloModel::Logistic) - 190.848_501_9).abs() < 1e-6);
    assert!(normalized(0.0, 300.0).check().is_err() && normalized(0.0, 5.0).check().is_ok());
}

#[test]
fn copies_widen_and_shift_nothing() {
    let h = hypotheses(0.0, 20.0);
    let mut plain = Scores::new();
    let mut copied = Scores::new();
    for number in 0..60_u64 {
        let mean = [1.0, 0.5, 0.75][number as usize % 3];
        plain.add_unit(mean, [Some(1000 + 2 * number), Some(1001 + 2 * number)]);
        // Each third pair is the same one.
        let of = if mean == 1.0 { 0 } else { 2 * number };
        copied.add_unit(mean, [Some(of), Some(of + 1)]);
    }
    assert_eq!(plain.llr(&h), {
        let mut unknown = Scores::new();
        for number in 0..60 {
            unknown.add([1.0, 0.5, 0.75][number % 3]);
        }
        unknown.llr(&h)
    });
    assert_eq!((plain.mean(), plain.repeats()), (copied.mean(), 0));
    assert_eq!(copied.repeats(), 2 * 19);
    let worth = 120.0 / f64::from(2 * 20 * 20 + 80);
    assert!((copied.llr(&h) / plain.llr(&h) - worth).abs() < 1e-12);
    assert!((copied.worth() - 60.0 * worth).abs() < 1e-9);
}

/// A number from 0 to 1.
fn uniform(rng: &mut Rng) -> f64 {
    rng.below(1 << 40) as f64 / (1_u64 << 40) as f64
}

/// Tests until they are decided, of matches with this expected score and share of draws.
fn tests(
    h: &Hypotheses,
    score: f64,
    draws: f64,
    number: u64,
    mut each: impl FnMut(&Scores, Verdict),
) {
    let wins = score - 0.5 * draws;
    for test in 0..number {
        let mut rng = Rng::from_parts(&[77, test]);
        let mut points = || match uniform(&mut rng) {
            luck if luck < wins => 1.0,
            luck if luck < wins + draws => 0.5,
            _ => 0.0,
        };
        let mut scores = Scores::new();
        let verdict = loop {
            scores.add(0.5 * (points() + points()));
            match scores.verdict(h) {
                Verdict::Running => {}
                verdict => break verdict,
            }
        };
        each(&scores, verdict);
    }
}

/// The score of a difference in the scale of a test, where this share of matches is drawn.
fn score_of(h: &Hypotheses, elo: f64, draws: f64) -> f64 {
    match h.model {
        EloModel::Logistic => expected(elo),
        EloModel::Normalized => {
            let t = elo / NORMALIZED;
            // t² = (s − ½)² / (s (1 − s) − draws/4)
            0.5 + t * (0.25 * (1.0 - draws) / (1.0 + t * t)).sqrt()
        }
    }
}

#[test]
fn tests_are_wrong_as_often_as_they_may_be() {
    for (h, draws) in [
        (hypotheses(0.0, 100.0), 0.0),
        (hypotheses(0.0, 60.0), 0.6),
        (normalized(0.0, 100.0), 0.0),
        (normalized(0.0, 100.0), 0.6),
    ] {
        for (truth, wrong) in [(h.elo0, Verdict::H1), (h.elo1, Verdict::H0)] {
            let (mut errors, mut all_pairs) = (0, 0);
            let score = score_of(&h, truth, draws);
            tests(&h, score, draws, 150, |scores, verdict| {
                errors += u64::from(verdict == wrong);
                all_pairs += scores.units();
            });
            assert!(errors <= 16, "{h:?} {draws}: {errors} of 150 at {truth}");
            let expected = prospect(&h, draws, u32::MAX).map(|prospect| prospect.pairs);
            let expected = expected[if truth == h.elo0 { 0 } else { 2 }];
            let mean = all_pairs as f64 / 150.0;
            assert!(
                (mean / expected - 1.0).abs() < 0.35,
                "{h:?} {draws}: {mean}, not {expected}"
            );
        }
    }
}

/// Bots with little variety: each match is one of a few, with random results. Repetitions do not
/// count as evidence.
#[test]
fn a_few_matches_that_are_repeated_decide_nothing() {
    const LINES: u64 = 8;
    const MOST_PAIRS: u64 = 200;
    let h = hypotheses(0.0, 60.0);
    let mut wrong = [0, 0];
    for test in 0..100 {
        let mut rng = Rng::from_parts(&[5, test]);
        // The first bot's result of each line, in both seats; it is no better than the other.
        let lines: Vec<bool> = (0..2 * LINES).map(|_| rng.below(2) == 0).collect();
        let (mut stored, mut naive) = (Scores::new(), Scores::new());
        let mut verdicts = [Verdict::Running; 2];
        for _ in 0..MOST_PAIRS {
            let pair = [rng.below(LINES), LINES + rng.below(LINES)];
            let won = pair.iter().filter(|line| lines[**line as usize]).count();
            let mean = won as f64 / 2.0;
            stored.add_unit(mean, pair.map(Some));
            naive.add(mean);
            for (verdict, scores) in verdicts.iter_mut().zip([&stored, &naive]) {
                if *verdict == Verdict::Running {
                    *verdict = scores.verdict(&h);
                }
            }
        }
        for (wrong, verdict) in wrong.iter_mut().zip(verdicts) {
            *wrong += u32::from(verdict == Verdict::H1);
        }
    }
    assert!(wrong[0] <= 10, "{wrong:?} of 100");
    assert!(wrong[1] > 25, "{wrong:?} of 100: as if all were new");
}

#[test]
fn estimates_are_corrected_for_the_stop() {
    for (h, draws) in [(hypotheses(0.0, 60.0), 0.2), (normalized(0.0, 100.0), 0.5)] {
        for truth in [0.0, h.elo1] {
            // How often the estimate is too high, corrected and as it is.
            let (mut high, mut raw_high, mut inside) = (0, 0, 0);
            let score = score_of(&h, truth, draws);
            tests(&h, score, draws, 150, |scores, verdict| {
                let found = corrected(scores, &h, verdict).expect("it stopped");
                high += u32::from(found.elo > truth);
                raw_high += u32::from(scores.elo(h.model) > truth);
                let low = found.low.is_none_or(|low| low <= truth);
                inside += u32::from(low && found.high.is_none_or(|high| high >= truth));
            });
            assert!((53..=97).contains(&high), "{truth}: {high} of 150 too high");
            let [off, raw_off] = [high, raw_high].map(|high: u32| high.abs_diff(75));
            assert!(
                off < raw_off,
                "{truth}: {high} and {raw_high} of 150 too high"
            );
            assert!(inside >= 137, "{truth}: {inside} of 150 inside");
        }
    }
    assert_eq!(
        corrected(
            &pairs([1, 2, 3, 2, 1]),
            &hypotheses(0.0, 5.0),
            Verdict::Running
        ),
        None
    );
}

#[test]
fn limits_that_cannot_suffice_are_known_before() {
    let h = hypotheses(0.0, 20.0);
    let [low, between, high] = prospect(&h, 0.0, 100);
    assert!((750.0..900.0).contains(&low.pairs), "{low:?}");
    assert!((low.pairs / high.pairs - 1.0).abs() < 0.01 && between.pairs > 1.5 * low.pairs);
    assert!(low.decided < 0.01 && between.decided < low.decided);
    let [low, between, _] = prospect(&h, 0.0, 10_000);
    assert!(low.decided > 0.999 && between.decided > 0.99);
    let drawn = prospect(&h, 0.5, 10_000);
    assert!((drawn[0].pairs / low.pairs - 0.5).abs() < 0.02);
    let n = normalized(0.0, 5.0);
    assert_eq!(prospect(&n, 0.0, 100), prospect(&n, 0.7, 100));
}

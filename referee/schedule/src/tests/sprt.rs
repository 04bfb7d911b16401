//! Properties of tests between two bots.

use super::*;

fn test_of(schedule: &Schedule) -> SprtStanding {
    match schedule.standing() {
        Some(Standing::Sprt(standing)) => standing,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_test_stops_when_it_is_decided_whatever_runs_at_a_time() {
    let shape = shape(sprt_of(1000), 2, 1);
    let (one, all) = play(&shape, 1, favourite);
    let standing = test_of(&one);
    assert_eq!(standing.verdict, Verdict::H1);
    assert_eq!(
        all.len() as u64,
        2 * standing.pairs,
        "nothing is played beyond"
    );
    assert_eq!(standing.counts, [0, 0, 0, 0, standing.pairs]);
    for at_a_time in [2, 7] {
        let (many, all) = play(&shape, at_a_time, favourite);
        assert_eq!(test_of(&many), standing);
        assert!(
            many.is_over() && many.total() == all.len() as u64,
            "what was begun is finished"
        );
    }
    let (other, _) = play(&shape, 3, |m| favourite(m).into_iter().rev().collect());
    assert_eq!(test_of(&other).verdict, Verdict::H0);
}

#[test]
fn a_test_counts_repetitions_as_what_they_are_worth() {
    // The favourite always wins; from the third pair on, by one and the same two matches.
    let test = |repeated: bool| {
        let mut schedule = Schedule::new(&shape(sprt_of(1000), 2, 1));
        for number in 1..=40 {
            let Some(scheduled) = schedule.get(number) else {
                panic!("no match {number}");
            };
            let same = if number > 4 && repeated {
                4 + number % 2
            } else {
                number + 50
            };
            let outcome = favourite(&scheduled);
            schedule.finish_match(number, &outcome, || Some(same as u64));
        }
        test_of(&schedule)
    };
    let (varied, repeated) = (test(false), test(true));
    assert_eq!(
        (varied.pairs, varied.counts),
        (repeated.pairs, repeated.counts)
    );
    assert_eq!((varied.score, repeated.score), (1.0, 1.0), "all count");
    assert_eq!((varied.repeats, repeated.repeats), (0, 34));
    // Forty matches: two of eighteen each, and four others.
    let worth = 40.0 / f64::from(4 + 2 * 18 * 18);
    assert!((repeated.worth - 20.0 * worth).abs() < 1e-9);
    assert_eq!(varied.worth, 20.0);
    assert!((repeated.llr / (varied.llr * worth) - 1.0).abs() < 1e-9);
    assert_eq!(repeated.verdict, Verdict::Running);
}

#[test]
fn a_test_that_is_not_decided_ends() {
    let shape = shape(sprt_of(5), 2, 1);
    let (schedule, all) = play(&shape, 1, |_| vec![0.5, 0.5]);
    assert_eq!((all.len(), schedule.finished()), (10, 10));
    assert_eq!(test_of(&schedule).verdict, Verdict::Running);
    let games: Vec<usize> = all.iter().map(|m| m.game).collect();
    assert_eq!(games, [0, 0, 1, 1, 0, 0, 1, 1, 0, 0]);
}

//! Ratings of cases with analytic solutions, and invariants of all results.

use games::Rng;

use crate::report::{Ratings, rate};

use crate::inference::Bound;

use crate::evidence::{Evidence, Placing};
use crate::model::{Anchor, ELO};
use crate::simulate::{Draws, PLAIN, Pairing, Setting};

/// Enough that the prior does not matter.
const MANY: usize = 1000;

fn ratings(evidence: &Evidence) -> Ratings {
    rate(evidence, None)
}

fn elo(ratings: &Ratings, bot: usize) -> f64 {
    ratings.bots[bot].expect("a rating").elo
}

fn gap(ratings: &Ratings) -> f64 {
    elo(ratings, 0) - elo(ratings, 1)
}

/// Two bots: wins, draws and losses of the first one, the same in both seats.
fn two(results: [usize; 3]) -> Evidence {
    let mut evidence = Evidence::new(2, vec![2]);
    for (count, points) in results.into_iter().zip([1.0, 0.5, 0.0]) {
        for _ in 0..count {
            evidence.add(&[
                Placing::new(0, &[0, 1], &[points, 1.0 - points]),
                Placing::new(0, &[1, 0], &[1.0 - points, points]),
            ]);
        }
    }
    evidence
}

#[test]
fn three_wins_of_four_are_191_elo() {
    let ratings = ratings(&two([3 * MANY, 0, MANY]));
    assert!(
        (gap(&ratings) - 400.0 * 3_f64.log10()).abs() < 0.1,
        "{ratings:?}"
    );
    assert!(
        (elo(&ratings, 0) + elo(&ratings, 1)).abs() < 1e-9,
        "the mean is 0"
    );
    assert_eq!(ratings.draws, [0.0]);
}

/// 30 of 40 matches won: the derivative of likelihood and prior is 0 where
/// 30 − 40 σ(x) + ½ − σ(x/2) = 0 with x the difference of strengths.
#[test]
fn the_prior_is_half_a_win_and_half_a_loss() {
    let sigma = |x: f64| 1.0 / (1.0 + (-x).exp());
    let x = gap(&ratings(&two([15, 0, 5]))) / ELO;
    let slope = 30.0 - 40.0 * sigma(x) + 0.5 - sigma(0.5 * x);
    assert!(slope.abs() < 1e-9, "{slope}");
}

/// Davidson's model is saturated by two bots: the expected score is the one that was made, whatever
/// the share of draws.
#[test]
fn ratings_are_expected_scores_whatever_the_share_of_draws() {
    for results in [[6, 2, 2], [3, 8, 1], [10, 0, 4]] {
        let [wins, draws, losses] = results.map(|count| (MANY * count) as f64);
        let anchor = Anchor { bot: 1, elo: 0.0 };
        let ratings = rate(&two(results.map(|count| MANY * count)), Some(anchor));
        let score = (wins + 0.5 * draws) / (wins + draws + losses);
        let expected = 400.0 * (score / (1.0 - score)).log10();
        assert!((elo(&ratings, 0) - expected).abs() < 0.1, "{ratings:?}");
    }
    // Among equals, draws / (matches + the prior's half a decided one).
    let equal = ratings(&two([15, 20, 15]));
    assert!(gap(&equal).abs() < 1e-9);
    assert!(
        (equal.draws[0] - 40.0 / 100.5).abs() < 1e-9,
        "{:?}",
        equal.draws
    );
}

#[test]
fn a_seat_that_wins_three_of_four_is_worth_191_elo() {
    let mut evidence = Evidence::new(2, vec![2]);
    for number in 0..4 * MANY {
        let first = f64::from(u8::from(number % 4 != 0));
        evidence.add(&[Placing::new(0, &[0, 1], &[first, 1.0 - first])]);
        evidence.add(&[Placing::new(0, &[1, 0], &[first, 1.0 - first])]);
    }
    let ratings = ratings(&evidence);
    let worth: Vec<f64> = ratings.seats[0].iter().map(|seat| seat.elo).collect();
    assert!((worth[0] - 400.0 * 3_f64.log10()).abs() < 0.1, "{worth:?}");
    assert!((worth[0] + worth[1]).abs() < 1e-9);
    assert!(gap(&ratings).abs() < 1e-9);
}

/// Strengths 3 : 2 : 1 give the six orders of three bots these chances, in sixtieths: a before b
/// before c 3/6 · 2/3, and so on. As counts they have those strengths as their maximum.
#[test]
fn three_seats_follow_plackett_and_luce() {
    let orders = [
        ([0, 1, 2], 20),
        ([0, 2, 1], 10),
        ([1, 0, 2], 15),
        ([1, 2, 0], 5),
        ([2, 0, 1], 6),
        ([2, 1, 0], 4),
    ];
    let mut evidence = Evidence::new(3, vec![3]);
    for (best_first, count) in orders {
        let place = |bot: usize| best_first.iter().position(|b| *b == bot).expect("there") as f64;
        for seats in orders.map(|(seats, _)| seats) {
            let outcome = seats.map(|bot| 1.0 - 0.5 * place(bot));
            for _ in 0..count * 50 {
                evidence.add(&[Placing::new(0, &seats, &outcome)]);
            }
        }
    }
    let ratings = ratings(&evidence);
    let [ab, bc] = [(0, 1), (1, 2)].map(|(a, b)| elo(&ratings, a) - elo(&ratings, b));
    assert!((ab - 400.0 * 1.5_f64.log10()).abs() < 0.1, "{ab}");
    assert!((bc - 400.0 * 2_f64.log10()).abs() < 0.1, "{bc}");
    assert!(ratings.seats[0].iter().all(|seat| seat.elo.abs() < 1e-9));
}

/// Davidson-Luce with three equal bots: the first stage is a single bot, two or all three with
/// weights 3 : 3 δ₂ : δ₃, the second (after a single one) 2 : δ₂.
#[test]
fn ties_of_three_follow_davidson_and_luce() {
    // δ₂ = 1/2 and δ₃ = 1: 6 : 3 : 2 elevenths; of the 6, four fifths go on decided.
    let outcomes: [([f64; 3], usize); 4] = [
        ([1.0, 0.5, 0.0], 24),
        ([1.0, 0.25, 0.25], 6),
        ([0.75, 0.75, 0.0], 15),
        ([0.5, 0.5, 0.5], 10),
    ];
    let mut evidence = Evidence::new(3, vec![3]);
    let seats = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    for (outcome, count) in outcomes {
        for seats in seats {
            for turn in seats {
                let turned: Vec<f64> = (0..3).map(|i| outcome[(i + turn) % 3]).collect();
                for _ in 0..count * 50 {
                    evidence.add(&[Placing::new(0, &seats, &turned)]);
                }
            }
        }
    }
    let ratings = ratings(&evidence);
    assert!((ratings.draws[0] - 0.2).abs() < 1e-4, "{:?}", ratings.draws);
    assert!((0..3).all(|bot| elo(&ratings, bot).abs() < 1e-6));
}

/// 20 of 20: with less than 0.8316 a match, that has a chance of less than 2.5 %.
#[test]
fn who_won_everything_has_a_bound() {
    let anchor = Anchor { bot: 1, elo: 0.0 };
    let held = rate(&two([10, 0, 0]), Some(anchor));
    let best = held.bots[0].expect("a rating");
    assert_eq!(best.bound, Some(Bound::AtLeast));
    let least = 0.025_f64.powf(1.0 / 20.0);
    let expected = 400.0 * (least / (1.0 - least)).log10();
    assert!((best.low - expected).abs() < 1e-6, "{best:?}");
    assert!(best.elo > best.low && best.high == f64::INFINITY);
    let free = ratings(&two([10, 0, 0]));
    let worst = free.bots[1].expect("a rating");
    assert_eq!(worst.bound, Some(Bound::AtMost));
    assert!(worst.low == f64::NEG_INFINITY && (worst.high + 0.5 * best.low).abs() < 30.0);
    let likely = held.superiority[0][1].expect("comparable");
    assert!((0.95..1.0).contains(&likely), "{likely}");
    // The same match again and again says no more than once.
    let pair = vec![
        Placing::new(0, &[0, 1], &[1.0, 0.0]),
        Placing::new(0, &[1, 0], &[0.0, 1.0]),
    ];
    let mut copies = Evidence::new(2, vec![2]);
    copies.add_cluster(&vec![pair; 10]);
    let copied = rate(&copies, Some(anchor)).bots[0].expect("a rating");
    assert!(
        copied.low < 0.0 + 300.0 && copied.low < best.low - 80.0,
        "{copied:?}"
    );
}

/// a beats b beats c, and a has never met c: from their mean, b may be anywhere.
#[test]
fn who_is_between_bounds_has_none() {
    let mut evidence = Evidence::new(3, vec![2]);
    for bots in [[0, 1], [1, 2]] {
        for _ in 0..5 {
            evidence.add(&[Placing::new(0, &bots, &[1.0, 0.0])]);
        }
    }
    let bounds: Vec<_> = ratings(&evidence)
        .bots
        .iter()
        .map(|rating| rating.and_then(|rating| rating.bound))
        .collect();
    let expected = [Bound::AtLeast, Bound::Unknown, Bound::AtMost].map(Some);
    assert_eq!(bounds, expected);
    let anchor = Anchor { bot: 1, elo: 0.0 };
    let held = rate(&evidence, Some(anchor));
    let middle = held.bots[1].expect("a rating");
    assert_eq!((middle.bound, middle.low, middle.high), (None, 0.0, 0.0));
    // One point is enough to have both ends.
    evidence.add(&[Placing::new(0, &[0, 2], &[0.0, 1.0])]);
    let all = ratings(&evidence);
    assert!(
        all.bots
            .iter()
            .flatten()
            .all(|rating| rating.bound.is_none())
    );
}

/// a wins 73 pairs of 100, always by the same moves, and loses by varied ones.
#[test]
fn copies_widen_intervals_and_shift_nothing() {
    let pair = |points: f64| {
        vec![
            Placing::new(0, &[0, 1], &[points, 1.0 - points]),
            Placing::new(0, &[1, 0], &[1.0 - points, points]),
        ]
    };
    let (won, lost) = (pair(1.0), pair(0.0));
    let mut evidence = Evidence::new(2, vec![2]);
    let mut independent = Evidence::new(2, vec![2]);
    for _ in 0..27 {
        evidence.add(&lost);
        independent.add(&lost);
    }
    for _ in 0..73 {
        independent.add(&won);
    }
    evidence.add_cluster(&vec![won; 73]);
    let [copied, varied] = [evidence, independent].map(|evidence| ratings(&evidence));
    let [copied, varied] = [copied, varied].map(|ratings| ratings.bots[0].expect("a rating"));
    assert!(
        (copied.elo - varied.elo).abs() < 0.2 * varied.elo.abs(),
        "{copied:?} {varied:?}"
    );
    assert!(copied.elo > 40.0);
    let reach = |rating: crate::inference::Estimate| rating.high - rating.low;
    assert!(reach(copied) > 3.0 * reach(varied), "{copied:?} {varied:?}");
    assert!(copied.low < 0.0, "one game proves nothing: {copied:?}");
}

/// Every match there k times, as clusters: nothing changes at all.
#[test]
fn copies_of_all_change_nothing() {
    let units = some();
    let once = ratings(&evidence(&units));
    let mut thrice = Evidence::new(5, vec![2, 3]);
    for unit in &units {
        thrice.add_cluster(&vec![unit.clone(); 3]);
    }
    let thrice = ratings(&thrice);
    for (once, thrice) in once.bots.iter().flatten().zip(thrice.bots.iter().flatten()) {
        assert!((once.elo - thrice.elo).abs() < 0.5, "{once:?} {thrice:?}");
        assert!(
            (once.error / thrice.error - 1.0).abs() < 0.05,
            "{once:?} {thrice:?}"
        );
    }
}

#[test]
fn little_or_nothing_is_enough() {
    let nothing = ratings(&Evidence::new(0, vec![]));
    assert!(nothing.bots.is_empty() && nothing.seats.is_empty());
    let unplayed = ratings(&Evidence::new(3, vec![2]));
    assert_eq!(unplayed.bots, [None; 3]);
    assert_eq!(unplayed.groups, [0, 1, 2]);
    let mut one = Evidence::new(3, vec![2]);
    one.add(&[Placing::new(0, &[0, 1], &[1.0, 0.0])]);
    let one = ratings(&one);
    assert!(gap(&one) > 0.0 && one.bots[2].is_none());
    let best = one.bots[0].expect("a rating");
    assert!(best.low < 0.0, "one match proves nothing: {best:?}");
    let drawn = ratings(&two([0, 3, 0]));
    assert!(gap(&drawn).abs() < 1e-9 && drawn.draws[0] > 0.9 && drawn.draws[0] < 1.0);
}

#[test]
fn a_bot_against_itself_tells_about_seats_only() {
    let mut evidence = Evidence::new(1, vec![2]);
    for _ in 0..50 {
        evidence.add(&[Placing::new(0, &[0, 0], &[1.0, 0.0])]);
    }
    let ratings = ratings(&evidence);
    assert!(elo(&ratings, 0).abs() < 1e-9);
    assert!(ratings.seats[0][0].low > 0.0);
}

#[test]
fn groups_that_never_met_are_not_compared() {
    let mut evidence = Evidence::new(4, vec![2]);
    for _ in 0..20 {
        evidence.add(&[Placing::new(0, &[0, 2], &[1.0, 0.0])]);
        evidence.add(&[Placing::new(0, &[0, 2], &[0.0, 1.0])]);
        evidence.add(&[Placing::new(0, &[3, 1], &[1.0, 0.0])]);
    }
    let anchor = Anchor { bot: 2, elo: 100.0 };
    let ratings = rate(&evidence, Some(anchor));
    assert_eq!(ratings.groups, [0, 1, 0, 1]);
    assert_eq!(ratings.superiority[0][1], None);
    assert!(ratings.superiority[3][1].expect("comparable") > 0.9);
    assert_eq!(elo(&ratings, 2), 100.0);
    assert!(
        (elo(&ratings, 1) + elo(&ratings, 3)).abs() < 1e-9,
        "their own mean is 0"
    );
}

/// Some results of five bots in two games, as units.
fn some() -> Vec<Vec<Placing>> {
    let mut rng = Rng::new(5);
    let mut units = Vec::new();
    for number in 0..300 {
        let mut bots = [0, 1, 2, 3, 4];
        rng.shuffle(&mut bots);
        let seats = 2 + number % 2;
        let mut draw = || -> Vec<f64> {
            let values = bots[..seats].iter().map(|bot| rng.index(4 + bot) as f64);
            values.collect()
        };
        let there = draw();
        let back = draw();
        let turned: Vec<usize> = bots[..seats].iter().rev().copied().collect();
        units.push(vec![
            Placing::new(seats - 2, &bots[..seats], &there),
            Placing::new(seats - 2, &turned, &back),
        ]);
    }
    units
}

fn evidence(units: &[Vec<Placing>]) -> Evidence {
    let mut evidence = Evidence::new(5, vec![2, 3]);
    for unit in units {
        evidence.add(unit);
    }
    evidence
}

#[test]
fn the_order_of_matches_has_no_meaning() {
    let mut units = some();
    let one = ratings(&evidence(&units));
    Rng::new(9).shuffle(&mut units);
    for unit in &mut units {
        unit.reverse();
    }
    assert_eq!(ratings(&evidence(&units)), one, "bit by bit");
}

#[test]
fn names_have_no_meaning() {
    let units = some();
    let other_name = |bot: u16| (bot + 2) % 5;
    let renamed: Vec<Vec<Placing>> = units
        .iter()
        .map(|unit| {
            let rename = |placing: &Placing| {
                let seats = placing.game as usize + 2;
                let mut placing = *placing;
                for bot in &mut placing.bots[..seats] {
                    *bot = other_name(*bot);
                }
                placing
            };
            unit.iter().map(rename).collect()
        })
        .collect();
    let (one, other) = (ratings(&evidence(&units)), ratings(&evidence(&renamed)));
    for bot in 0..5 {
        let renamed = other_name(bot as u16).into();
        assert!((elo(&one, bot) - elo(&other, renamed)).abs() < 1e-9);
    }
}

#[test]
fn an_anchor_moves_all_by_the_same() {
    let evidence = evidence(&some());
    let free = ratings(&evidence);
    let held = rate(
        &evidence,
        Some(Anchor {
            bot: 3,
            elo: 1500.0,
        }),
    );
    let shift = 1500.0 - elo(&free, 3);
    for bot in 0..5 {
        // The scale of expected scores is nearly, but not quite, additive where there are draws.
        let off = elo(&held, bot) - elo(&free, bot) - shift;
        assert!(off.abs() < 1.0, "{off}");
    }
    let anchor = held.bots[3].expect("a rating");
    assert_eq!(
        (anchor.low, anchor.high, anchor.error),
        (1500.0, 1500.0, 0.0)
    );
    assert_eq!(held.superiority, free.superiority);
    assert_eq!(held.seats, free.seats);
}

#[test]
fn another_win_raises_a_rating() {
    let units = some();
    let before = ratings(&evidence(&units));
    for bot in 0..5 {
        let mut more = units.clone();
        more.push(vec![Placing::new(0, &[bot, (bot + 1) % 5], &[1.0, 0.0])]);
        assert!(elo(&ratings(&evidence(&more)), bot) > elo(&before, bot));
    }
}

#[test]
fn likelihoods_of_superiority_are_chances() {
    let ratings = ratings(&evidence(&some()));
    for bot in 0..5 {
        assert_eq!(ratings.superiority[bot][bot], None);
        for other in (0..5).filter(|other| *other != bot) {
            let [there, back] = [(bot, other), (other, bot)]
                .map(|(a, b)| ratings.superiority[a][b].expect("comparable"));
            assert!((there + back - 1.0).abs() < 1e-12);
            assert_eq!(there > 0.5, elo(&ratings, bot) > elo(&ratings, other));
        }
    }
}

/// A hundred times the matches make intervals ten times narrower.
#[test]
fn intervals_shrink_with_the_root_of_the_matches() {
    let few = ratings(&two([15, 10, 10]));
    let many = ratings(&two([1500, 1000, 1000]));
    let [few, many] = [few, many].map(|ratings| ratings.bots[0].expect("a rating").error);
    assert!((7.0..14.0).contains(&(few / many)), "{few} {many}");
}

/// Four seats and their model by the same dice: the strengths come back.
#[test]
fn four_seats_are_rated() {
    let setting = Setting {
        bots: 4,
        seats: 4,
        pairing: Pairing::All(400),
        advantage: 60.0,
        draws: Draws::Davidson(0.0),
        ..PLAIN
    };
    let truth = [150.0, 50.0, -50.0, -150.0];
    let played = setting.play(&setting.known(&truth), &mut Rng::new(4));
    let ratings = ratings(&played.evidence);
    for (bot, truth) in truth.iter().enumerate() {
        let rating = ratings.bots[bot].expect("a rating");
        assert!(rating.error < 6.0 && (rating.elo - truth).abs() < 4.0 * rating.error);
    }
    let first = ratings.seats[0][0];
    assert!((first.elo - 60.0).abs() < 4.0 * first.error && first.error < 10.0);
}

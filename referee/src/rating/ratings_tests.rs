//! Ratings against cases that can be worked out by hand, and what must hold for any results.

use games::Rng;

use super::evidence::{Evidence, Placing};
use super::ratings::{Anchor, ELO, Ratings, Resampling, rate};
use super::simulate::Setting;

/// So much that the prior does not matter.
const MANY: usize = 1000;

fn quick() -> Resampling {
    Resampling {
        resamples: Some(50),
        seed: 1,
    }
}

fn ratings(evidence: &Evidence) -> Ratings {
    rate(evidence, &[], quick())
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

/// Davidson's model is saturated by two bots: wins to losses are as the strengths. For people, a
/// rating is what was scored: 7 points of 10.
#[test]
fn draws_follow_davidson() {
    let unequal = ratings(&two([6 * MANY, 2 * MANY, 2 * MANY]));
    let odds = [0, 1].map(|bot| unequal.log_odds[bot].expect("played"));
    assert!((odds[0] - odds[1] - 3_f64.ln()).abs() < 1e-3);
    assert!((gap(&unequal) - 400.0 * (7.0_f64 / 3.0).log10()).abs() < 0.1);
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

#[test]
fn who_won_everything_is_far_ahead_but_not_infinitely() {
    let ratings = ratings(&two([10, 0, 0]));
    let best = ratings.bots[0].expect("a rating");
    assert!((200.0..600.0).contains(&best.elo), "{best:?}");
    assert!(best.error > 50.0 && best.high.is_finite() && best.low < best.elo);
    let longer = self::ratings(&two([1000, 0, 0]));
    assert!(gap(&longer) > gap(&ratings) + 300.0);
    let likely = ratings.superiority[0][1].expect("comparable");
    assert!((0.95..1.0).contains(&likely), "{likely}");
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
    let ratings = rate(&evidence, &[anchor], quick());
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
    let other_name = |bot: u32| (bot + 2) % 5;
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
        let renamed = other_name(bot as u32) as usize;
        assert!((elo(&one, bot) - elo(&other, renamed)).abs() < 1e-9);
    }
}

#[test]
fn an_anchor_moves_all_by_the_same() {
    let evidence = evidence(&some());
    let free = ratings(&evidence);
    let held = rate(
        &evidence,
        &[Anchor {
            bot: 3,
            elo: 1500.0,
        }],
        quick(),
    );
    let shift = 1500.0 - elo(&free, 3);
    for bot in 0..5 {
        assert!((elo(&held, bot) - elo(&free, bot) - shift).abs() < 1e-9);
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
fn several_anchors_are_right_on_average() {
    let evidence = evidence(&some());
    let free = ratings(&evidence);
    let anchors = [(1, 200.0), (4, 500.0)].map(|(bot, elo)| Anchor { bot, elo });
    let held = rate(&evidence, &anchors, quick());
    assert!((elo(&held, 1) + elo(&held, 4) - 700.0).abs() < 1e-9);
    let shift = elo(&held, 0) - elo(&free, 0);
    for bot in 1..5 {
        assert!((elo(&held, bot) - elo(&free, bot) - shift).abs() < 1e-9);
    }
    // Nothing is known of how well an anchor's own rating fits.
    assert!(held.bots[1].expect("a rating").error > 0.0);
}

/// A game that counts twice is a game played twice.
#[test]
fn weights_stand_for_repetition() {
    let [once, again] = [(0, [3, 1]), (1, [1, 1])].map(|(game, wins): (usize, [usize; 2])| {
        let mut units = Vec::new();
        for (count, points) in wins.into_iter().zip([1.0, 0.0]) {
            let unit = [
                Placing::new(game, &[0, 1], &[points, 1.0 - points]),
                Placing::new(game, &[1, 0], &[1.0 - points, points]),
            ];
            units.extend(std::iter::repeat_n(unit, 10 * count));
        }
        units
    });
    let all = |times: usize, weight: f64| {
        let mut evidence = Evidence::new(2, vec![2, 2]);
        for unit in std::iter::repeat_n(&once, times).flatten().chain(&again) {
            evidence.add(unit);
        }
        evidence.weights[0] = weight;
        ratings(&evidence)
    };
    let (weighted, repeated) = (all(1, 3.0), all(3, 1.0));
    assert!((gap(&weighted) - gap(&repeated)).abs() < 1e-6);
    // But it is less evidence.
    let error = |ratings: &Ratings| ratings.bots[0].expect("a rating").error;
    assert!(error(&weighted) > error(&repeated));
    assert!(gap(&all(1, 1.0)) < gap(&weighted));
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

#[test]
fn another_seed_gives_nearly_the_same_intervals() {
    let evidence = evidence(&some());
    let [one, other] = [1, 2].map(|seed| {
        let resampling = Resampling {
            resamples: Some(400),
            seed,
        };
        rate(&evidence, &[], resampling)
    });
    for (one, other) in one.bots.iter().flatten().zip(other.bots.iter().flatten()) {
        assert_eq!(one.elo, other.elo);
        assert!(one.error != other.error && (one.error / other.error - 1.0).abs() < 0.2);
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
        units: 400,
        spread: 0.0,
        advantage: 60.0,
        draws: 0.4,
        alike: 0.0,
    };
    let truth = [150.0, 50.0, -50.0, -150.0];
    let ratings = ratings(&setting.play(&truth, &mut Rng::new(4)));
    for (bot, truth) in truth.iter().enumerate() {
        let rating = ratings.bots[bot].expect("a rating");
        assert!(rating.error < 6.0 && (rating.elo - truth).abs() < 4.0 * rating.error);
    }
    let first = ratings.seats[0][0];
    assert!((first.elo - 60.0).abs() < 4.0 * first.error && first.error < 10.0);
}

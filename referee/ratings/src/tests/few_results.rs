//! Intervals with little information: all matches drawn, all pairs shared, copies.

use crate::evidence::{Evidence, Placing};
use crate::report::{Ratings, rate};

/// Swapped pairs of two bots: number of pairs by the first bot's scores in both seats, and copies
/// of each.
fn pairs(all: &[([f64; 2], usize)], copies: usize) -> Ratings {
    let mut evidence = Evidence::new(2, vec![2]);
    for &([first, second], count) in all {
        let unit = vec![
            Placing::new(0, &[0, 1], &[first, 1.0 - first]),
            Placing::new(0, &[1, 0], &[1.0 - second, second]),
        ];
        for _ in 0..count {
            evidence.add_cluster(&vec![unit.clone(); copies]);
        }
    }
    rate(&evidence, None)
}

/// The ends of the interval of the difference between both bots.
fn ends(all: &[([f64; 2], usize)], copies: usize) -> [f64; 2] {
    let found = pairs(all, copies).differences[0].elo;
    [found.low, found.high]
}

/// A bot that wins a share w and draws the rest draws n matches in a row with the chance (1 − w)ⁿ. By a
/// score test with 16 draws, w may be up to 3.84 / (16 + 3.84), which is a score of 0.597 or 68 Elo;
/// exactly, with a chance of 2.5 %, it is 0.603 or 73.
#[test]
fn draws_alone_say_how_many_wins_there_may_be() {
    let [low, high] = ends(&[([0.5, 0.5], 8)], 1);
    assert!((low + high).abs() < 1e-6, "{low} {high}");
    assert!((60.0..80.0).contains(&high), "{high}");
    // 100 draws: 0.0185, or 12.9 Elo.
    let [_, high] = ends(&[([0.5, 0.5], 50)], 1);
    assert!((11.0..15.0).contains(&high), "{high}");
    let all = pairs(&[([0.5, 0.5], 8)], 1);
    assert_eq!(all.differences[0].superiority, 0.5);
    assert!(!all.differences[0].is_sure());
}

/// A win among draws is no evidence: the weaker bot has it with one half.
#[test]
fn a_win_among_draws_decides_nothing() {
    for copies in [1, 10] {
        let all = [([0.5, 0.5], 15), ([1.0, 0.5], 1)];
        let [low, high] = ends(&all, copies);
        assert!(low < -15.0 && high > 35.0, "{copies}: {low} {high}");
    }
}

#[test]
fn copies_are_not_counted_as_more() {
    let all = [([1.0, 0.5], 2), ([0.5, 0.0], 1), ([0.5, 0.5], 3)];
    let [once, often] = [1, 10].map(|copies| ends(&all, copies));
    let [once, often] = [once, often].map(|[low, high]| high - low);
    assert!((0.75..1.4).contains(&(often / once)), "{once} {often}");
}

/// Eight pairs that the first seat always wins say next to nothing of how far the bots are apart.
#[test]
fn pairs_that_are_shared_say_little_where_a_seat_decides() {
    let [low, high] = ends(&[([1.0, 0.0], 8)], 1);
    assert!(low < -135.0 && high > 135.0, "{low} {high}");
}

/// A difference is certain exactly if its interval excludes 0.
#[test]
fn superiority_agrees_with_the_interval() {
    for wins in 0..12 {
        let all = [([1.0, 0.5], wins), ([0.5, 0.5], 12 - wins), ([0.5, 0.0], 1)];
        let found = pairs(&all, 1).differences[0];
        let beyond = found.elo.low > 0.0 || found.elo.high < 0.0;
        let likely = !(0.025..=0.975).contains(&found.superiority);
        assert_eq!(beyond, likely, "{wins}: {found:?}");
    }
}

//! Thousands of bots: the cost of a report grows with the matches, not with the possible pairs.

use games::Rng;
use serde_json::json;

use crate::evidence::{Evidence, Placing};
use crate::matches::MatchSummary;
use crate::report::{Ratings, Request, rate};
use crate::simulate::uniform;
use crate::store::MatchStore;

const BOTS: usize = 3000;

/// Swapped pairs of equal bots: with those at most three places away, or with any.
fn equals(neighbours: bool) -> Evidence {
    let mut rng = Rng::new(17);
    let mut evidence = Evidence::new(BOTS, vec![2]);
    for number in 0..6 * BOTS {
        let first = number % BOTS;
        let apart = 1 + rng.index(if neighbours { 3 } else { BOTS - 1 });
        let second = (first + apart) % BOTS;
        let unit = [[first, second], [second, first]].map(|seats| {
            let luck = uniform(&mut rng);
            let points = f64::from(u8::from(luck < 0.4)) + 0.5 * f64::from(u8::from(luck > 0.8));
            Placing::new(0, &seats, &[points, 1.0 - points])
        });
        evidence.add(&unit);
    }
    evidence
}

/// The share of the intervals that hold the truth, which is 0.
fn coverage(ratings: &Ratings) -> f64 {
    let bots = ratings.bots.iter().map(|it| it.expect("a rating"));
    let held = bots.filter(|it| it.low <= 0.0 && 0.0 <= it.high).count();
    held as f64 / BOTS as f64
}

#[test]
fn a_ladder_of_thousands_has_its_intervals() {
    let ratings = rate(&equals(true), None);
    assert_eq!(ratings.resamples, 0, "it is computed");
    let share = coverage(&ratings);
    // The prior knows that far ends are no better than the middle.
    assert!((0.92..0.995).contains(&share), "{share}");
    assert!(!ratings.are_compared());
    assert!(ratings.differences.is_empty() && ratings.superiority.is_empty());
    let seat = ratings.seats[0][0];
    assert!(seat.low < 0.0 && seat.high > 0.0 && seat.error > 0.0);
}

#[test]
fn thousands_that_meet_at_random_have_bounds() {
    let ratings = rate(&equals(false), None);
    assert_eq!(ratings.resamples, 256, "it is bounded");
    let share = coverage(&ratings);
    assert!((0.94..0.99).contains(&share), "{share}");
}

/// A log in which each match has two bots and a game of its own: nothing is kept for each bot and each
/// game, nor for each two bots.
#[test]
fn bots_and_games_that_never_met_take_no_room() {
    let mut matches = MatchStore::new();
    for number in 0..1500 {
        let player = |seat: usize| json!({"name": format!("bot-{number}-{seat}"), "role": "r"});
        let line = json!({
            "format": 1, "match": format!("m-{number}"), "game": format!("game-{number}"),
            "options": {}, "seed": number, "start": 0, "opening": 0, "moves": [],
            "players": [player(0), player(1)],
            "time": {"startup_ms": 1, "margin_ms": 1},
            "result": {"scores": [1, 0], "outcome": [1.0, 0.0], "faults": []},
        });
        let played: MatchSummary = serde_json::from_value(line).expect("a match");
        matches.add(&played);
    }
    let report = matches.report(&Request::default()).expect("a report");
    assert_eq!((report.bots.len(), report.games.len()), (3000, 1500));
    assert_eq!(report.across_games, None);
    let text = serde_json::to_string(&report).expect("JSON");
    assert!(text.len() < 8_000_000, "{}", text.len());
    assert_eq!(report.games[7].bots.played().count(), 2);
    let by_game = matches.ratings_by_game(&Request::default());
    let error = by_game.expect_err("too many").to_string();
    assert!(error.contains("choose one with `--game`"), "{error}");
}

//! How far ratings say something about games that were not played: bots differ from game to game,
//! and those that were played are a sample.
//!
//! Each game is left out in turn, and the ratings of the others are compared: the jackknife, with a
//! game as the unit. Its variance is that of a mean over games, with what matches leave unclear in
//! it. Student's distribution with the number of games less one as its degrees of freedom makes an
//! interval of it. The stratified bootstrap that is often used for this draws the games anew;
//! percentiles of so few, usually four to eight, are too narrow.

use serde::Serialize;

use super::ratings::{Estimate, Ratings};
use super::student;

/// With fewer games, the variation between them is anybody's guess.
const LEAST_GAMES: usize = 3;

/// Ratings and differences with intervals that speak for games like those that were played.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Across {
    /// How many games there are.
    pub games: usize,
    /// Each bot's rating; `None` if it played fewer than three games, if leaving out one of them
    /// would leave it unconnected, or if its rating has no interval for the games played.
    pub bots: Vec<Option<Estimate>>,
    /// The differences, in the order of [`Ratings::differences`].
    pub differences: Vec<Option<Estimate>>,
}

impl Across {
    /// From the ratings of all games, those without one of them each, and which games each bot
    /// played; `None` if there are too few games.
    pub(super) fn new(all: &Ratings, without: &[Ratings], played: &[Vec<bool>]) -> Option<Self> {
        if without.len() < LEAST_GAMES {
            return None;
        }
        let games = |bot: usize| played[bot].iter().filter(|played| **played).count();
        let elo = |ratings: &Ratings, bot: usize| {
            let connected = ratings.groups[bot] == all.groups[bot];
            Some(ratings.bots[bot].filter(|_| connected)?.elo)
        };
        let bot = |bot: usize| {
            let others: Option<Vec<f64>> = without.iter().map(|it| elo(it, bot)).collect();
            widen(all.bots[bot]?, &others?, games(bot))
        };
        let difference = |difference: &super::Difference| {
            let [one, other] = difference.bots;
            let lead = |it| Some(elo(it, one)? - elo(it, other)?);
            let others: Option<Vec<f64>> = without.iter().map(lead).collect();
            widen(difference.elo, &others?, games(one).min(games(other)))
        };
        Some(Across {
            games: without.len(),
            bots: (0..all.bots.len()).map(bot).collect(),
            differences: all.differences.iter().map(difference).collect(),
        })
    }
}

/// An estimate with an interval over games, from what it would be without one of them each. It is
/// never narrower than the one for the games played.
fn widen(estimate: Estimate, without: &[f64], games: usize) -> Option<Estimate> {
    if games < LEAST_GAMES || !estimate.low.is_finite() || !estimate.high.is_finite() {
        return None;
    }
    let games = games as f64;
    let mean = without.iter().sum::<f64>() / without.len() as f64;
    let squares: f64 = without.iter().map(|it| (it - mean).powi(2)).sum();
    let error = ((games - 1.0) / games * squares).sqrt();
    let reach = error * student::quantile(games - 1.0, 0.975);
    Some(Estimate {
        error: error.max(estimate.error),
        low: (estimate.elo - reach).min(estimate.low),
        high: (estimate.elo + reach).max(estimate.high),
        ..estimate
    })
}

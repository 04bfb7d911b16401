//! How far ratings say something about games that were not played: bots differ from game to game,
//! and those that were played are a sample.
//!
//! Each game is left out in turn, and the ratings of the others are compared: the jackknife, with a
//! game as the unit. Its variance is that of a mean over games, with what matches leave unclear in
//! it. Student's distribution with the number of games less one as its degrees of freedom makes an
//! interval of it. The stratified bootstrap that is often used for this draws the games anew;
//! percentiles of so few, usually four to eight, are too narrow.

use serde::Serialize;
use statrs::distribution::ContinuousCDF;

use super::evidence::Evidence;
use super::ratings::{Anchor, Estimate, Fitted, Places, Ratings, student};

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
    /// From the ratings of all games, and the matches that they are made from; `None` if there are too
    /// few games.
    pub(super) fn new(all: &Ratings, evidence: &Evidence, anchors: &[Anchor]) -> Option<Self> {
        let played = evidence.played();
        let has = |game: &usize| played.iter().any(|games| games[*game]);
        let rated: Vec<usize> = (0..evidence.games.len()).filter(has).collect();
        if rated.len() < LEAST_GAMES {
            return None;
        }
        let places = |game: &usize| {
            let fitted = Fitted::new(&evidence.without(*game));
            fitted.places(anchors.iter().copied())
        };
        let without: Vec<Places> = rated.iter().map(places).collect();
        let games = |bot: usize| played[bot].iter().filter(|played| **played).count();
        let elo = |places: &Places, bot: usize| {
            let connected = places.groups[bot] == all.groups[bot];
            let known = |it: &Estimate| connected && has_both_ends(it);
            Some(places.bots[bot].filter(known)?.elo)
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

/// Without, an estimate is what the prior makes of it.
fn has_both_ends(estimate: &Estimate) -> bool {
    estimate.low.is_finite() && estimate.high.is_finite()
}

/// An estimate with an interval over games, from what it would be without one of them each. It is
/// never narrower than the one for the games played.
fn widen(estimate: Estimate, without: &[f64], games: usize) -> Option<Estimate> {
    if games < LEAST_GAMES || !has_both_ends(&estimate) {
        return None;
    }
    let games = games as f64;
    let mean = without.iter().sum::<f64>() / without.len() as f64;
    let squares: f64 = without.iter().map(|it| (it - mean).powi(2)).sum();
    let error = ((games - 1.0) / games * squares).sqrt();
    let reach = error * student(games).inverse_cdf(0.975);
    Some(Estimate {
        error: error.max(estimate.error),
        low: (estimate.elo - reach).min(estimate.low),
        high: (estimate.elo + reach).max(estimate.high),
        ..estimate
    })
}

#[cfg(test)]
mod tests {
    use games::Rng;

    use super::super::evidence::Placing;
    use super::super::random::{normal, uniform};
    use super::super::ratings::{ELO, rate};
    use super::*;

    const GAMES: usize = 6;
    const BOTS: usize = 3;

    fn played(leads: &[[f64; BOTS]; GAMES], pairs: usize, rng: &mut Rng) -> Evidence {
        let mut evidence = Evidence::new(BOTS, vec![2; GAMES]);
        for (game, strengths) in leads.iter().enumerate() {
            for (one, other) in [(0, 1), (0, 2), (1, 2)] {
                let lead = strengths[one] - strengths[other];
                for _ in 0..pairs {
                    let mut play = |first: usize, second: usize, lead: f64| {
                        let won = uniform(rng) < 1.0 / (1.0 + (-lead / ELO).exp());
                        let points = f64::from(u8::from(won));
                        Placing::new(game, &[first, second], &[points, 1.0 - points])
                    };
                    evidence.add(&[play(one, other, lead), play(other, one, -lead)]);
                }
            }
        }
        evidence
    }

    fn across(leads: &[[f64; BOTS]; GAMES], pairs: usize, rng: &mut Rng) -> (Ratings, Across) {
        let evidence = played(leads, pairs, rng);
        let all = rate(&evidence, None);
        let across = Across::new(&all, &evidence, &[]).expect("enough games");
        (all, across)
    }

    /// Bots that differ by 120 Elo from game to game: what intervals hold of the difference that is
    /// the mean over all games, played or not.
    #[test]
    fn intervals_over_games_hold_what_those_for_the_games_played_do_not() {
        let mut rng = Rng::new(12);
        let (mut narrow, mut wide, mut cases) = (0, 0, 0);
        for _ in 0..150 {
            let mut leads = [[0.0; BOTS]; GAMES];
            leads
                .iter_mut()
                .flatten()
                .for_each(|lead| *lead = 120.0 * normal(&mut rng));
            let (all, across) = across(&leads, 20, &mut rng);
            // All bots are equal over all games.
            let holds = |it: &Estimate| u32::from(it.low <= 0.0 && 0.0 <= it.high);
            for (played, any) in all.differences.iter().zip(&across.differences) {
                narrow += holds(&played.elo);
                wide += holds(any.as_ref().expect("an interval"));
                cases += 1;
            }
        }
        let share = |hits: u32| f64::from(hits) / f64::from(cases);
        assert!((0.91..0.985).contains(&share(wide)), "{}", share(wide));
        assert!(share(narrow) < 0.8, "{}", share(narrow));
    }

    #[test]
    fn an_interval_over_games_is_never_the_narrower_one() {
        let mut rng = Rng::new(13);
        let (all, across) = across(&[[0.0; BOTS]; GAMES], 5, &mut rng);
        for (played, any) in all.bots.iter().zip(&across.bots) {
            let (played, any) = (played.expect("played"), any.expect("an interval"));
            assert!(any.low <= played.low && played.high <= any.high);
            assert_eq!(any.elo, played.elo);
        }
    }

    #[test]
    fn a_bot_of_two_games_has_none() {
        let mut rng = Rng::new(14);
        let whole = played(&[[0.0; BOTS]; GAMES], 5, &mut rng);
        let mut evidence = Evidence::new(BOTS, vec![2; GAMES]);
        for (unit, count) in whole.units() {
            let second = unit[0].bots[..2].contains(&1);
            if !second || unit[0].game < 2 {
                (0..count).for_each(|_| evidence.add(unit));
            }
        }
        let all = rate(&evidence, None);
        let across = Across::new(&all, &evidence, &[]).expect("enough games");
        assert!(across.bots[0].is_some() && across.bots[1].is_none());
        let there: Vec<bool> = across.differences.iter().map(Option::is_some).collect();
        assert_eq!(there, [false, true, false]);
        let two = (2..GAMES).fold(whole, |all, game| all.without(game));
        assert!(Across::new(&rate(&two, None), &two, &[]).is_none());
    }
}

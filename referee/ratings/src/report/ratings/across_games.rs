//! Ratings for games that were not played: the strength of bots varies between games, and the games played
//! are a sample.
//!
//! This is the jackknife over games: each is left out in turn, and the ratings by the others are compared.
//! The variance is that of a mean over games, and includes the uncertainty of matches. The interval is
//! Student's, with the number of games less one as its degrees of freedom. The often used stratified
//! bootstrap resamples the games; with so few of them, usually four to eight, its percentiles are too
//! narrow.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::Serialize;
use statrs::distribution::ContinuousCDF;

use super::differences::Difference;
use super::{Fitted, Ratings};
use crate::inference::{Estimate, student};
use crate::model::{Anchor, Origin, Strengths};

/// The most games times bots: beyond it, leaving each game out would take too long.
const MOST_CELLS: usize = 1_000_000;
/// The most games times units.
const MOST_UNITS: usize = 300_000_000;
/// With fewer games, their variance cannot be estimated.
const LEAST_GAMES: usize = 3;

/// Ratings and differences with intervals for games like those that were played.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Across {
    pub games: usize,
    /// Each bot's rating; `None` if it played fewer than three games, if leaving out one of them
    /// would leave it unconnected, or if its rating has no interval for the games played.
    pub bots: Vec<Option<Estimate>>,
    /// The differences, in the order of [`Ratings::differences`].
    pub differences: Vec<Option<Estimate>>,
}

impl Across {
    /// From the fit to all games; `None` if there are too few or too many games.
    pub(crate) fn new(fitted: &Fitted, all: &Ratings, anchors: &[Anchor]) -> Option<Self> {
        let strengths = &fitted.strengths;
        let played = strengths.model.played();
        let has = |game: &usize| played.iter().any(|games| games[*game]);
        let rated: Vec<usize> = (0..strengths.model.games.len()).filter(has).collect();
        let model = &strengths.model;
        let long =
            rated.len() * model.bots > MOST_CELLS || rated.len() * model.units().len() > MOST_UNITS;
        if rated.len() < LEAST_GAMES || long {
            return None;
        }
        let games = rated.into_par_iter();
        let without: Vec<Vec<Option<f64>>> = games
            .map(|game| elos(&strengths.without(game), all, anchors))
            .collect();
        let games = |bot: usize| played[bot].iter().filter(|played| **played).count();
        let bot = |bot: usize| {
            let others: Option<Vec<f64>> = without.iter().map(|it| it[bot]).collect();
            widen(all.bots[bot]?, &others?, games(bot))
        };
        let difference = |difference: &Difference| {
            let [one, other] = difference.bots;
            let others: Option<Vec<f64>> = without
                .iter()
                .map(|it| Some(it[one]? - it[other]?))
                .collect();
            widen(difference.elo, &others?, games(one).min(games(other)))
        };
        Some(Across {
            games: without.len(),
            bots: (0..all.bots.len()).map(bot).collect(),
            differences: all.differences.iter().map(difference).collect(),
        })
    }
}

/// The bots' ratings without a game; `None` for bots that the others do not rate, or not in the same group.
fn elos(strengths: &Strengths, all: &Ratings, anchors: &[Anchor]) -> Vec<Option<f64>> {
    let groups = strengths.groups();
    let origin = Origin::new(groups, anchors.iter().copied());
    let elo = |bot: usize| {
        let (anchors, members) = (origin.anchors(bot), origin.members(bot));
        let paths = &strengths.paths;
        // Without both ends, a rating comes from the prior.
        let bounded = match anchors {
            [] => paths.leads_all(bot) == [true; 2],
            _ => anchors
                .iter()
                .all(|it| paths.leads(it.bot, bot) && paths.leads(bot, it.bot)),
        };
        let known = groups[bot] == all.groups[bot] && bounded;
        known.then(|| strengths.from(&strengths.point, bot, anchors, members))
    };
    (0..groups.len()).map(elo).collect()
}

/// Without both ends, an estimate comes from the prior.
fn has_both_ends(estimate: &Estimate) -> bool {
    estimate.low.is_finite() && estimate.high.is_finite()
}

/// An estimate with an interval over games, from its values without each game. It is never narrower than the
/// one for the games played.
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

    use super::*;
    use crate::evidence::{Evidence, Placing};
    use crate::model::ELO;
    use crate::simulate::{normal, uniform};

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
        let fitted = Fitted::new(&evidence);
        let all = fitted.ratings(None);
        let across = Across::new(&fitted, &all, &[]).expect("enough games");
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
        let fitted = Fitted::new(&evidence);
        let all = fitted.ratings(None);
        let across = Across::new(&fitted, &all, &[]).expect("enough games");
        assert!(across.bots[0].is_some() && across.bots[1].is_none());
        let there: Vec<bool> = across.differences.iter().map(Option::is_some).collect();
        assert_eq!(there, [false, true, false]);
        let mut two = Evidence::new(BOTS, vec![2; GAMES]);
        for (unit, count) in whole.units().filter(|(unit, _)| unit[0].game < 2) {
            (0..count).for_each(|_| two.add(unit));
        }
        let fitted = Fitted::new(&two);
        assert!(Across::new(&fitted, &fitted.ratings(None), &[]).is_none());
    }
}

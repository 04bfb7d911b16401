//! Differences between two bots, each with its own interval: common factors (a weak field, a lucky
//! opponent) cancel out, so that it is narrower than the two ratings' intervals suggest.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;
use statrs::distribution::ContinuousCDF;

use super::fitted::Fitted;
use super::interval::Known;
use crate::inference::{Estimate, FALSE_DISCOVERIES, rates};
use crate::model::{Anchor, Direction, Fitter, Spread};

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The indices of the bots, in ascending order.
    pub bots: [usize; 2],
    /// The first one's rating minus the second one's.
    #[serde(flatten)]
    pub elo: Estimate,
    /// The likelihood that the first one is stronger, given the matches.
    pub superiority: f64,
    /// The least false-discovery rate, among all differences, at which this one is marked.
    pub false_discovery: f64,
}

impl Difference {
    /// All differences, marked together.
    pub(super) fn marked(all: impl Iterator<Item = ([usize; 2], Estimate, f64)>) -> Vec<Self> {
        let mut all: Vec<Difference> = all
            .map(|(bots, elo, superiority)| Difference {
                bots,
                elo,
                superiority,
                false_discovery: 1.0,
            })
            .collect();
        let p_value = |it: &Difference| Some(2.0 * it.superiority.min(1.0 - it.superiority));
        let p_values: Vec<Option<f64>> = all.iter().map(p_value).collect();
        for (difference, rate) in all.iter_mut().zip(rates(&p_values)) {
            difference.false_discovery = rate.unwrap_or(1.0);
        }
        all
    }

    /// True if it is marked: of all marks, at most 5 % are false.
    pub fn is_sure(&self) -> bool {
        self.false_discovery <= FALSE_DISCOVERIES
    }

    /// The difference from the other side.
    pub fn reversed(&self) -> Self {
        let Difference { bots, elo, .. } = *self;
        Difference {
            bots: [bots[1], bots[0]],
            elo: elo.reversed(),
            superiority: 1.0 - self.superiority,
            ..*self
        }
    }
}

impl Fitted {
    /// The differences of each two bots that can be compared; empty if there are too many bots.
    pub(super) fn differences(&self) -> Vec<Difference> {
        if !self.jackknife.covariance.is_whole() {
            return Vec::new();
        }
        let bots = self.strengths.groups().len();
        let pairs = (0..bots).flat_map(|bot| (bot + 1..bots).map(move |other| [bot, other]));
        let known = pairs.filter(|[bot, other]| {
            let together = self.strengths.groups()[*bot] == self.strengths.groups()[*other];
            together && self.played(*bot) && self.played(*other)
        });
        let pairs: Vec<[usize; 2]> = known.collect();
        let anchor = |bot| Anchor { bot, elo: 0.0 };
        let slopes = pairs
            .iter()
            .map(|[bot, other]| self.slopes(*bot, &[anchor(*other)], &[]));
        let slopes: Vec<Direction> = slopes.collect();
        let covariance = &self.jackknife.covariance;
        let spreads = covariance.spreads(&slopes, &|param| param < bots);
        let searches = self.can_search(&spreads);
        let all = pairs.par_iter().zip(&spreads).map(|(bots, spread)| {
            let [bot, other] = *bots;
            let elo = self.rating(bot, &[anchor(other)], &[], spread, searches);
            (*bots, elo, self.superiority(bot, other, spread, searches))
        });
        let all: Vec<_> = all.collect();
        Difference::marked(all.into_iter())
    }

    /// The likelihood that a bot is stronger than another one of its group.
    fn superiority(&self, bot: usize, other: usize, spread: &Spread, searches: bool) -> f64 {
        let point = &self.strengths.point;
        let lead = point[bot] - point[other];
        let clusters = self.jackknife.clusters[bot].min(self.jackknife.clusters[other]);
        let known = Known::new(spread, clusters, searches);
        let errors = match known.line {
            Some(line) => {
                // The point where both are equal.
                let far = -lead / (line[bot] - line[other]);
                let at = point.iter().zip(line).map(|(at, by)| at + far * by);
                let at: Vec<f64> = at.collect();
                let mut fitter = Fitter::new(&self.strengths.model);
                let [here, _] = fitter.along(point, line);
                let [slope, bend] = fitter.along(&at, line);
                let off = slope - here;
                let least = self.strengths.model.jumps(line).least(off.abs());
                off / (known.inflation * bend.max(least)).sqrt()
            }
            None => {
                let variance = self.jackknife.covariance.of_difference(bot, other);
                let more = if spread.robust > 0.0 {
                    known.variance / spread.robust
                } else {
                    1.0
                };
                lead / (variance * more).sqrt()
            }
        };
        // Without variance, the uncertainty is unknown.
        if errors.is_finite() {
            known.student.cdf(errors)
        } else {
            0.5 + 0.5 * lead.signum() * f64::from(lead != 0.0)
        }
    }
}

/// The likelihood of superiority of each bot over each other one.
pub(super) fn matrix(differences: &[Difference], bots: usize) -> Vec<Vec<Option<f64>>> {
    let mut all = vec![vec![None; bots]; bots];
    for difference in differences {
        let [bot, other] = difference.bots;
        all[bot][other] = Some(difference.superiority);
        all[other][bot] = Some(1.0 - difference.superiority);
    }
    all
}

#[cfg(test)]
mod tests {
    use games::Rng;

    use crate::report::{Ratings, rate};

    use crate::evidence::{Evidence, Placing};
    use crate::model::{Anchor, ELO};
    use crate::simulate::uniform;

    fn elo(ratings: &Ratings, bot: usize) -> f64 {
        ratings.bots[bot].expect("a rating").elo
    }

    /// Swapped pairs in which the first bot wins, draws or loses both matches.
    fn add(evidence: &mut Evidence, game: usize, bots: [usize; 2], results: [usize; 3]) {
        let back = [bots[1], bots[0]];
        for (count, points) in results.into_iter().zip([1.0, 0.5, 0.0]) {
            for _ in 0..count {
                evidence.add(&[
                    Placing::new(game, &bots, &[points, 1.0 - points]),
                    Placing::new(game, &back, &[1.0 - points, points]),
                ]);
            }
        }
    }

    /// Four bots and two games with draws, by dice.
    fn some() -> Evidence {
        let mut rng = Rng::new(31);
        let mut evidence = Evidence::new(4, vec![2, 2]);
        for number in 0..240 {
            let bots = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)][number % 6];
            let luck = uniform(&mut rng) + 0.05 * (bots.1 - bots.0) as f64;
            let result = usize::from(luck < 0.7) + usize::from(luck < 0.3);
            let mut results = [0; 3];
            results[result] = 1;
            add(&mut evidence, number / 6 % 2, [bots.0, bots.1], results);
        }
        evidence
    }

    /// 60 % draws and a score of 0.614 are 81 Elo, which is 225 as log-odds.
    #[test]
    fn two_ratings_differ_by_the_expected_score() {
        let mut evidence = Evidence::new(2, vec![2]);
        add(&mut evidence, 0, [0, 1], [3140, 6000, 860]);
        let ratings = rate(&evidence, None);
        let apart = elo(&ratings, 0) - elo(&ratings, 1);
        // Openings that favour a seat are fitted, too, and change a little of it.
        assert!((apart - 80.7).abs() < 1.0, "{apart}");
        assert!((apart - ratings.differences[0].elo.elo).abs() < 1e-6);
        let odds = [0, 1].map(|bot| ratings.log_odds[bot].expect("played"));
        let odds = ELO * (odds[0] - odds[1]);
        assert!((odds - 225.0).abs() < 3.0, "{odds}");
    }

    /// Ratings lie where the differences of each two bots have them, as well as a line can.
    #[test]
    fn ratings_are_mean_differences() {
        let ratings = rate(&some(), None);
        for bot in 0..4 {
            let all = ratings.differences.iter();
            let own = all.filter_map(|it| match it.bots {
                [one, _] if one == bot => Some(it.elo.elo),
                [_, other] if other == bot => Some(it.reversed().elo.elo),
                _ => None,
            });
            assert!((own.sum::<f64>() / 4.0 - elo(&ratings, bot)).abs() < 1e-6);
        }
    }

    #[test]
    fn differences_do_not_depend_on_anchors() {
        let evidence = some();
        let free = rate(&evidence, None);
        let held = rate(&evidence, Some(Anchor { bot: 2, elo: 50.0 }));
        assert_eq!(free.differences, held.differences);
        for difference in &held.differences {
            let [one, other] = difference.bots.map(|bot| elo(&held, bot));
            assert!(
                (one - other - difference.elo.elo).abs() < 5.0,
                "{difference:?}"
            );
        }
    }

    #[test]
    fn several_anchors_are_right_on_average() {
        let anchors = [(1, 200.0), (3, 500.0)].map(|(bot, elo)| Anchor { bot, elo });
        let held = rate(&some(), anchors);
        assert!((elo(&held, 1) + elo(&held, 3) - 700.0).abs() < 1e-6);
        // How far each is off is not known exactly.
        assert!(held.bots[1].expect("a rating").error > 0.0);
    }

    /// A game that counts three times is a game played three times, but for how sure it is.
    #[test]
    fn weights_stand_for_repetition() {
        let all = |times: usize, weight: f64| {
            let mut evidence = Evidence::new(2, vec![2, 2]);
            add(&mut evidence, 0, [0, 1], [30 * times, 0, 10 * times]);
            add(&mut evidence, 1, [0, 1], [20, 0, 20]);
            evidence.weights[0] = weight;
            rate(&evidence, None)
        };
        let (weighted, repeated) = (all(1, 3.0), all(3, 1.0));
        assert!((elo(&weighted, 0) - elo(&repeated, 0)).abs() < 0.01);
        let error = |ratings: &Ratings| ratings.bots[0].expect("a rating").error;
        assert!(error(&weighted) > error(&repeated));
        assert!(elo(&all(1, 1.0), 0) < elo(&weighted, 0));
    }

    #[test]
    fn bots_that_are_not_connected_have_no_difference() {
        let mut evidence = Evidence::new(5, vec![2]);
        add(&mut evidence, 0, [0, 2], [5, 1, 4]);
        add(&mut evidence, 0, [1, 3], [5, 1, 4]);
        let found = rate(&evidence, None).differences;
        let found: Vec<[usize; 2]> = found.iter().map(|it| it.bots).collect();
        assert_eq!(found, [[0, 2], [1, 3]]);
    }
}

//! Ratings in Elo with 95 % intervals, from the model and the jackknife.

mod across_games;
mod differences;
mod fitted;
mod interval;
mod seats;
mod slopes;

use serde::Serialize;

use crate::evidence::Evidence;
use crate::inference::Estimate;
use crate::model::{Anchor, Direction, ELO, Origin, Spread, mean};
use differences::matrix;
use interval::Known;

pub use across_games::Across;
pub use differences::Difference;
pub(crate) use fitted::Fitted;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Resampling {
    /// The number of resamples; by default 200 to 1000, depending on the time they take.
    pub resamples: Option<usize>,
    pub seed: u64,
}

impl Default for Resampling {
    fn default() -> Self {
        Resampling {
            resamples: None,
            seed: 1,
        }
    }
}

/// The ratings of all bots, and the values of seats.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ratings {
    /// The bots' ratings by expected score; `None` for a bot without a match. Each is the mean of the bot's
    /// differences from all bots of its group, so that the mean of a group is 0; a group with anchors is
    /// shifted so that these are right on average. With two bots, the difference of their ratings is exact;
    /// with more, and many draws, it is an approximation.
    pub bots: Vec<Option<Estimate>>,
    /// The model's scale: the bots' log-odds (natural logarithms) of winning rather than losing, with mean 0
    /// in each group. Without draws, times 400 / ln 10 they are Elo. `None` for a bot without a match.
    pub log_odds: Vec<Option<f64>>,
    /// The differences between each two bots that can be compared, by the bots' indices; empty with more
    /// than about a thousand bots and games.
    pub differences: Vec<Difference>,
    /// The number of random samples behind intervals, which are bounds then, if thousands of bots met at
    /// random. 0 otherwise.
    pub resamples: usize,
    /// By bot: the effective number of clusters behind its rating.
    pub clusters: Vec<f64>,
    /// The group of each bot. Matches do not connect bots of different groups, so their ratings cannot be
    /// compared.
    pub groups: Vec<usize>,
    /// By game and seat: the value against the mean of the game's other seats; empty for a game without a
    /// match.
    pub seats: Vec<Vec<Estimate>>,
    /// By game: the probability that two equal bots draw, if the seats were equal.
    pub draws: Vec<f64>,
    /// By game of two seats: the standard deviation of the openings' values to a seat, in the model's Elo;
    /// `None` without evidence of a difference.
    pub openings: Vec<Option<f64>>,
    /// The likelihood of superiority of the row's bot over the column's, given the matches. `None` if they
    /// cannot be compared; no rows if no bots are compared.
    pub superiority: Vec<Vec<Option<f64>>>,
}

/// Rates all bots by one joint model of all games.
///
/// Intervals and likelihoods of superiority come from leaving out one cluster of matches at a time (the
/// jackknife). An interval is the estimate ± t × standard error, where t is the 97.5 % quantile of
/// Student's distribution with one degree of freedom less than the effective number of clusters: with few
/// clusters, their spread is itself uncertain.
pub fn rate(evidence: &Evidence, anchors: impl IntoIterator<Item = Anchor>) -> Ratings {
    Fitted::new(evidence).ratings(anchors)
}

impl Ratings {
    /// False if there are too many bots to compare each two.
    pub fn are_compared(&self) -> bool {
        self.superiority.len() == self.bots.len()
    }
}

impl Fitted {
    /// The ratings relative to anchors or the mean.
    pub(crate) fn ratings(&self, anchors: impl IntoIterator<Item = Anchor>) -> Ratings {
        let origin = Origin::new(self.strengths.groups(), anchors);
        let played = |bot: usize| self.played(bot);
        let games = self.strengths.model.games.iter();
        let draw_rate = |param: usize| {
            let tie = self.strengths.point[param].exp();
            tie / (2.0 + tie)
        };
        let differences = self.differences();
        Ratings {
            bots: self.bots(&origin),
            resamples: self.jackknife.covariance.samples(),
            clusters: self.jackknife.clusters[..self.strengths.model.bots].to_vec(),
            seats: self.seats(),
            draws: games
                .clone()
                .map(|game| game.tie(2).map_or(0.0, draw_rate))
                .collect(),
            openings: games
                .map(|game| Some(ELO * self.strengths.point[game.spread()?].abs()))
                .collect(),
            log_odds: (0..self.strengths.model.bots)
                .map(|bot| {
                    let mean = mean(&self.strengths.point, origin.members(bot));
                    played(bot).then(|| self.strengths.point[bot] - mean)
                })
                .collect(),
            superiority: if self.jackknife.covariance.is_whole() {
                matrix(&differences, self.strengths.groups().len())
            } else {
                Vec::new()
            },
            differences,
            groups: self.strengths.groups().to_vec(),
        }
    }

    /// Only the bots' ratings, relative to anchors or the mean.
    pub(crate) fn only_bots(
        &self,
        anchors: impl IntoIterator<Item = Anchor>,
    ) -> Vec<Option<Estimate>> {
        self.bots(&Origin::new(self.strengths.groups(), anchors))
    }

    fn bots(&self, origin: &Origin<'_>) -> Vec<Option<Estimate>> {
        let bots = self.strengths.model.bots;
        let played: Vec<usize> = (0..bots).filter(|bot| self.played(*bot)).collect();
        let mut all = vec![None; bots];
        for some in played.chunks(1024) {
            let slopes = some.iter().map(|bot| {
                let (anchors, members) = (origin.anchors(*bot), origin.members(*bot));
                self.slopes(*bot, anchors, members)
            });
            let slopes: Vec<Direction> = slopes.collect();
            let spreads = self
                .jackknife
                .covariance
                .spreads(&slopes, &|param| param < bots);
            let searches = self.can_search(&spreads);
            for (&bot, spread) in some.iter().zip(spreads) {
                let (anchors, members) = (origin.anchors(bot), origin.members(bot));
                all[bot] = Some(self.rating(bot, anchors, members, &spread, searches));
            }
        }
        all
    }

    /// A bot's rating with this uncertainty, relative to anchors or, without any, to these members of its
    /// group.
    fn rating(
        &self,
        bot: usize,
        anchors: &[Anchor],
        members: &[usize],
        spread: &Spread,
        searches: bool,
    ) -> Estimate {
        let elo = |at: &[f64]| self.strengths.from(at, bot, anchors, members);
        let clusters = |bot: usize| self.jackknife.clusters[bot];
        let anchored: f64 = anchors.iter().map(|anchor| clusters(anchor.bot)).sum();
        let clusters = match anchors {
            [] => clusters(bot),
            _ => clusters(bot).min(anchored),
        };
        let known = Known::new(spread, clusters, searches);
        let mut estimate = self.interval(&known, &elo);
        // Without anchors, it is relative to all members of the group, the bot included.
        let (own, others) = match anchors {
            [] => (1, members.len()),
            _ => (
                anchors.iter().filter(|it| it.bot == bot).count(),
                anchors.len(),
            ),
        };
        let share = 1.0 - own as f64 / others as f64;
        if share > 0.0 && estimate.error > 0.0 && known.line.is_none() {
            self.bend(bot, anchors, share, &mut estimate);
        }
        let paths = &self.strengths.paths;
        let [leads, led] = match anchors {
            [] => paths.leads_all(bot),
            _ => {
                let others = || anchors.iter().map(|anchor| anchor.bot);
                [
                    others().all(|other| paths.leads(bot, other)),
                    others().all(|other| paths.leads(other, bot)),
                ]
            }
        };
        if !leads || !led {
            self.bound(bot, &elo, [!leads, !led], &mut estimate);
        }
        estimate
    }
}

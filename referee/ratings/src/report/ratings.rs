//! Ratings in Elo with their 95 % intervals: what the model and the jackknife say, for people.

use serde::Serialize;
use statrs::distribution::ContinuousCDF;

use super::differences::Difference;
use super::estimate::{Bound, Estimate};
use super::student::student;
use crate::model::{
    Anchor, Direction, ELO, Fitter, GameParams, Jackknife, MOST_COMPARED, MOST_MEMBERS, Model,
    Origin, OwnClusters, PRIOR, Paths, Scale, Side, Strengths, bound_of, mean,
};
use crate::results::Evidence;

/// The spread of openings is fitted where it is this many standard errors above 0, in games with
/// several openings: to leave it out where it is costs more than to fit it where it is not.
const SPREAD_SEEN: f64 = 1.0;
/// In games of one opening, pairs should not depend on each other like this at all.
const SPREAD_OBVIOUS: f64 = 2.0;
/// An interval never reaches to where fewer points than this would be expected of a bot that made
/// some (with a chance of 2.5 %, there are some).
const FEWEST_POINTS: f64 = 0.025;

/// For slopes: far more than rounding, far less than what bends.
const NUDGE: f64 = 1e-4;

/// How resampling is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Resampling {
    /// How often; without a number, 200 to 1000 times, by how long it takes.
    pub resamples: Option<usize>,
    /// What randomness is made from.
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

/// The ratings of all bots, and what seats are worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ratings {
    /// The bots' ratings by expected score; `None` for a bot without a match. Each is the mean of the
    /// bot's differences from all bots of its group, so that their mean is 0; those of a group with
    /// anchors are shifted so that these are right on average. The difference of two ratings is that
    /// between the bots, if there are two; among more, if many matches are drawn, it is as near to it
    /// as numbers on a line can come.
    pub bots: Vec<Option<Estimate>>,
    /// The other scale, which is the model's: the bots' log-odds (natural logarithms) of winning
    /// rather than losing, with mean 0 in each group. Times 400 / ln 10 they are Elo if there are no
    /// draws. `None` for a bot without a match.
    pub log_odds: Vec<Option<f64>>,
    /// The differences between each two bots that can be compared, by the bots' indices; none where
    /// there are more than a thousand bots.
    pub differences: Vec<Difference>,
    /// How many random samples intervals are from, where thousands of bots met at random: then they
    /// are bounds. 0 otherwise.
    pub resamples: usize,
    /// How many equal clusters the rating of each bot rests on, effectively.
    pub clusters: Vec<f64>,
    /// The group of each bot. Bots of different groups are not connected by matches, so that their
    /// ratings cannot be compared.
    pub groups: Vec<usize>,
    /// What each seat of each game is worth against the mean of the game's other seats; empty for
    /// a game without a match.
    pub seats: Vec<Vec<Estimate>>,
    /// How often two equal bots draw, a game each, as a chance, if the seats were worth the same.
    pub draws: Vec<f64>,
    /// How much the openings of a game of two seats differ in what they are worth to a seat, as a
    /// standard deviation in the model's Elo; `None` where no difference was seen.
    pub openings: Vec<Option<f64>>,
    /// The likelihood of superiority: how likely it is, given the matches, that the row's bot is
    /// stronger than the column's. `None` where they cannot be compared; no rows where there are more
    /// than a thousand bots.
    pub superiority: Vec<Vec<Option<f64>>>,
}

/// Rates all bots by one joint model of all games.
///
/// Intervals and likelihoods of superiority come from leaving out one cluster of matches at a time
/// (the jackknife). An interval is the estimate ± t × standard error, where t is the 97.5 % quantile
/// of Student's distribution with the effective number of clusters less one as its degrees of
/// freedom: with few clusters, the spread between them is itself uncertain.
pub fn rate(evidence: &Evidence, anchors: impl IntoIterator<Item = Anchor>) -> Ratings {
    Fitted::new(evidence).ratings(anchors)
}

/// A model that was fitted to evidence, with what is known of how far it is off.
pub(crate) struct Fitted {
    pub(crate) strengths: Strengths,
    pub(crate) jackknife: Jackknife,
    /// The points of each bot against all others, and how many there were.
    points: Vec<[f64; 2]>,
    /// See [`Fitted::usual_lead`].
    usual_leads: Vec<f64>,
    own_clusters: OwnClusters,
}

impl Fitted {
    pub(crate) fn new(evidence: &Evidence) -> Self {
        let mut model = Model::new(evidence);
        let mut point = vec![0.0; model.params];
        Fitter::new(&model).climb(&mut point);
        let least = |game: usize| {
            if evidence.openings[game] {
                SPREAD_SEEN
            } else {
                SPREAD_OBVIOUS
            }
        };
        let wide: Vec<usize> = (0..model.games.len())
            .filter(|game| model.games[*game].seats == 2)
            .filter(|game| model.evidence_of_spread(*game, &point) > least(*game))
            .collect();
        if !wide.is_empty() {
            model.fit_spreads(&wide);
            point.resize(model.params, 1.0);
            Fitter::new(&model).climb(&mut point);
        }
        let paths = Paths::new(&model);
        let mut jackknife = Jackknife::new(&model, &point, paths.groups());
        if evidence.clusters().next().is_some() {
            model.set_crowding(&crowding(&model, &jackknife, paths.groups()));
            Fitter::new(&model).climb(&mut point);
            jackknife = Jackknife::new(&model, &point, paths.groups());
        }
        Fitted {
            jackknife,
            points: model.points(),
            usual_leads: model.usual_leads(&point),
            own_clusters: OwnClusters::new(&model),
            strengths: Strengths {
                scale: Scale::new(&model, &point),
                paths,
                model,
                point,
            },
        }
    }

    /// The ratings, measured from anchors or from the mean.
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
            superiority: matrix(&differences, self.strengths.groups().len()),
            differences,
            groups: self.strengths.groups().to_vec(),
        }
    }

    fn played(&self, bot: usize) -> bool {
        self.points[bot][1] > 0.0
    }

    /// The bots' ratings alone.
    fn bots(&self, origin: &Origin<'_>) -> Vec<Option<Estimate>> {
        let bots = 0..self.strengths.model.bots;
        let played: Vec<usize> = bots.filter(|bot| self.played(*bot)).collect();
        let mut all = vec![None; self.strengths.model.bots];
        for some in played.chunks(1024) {
            let slopes = some.iter().map(|bot| {
                let (anchors, members) = (origin.anchors(*bot), origin.members(*bot));
                self.slopes(*bot, anchors, members)
            });
            let slopes: Vec<Direction> = slopes.collect();
            let variances = self.jackknife.covariance.variances(&slopes);
            for (&bot, [variance, _]) in some.iter().zip(variances) {
                let (anchors, members) = (origin.anchors(bot), origin.members(bot));
                all[bot] = Some(self.rating(bot, anchors, members, variance));
            }
        }
        all
    }

    /// A bot's rating of this variance, measured from anchors, or without any from these members of
    /// its group.
    fn rating(&self, bot: usize, anchors: &[Anchor], members: &[usize], variance: f64) -> Estimate {
        let elo = |at: &[f64]| self.strengths.from(at, bot, anchors, members);
        let clusters = |bot: usize| self.jackknife.clusters[bot];
        let anchored: f64 = anchors.iter().map(|anchor| clusters(anchor.bot)).sum();
        let clusters = match anchors {
            [] => clusters(bot),
            _ => clusters(bot).min(anchored),
        };
        let error = variance.max(0.0).sqrt();
        let mut estimate = self.interval(clusters, elo(&self.strengths.point), error);
        // Without anchors, all members of the group, the bot among them, are what it is measured from.
        let (own, others) = match anchors {
            [] => (1, members.len()),
            _ => (
                anchors.iter().filter(|it| it.bot == bot).count(),
                anchors.len(),
            ),
        };
        let share = 1.0 - own as f64 / others as f64;
        if share > 0.0 && estimate.error > 0.0 {
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

    /// By which parameters a bot's rating changes, and how much.
    fn slopes(&self, bot: usize, anchors: &[Anchor], members: &[usize]) -> Direction {
        let mut slopes = Direction::default();
        let share = 1.0 / anchors.len().max(1) as f64;
        let bent = self.strengths.is_bent(members);
        if bent || anchors.is_empty() {
            self.add_place(&mut slopes, 1.0, bot, members, bent);
        }
        for anchor in anchors {
            if bent {
                self.add_place(&mut slopes, -share, anchor.bot, members, bent)
            } else {
                self.add_lead(&mut slopes, share, &[(bot, 1.0), (anchor.bot, -1.0)])
            }
        }
        slopes
    }

    /// Adds those of a bot's place among some.
    fn add_place(
        &self,
        slopes: &mut Direction,
        weight: f64,
        bot: usize,
        members: &[usize],
        bent: bool,
    ) {
        let share = 1.0 / members.len() as f64;
        if bent && members.len() <= MOST_MEMBERS {
            for other in members.iter().filter(|other| **other != bot) {
                self.add_lead(slopes, weight * share, &[(bot, 1.0), (*other, -1.0)]);
            }
        } else if self.jackknife.covariance.is_whole() {
            let others = members.iter().map(|other| (*other, -share));
            let terms: Vec<(usize, f64)> = others.chain([(bot, 1.0)]).collect();
            self.add_lead(slopes, weight, &terms);
        } else {
            let group = self.strengths.groups()[bot];
            let lead = self.strengths.point[bot] - mean(&self.strengths.point, members);
            let slope = self.add_ties(slopes, weight, lead);
            slopes.add(bot, weight * slope);
            slopes.add_mean(group, -weight * slope);
        }
    }

    /// Adds those of what a lead is worth, which is a sum of strengths.
    fn add_lead(&self, slopes: &mut Direction, weight: f64, terms: &[(usize, f64)]) {
        let lead: f64 = terms
            .iter()
            .map(|(bot, part)| part * self.strengths.point[*bot])
            .sum();
        let slope = self.add_ties(slopes, weight, lead);
        for (bot, part) in terms {
            slopes.add(*bot, weight * slope * part);
        }
    }

    /// Adds those of what a lead is worth by the frequency of ties; says what it is by the lead itself.
    fn add_ties(&self, slopes: &mut Direction, weight: f64, lead: f64) -> f64 {
        let games = self.strengths.scale.single().iter();
        let games = games.map(|game| &self.strengths.model.games[*game]);
        let ties = games.flat_map(|game| {
            let sizes = 2..=game.seats;
            sizes.filter_map(|size| game.tie(size))
        });
        let mut ties = ties.peekable();
        if ties.peek().is_some() {
            let mut at = self.strengths.point.clone();
            for param in ties {
                let here = at[param];
                at[param] = here + NUDGE;
                let above = self.strengths.elo(&at, lead);
                at[param] = here - NUDGE;
                let below = self.strengths.elo(&at, lead);
                at[param] = here;
                slopes.add(param, weight * (above - below) / (2.0 * NUDGE));
            }
        }
        let worth = |lead: f64| self.strengths.elo(&self.strengths.point, lead);
        (worth(lead + NUDGE) - worth(lead - NUDGE)) / (2.0 * NUDGE)
    }

    /// Bends the interval of a bot that has won or lost nearly everything: what is known of it are a
    /// few lost points, and half as many are not as far from them, in Elo, as twice as many. On the
    /// scale on which the variance of a share does not depend on it (the arcsine of its root), the
    /// interval is symmetric. The rating moves by `share` of the bot's strength.
    fn bend(&self, bot: usize, anchors: &[Anchor], share: f64, estimate: &mut Estimate) {
        let counted = |bot: usize| {
            let crowding = self.strengths.model.crowding(bot);
            self.points[bot].map(|count| count / crowding)
        };
        let [mut points, mut matches] = counted(bot);
        let few = |points: f64, matches: f64| points.min(matches - points);
        for anchor in anchors.iter().filter(|anchor| anchor.bot != bot) {
            let [theirs, played] = counted(anchor.bot);
            if few(theirs, played) < few(points, matches) {
                (points, matches) = (played - theirs, played);
            }
        }
        let scored = (points + PRIOR) / (matches + 2.0 * PRIOR);
        let angle = scored.sqrt().asin();
        let logit = |score: f64| ELO * (score / (1.0 - score)).ln() * share;
        let reach = (estimate.high - estimate.elo) / (ELO * share);
        let reach = 0.5 * reach * (scored * (1.0 - scored)).sqrt();
        let fewest = FEWEST_POINTS / (matches + 2.0 * PRIOR);
        let end = |angle: f64| {
            let angle = angle.clamp(0.0, std::f64::consts::FRAC_PI_2);
            let score = angle.sin().powi(2).clamp(fewest, 1.0 - fewest);
            estimate.elo + logit(score) - logit(scored)
        };
        (estimate.low, estimate.high) = (end(angle - reach), end(angle + reach));
    }

    /// How far seats of a game are apart in strength, on the average over matches that are as likely
    /// as not to be drawn: those say most about draws.
    pub(crate) fn usual_lead(&self, game: usize) -> f64 {
        self.usual_leads[game]
    }

    /// How much stronger one bot is than another one of its group.
    pub(crate) fn difference(&self, bot: usize, other: usize) -> Estimate {
        let anchor = Anchor {
            bot: other,
            elo: 0.0,
        };
        let slopes = self.slopes(bot, &[anchor], &[]);
        let variance = self.jackknife.covariance.variance(&slopes);
        self.rating(bot, &[anchor], &[], variance)
    }

    /// Those of each two bots that can be compared; none if there are very many bots.
    fn differences(&self) -> Vec<Difference> {
        let bots = self.strengths.groups().len();
        if bots > MOST_COMPARED {
            return Vec::new();
        }
        let pairs = (0..bots).flat_map(|bot| (bot + 1..bots).map(move |other| [bot, other]));
        let known = pairs.filter(|[bot, other]| {
            let together = self.strengths.groups()[*bot] == self.strengths.groups()[*other];
            together && self.played(*bot) && self.played(*other)
        });
        let known = known.map(|bots| {
            let [bot, other] = bots;
            (
                bots,
                self.difference(bot, other),
                self.superiority(bot, other),
            )
        });
        Difference::marked(known)
    }

    /// Takes away those ends of an interval that results say nothing about, the lower and the upper
    /// one.
    fn bound(
        &self,
        bot: usize,
        elo: &dyn Fn(&[f64]) -> f64,
        [below, above]: [bool; 2],
        estimate: &mut Estimate,
    ) {
        let end = |side| {
            bound_of(
                &self.strengths.model,
                &self.strengths.paths,
                &self.own_clusters,
                &self.strengths.point,
                bot,
                side,
                elo,
            )
        };
        if above {
            estimate.high = f64::INFINITY;
            if let Some(low) = end(Side::Low) {
                estimate.low = low;
            }
        }
        if below {
            estimate.low = f64::NEG_INFINITY;
            if let Some(high) = end(Side::High) {
                estimate.high = high;
            }
        }
        estimate.bound = Some(match (below, above) {
            (false, _) => Bound::AtLeast,
            (true, false) => Bound::AtMost,
            (true, true) => {
                estimate.high = f64::INFINITY;
                Bound::Unknown
            }
        });
    }

    /// The interval of an estimate with this standard error, which rests on this number of clusters.
    fn interval(&self, clusters: f64, elo: f64, error: f64) -> Estimate {
        let reach = if error > 0.0 {
            error * student(clusters).inverse_cdf(0.975)
        } else {
            0.0
        };
        Estimate {
            elo,
            error,
            low: elo - reach,
            high: elo + reach,
            bound: None,
        }
    }

    /// What the seats of each game are worth.
    fn seats(&self) -> Vec<Vec<Estimate>> {
        let games = &self.strengths.model.games;
        let clusters = games.iter().map(|game| {
            let known = |seat| game.seat(seat).map(|param| self.jackknife.clusters[param]);
            (1..game.seats).filter_map(known).fold(f64::MAX, f64::min)
        });
        let clusters: Vec<f64> = clusters.collect();
        let played = || {
            let games = games.iter().zip(&clusters);
            games.filter(|(_, clusters)| **clusters > 0.0)
        };
        let slopes = played().flat_map(|(game, _)| {
            let seats = 0..game.seats;
            seats.map(|seat| self.slopes_of_seat(game, seat))
        });
        let slopes: Vec<Direction> = slopes.collect();
        let mut variances = self.jackknife.covariance.variances(&slopes).into_iter();
        let seats = games.iter().zip(&clusters).map(|(game, clusters)| {
            let seats = 0..if *clusters > 0.0 { game.seats } else { 0 };
            // Seats come first, so that none of the variances is lost at their end.
            let seats = seats.zip(variances.by_ref()).map(|(seat, [variance, _])| {
                let value = worth_of_seat(game, seat, &self.strengths.point);
                self.interval(*clusters, value, variance.max(0.0).sqrt())
            });
            seats.collect()
        });
        seats.collect()
    }

    /// By which parameters changes what a seat is worth, and how much.
    fn slopes_of_seat(&self, game: &GameParams, seat: usize) -> Direction {
        let mut at = self.strengths.point.clone();
        let mut slopes = Direction::default();
        let seats = (1..game.seats).filter_map(|seat| game.seat(seat));
        for param in seats.chain((2..=game.seats).filter_map(|size| game.tie(size))) {
            let here = at[param];
            at[param] = here + NUDGE;
            let above = worth_of_seat(game, seat, &at);
            at[param] = here - NUDGE;
            let below = worth_of_seat(game, seat, &at);
            slopes.add(param, (above - below) / (2.0 * NUDGE));
            at[param] = here;
        }
        slopes
    }

    /// How likely a bot is stronger than another one of its group.
    fn superiority(&self, bot: usize, other: usize) -> f64 {
        let lead = self.strengths.point[bot] - self.strengths.point[other];
        let variance = self.jackknife.covariance.of_difference(bot, other);
        let clusters = self.jackknife.clusters[bot].min(self.jackknife.clusters[other]);
        // Without any variance nothing is known of how sure this is.
        if variance > 0.0 {
            student(clusters).cdf(lead / variance.sqrt())
        } else {
            0.5 + 0.5 * lead.signum() * f64::from(lead != 0.0)
        }
    }
}

/// What a seat of a game is worth against the mean of the others, at some strengths.
fn worth_of_seat(game: &GameParams, seat: usize, at: &[f64]) -> f64 {
    let worth = |seat| game.seat(seat).map_or(0.0, |param| at[param]);
    let others = (0..game.seats).filter(|other| *other != seat);
    let others: f64 = others.map(worth).sum();
    let lead = worth(seat) - others / (game.seats - 1) as f64;
    Scale::elo_in(game, at, lead)
}

/// The likelihood of superiority of each bot over each other one.
fn matrix(differences: &[Difference], bots: usize) -> Vec<Vec<Option<f64>>> {
    if bots > MOST_COMPARED {
        return Vec::new();
    }
    let mut all = vec![vec![None; bots]; bots];
    for difference in differences {
        let [bot, other] = difference.bots;
        all[bot][other] = Some(difference.superiority);
        all[other][bot] = Some(1.0 - difference.superiority);
    }
    all
}

/// How many matches count as one, by parameter: how much more what is known of it varies than it would
/// if matches were independent.
fn crowding(model: &Model, jackknife: &Jackknife, groups: &[usize]) -> Vec<f64> {
    let origin = Origin::new(groups, None);
    let whole = jackknife.covariance.is_whole();
    let sum = |param: usize| {
        let mut sum = Direction::default();
        if param < model.bots {
            let members = origin.members(param);
            let share = 1.0 / members.len() as f64;
            if whole {
                for bot in members {
                    sum.add(*bot, f64::from(u8::from(*bot == param)) - share);
                }
            } else {
                sum.add(param, 1.0);
                sum.add_mean(groups[param], -1.0);
            }
        } else {
            sum.add(param, 1.0);
        }
        sum
    };
    let sums: Vec<Direction> = (0..model.params).map(sum).collect();
    let variances = jackknife.covariance.variances(&sums).into_iter();
    let ratio = |[varied, usual]: [f64; 2]| if usual > 0.0 { varied / usual } else { 1.0 };
    variances.map(ratio).collect()
}

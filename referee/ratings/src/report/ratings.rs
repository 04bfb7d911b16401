//! Ratings in Elo with their 95 % intervals: what the model and the jackknife say, for people.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::differences::Difference;
use super::estimate::{Bound, Estimate};
use super::student::student;
use crate::model::{
    Anchor, Direction, ELO, Fitter, GameParams, Jackknife, MOST_MEMBERS, Model, Origin,
    OwnClusters, PRIOR, Paths, Scale, Side, Spread, Strengths, bound_of, mean,
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

/// With at least this many active clusters, how much results vary is known from them alone.
const ENOUGH_ACTIVE: f64 = 64.0;
/// How many active clusters the model's variance counts as.
const SUPPOSED: f64 = 4.0;
/// Student's distribution is as good as normal with as many degrees of freedom.
const MOST_FREEDOM: f64 = 1e4;
/// Ends of intervals are searched as long as all of that takes about this many steps at most.
const MOST_STEPS: usize = 20_000_000;
/// How often the likelihood is looked at for an interval.
const LOOKS: usize = 30;
/// An end is searched in at most this many trials.
const MOST_TRIALS: usize = 60;
/// And as exactly, relatively.
const EXACT_END: f64 = 1e-7;
/// No end is further from the estimate than this, in natural logarithms of strength.
const FARTHEST: f64 = 30.0;

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

/// What is known of how far an estimate is off.
struct Known<'a> {
    variance: f64,
    /// How much it changes along the line, and how much more results vary there than the model has it.
    rate: f64,
    inflation: f64,
    student: StudentsT,
    /// The direction in which ends of an interval are searched, where there are few active clusters.
    line: Option<&'a [f64]>,
    /// The same where there is no time to search them.
    rough: Option<&'a Spread>,
}

impl<'a> Known<'a> {
    /// Of an estimate that rests on this number of clusters. How much few active clusters vary is not
    /// known well; the model's variance counts as so many more of them.
    fn new(spread: &'a Spread, clusters: f64, searches: bool) -> Self {
        let robust = spread.robust.max(0.0);
        if spread.active >= ENOUGH_ACTIVE {
            return Known {
                variance: robust,
                rate: spread.rate,
                inflation: 1.0,
                student: student(clusters),
                line: None,
                rough: None,
            };
        }
        let share = spread.active / (spread.active + SUPPOSED);
        let seen = share * robust;
        let supposed = spread.supposed.max(0.0);
        let least = (2.0 - 2.0 * spread.active / ENOUGH_ACTIVE).min(1.0) * supposed;
        let variance = (seen + (1.0 - share) * supposed).max(least);
        let freedom = (clusters - 1.0).max(1.0);
        let freedom = if seen > 0.0 {
            (freedom * (variance / seen).powi(2)).min(MOST_FREEDOM)
        } else {
            MOST_FREEDOM
        };
        let has_line = spread.rate > 0.0 && spread.inflation > 0.0 && spread.known > 0.0;
        Known {
            variance,
            rate: spread.rate,
            inflation: variance * spread.inflation,
            student: student(freedom + 1.0),
            line: (has_line && searches).then_some(&*spread.line),
            rough: (has_line && !searches).then_some(spread),
        }
    }

    /// Half the interval, where it is symmetric.
    fn reach(&self) -> f64 {
        if self.variance > 0.0 {
            self.variance.sqrt() * self.student.inverse_cdf(0.975)
        } else {
            0.0
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
    /// there are more than about a thousand bots and games.
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
    /// stronger than the column's. `None` where they cannot be compared; no rows where no two
    /// bots are compared.
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

impl Ratings {
    /// Whether each two bots that can be compared are: not if there are very many.
    pub fn are_compared(&self) -> bool {
        self.superiority.len() == self.bots.len()
    }
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
            superiority: if self.jackknife.covariance.is_whole() {
                matrix(&differences, self.strengths.groups().len())
            } else {
                Vec::new()
            },
            differences,
            groups: self.strengths.groups().to_vec(),
        }
    }

    fn played(&self, bot: usize) -> bool {
        self.points[bot][1] > 0.0
    }

    /// The bots' ratings alone, measured from anchors or from the mean.
    pub(crate) fn only_bots(
        &self,
        anchors: impl IntoIterator<Item = Anchor>,
    ) -> Vec<Option<Estimate>> {
        self.bots(&Origin::new(self.strengths.groups(), anchors))
    }

    /// The bots' ratings alone.
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

    /// A bot's rating that is off like this, measured from anchors, or without any from these members
    /// of its group.
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
        // Without anchors, all members of the group, the bot among them, are what it is measured from.
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

    /// Those of each two bots that can be compared; none if there are very many bots.
    fn differences(&self) -> Vec<Difference> {
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

    /// The interval of an estimate that is known like this.
    fn interval(&self, known: &Known<'_>, value: &dyn Fn(&[f64]) -> f64) -> Estimate {
        let elo = value(&self.strengths.point);
        let error = known.variance.sqrt();
        let [low, high] = match known.line {
            Some(line) if error > 0.0 => {
                let mut ends = [-1.0, 1.0].map(|way| self.end(known, line, way, value));
                ends.sort_by(f64::total_cmp);
                [ends[0].min(elo), ends[1].max(elo)]
            }
            _ => {
                let reach = known.reach().max(self.jump_reach(known));
                [elo - reach, elo + reach]
            }
        };
        Estimate {
            elo,
            error,
            low,
            high,
            bound: None,
        }
    }

    /// How far an estimate may be off at least because of draws, where its ends are not searched: by what
    /// the square of the quantile as many matches change that are decided instead of drawn.
    fn jump_reach(&self, known: &Known<'_>) -> f64 {
        let Some(rough) = known.rough else {
            return 0.0;
        };
        let jumps = self.strengths.model.jumps(&rough.line);
        let off = known.student.inverse_cdf(0.975).powi(2) * known.inflation * jumps.usual;
        off.min(jumps.all) * rough.rate / rough.known
    }

    /// Whether there is time to search the ends of the intervals of those that need it.
    fn can_search(&self, spreads: &[Spread]) -> bool {
        let few = spreads
            .iter()
            .filter(|spread| spread.active < ENOUGH_ACTIVE);
        let cost = Fitter::new(&self.strengths.model).cost();
        few.count().saturating_mul(LOOKS).saturating_mul(cost) <= MOST_STEPS
    }

    /// An end of an interval: how far the parameters can move along a line, before results are as
    /// unlikely as they may be. The slope of the likelihood says how far results are from what is
    /// expected there, and its bend how much they would vary there (a score test).
    fn end(&self, known: &Known<'_>, line: &[f64], way: f64, value: &dyn Fn(&[f64]) -> f64) -> f64 {
        let mut fitter = Fitter::new(&self.strengths.model);
        let point = &self.strengths.point;
        let moved = |far: f64| -> Vec<f64> {
            let at = point.iter().zip(line);
            at.map(|(at, by)| at + way * far * by).collect()
        };
        let quantile = known.student.inverse_cdf(0.975);
        let [here, _] = fitter.along(point, line);
        let jumps = self.strengths.model.jumps(line);
        let mut beyond = |far: f64| {
            let [slope, bend] = fitter.along(&moved(far), line);
            let off = (slope - here).abs();
            off - quantile * (known.inflation * bend.max(jumps.least(off))).sqrt()
        };
        let longest = line.iter().fold(0.0, |most: f64, by| most.max(by.abs()));
        let farthest = FARTHEST / longest;
        let (mut near, mut under) = (0.0, -f64::MAX);
        let mut far = known.reach() / known.rate;
        let mut over = beyond(far);
        while over < 0.0 && far < farthest {
            (near, under) = (far, over);
            far *= 1.5;
            over = beyond(far);
        }
        // False position; a half of what is kept makes the other end come nearer, too (Illinois).
        for _ in 0..MOST_TRIALS {
            if far - near <= EXACT_END * far {
                break;
            }
            let middle = if under == -f64::MAX {
                0.5 * (near + far)
            } else {
                near + (far - near) * (under / (under - over)).clamp(0.01, 0.99)
            };
            let found = beyond(middle);
            if found < 0.0 {
                (near, under) = (middle, found);
                over *= 0.5;
            } else {
                (far, over) = (middle, found);
                under *= if under == -f64::MAX { 1.0 } else { 0.5 };
            }
        }
        value(&moved(far))
    }

    /// What the seats of each game are worth.
    pub(crate) fn seats(&self) -> Vec<Vec<Estimate>> {
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
        let mut is_seat = vec![false; self.strengths.model.params];
        for (game, seat) in games
            .iter()
            .flat_map(|game| (1..game.seats).map(move |it| (game, it)))
        {
            if let Some(param) = game.seat(seat) {
                is_seat[param] = true;
            }
        }
        let covariance = &self.jackknife.covariance;
        let spreads = covariance.spreads(&slopes, &|param| is_seat[param]);
        let searches = self.can_search(&spreads);
        let mut spreads = spreads.into_iter();
        let seats = games.iter().zip(&clusters).map(|(game, clusters)| {
            let seats = 0..if *clusters > 0.0 { game.seats } else { 0 };
            // Seats come first, so that none of the spreads is lost at their end.
            let seats = seats.zip(spreads.by_ref()).map(|(seat, spread)| {
                let worth = |at: &[f64]| worth_of_seat(game, seat, at);
                self.interval(&Known::new(&spread, *clusters, searches), &worth)
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

    /// How likely a bot is stronger than another one of its group, given how far their difference is off.
    fn superiority(&self, bot: usize, other: usize, spread: &Spread, searches: bool) -> f64 {
        let point = &self.strengths.point;
        let lead = point[bot] - point[other];
        let clusters = self.jackknife.clusters[bot].min(self.jackknife.clusters[other]);
        let known = Known::new(spread, clusters, searches);
        let errors = match known.line {
            Some(line) => {
                // Where both are equal.
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
        // Without any variance nothing is known of how sure this is.
        if errors.is_finite() {
            known.student.cdf(errors)
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

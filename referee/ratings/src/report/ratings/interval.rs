//! The 95 % intervals of estimates.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::fitted::Fitted;
use crate::inference::{Bound, Estimate, student};
use crate::model::{Anchor, ELO, Fitter, PRIOR, Side, Spread, bound_of};

/// An interval never extends to where a bot that scored would be expected to score less than this (the
/// probability of any points is 2.5 % there).
const FEWEST_POINTS: f64 = 0.025;
/// With at least this many active clusters, the variance of results is estimated from them alone.
const ENOUGH_ACTIVE: f64 = 64.0;
/// The weight of the model's variance, in active clusters.
const SUPPOSED: f64 = 4.0;
/// The most degrees of freedom: Student's distribution is practically normal.
const MOST_FREEDOM: f64 = 1e4;
/// About the most steps to search the ends of all intervals.
const MOST_STEPS: usize = 20_000_000;
/// Evaluations of the likelihood per interval.
const EVALUATIONS: usize = 30;
/// Steps to search an end.
const MOST_TRIALS: usize = 60;
/// The relative precision of an end.
const EXACT_END: f64 = 1e-7;
/// The largest distance of an end from the estimate, in natural logarithms of strength.
const FARTHEST: f64 = 30.0;

pub(super) struct Known<'a> {
    pub(super) variance: f64,
    /// Its derivative along the line, and the variance of results there relative to the model.
    rate: f64,
    pub(super) inflation: f64,
    pub(super) student: StudentsT,
    /// The direction in which the ends are searched, if there are few active clusters.
    pub(super) line: Option<&'a [f64]>,
    /// Used instead of `line` if there is no time to search the ends.
    rough: Option<&'a Spread>,
}

impl<'a> Known<'a> {
    /// For an estimate from this many clusters. The variance of few active clusters is uncertain, so the
    /// model's variance is mixed in.
    pub(super) fn new(spread: &'a Spread, clusters: f64, searches: bool) -> Self {
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

    /// Half the width of a symmetric interval.
    fn reach(&self) -> f64 {
        if self.variance > 0.0 {
            self.variance.sqrt() * self.student.inverse_cdf(0.975)
        } else {
            0.0
        }
    }
}

impl Fitted {
    /// Makes the interval of a bot asymmetric that has won or lost nearly everything: half as many lost points
    /// are not as far away, in Elo, as twice as many. The interval is symmetric on the variance-stabilizing
    /// scale, the arcsine of the root of the share of points. The rating moves by `share` of the bot's
    /// strength.
    pub(super) fn bend(&self, bot: usize, anchors: &[Anchor], share: f64, estimate: &mut Estimate) {
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

    /// Removes the ends of an interval that results do not determine: the lower, the upper one.
    pub(super) fn bound(
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

    /// The interval of a function of the parameters, with this uncertainty.
    pub(super) fn interval(&self, known: &Known<'_>, value: &dyn Fn(&[f64]) -> f64) -> Estimate {
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

    /// The least half-width because of draws, if the ends are not searched: the effect of as many matches that
    /// are decided instead of drawn as the square of the quantile.
    pub(super) fn jump_reach(&self, known: &Known<'_>) -> f64 {
        let Some(rough) = known.rough else {
            return 0.0;
        };
        let jumps = self.strengths.model.jumps(&rough.line);
        let off = known.student.inverse_cdf(0.975).powi(2) * known.inflation * jumps.usual;
        off.min(jumps.all) * rough.rate / rough.known
    }

    /// True if there is time to search the ends of all intervals that need it.
    pub(super) fn can_search(&self, spreads: &[Spread]) -> bool {
        let few = spreads
            .iter()
            .filter(|spread| spread.active < ENOUGH_ACTIVE);
        let cost = Fitter::new(&self.strengths.model).cost();
        few.count().saturating_mul(EVALUATIONS).saturating_mul(cost) <= MOST_STEPS
    }

    /// An end of an interval: how far the parameters can move along a line until a score test rejects. The
    /// slope of the likelihood is the deviation from the expected results there, and its curvature their
    /// variance.
    pub(super) fn end(
        &self,
        known: &Known<'_>,
        line: &[f64],
        way: f64,
        value: &dyn Fn(&[f64]) -> f64,
    ) -> f64 {
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
        // Regula falsi (Illinois algorithm).
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
}

//! The derivatives of ratings by the parameters of the model.

use super::fitted::Fitted;
use crate::model::{Anchor, Direction, MOST_MEMBERS, mean};

/// The step of numerical derivatives: far above rounding, far below the scale of curvature.
pub(super) const NUDGE: f64 = 1e-4;

impl Fitted {
    pub(super) fn slopes(&self, bot: usize, anchors: &[Anchor], members: &[usize]) -> Direction {
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

    /// Adds the derivatives of a bot's mean difference from some bots.
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

    /// Adds the derivatives of the Elo of a lead, which is a sum of strengths.
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

    /// Adds the derivatives of the Elo of a lead by the frequency of ties. Returns that by the lead itself.
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
}

//! Checks how often intervals cover the truth.

use super::tournaments::{Played, Setting, Truth, points};
use crate::inference::Estimate;
use crate::model::ELO;
use crate::report::Fitted;

/// Counts of intervals with the truth inside, and of all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// The bots' ratings.
    pub ratings: [u32; 2],
    pub advantage: [u32; 2],
    /// Differences between two bots, one of which is the anchor.
    pub anchored: [u32; 2],
    /// The scores of the first bot against the second one over swapped pairs, by game.
    pub scores: [u32; 2],
    /// Half the widths of the intervals of differences, in Elo.
    reaches: Vec<f64>,
}

impl Coverage {
    pub(super) fn count(&mut self, setting: &Setting, truth: &Truth, fitted: &Fitted) {
        let all: Vec<usize> = (0..setting.bots).collect();
        for (bot, rating) in fitted.only_bots(None).iter().enumerate() {
            let truth = setting.lead(truth, bot, &all);
            note(&mut self.ratings, truth, rating.as_ref());
        }
        // The first seat is worth that much more than any other.
        let worth = setting.score(setting.advantage);
        let worth = -ELO * (1.0 / worth - 1.0).ln();
        for seats in fitted.seats() {
            note(&mut self.advantage, worth, seats.first());
        }
    }

    pub(super) fn count_anchored(
        &mut self,
        setting: &Setting,
        truth: &Truth,
        bots: &[Option<Estimate>],
    ) {
        for (bot, rating) in bots.iter().enumerate().skip(1) {
            let truth = setting.lead(truth, bot, &[0]);
            note(&mut self.anchored, truth, rating.as_ref());
            let reach = rating.as_ref().map(|it| 0.5 * (it.high - it.low));
            self.reaches.extend(reach);
        }
    }

    /// With fair openings, the expected score of the first bot against the second one is known.
    pub(super) fn count_scores(&mut self, setting: &Setting, truth: &Truth, played: &Played) {
        if setting.seats > 2 || setting.lopsided > 0.0 {
            return;
        }
        for (game, trials) in played.scores.iter().enumerate() {
            let effects = &truth.by_game[game];
            let lead = truth.strengths[0] + effects[0] - truth.strengths[1] - effects[1];
            let seats = [setting.advantage, -setting.advantage];
            let scores = seats.map(|worth| points(setting.chances((lead + worth) / ELO)));
            let truth = 0.5 * (scores[0] + scores[1]);
            let score = trials.score();
            let inside = score.is_some_and(|score| (score.low..=score.high).contains(&truth));
            self.scores[0] += u32::from(inside);
            self.scores[1] += 1;
        }
    }

    pub fn join(&mut self, other: &Coverage) {
        for (sum, count) in [
            (&mut self.ratings, other.ratings),
            (&mut self.advantage, other.advantage),
            (&mut self.anchored, other.anchored),
            (&mut self.scores, other.scores),
        ] {
            sum[0] += count[0];
            sum[1] += count[1];
        }
    }

    /// The median half-width of an interval of a difference; `∞` if most have one end at most.
    pub fn usual_reach(&self) -> String {
        let mut reaches = self.reaches.clone();
        reaches.sort_by(f64::total_cmp);
        match reaches.get(reaches.len() / 2) {
            Some(reach) if reach.is_finite() => format!("{reach:.0}"),
            _ => "∞".to_owned(),
        }
    }

    /// The counts, by name.
    pub fn named(&self) -> Vec<(&'static str, [u32; 2])> {
        let all = [
            ("ratings", self.ratings),
            ("differences", self.anchored),
            ("seats", self.advantage),
            ("scores", self.scores),
        ];
        all.into_iter().filter(|(_, [_, all])| *all > 0).collect()
    }
}

fn note(count: &mut [u32; 2], truth: f64, estimate: Option<&Estimate>) {
    let inside = estimate.is_some_and(|estimate| (estimate.low..=estimate.high).contains(&truth));
    count[0] += u32::from(inside);
    count[1] += 1;
}

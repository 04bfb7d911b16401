//! Strengths by a fitted model on the scale that users see, without their uncertainty.

use serde::Serialize;

use super::bounds::Paths;
use super::davidson_luce::DavidsonLuce;
use super::fit::Fitter;
use super::scale::Scale;
use crate::evidence::Placing;

/// Ratings are means of differences from at most this many bots; more would take too long.
pub(crate) const MOST_MEMBERS: usize = 100;

/// A bot with a fixed rating.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Anchor {
    pub bot: usize,
    pub elo: f64,
}

pub(crate) struct Strengths {
    pub(crate) model: DavidsonLuce,
    pub(crate) point: Vec<f64>,
    pub(crate) scale: Scale,
    pub(crate) paths: Paths,
}

impl Strengths {
    /// The fit without the results of a game.
    pub(crate) fn without(&self, game: usize) -> Self {
        let model = self.model.without(game);
        let mut point = self.point.clone();
        Fitter::new(&model).climb(&mut point);
        Strengths {
            scale: Scale::new(&model, &point),
            paths: Paths::new(&model),
            model,
            point,
        }
    }

    /// The chances that one seat of a match is ahead of another one, equal to it, and behind it.
    pub(crate) fn pair_chances(&self, placing: &Placing, seats: [usize; 2]) -> [f64; 3] {
        self.model.pair_chances(placing, seats, &self.point)
    }

    /// The group of each bot; matches connect the bots of a group.
    pub(crate) fn groups(&self) -> &[usize] {
        self.paths.groups()
    }

    /// A bot's rating at some strengths: the mean of its differences from all members, shifted so that
    /// anchors are right on average. Without members, its difference from the anchor.
    pub(crate) fn from(
        &self,
        at: &[f64],
        bot: usize,
        anchors: &[Anchor],
        members: &[usize],
    ) -> f64 {
        let lead = |bot: usize, other: usize| self.elo(at, at[bot] - at[other]);
        let bent = self.is_bent(members);
        let place = |bot: usize| {
            if bent && members.len() <= MOST_MEMBERS {
                members.iter().map(|it| lead(bot, *it)).sum::<f64>() / members.len() as f64
            } else {
                self.elo(at, at[bot] - mean(at, members))
            }
        };
        let ahead = |anchor: &Anchor| {
            if bent {
                place(bot) - place(anchor.bot)
            } else {
                lead(bot, anchor.bot)
            }
        };
        match anchors {
            [] => place(bot),
            _ => {
                let said = anchors.iter().map(|anchor| anchor.elo + ahead(anchor));
                said.sum::<f64>() / anchors.len() as f64
            }
        }
    }

    /// True if differences between these bots do not add up.
    pub(crate) fn is_bent(&self, members: &[usize]) -> bool {
        members.len() > 1 && self.scale.is_bent(&self.model)
    }

    /// A lead in strength as Elo over all games.
    pub(crate) fn elo(&self, at: &[f64], lead: f64) -> f64 {
        self.scale.elo(&self.model, at, lead)
    }
}

pub(crate) fn mean(at: &[f64], bots: &[usize]) -> f64 {
    bots.iter().map(|bot| at[*bot]).sum::<f64>() / bots.len() as f64
}

/// The zero of the scale: the anchors of each group, or else its mean.
pub(crate) struct Origin<'a> {
    groups: &'a [usize],
    members: Vec<Vec<usize>>,
    anchors: Vec<Vec<Anchor>>,
}

impl<'a> Origin<'a> {
    pub(crate) fn new(groups: &'a [usize], anchors: impl IntoIterator<Item = Anchor>) -> Self {
        let count = groups.iter().max().map_or(0, |most| most + 1);
        let mut members = vec![Vec::new(); count];
        for (bot, &group) in groups.iter().enumerate() {
            members[group].push(bot);
        }
        let mut here = vec![Vec::new(); count];
        for anchor in anchors.into_iter().filter(|it| it.bot < groups.len()) {
            here[groups[anchor.bot]].push(anchor);
        }
        Origin {
            groups,
            members,
            anchors: here,
        }
    }

    pub(crate) fn anchors(&self, bot: usize) -> &[Anchor] {
        &self.anchors[self.groups[bot]]
    }

    pub(crate) fn members(&self, bot: usize) -> &[usize] {
        &self.members[self.groups[bot]]
    }
}

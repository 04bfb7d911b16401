//! The differences between any two bots, all from the same resamples: what two bots have in common
//! (a weak field, a lucky opponent) cancels out, so that an interval of a difference is not that of
//! two ratings taken together.

use serde::Serialize;

use super::discovery::{FALSE_DISCOVERIES, rates};
use super::ratings::Estimate;

/// How far two bots are apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The bots, as indices; the first is the lower one.
    pub bots: [usize; 2],
    /// How much higher the first one's rating is.
    #[serde(flatten)]
    pub elo: Estimate,
    /// How likely the first one is stronger, given the matches.
    pub superiority: f64,
    /// The least rate of false discoveries, among all differences, at which this is one.
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

    /// Whether it is marked as sure: of all that are, at most 5 % are false.
    pub fn is_sure(&self) -> bool {
        self.false_discovery <= FALSE_DISCOVERIES
    }

    /// The same from the other side.
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

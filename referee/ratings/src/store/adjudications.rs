//! Matches that were decided before their games had come to an end.

use crate::matches::MatchSummary;
use protocol::{AdjudicatedBy, Adjudication};
use serde::Serialize;

/// All adjudications, by what decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Adjudications {
    /// By counting, once the seats were separate.
    pub settled: Adjudicated,
    /// By values of the bots, for one of them.
    pub won: Adjudicated,
    /// By values of the bots, as a draw.
    pub drawn: Adjudicated,
    /// By offers that all bots made.
    pub agreed: Adjudicated,
}

/// Adjudications of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Adjudicated {
    /// Matches that it ended.
    pub ended: u64,
    /// Matches that were played out all the same.
    pub played_out: u64,
    /// Those of them that ended with another outcome, for want of skill or because the adjudication was
    /// wrong. Settlements are proven: there, bots misplayed.
    pub otherwise: u64,
    /// The plies that were made after it, in all matches that were played out and had no fault.
    pub plies_after: u64,
    /// The milliseconds that counting took in all.
    pub ms: f64,
}

impl Adjudications {
    /// Takes in a match. `plies` is how many plies it had.
    pub(crate) fn add(&mut self, played: &MatchSummary, plies: u64) {
        let Some(adjudication) = &played.adjudication else {
            return;
        };
        let Adjudication {
            by,
            ply,
            outcome,
            played_out,
            ..
        } = adjudication;
        let kind = match by {
            AdjudicatedBy::Settled { ms, .. } => {
                self.settled.ms += ms.0.as_secs_f64() * 1000.0;
                &mut self.settled
            }
            AdjudicatedBy::Resign { .. } => &mut self.won,
            AdjudicatedBy::Draw { .. } => &mut self.drawn,
            AdjudicatedBy::Agreed {} => &mut self.agreed,
        };
        if !played_out {
            kind.ended += 1;
        } else if played.result.faults.is_empty() {
            let other = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-9;
            kind.played_out += 1;
            kind.otherwise += u64::from(outcome.iter().zip(&played.result.outcome).any(other));
            kind.plies_after += plies.saturating_sub(u64::from(*ply));
        }
    }

    /// Each kind with what it is called.
    pub fn kinds(&self) -> [(&'static str, &Adjudicated); 4] {
        [
            ("settled", &self.settled),
            ("adjudicated_win", &self.won),
            ("adjudicated_draw", &self.drawn),
            ("agreed", &self.agreed),
        ]
    }

    /// Whether there was any.
    pub fn is_empty(&self) -> bool {
        *self == Adjudications::default()
    }
}

//! Adjudications: matches that were decided before their games ended.

use crate::matches::MatchSummary;
use protocol::{AdjudicatedBy, Adjudication};
use serde::Serialize;

/// All adjudications by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Adjudications {
    /// By counting, after the seats were separated.
    pub settled: Adjudicated,
    /// By values of the bots, for one of them.
    pub won: Adjudicated,
    /// By values of the bots, as a draw.
    pub drawn: Adjudicated,
    /// By agreement of all bots.
    pub agreed: Adjudicated,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Adjudicated {
    pub ended: u64,
    /// Matches that were played out all the same.
    pub played_out: u64,
    /// Those of them with another outcome, because bots misplayed or the adjudication was wrong. Settlements
    /// are proven: there, bots misplayed.
    pub otherwise: u64,
    /// The plies after it, in all matches that were played out without a fault.
    pub plies_after: u64,
    /// The total time of counting, in ms.
    pub ms: f64,
}

impl Adjudications {
    /// Adds a match with this number of plies.
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

    /// Each kind with its name.
    pub fn kinds(&self) -> [(&'static str, &Adjudicated); 4] {
        [
            ("settled", &self.settled),
            ("adjudicated_win", &self.won),
            ("adjudicated_draw", &self.drawn),
            ("agreed", &self.agreed),
        ]
    }

    pub fn is_empty(&self) -> bool {
        *self == Adjudications::default()
    }
}

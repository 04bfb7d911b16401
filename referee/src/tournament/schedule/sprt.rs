//! SPRT: swapped pairs of two bots until it is clear which of two hypotheses holds.

use super::order;
use super::shape::Shape;
use super::{Planner, Played, SprtStanding, Standing, Turns, Unit};
use crate::rating::sprt::{Hypotheses, Scores, Verdict};

/// A test between two bots.
///
/// All pairs that it can have at most are known from the beginning. It is decided by the pairs in
/// the order of the schedule, whichever are finished first: so what is played at a time does not
/// change the decision. Pairs that come after it are not counted.
pub(super) struct Sprt {
    units: Vec<Unit>,
    hypotheses: Hypotheses,
    scores: Scores,
    verdict: Verdict,
}

impl Sprt {
    pub(super) fn new(shape: &Shape, hypotheses: Hypotheses, max_pairs: u32) -> Self {
        let slots = order::slots(&shape.games, None);
        let mut turns = Turns::default();
        let units = (0..max_pairs)
            .zip(slots.iter().cycle())
            .map(|(_, &game)| turns.unit(game, vec![0, 1], 0));
        Sprt {
            units: units.collect(),
            hypotheses,
            scores: Scores::new(),
            verdict: Verdict::Running,
        }
    }
}

impl Planner for Sprt {
    fn next(&mut self, _: Played<'_>) -> Vec<Unit> {
        std::mem::take(&mut self.units)
    }

    fn settled(&mut self, played: Played<'_>) -> bool {
        while self.verdict == Verdict::Running {
            let first = 2 * self.scores.units() as usize;
            let Some(pair) = played.matches.get(first..first + 2) else {
                break;
            };
            let mut sum = 0.0;
            for scheduled in pair {
                let seat = scheduled.seats.iter().position(|&bot| bot == 0);
                let outcome = played.outcome(scheduled.number);
                let (Some(seat), Some(outcome)) = (seat, outcome) else {
                    return false;
                };
                sum += outcome[seat];
            }
            self.scores.add(sum / 2.0);
            self.verdict = self.scores.verdict(&self.hypotheses);
        }
        self.verdict != Verdict::Running
    }

    fn standing(&self, _: Played<'_>) -> Option<Standing> {
        self.live()
    }

    fn live(&self) -> Option<Standing> {
        Some(Standing::Sprt(SprtStanding {
            hypotheses: self.hypotheses.clone(),
            pairs: self.scores.units(),
            counts: self.scores.pentanomial().unwrap_or_default(),
            llr: self.scores.llr(&self.hypotheses),
            verdict: self.verdict,
        }))
    }
}

//! SPRT: swapped pairs of two bots until it is clear which of two hypotheses holds.

use crate::order;
use crate::planner::{MatchOutcome, Planner, Played};
use crate::scheduled::Scheduled;
use crate::scheduled::{Turns, Unit};
use crate::shape::Shape;
use crate::standing::{SprtStanding, Standing};
use ratings::sprt::{Hypotheses, Scores, Verdict, corrected};

/// A test between two bots.
///
/// All pairs that it can have at most are known from the start. It is decided by the pairs in the
/// order of the schedule, no matter which are finished first: so concurrency does not change the
/// decision. Pairs that come after it are not counted.
pub(super) struct Sprt {
    units: Vec<Unit>,
    hypotheses: Hypotheses,
    /// The first pair, as a place in the schedule, that was not looked at yet.
    next: usize,
    scores: Scores,
    verdict: Verdict,
}

impl Sprt {
    pub(super) fn new(shape: &Shape, hypotheses: Hypotheses, max_pairs: u32) -> Self {
        let slots = order::slots(&shape.games, None);
        let mut turns = Turns::default();
        let units = (0..max_pairs)
            .zip(slots.iter().cycle())
            .map(|(_, &game)| turns.unit(game, &[0, 1], 0));
        Sprt {
            units: units.collect(),
            hypotheses,
            next: 0,
            scores: Scores::new(),
            verdict: Verdict::Running,
        }
    }

    /// Adds the next pair.
    fn take(&mut self, pair: [(Scheduled, &MatchOutcome); 2]) {
        let points = pair.each_ref().map(|(scheduled, result)| {
            let seat = scheduled.seats.iter().position(|&bot| bot == 0);
            seat.map_or(0.0, |seat| result.outcome[seat])
        });
        let repetitions = pair.map(|(_, result)| result.repetition);
        self.scores
            .add_unit(points.iter().sum::<f64>() / 2.0, repetitions);
        self.verdict = self.scores.verdict(&self.hypotheses);
    }
}

impl Planner for Sprt {
    fn next(&mut self, _: Played<'_>) -> Vec<Unit> {
        std::mem::take(&mut self.units)
    }

    fn settled(&mut self, played: Played<'_>) -> bool {
        while self.verdict == Verdict::Running {
            let first = 2 * self.next + 1;
            if first > played.plan.len() {
                break;
            }
            let results = [first, first + 1].map(|number| played.result(number));
            let [Some(one), Some(other)] = results else {
                return false;
            };
            self.next += 1;
            self.take([one, other]);
        }
        self.verdict != Verdict::Running
    }

    fn heeds_repetition(&self) -> bool {
        true
    }

    fn standing(&self, _: Played<'_>) -> Option<Standing> {
        self.live()
    }

    fn live(&self) -> Option<Standing> {
        Some(Standing::Sprt(SprtStanding {
            hypotheses: self.hypotheses.clone(),
            pairs: self.scores.units(),
            repeats: self.scores.repeats(),
            worth: self.scores.worth(),
            counts: self.scores.pentanomial().unwrap_or_default(),
            llr: self.scores.llr(&self.hypotheses),
            verdict: self.verdict,
            score: self.scores.mean(),
            elo: Some(self.scores.elo(self.hypotheses.model)).filter(|elo| elo.is_finite()),
            corrected: corrected(&self.scores, &self.hypotheses, self.verdict),
        }))
    }
}

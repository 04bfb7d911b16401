//! The end of a match: adjudication, the result, and the last messages.

use games::BrokenRules;
use games::session::Tally;
use protocol::MatchResult;

use super::{Arbiter, Phase};
use crate::adjudication;
use crate::events::Action;

impl Arbiter {
    /// Ends the match early if its bots agree on a result. Once a bot is at fault, results are not
    /// those of the game any more.
    pub(super) fn adjudicate(&mut self) -> Result<(), BrokenRules> {
        if !self.faults.is_empty() || self.game.ended().is_some() {
            return Ok(());
        }
        self.adjudicator
            .judge(self.game.moves().len() as u32, self.game.session())
    }

    /// The number of positions to count in order to settle the current one; `None` if that is not
    /// to be tried.
    pub(super) fn settling_budget(&mut self) -> Option<u32> {
        if !self.faults.is_empty() || !self.game.rules().description().settles {
            return None;
        }
        self.adjudicator.settling_budget(self.game.session().ply())
    }

    /// The result; `None` if the match is not over.
    pub(super) fn result_so_far(&self) -> Result<Option<MatchResult>, BrokenRules> {
        let ended = self.game.ended();
        if ended.is_none()
            && self.faults.is_empty()
            && let Some(early) = self.adjudicator.verdict()
        {
            return Ok(Some(MatchResult {
                scores: early.scores.clone(),
                outcome: early.outcome.clone(),
                reason: early.by.reason().to_owned(),
                faults: Vec::new(),
            }));
        }
        if ended.is_none() && !self.is_decided() {
            return Ok(None);
        }
        let session = self.game.session();
        let Tally { scores, outcome } = match session.end() {
            Some(end) => end.tally,
            None => session.tally()?,
        };
        let (outcome, reason) = if self.faults.is_empty() {
            (outcome, ended.unwrap_or_default().into_owned())
        } else {
            let outcome = adjudication::forfeit_outcome(&outcome, &self.at_fault());
            (outcome, adjudication::FORFEIT.to_owned())
        };
        Ok(Some(MatchResult {
            scores,
            outcome,
            reason,
            faults: self.faults.clone(),
        }))
    }

    pub(super) fn finish(&mut self, result: MatchResult) {
        for seat in 0..self.seats.len() {
            if !self.seats[seat].is_dismissed {
                let message = self.end_message(seat, &result);
                self.actions.push(Action::Send { seat, message });
            }
            let mut faults = result.faults.iter();
            if faults.any(|fault| fault.seat == seat && fault.code.is_fault()) {
                self.dismiss(seat);
            }
        }
        self.phase = Phase::Over(result);
    }
}

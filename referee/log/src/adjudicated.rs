//! Checks a recorded adjudication against the moves and the bots' reports.

use arbiter::early_end::{DrawRule, EarlyEnds, MOST_POSITIONS, Opinions, ResignRule};
use games::session::Tally;
use games::settlement::Budget;
use games::{BrokenRules, Session};
use protocol::{AdjudicatedBy, Adjudication, LoggedMove, Record};
use thiserror::Error;

/// The adjudication is not accepted.
#[derive(Debug, Error)]
pub(super) enum Refused {
    /// It does not follow from the match.
    #[error("{reason}")]
    Wrong { ply: u32, reason: String },
    /// A rules program failed.
    #[error(transparent)]
    Broken(#[from] BrokenRules),
}

/// The adjudication of a match that is being replayed.
pub(super) struct Adjudicated {
    recorded: Option<Adjudication>,
    rules: EarlyEnds,
    opinions: Opinions,
    /// True once its ply was reached.
    is_found: bool,
    /// True if a fault decided the match later.
    is_overruled: bool,
}

impl Adjudicated {
    pub(super) fn of(record: &Record) -> Self {
        let recorded = record.adjudication.clone();
        Adjudicated {
            rules: recorded
                .as_ref()
                .map(|it| rules(&it.by))
                .unwrap_or_default(),
            recorded,
            opinions: Opinions::new(record.players.len()),
            is_found: false,
            is_overruled: !record.result.faults.is_empty(),
        }
    }

    pub(super) fn note(&mut self, played: &LoggedMove) {
        if let Some(seat) = played.seat.filter(|_| !played.forced) {
            let (info, offer) = (played.info.as_ref(), played.offer.as_ref());
            self.opinions.note(&self.rules, seat, info, offer);
        }
    }

    /// Checks the adjudication if it was made in this position, after `made` moves.
    pub(super) fn look(&mut self, made: usize, session: &dyn Session) -> Result<(), Refused> {
        let Some(recorded) = &self.recorded else {
            return Ok(());
        };
        let wrong = |reason: String| {
            let ply = recorded.ply;
            Err(Refused::Wrong { ply, reason })
        };
        if made != recorded.ply as usize {
            return Ok(());
        }
        self.is_found = true;
        let (scores, outcome) = match recorded.by {
            AdjudicatedBy::Settled { budget, .. } if budget > MOST_POSITIONS => {
                return wrong(format!(
                    "counting could have taken {budget} positions, but {MOST_POSITIONS} are the most"
                ));
            }
            AdjudicatedBy::Settled { budget, .. } => {
                match session.settlement(&mut Budget::in_all(budget)) {
                    Some(settlement) => (settlement.scores, settlement.outcome),
                    None => return wrong("nothing is settled there".to_owned()),
                }
            }
            _ => {
                let scores = session.tally()?.scores;
                match self.opinions.verdict(&self.rules, recorded.ply, &scores) {
                    Some(verdict) => (verdict.scores, verdict.outcome),
                    None => return wrong("the bots did not agree there".to_owned()),
                }
            }
        };
        if (&scores, &outcome) == (&recorded.scores, &recorded.outcome) {
            return Ok(());
        }
        wrong(format!(
            "recorded with the scores {:?} and the outcome {:?}, but there they are {scores:?} and {outcome:?}",
            recorded.scores, recorded.outcome
        ))
    }

    /// The adjudication that ended the match, once its ply was reached.
    pub(super) fn end(&self) -> Option<&AdjudicatedBy> {
        self.ending().map(|recorded| &recorded.by)
    }

    /// The result of the match, if an adjudication ended it.
    pub(super) fn result(&self) -> Option<Tally> {
        self.ending().map(|recorded| Tally {
            scores: recorded.scores.clone(),
            outcome: recorded.outcome.clone(),
        })
    }

    fn ending(&self) -> Option<&Adjudication> {
        let recorded = self
            .recorded
            .as_ref()
            .filter(|recorded| !recorded.played_out);
        recorded.filter(|_| self.is_found && !self.is_overruled)
    }

    /// An error if the moves do not reach the ply of the adjudication.
    pub(super) fn must_be_found(&self) -> Result<(), Refused> {
        match &self.recorded {
            Some(recorded) if !self.is_found => Err(Refused::Wrong {
                ply: recorded.ply,
                reason: "the moves do not come to this ply".to_owned(),
            }),
            _ => Ok(()),
        }
    }
}

/// The rules by which a match was adjudicated.
fn rules(by: &AdjudicatedBy) -> EarlyEnds {
    let mut rules = EarlyEnds::default();
    match *by {
        AdjudicatedBy::Settled { .. } => {}
        AdjudicatedBy::Resign { value, moves } => rules.resign = Some(ResignRule { value, moves }),
        AdjudicatedBy::Draw {
            value,
            moves,
            after,
        } => {
            rules.draw = Some(DrawRule {
                value,
                moves,
                after,
            });
        }
        AdjudicatedBy::Agreed {} => rules.offers = true,
    }
    rules
}

//! Ends a match before its game does, by the rules for that: at most once a match.

use std::time::Duration;

use games::settlement::Settlement;
use games::{BrokenRules, Session};
use protocol::{AdjudicatedBy, Adjudication, Millis, SeatOffer};

use super::turn::MadeMove;
use crate::early_end::{EarlyEnds, Opinions};

pub(super) struct Adjudicator {
    rules: EarlyEnds,
    opinions: Opinions,
    /// The match goes on to the end of its game in any case.
    is_played_out: bool,
    /// The first adjudication.
    adjudication: Option<Adjudication>,
    /// The ply at which settling was tried last.
    settling_tried: Option<u32>,
}

impl Adjudicator {
    pub(super) fn new(rules: EarlyEnds, seats: usize, is_played_out: bool) -> Self {
        Adjudicator {
            rules: EarlyEnds {
                // Alone, a bot would award itself half a point.
                offers: rules.offers && seats > 1,
                ..rules
            },
            opinions: Opinions::new(seats),
            is_played_out,
            adjudication: None,
            settling_tried: None,
        }
    }

    /// True if bots may offer a result.
    pub(super) fn takes_offers(&self) -> bool {
        self.rules.offers
    }

    /// The offers of the other seats; none if the match does not allow offers.
    pub(super) fn offers_to(&self, seat: usize) -> Vec<SeatOffer> {
        if self.rules.offers {
            self.opinions.offers_to(seat)
        } else {
            Vec::new()
        }
    }

    /// Takes note of the value and the offer that came with a move.
    pub(super) fn note(&mut self, made: &MadeMove) {
        let (info, offer) = (made.info.as_ref(), made.offer.as_ref());
        self.opinions.note(&self.rules, made.seat, info, offer);
    }

    /// Adjudicates if the bots agree on a result after this many plies.
    pub(super) fn judge(&mut self, ply: u32, session: &dyn Session) -> Result<(), BrokenRules> {
        if self.adjudication.is_some() || !self.rules.depend_on_bots() {
            return Ok(());
        }
        let scores = session.tally()?.scores;
        if let Some(verdict) = self.opinions.verdict(&self.rules, ply, &scores) {
            self.adjudicate(verdict);
        }
        Ok(())
    }

    /// The number of positions to count; `None` if nothing is to be counted at this ply.
    pub(super) fn settling_budget(&mut self, ply: u32) -> Option<u32> {
        let budget = self.rules.settled?;
        let is_new = self.settling_tried.replace(ply) != Some(ply);
        (is_new && self.adjudication.is_none()).then_some(budget)
    }

    /// Adjudicates by the result that counting has proven.
    pub(super) fn settle(
        &mut self,
        ply: u32,
        settlement: Settlement,
        positions: u32,
        took: Duration,
    ) {
        let Settlement { scores, outcome } = settlement;
        self.adjudicate(Adjudication {
            ply,
            by: AdjudicatedBy::Settled {
                budget: self.rules.settled.unwrap_or_default(),
                positions,
                ms: Millis(took),
            },
            scores,
            outcome,
            played_out: false,
        });
    }

    fn adjudicate(&mut self, verdict: Adjudication) {
        self.adjudication = Some(Adjudication {
            played_out: self.is_played_out,
            ..verdict
        });
    }

    /// The adjudication that ends the match, if there is one and the match is not played out.
    pub(super) fn verdict(&self) -> Option<&Adjudication> {
        self.adjudication.as_ref().filter(|early| !early.played_out)
    }

    pub(super) fn into_adjudication(self) -> Option<Adjudication> {
        self.adjudication
    }
}

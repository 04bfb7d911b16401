//! Rules that end a match before its game does: settlement, bots that agree by their values, and
//! offers. Used by the arbiter and by the verification of logs.

use games::{Rng, hash_text, rank};
use protocol::{AdjudicatedBy, Adjudication, Offer, SeatOffer};
use serde_json::Value;
use thiserror::Error;

/// Separates the choice of matches that are played out from other streams of the match's seed.
const PLAYED_OUT: u64 = 3;

/// Counting takes at most this many positions after a ply: about ten seconds.
pub const MOST_POSITIONS: u32 = 10_000_000;

/// The rules that may end a match early.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EarlyEnds {
    /// The number of positions that counting may take after each ply; `None` to count nothing.
    pub settled: Option<u32>,
    /// Ends a match of two seats with a winner.
    pub resign: Option<ResignRule>,
    /// Ends a match of two seats as a draw.
    pub draw: Option<DrawRule>,
    /// True if bots may offer a result.
    pub offers: bool,
    /// The share of these matches, in [0, 1], that is played out all the same.
    pub play_out: f64,
}

/// Both bots say that one of them loses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResignRule {
    /// The highest value of the loser, below one half; the winner's is at least 1 less this.
    pub value: f64,
    /// For how many moves each, at least 1.
    pub moves: u32,
}

/// Both bots say that the match is even.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawRule {
    /// The largest distance of a value from one half.
    pub value: f64,
    /// For how many moves each, at least 1.
    pub moves: u32,
    /// Not before this many plies.
    pub after: u32,
}

impl EarlyEnds {
    /// True if a match under these rules can have this adjudication: they contain its rule, and the
    /// match is played out or not, as its seed says.
    pub fn allow(&self, adjudication: &Adjudication, seed: u64, match_id: &str) -> bool {
        let by_rule = match adjudication.by {
            AdjudicatedBy::Settled { budget, .. } => self.settled == Some(budget),
            AdjudicatedBy::Resign { value, moves } => {
                self.resign == Some(ResignRule { value, moves })
            }
            AdjudicatedBy::Draw {
                value,
                moves,
                after,
            } => {
                let rule = DrawRule {
                    value,
                    moves,
                    after,
                };
                self.draw == Some(rule)
            }
            AdjudicatedBy::Agreed {} => self.offers,
        };
        by_rule && adjudication.played_out == self.is_played_out(seed, match_id)
    }

    /// True if the values or the offers of bots can end a match.
    pub(crate) fn depend_on_bots(&self) -> bool {
        self.resign.is_some() || self.draw.is_some() || self.offers
    }

    /// True if this match is played out even if it is adjudicated.
    pub(crate) fn is_played_out(&self, seed: u64, match_id: &str) -> bool {
        let mut rng = Rng::from_parts(&[seed, PLAYED_OUT, hash_text(match_id)]);
        rng.unit() < self.play_out
    }
}

/// The result that each bot expects or offers.
#[derive(Clone, Debug)]
pub struct Opinions {
    seats: Vec<Opinion>,
}

#[derive(Clone, Debug, Default)]
struct Opinion {
    /// The number of consecutive moves, up to the last, whose value makes it the loser, the winner,
    /// or neither.
    losing: u32,
    winning: u32,
    even: u32,
    /// Sent with its last move.
    offer: Option<Offer>,
}

impl Opinions {
    pub fn new(seats: usize) -> Self {
        Opinions {
            seats: vec![Opinion::default(); seats],
        }
    }

    /// Takes note of a bot's move by the `info` and the offer that came with it.
    pub fn note(
        &mut self,
        rules: &EarlyEnds,
        seat: usize,
        info: Option<&Value>,
        offer: Option<&Offer>,
    ) {
        let value = info.and_then(value);
        let count = |streak: &mut u32, holds: &dyn Fn(f64) -> bool| {
            *streak = if value.is_some_and(holds) {
                *streak + 1
            } else {
                0
            };
        };
        let opinion = &mut self.seats[seat];
        opinion.offer = offer.cloned();
        if let Some(resign) = rules.resign {
            count(&mut opinion.losing, &|value| value <= resign.value);
            count(&mut opinion.winning, &|value| value >= 1.0 - resign.value);
        }
        if let Some(draw) = rules.draw {
            count(&mut opinion.even, &|value| {
                (value - 0.5).abs() <= draw.value
            });
        }
    }

    /// The offers that the other seats sent with their last moves.
    pub(crate) fn offers_to(&self, seat: usize) -> Vec<SeatOffer> {
        let others = self
            .seats
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != seat);
        let offers = others.filter_map(|(seat, opinion)| {
            let offer = opinion.offer.clone()?;
            Some(SeatOffer { seat, offer })
        });
        offers.collect()
    }

    /// The result that the bots agree on at this ply, if they do; `scores` are the points now.
    pub fn verdict(&self, rules: &EarlyEnds, ply: u32, scores: &[i64]) -> Option<Adjudication> {
        let verdict = self
            .agreed(rules)
            .or_else(|| self.won(rules))
            .or_else(|| self.drawn(rules, ply))?;
        Some(Adjudication {
            ply,
            by: verdict.by,
            scores: verdict.scores.unwrap_or_else(|| scores.to_vec()),
            outcome: verdict.outcome,
            played_out: false,
        })
    }

    fn agreed(&self, rules: &EarlyEnds) -> Option<Verdict> {
        let seats = self.seats.len();
        let first = self
            .seats
            .first()
            .filter(|_| rules.offers)?
            .offer
            .as_ref()?;
        let all_agree = self
            .seats
            .iter()
            .all(|opinion| opinion.offer.as_ref() == Some(first));
        if !all_agree {
            return None;
        }
        let (outcome, scores) = match first {
            Offer::Draw {} => (vec![0.5; seats], None),
            Offer::Settle { scores, outcome } => (outcome.clone(), scores.clone()),
        };
        Some(Verdict {
            by: AdjudicatedBy::Agreed {},
            outcome,
            scores,
        })
    }

    fn won(&self, rules: &EarlyEnds) -> Option<Verdict> {
        let ResignRule { value, moves } = rules.resign?;
        let [one, other] = &self.seats[..] else {
            return None;
        };
        let loses =
            |loser: &Opinion, winner: &Opinion| loser.losing >= moves && winner.winning >= moves;
        let outcome = if loses(one, other) {
            vec![0.0, 1.0]
        } else if loses(other, one) {
            vec![1.0, 0.0]
        } else {
            return None;
        };
        Some(Verdict {
            by: AdjudicatedBy::Resign { value, moves },
            outcome,
            scores: None,
        })
    }

    fn drawn(&self, rules: &EarlyEnds, ply: u32) -> Option<Verdict> {
        let DrawRule {
            value,
            moves,
            after,
        } = rules.draw?;
        let is_even = ply >= after
            && self.seats.len() == 2
            && self.seats.iter().all(|opinion| opinion.even >= moves);
        is_even.then(|| Verdict {
            by: AdjudicatedBy::Draw {
                value,
                moves,
                after,
            },
            outcome: vec![0.5; 2],
            scores: None,
        })
    }
}

/// A result that the bots agree on.
struct Verdict {
    by: AdjudicatedBy,
    outcome: Vec<f64>,
    /// `None` for the points of the position.
    scores: Option<Vec<i64>>,
}

/// The value that a bot reports for its own seat, in [0, 1]; `None` if it reports none, or
/// nonsense.
fn value(info: &Value) -> Option<f64> {
    let value = info.get("value")?.as_f64()?;
    (0.0..=1.0).contains(&value).then_some(value)
}

/// The numbers of an offer may be this far from the exact ones: bots round.
const ROUNDING: f64 = 1e-6;

/// Why a match cannot have the result of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum OfferError {
    #[error("an offer needs one number for each of the {seats} seats")]
    Seats { seats: usize },
    #[error(
        "the `outcome` of an offer is one that a match can have: {}",
        possible_outcomes(*seats)
    )]
    Outcome { seats: usize },
}

fn possible_outcomes(seats: usize) -> &'static str {
    match seats {
        2 => "one of [1, 0], [0, 1] and [0.5, 0.5]",
        _ => "(seats beaten + half the seats tied with) / (seats - 1) for each seat",
    }
}

/// The offer with exact numbers, if a match of this many seats can have its result: a ranking of
/// the seats, in which equal ones share. Bots could profit together from any other division of the
/// points.
///
/// # Errors
/// If a match cannot have this result.
pub(crate) fn exact_offer(offer: Offer, seats: usize) -> Result<Offer, OfferError> {
    let Offer::Settle { scores, outcome } = offer else {
        return Ok(offer);
    };
    if seats < 2 {
        // There is nobody to agree with, so the offer has no effect.
        return Ok(Offer::Settle { scores, outcome });
    }
    if outcome.len() != seats || scores.as_ref().is_some_and(|scores| scores.len() != seats) {
        return Err(OfferError::Seats { seats });
    }
    let near = |one: f64, other: f64| (one - other).abs() < ROUNDING;
    // Equal seats get the same number, however it is rounded.
    let rounded = outcome.iter().map(|share| {
        let same = outcome.iter().find(|other| near(**other, *share));
        same.copied().unwrap_or(f64::NAN)
    });
    let exact: Vec<f64> = rank(&rounded.collect::<Vec<_>>());
    if !exact
        .iter()
        .zip(&outcome)
        .all(|(one, two)| near(*one, *two))
    {
        return Err(OfferError::Outcome { seats });
    }
    Ok(Offer::Settle {
        scores,
        outcome: exact,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const RULES: EarlyEnds = EarlyEnds {
        settled: None,
        resign: Some(ResignRule {
            value: 0.02,
            moves: 2,
        }),
        draw: Some(DrawRule {
            value: 0.05,
            moves: 2,
            after: 6,
        }),
        offers: true,
        play_out: 0.1,
    };

    /// The verdict after these values, reported in turn.
    fn after(values: &[Value]) -> Option<Adjudication> {
        let mut opinions = Opinions::new(2);
        for (ply, value) in values.iter().enumerate() {
            let info = json!({ "value": value });
            opinions.note(&RULES, ply % 2, Some(&info), None);
        }
        opinions.verdict(&RULES, values.len() as u32, &[3, 4])
    }

    #[test]
    fn both_have_to_agree_who_loses() {
        let outcome = |values: &[Value]| after(values).map(|verdict| verdict.outcome);
        let sure = [json!(0.01), json!(0.99), json!(0), json!(1)];
        assert_eq!(outcome(&sure), Some(vec![0.0, 1.0]));
        assert_eq!(after(&sure).unwrap().scores, [3, 4]);
        for other in [
            json!(0.5),
            json!(0.01),
            json!("0.99"),
            json!(99),
            json!(null),
            json!(-1),
        ] {
            let alone = [json!(0.01), other.clone(), json!(0), other];
            assert_eq!(outcome(&alone), None, "{alone:?}");
        }
        // A doubt in between.
        let doubt = [
            json!(0.01),
            json!(0.99),
            json!(0.3),
            json!(1),
            json!(0),
            json!(1),
        ];
        assert_eq!(outcome(&doubt), None);
    }

    #[test]
    fn matches_are_even_for_a_while() {
        let even = vec![json!(0.5); 4];
        assert_eq!(after(&even), None, "too early");
        let even = vec![json!(0.52); 6];
        let verdict = after(&even).unwrap();
        assert_eq!(verdict.outcome, [0.5, 0.5]);
        assert_eq!(verdict.by.reason(), "adjudicated_draw");
    }

    #[test]
    fn offers_stand_until_the_next_move() {
        let mut opinions = Opinions::new(2);
        let settle = |scores: Option<Vec<i64>>| Offer::Settle {
            scores,
            outcome: vec![1.0, 0.0],
        };
        let end = |opinions: &Opinions| opinions.verdict(&RULES, 3, &[0, 0]);
        opinions.note(&RULES, 0, None, Some(&settle(Some(vec![9, 8]))));
        assert_eq!(opinions.offers_to(1).len(), 1);
        assert_eq!(opinions.offers_to(0).len(), 0);
        opinions.note(&RULES, 1, None, Some(&settle(None)));
        assert_eq!(end(&opinions), None, "not the same");
        opinions.note(&RULES, 0, None, Some(&settle(None)));
        assert_eq!(end(&opinions).unwrap().outcome, [1.0, 0.0]);
        opinions.note(&RULES, 1, None, None);
        assert_eq!(end(&opinions), None, "it does not stand any more");
    }

    #[test]
    fn offers_are_results_that_a_match_can_have() {
        let exact = |outcome: &[f64]| {
            let offer = Offer::Settle {
                scores: None,
                outcome: outcome.to_vec(),
            };
            match exact_offer(offer, outcome.len().max(2)) {
                Ok(Offer::Settle { outcome, .. }) => Some(outcome),
                _ => None,
            }
        };
        for right in [
            &[1.0, 0.0][..],
            &[0.5, 0.5],
            &[1.0, 0.25, 0.25],
            &[0.5, 0.5, 0.5],
            &[1.0, 1.0 / 3.0, 0.0, 2.0 / 3.0],
            &[5.0 / 6.0, 5.0 / 6.0, 0.0, 1.0 / 3.0],
        ] {
            assert_eq!(exact(right).as_deref(), Some(right));
        }
        // Rounded numbers mean exact ones, and those are what counts.
        assert_eq!(exact(&[1.0, 9e-7]), Some(vec![1.0, 0.0]));
        assert_eq!(exact(&[0.499_999_9, 0.5]), Some(vec![0.5, 0.5]));
        let thirds = exact(&[1.0, 0.333_333_3, 0.0, 0.666_666_7]);
        assert_eq!(thirds, Some(vec![1.0, 1.0 / 3.0, 0.0, 2.0 / 3.0]));
        for wrong in [
            &[1.0, 1.0][..],
            &[1.0],
            &[2.0, -1.0],
            &[f64::NAN, 1.0],
            &[f64::NAN, f64::NAN],
            &[f64::INFINITY, 0.0],
            &[0.7, 0.3],
            &[0.999, 0.001],
            &[0.9, 0.5, 0.1],
            &[0.75, 0.5, 0.25],
            &[0.0, 0.0],
        ] {
            assert_eq!(exact(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn about_the_share_is_played_out() {
        let count = (0..2000)
            .filter(|n| RULES.is_played_out(7, &format!("m-{n}")))
            .count();
        assert!((150..250).contains(&count), "{count}");
    }
}

//! The ending that reference bots offer or accept: the proven result, or the offer of the others if
//! it is no worse than expected.

use games::Seat;
use games::settlement::Settlement;
use protocol::{Offer, Turn};

/// At most this many positions are counted before each move of a match that offers can end.
pub(crate) const EFFORT: u32 = 2_000;
/// By how much an offer may be worse than what the bot expects: values are no more exact than that.
const TOLERANCE: f64 = 0.005;

/// The offer to send with a move. `proven` is the result of best play, if known; `expected` is the
/// expected outcome of the seat, from 0 to 1.
pub(crate) fn choose(
    turn: &Turn,
    seat: Seat,
    proven: Option<Settlement>,
    expected: Option<f64>,
) -> Option<Offer> {
    let hoped = proven.as_ref().map(|proven| proven.outcome[seat]);
    let hoped = hoped.or(expected);
    let agreeable = |offer: &Offer| {
        hoped.is_some_and(|hoped| {
            let offered = match offer {
                Offer::Draw {} => Some(0.5),
                Offer::Settle { outcome, .. } => outcome.get(seat).copied(),
            };
            offered.is_some_and(|offered| offered >= hoped - TOLERANCE)
        })
    };
    let offered = turn.offers.iter().map(|offered| &offered.offer);
    let agreed = offered.clone().find(|offer| agreeable(offer)).cloned();
    agreed.or_else(|| {
        proven.map(|proven| Offer::Settle {
            scores: Some(proven.scores),
            outcome: proven.outcome,
        })
    })
}

#[cfg(test)]
mod tests {
    use protocol::SeatOffer;
    use serde_json::json;

    use super::*;

    fn turn(offers: &[Offer]) -> Turn {
        let turn = json!({"ply": 4, "moves": [], "clock": {}});
        let mut turn: Turn = serde_json::from_value(turn).unwrap();
        let offers = offers.iter().cloned();
        turn.offers = offers.map(|offer| SeatOffer { seat: 1, offer }).collect();
        turn
    }

    fn settle(outcome: [f64; 2], scores: Option<[i64; 2]>) -> Offer {
        Offer::Settle {
            scores: scores.map(Vec::from),
            outcome: outcome.to_vec(),
        }
    }

    #[test]
    fn what_is_proven_is_offered() {
        let proven = || {
            Some(Settlement {
                scores: vec![3, 7],
                outcome: vec![0.0, 1.0],
            })
        };
        let offered = choose(&turn(&[]), 0, proven(), Some(0.9));
        assert_eq!(offered, Some(settle([0.0, 1.0], Some([3, 7]))));
        // What the other one offers is as good, and only equal offers end a match.
        let other = settle([0.0, 1.0], None);
        let offered = choose(&turn(std::slice::from_ref(&other)), 0, proven(), None);
        assert_eq!(offered, Some(other));
        // It is too little for the winner.
        let offered = choose(&turn(&[Offer::Draw {}]), 1, proven(), Some(0.1));
        assert_eq!(offered, Some(settle([0.0, 1.0], Some([3, 7]))));
    }

    #[test]
    fn a_bot_agrees_to_what_is_no_worse_than_it_expects() {
        let draw = turn(&[Offer::Draw {}]);
        assert_eq!(choose(&draw, 0, None, Some(0.5)), Some(Offer::Draw {}));
        assert_eq!(choose(&draw, 0, None, Some(0.1)), Some(Offer::Draw {}));
        assert_eq!(choose(&draw, 0, None, Some(0.52)), None);
        assert_eq!(choose(&draw, 0, None, None), None);
        let won = settle([1.0, 0.0], None);
        let offered = turn(std::slice::from_ref(&won));
        assert_eq!(choose(&offered, 0, None, Some(0.98)), Some(won));
        assert_eq!(choose(&offered, 1, None, Some(0.2)), None);
        assert_eq!(choose(&turn(&[]), 0, None, Some(0.5)), None);
    }
}

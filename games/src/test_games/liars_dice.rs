//! Liar's Dice: one round of bids on dice that only their owners see.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Perceived, Position, equally, number, ranked};
use crate::kit::outcome::Seat;
use crate::kit::rng::Rng;
use crate::kit::to_move::ToMove;
use crate::session::Tally;

const SIDES: u8 = 6;

/// A bid, such as `2x5`, says how many dice at least show a face; each bid is higher than the one
/// before. After `liar`, the last bidder wins if the bid was true.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LiarsDice {
    /// The number of dice that each seat has.
    each: usize,
    dice: [Vec<u8>; 2],
    /// The bids so far, as they were made.
    bids: Vec<String>,
    winner: Option<Seat>,
}

impl LiarsDice {
    /// With this many dice a seat.
    pub fn new(each: usize) -> Self {
        LiarsDice {
            each,
            dice: [Vec::new(), Vec::new()],
            bids: Vec::new(),
            winner: None,
        }
    }

    fn rolled(&self) -> usize {
        self.dice[0].len() + self.dice[1].len()
    }

    fn bidder(&self) -> Seat {
        self.bids.len() % 2
    }

    /// All bids, the lowest first.
    fn all_bids(&self) -> Vec<String> {
        let counts = 1..=2 * self.each;
        let faces = |count| (1..=SIDES).map(move |face| format!("{count}x{face}"));
        counts.flat_map(faces).collect()
    }

    fn is_true(&self, bid: &str) -> bool {
        let (count, face) = bid.split_once('x').expect("bids have this form");
        let face = number(face);
        let all = self.dice.iter().flatten();
        all.filter(|die| **die == face).count() >= usize::from(number(count))
    }
}

impl Position for LiarsDice {
    const ID: &'static str = "liars-dice";
    const HIDDEN: bool = true;
    const CHANCE: bool = true;

    fn ply(&self) -> u32 {
        let called = usize::from(self.winner.is_some());
        (self.rolled() + self.bids.len() + called) as u32
    }

    fn to_move(&self) -> ToMove {
        if self.winner.is_some() {
            ToMove::OVER
        } else if self.rolled() < 2 * self.each {
            ToMove::CHANCE
        } else {
            ToMove::seat(self.bidder())
        }
    }

    fn legal(&self, _seat: Seat) -> Vec<String> {
        let all = self.all_bids();
        let last = self.bids.last();
        let at = last.and_then(|last| all.iter().position(|bid| bid == last));
        let higher = all.into_iter().skip(at.map_or(0, |at| at + 1));
        higher.chain(last.map(|_| "liar".to_owned())).collect()
    }

    fn chances(&self) -> Vec<(String, f64)> {
        if self.rolled() < 2 * self.each {
            equally(1..=SIDES)
        } else {
            Vec::new()
        }
    }

    fn play(&mut self, choices: &[&str]) -> Perceived {
        let text = choices[0];
        if self.rolled() < 2 * self.each {
            let seat = usize::from(self.dice[0].len() == self.each);
            self.dice[seat].push(number(text));
            let mut sees = vec![Vec::new(); 2];
            sees[seat].push(json!(text));
            return sees;
        }
        if text == "liar" {
            let last = self.bids.last().expect("there is a bid to doubt");
            let caller = self.bidder();
            self.winner = Some(if self.is_true(last) {
                1 - caller
            } else {
                caller
            });
        } else {
            self.bids.push(text.to_owned());
        }
        vec![vec![json!(text)]; 2]
    }

    fn tally(&self) -> Tally {
        ranked([0, 1].map(|seat| i64::from(self.winner == Some(seat))))
    }

    fn observation(&self, seat: Seat) -> Value {
        let dice = if self.winner.is_some() {
            json!(self.dice)
        } else {
            json!(self.dice[seat])
        };
        json!({
            "each": self.each, "rolled": self.rolled(), "dice": dice, "bids": self.bids,
            "winner": self.winner,
        })
    }

    fn sample(observation: &Value, seat: Seat, rng: &mut Rng) -> Option<Self> {
        let mine: Vec<u8> = serde_json::from_value(observation["dice"].clone()).ok()?;
        let rolled = observation["rolled"].as_u64()? as usize;
        let others = (0..rolled - mine.len()).map(|_| 1 + rng.below(SIDES.into()) as u8);
        let others: Vec<u8> = others.collect();
        Some(LiarsDice {
            each: observation["each"].as_u64()? as usize,
            dice: if seat == 0 {
                [mine, others]
            } else {
                [others, mine]
            },
            bids: serde_json::from_value(observation["bids"].clone()).ok()?,
            winner: None,
        })
    }
}

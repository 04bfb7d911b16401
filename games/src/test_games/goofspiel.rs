//! Goofspiel: prizes are turned up by chance, and both seats bid for them at once.

use serde::{Deserialize, Serialize};

use super::{Perceived, Position, equally, number, ranked};
use crate::kit::outcome::Seat;
use crate::kit::to_move::ToMove;
use crate::session::Tally;

/// Both seats and the prizes have the same cards. The higher bid gets the prize; nobody does if they
/// are equal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Goofspiel {
    ply: u32,
    hands: [Vec<u8>; 2],
    prizes: Vec<u8>,
    prize: Option<u8>,
    scores: [i64; 2],
}

impl Goofspiel {
    /// With the cards from 1 to `cards`.
    pub fn new(cards: u8) -> Self {
        let all: Vec<u8> = (1..=cards).collect();
        Goofspiel {
            ply: 0,
            hands: [all.clone(), all.clone()],
            prizes: all,
            prize: None,
            scores: [0, 0],
        }
    }
}

impl Position for Goofspiel {
    const ID: &'static str = "goofspiel";
    const CHANCE: bool = true;

    fn ply(&self) -> u32 {
        self.ply
    }

    fn to_move(&self) -> ToMove {
        match (self.prize, self.prizes.is_empty()) {
            (Some(_), _) => ToMove::together([0, 1], false),
            (None, false) => ToMove::CHANCE,
            (None, true) => ToMove::OVER,
        }
    }

    fn legal(&self, seat: Seat) -> Vec<String> {
        self.hands[seat].iter().map(u8::to_string).collect()
    }

    fn chances(&self) -> Vec<(String, f64)> {
        match self.prize {
            Some(_) => Vec::new(),
            None => equally(self.prizes.iter().copied()),
        }
    }

    fn play(&mut self, choices: &[&str]) -> Perceived {
        self.ply += choices.len() as u32;
        let Some(prize) = self.prize.take() else {
            let prize = number(choices[0]);
            self.prizes.retain(|card| *card != prize);
            self.prize = Some(prize);
            return Vec::new();
        };
        let bids = [number(choices[0]), number(choices[1])];
        for seat in [0, 1] {
            self.hands[seat].retain(|card| *card != bids[seat]);
            if bids[seat] > bids[1 - seat] {
                self.scores[seat] += i64::from(prize);
            }
        }
        Vec::new()
    }

    fn tally(&self) -> Tally {
        ranked(self.scores)
    }
}

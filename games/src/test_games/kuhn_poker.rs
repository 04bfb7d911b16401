//! Kuhn poker: three cards, one hand, one bet.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Perceived, Position, equally, number};
use crate::kit::outcome::Seat;
use crate::kit::rng::Rng;
use crate::kit::to_move::ToMove;
use crate::session::Tally;

/// Each seat antes a chip and gets one of the cards 0 to 2. Moves are `pass` and `bet`, for a chip.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct KuhnPoker {
    /// The cards that were dealt, to seat 0 first.
    pub cards: Vec<u8>,
    /// The moves so far.
    pub moves: Vec<String>,
}

impl KuhnPoker {
    /// The winnings of seat 0; `None` while the hand goes on.
    pub fn winnings(&self) -> Option<i64> {
        let moves: Vec<&str> = self.moves.iter().map(String::as_str).collect();
        let sign = |wins: bool| if wins { 1 } else { -1 };
        let showdown = || sign(self.cards[0] > self.cards[1]);
        match moves[..] {
            ["pass", "pass"] => Some(showdown()),
            ["bet", "bet"] | ["pass", "bet", "bet"] => Some(2 * showdown()),
            ["bet", "pass"] => Some(1),
            ["pass", "bet", "pass"] => Some(-1),
            _ => None,
        }
    }
}

impl Position for KuhnPoker {
    const ID: &'static str = "kuhn-poker";
    const HIDDEN: bool = true;
    const CHANCE: bool = true;

    fn ply(&self) -> u32 {
        (self.cards.len() + self.moves.len()) as u32
    }

    fn to_move(&self) -> ToMove {
        if self.cards.len() < 2 {
            return ToMove::CHANCE;
        }
        match self.winnings() {
            Some(_) => ToMove::OVER,
            None => ToMove::seat(self.moves.len() % 2),
        }
    }

    fn legal(&self, _seat: Seat) -> Vec<String> {
        vec!["pass".to_owned(), "bet".to_owned()]
    }

    fn chances(&self) -> Vec<(String, f64)> {
        match self.cards.len() {
            2 => Vec::new(),
            _ => equally((0..3).filter(|card| !self.cards.contains(card))),
        }
    }

    fn play(&mut self, choices: &[&str]) -> Perceived {
        let text = choices[0];
        if self.cards.len() == 2 {
            self.moves.push(text.to_owned());
            return vec![vec![json!(text)]; 2];
        }
        let mut sees = vec![Vec::new(); 2];
        sees[self.cards.len()].push(json!(text));
        self.cards.push(number(text));
        sees
    }

    /// The outcome goes with the chips: 1 for two that are won, 0 for two that are lost.
    fn tally(&self) -> Tally {
        let chips = self.winnings().unwrap_or(0);
        let share = |chips: i64| (chips + 2) as f64 / 4.0;
        Tally {
            scores: vec![chips, -chips],
            outcome: vec![share(chips), share(-chips)],
        }
    }

    fn observation(&self, seat: Seat) -> Value {
        let card = self.cards.get(seat);
        json!({"dealt": self.cards.len(), "card": card, "moves": self.moves})
    }

    fn sample(observation: &Value, seat: Seat, rng: &mut Rng) -> Option<Self> {
        let dealt = observation["dealt"].as_u64()? as usize;
        let mut deck = vec![0, 1, 2];
        rng.shuffle(&mut deck);
        if let Some(mine) = observation["card"].as_u64() {
            let at = deck.iter().position(|card| u64::from(*card) == mine)?;
            deck.swap(seat, at);
        }
        deck.truncate(dealt);
        Some(KuhnPoker {
            cards: deck,
            moves: serde_json::from_value(observation["moves"].clone()).ok()?,
        })
    }
}

//! Rock, paper, scissors over several rounds.

use serde::{Deserialize, Serialize};

use super::{Perceived, Position, ranked};
use crate::kit::outcome::Seat;
use crate::kit::to_move::ToMove;
use crate::session::Tally;

/// The winner is ahead in rounds. With a `well`, which beats rock and scissors and loses to paper
/// alone, rock is a losing move.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RockPaperScissors {
    rounds: u32,
    well: bool,
    played: u32,
    scores: [i64; 2],
}

impl RockPaperScissors {
    /// This many rounds.
    pub fn new(rounds: u32) -> Self {
        RockPaperScissors {
            rounds,
            well: false,
            played: 0,
            scores: [0, 0],
        }
    }

    /// This many rounds, with a well.
    pub fn with_well(rounds: u32) -> Self {
        RockPaperScissors {
            well: true,
            ..Self::new(rounds)
        }
    }
}

fn beats(one: &str, other: &str) -> bool {
    matches!(
        (one, other),
        ("rock", "scissors")
            | ("paper", "rock" | "well")
            | ("scissors", "paper")
            | ("well", "rock" | "scissors")
    )
}

impl Position for RockPaperScissors {
    const ID: &'static str = "rock-paper-scissors";

    fn ply(&self) -> u32 {
        2 * self.played
    }

    fn to_move(&self) -> ToMove {
        if self.played == self.rounds {
            ToMove::OVER
        } else {
            ToMove::together([0, 1], false)
        }
    }

    fn legal(&self, _seat: Seat) -> Vec<String> {
        let names: &[&str] = if self.well {
            &["rock", "paper", "scissors", "well"]
        } else {
            &["rock", "paper", "scissors"]
        };
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn play(&mut self, choices: &[&str]) -> Perceived {
        self.played += 1;
        for seat in [0, 1] {
            self.scores[seat] += i64::from(beats(choices[seat], choices[1 - seat]));
        }
        Vec::new()
    }

    fn tally(&self) -> Tally {
        ranked(self.scores)
    }
}

//! Pig: roll as often as you dare.

use serde::{Deserialize, Serialize};

use super::{Perceived, Position, equally, number, ranked};
use crate::kit::outcome::Seat;
use crate::kit::to_move::ToMove;
use crate::session::Tally;

/// `roll` adds the die to the turn's total, and loses it with a 1; `hold` keeps it. Who has `target`
/// first wins.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pig {
    ply: u32,
    target: i64,
    scores: [i64; 2],
    /// Points of the turn so far.
    total: i64,
    seat: Seat,
    rolling: bool,
}

impl Pig {
    /// Up to this many points.
    pub fn new(target: i64) -> Self {
        Pig {
            ply: 0,
            target,
            scores: [0, 0],
            total: 0,
            seat: 0,
            rolling: false,
        }
    }

    fn pass_on(&mut self) {
        self.total = 0;
        self.seat = 1 - self.seat;
    }
}

impl Position for Pig {
    const ID: &'static str = "pig";
    const CHANCE: bool = true;

    fn ply(&self) -> u32 {
        self.ply
    }

    fn to_move(&self) -> ToMove {
        if self.scores.iter().any(|score| *score >= self.target) {
            ToMove::OVER
        } else if self.rolling {
            ToMove::CHANCE
        } else {
            ToMove::seat(self.seat)
        }
    }

    fn legal(&self, _seat: Seat) -> Vec<String> {
        vec!["roll".to_owned(), "hold".to_owned()]
    }

    fn chances(&self) -> Vec<(String, f64)> {
        if self.rolling {
            equally(1..=6)
        } else {
            Vec::new()
        }
    }

    fn play(&mut self, choices: &[&str]) -> Perceived {
        self.ply += 1;
        match choices[0] {
            "roll" => self.rolling = true,
            "hold" => {
                self.scores[self.seat] += self.total;
                self.pass_on();
            }
            die => {
                self.rolling = false;
                match number(die) {
                    1 => self.pass_on(),
                    points => self.total += i64::from(points),
                }
            }
        }
        Vec::new()
    }

    fn tally(&self) -> Tally {
        ranked(self.scores)
    }
}

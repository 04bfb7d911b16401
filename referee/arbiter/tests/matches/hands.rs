//! A small game with features that no built-in game has: each round chance tosses a coin, then all seats
//! show a hand at once. Each rival that a hand beats is a point, and two if the coin shows heads.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use games::kit::info::Info;
use games::perft::{Perft, PerftRequest};
use games::playout::{PlayoutBudget, PlayoutRequest, PlayoutResults};
use games::session::{
    Description, End, LoadError, MoveError, Tally, UndoError, by_steps, wrong_count,
};
use games::{BrokenRules, Limits, Options, Rules, Seat, Session, ToMove, View};
use serde_json::{Value, json};

const HANDS: [&str; 3] = ["paper", "rock", "scissors"];
const COINS: [&str; 2] = ["heads", "tails"];

#[derive(Clone, Copy)]
pub(crate) struct Hands {
    pub(crate) seats: usize,
    pub(crate) rounds: usize,
    /// Only seat 0 sees the coin.
    pub(crate) hidden: bool,
    /// The coin is tossed in one step with the choices of the seats.
    pub(crate) at_once: bool,
    /// The ply at which the rules stop working.
    pub(crate) breaks_at: Option<u32>,
    /// Paper is listed, but refused.
    pub(crate) refuses_paper: bool,
}

impl Default for Hands {
    fn default() -> Self {
        Hands {
            seats: 2,
            rounds: 3,
            hidden: false,
            at_once: false,
            breaks_at: None,
            refuses_paper: false,
        }
    }
}

impl Hands {
    pub(crate) fn rules(self) -> Arc<dyn Rules> {
        let roles = ["left", "right", "middle"];
        let info = Info {
            id: "hands".to_owned(),
            title: "Hands".to_owned(),
            summary: "A hand beats another.".to_owned(),
            roles: roles[..self.seats]
                .iter()
                .map(|r| (*r).to_owned())
                .collect(),
            symmetric: true,
            hidden: self.hidden,
            chance: false,
            options: Vec::new(),
            notation: Vec::new(),
            limits: Limits::NONE,
        };
        let options = Options::read(&info, &Value::Null).unwrap();
        Arc::new(HandsRules {
            hands: self,
            description: Description::new(info, options),
        })
    }
}

struct HandsRules {
    hands: Hands,
    description: Description,
}

impl Rules for HandsRules {
    fn description(&self) -> &Description {
        &self.description
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn start(&self, _seed: u64) -> Result<Box<dyn Session>, BrokenRules> {
        Ok(Box::new(HandsSession {
            rules: self.hands,
            coins: Vec::new(),
            rounds: Vec::new(),
            sees: Vec::new(),
        }))
    }

    fn load(&self, _state: &Value) -> Result<Box<dyn Session>, LoadError> {
        unimplemented!("a match has its session from the start on")
    }
}

#[derive(Clone)]
struct HandsSession {
    rules: Hands,
    coins: Vec<String>,
    /// The hands of each round, in seat order.
    rounds: Vec<Vec<String>>,
    sees: Vec<Vec<Value>>,
}

impl HandsSession {
    fn check(&self, text: &str, known: &[&str]) -> Result<(), MoveError> {
        if known.contains(&text) {
            return Ok(());
        }
        Err(MoveError::NoOutcome {
            text: text.to_owned(),
            outcomes: known.len(),
        })
    }

    /// The points of a round for one seat.
    fn points(&self, round: usize, seat: Seat) -> i64 {
        let place = |hand: &String| HANDS.iter().position(|h| h == hand).unwrap();
        let hands = &self.rounds[round];
        let mine = place(&hands[seat]);
        // Each hand beats the next one of the list.
        let beaten = hands.iter().filter(|hand| place(hand) == (mine + 1) % 3);
        let worth = if self.coins[round] == "heads" { 2 } else { 1 };
        beaten.count() as i64 * worth
    }
}

impl Session for HandsSession {
    fn seats(&self) -> usize {
        self.rules.seats
    }

    fn ply(&self) -> u32 {
        (self.coins.len() + self.rounds.len() * self.rules.seats) as u32
    }

    fn to_move(&self) -> ToMove {
        if self.rounds.len() == self.rules.rounds {
            return ToMove::OVER;
        }
        if !self.rules.at_once && self.coins.len() == self.rounds.len() {
            return ToMove::CHANCE;
        }
        ToMove::together(0..self.rules.seats, self.rules.at_once)
    }

    fn each_legal(&mut self, seat: Seat, take: &mut dyn FnMut(&str)) -> Result<(), BrokenRules> {
        if self.to_move().includes(seat) {
            HANDS.into_iter().for_each(take);
        }
        Ok(())
    }

    fn chances(&self) -> Vec<(String, f64)> {
        if self.to_move().has_chance() {
            COINS.map(|coin| (coin.to_owned(), 0.5)).to_vec()
        } else {
            Vec::new()
        }
    }

    fn check_move(&mut self, _seat: Seat, text: &str) -> Result<(), MoveError> {
        self.check(text, &HANDS)
    }

    fn play_step(&mut self, choices: &[&str]) -> Result<(), MoveError> {
        let to_move = self.to_move();
        if choices.len() != to_move.count() || to_move.is_over() {
            return Err(wrong_count(to_move, choices));
        }
        if self.rules.breaks_at == Some(self.ply()) {
            return Err(BrokenRules::new("the rules fell asleep").into());
        }
        let seats = to_move.seats().count();
        let (hands, coins) = choices.split_at(seats);
        if self.rules.refuses_paper && hands.contains(&"paper") {
            return self.check("paper", &[]);
        }
        hands.iter().try_for_each(|hand| self.check(hand, &HANDS))?;
        coins.iter().try_for_each(|coin| self.check(coin, &COINS))?;
        self.sees = vec![Vec::new(); self.rules.seats];
        for coin in coins {
            self.coins.push((*coin).to_owned());
            self.sees[0].push(json!(coin));
        }
        if !hands.is_empty() {
            self.rounds
                .push(hands.iter().map(|h| (*h).to_owned()).collect());
            for seen in &mut self.sees {
                seen.push(json!(hands));
            }
        }
        Ok(())
    }

    fn played(&self) -> usize {
        0
    }

    fn undo(&mut self, _count: usize) -> Result<(), UndoError> {
        unimplemented!("matches take nothing back")
    }

    fn state(&self) -> Result<Value, BrokenRules> {
        Ok(json!({"ply": self.ply(), "coins": self.coins, "rounds": self.rounds}))
    }

    fn observation(&self, seat: Seat) -> Result<Value, BrokenRules> {
        let coins = if seat == 0 { &self.coins[..] } else { &[] };
        Ok(json!({"coins": coins, "rounds": self.rounds}))
    }

    fn sees(&self) -> &[Vec<Value>] {
        &self.sees
    }

    fn tally(&self) -> Result<Tally, BrokenRules> {
        let rounds = 0..self.rounds.len();
        let seats = 0..self.rules.seats;
        let points = seats.map(|seat| rounds.clone().map(|round| self.points(round, seat)).sum());
        let scores: Vec<i64> = points.collect();
        let most = scores.iter().max().copied().unwrap();
        Ok(Tally {
            outcome: scores
                .iter()
                .map(|s| f64::from(u8::from(*s == most)))
                .collect(),
            scores,
        })
    }

    fn end(&self) -> Option<End> {
        self.to_move().is_over().then(|| End {
            tally: self.tally().unwrap(),
            reason: "all_shown".to_owned(),
        })
    }

    fn reason(&self) -> Option<Cow<'_, str>> {
        self.to_move()
            .is_over()
            .then_some(Cow::Borrowed("all_shown"))
    }

    fn identity(&self) -> Result<String, BrokenRules> {
        Ok(self.state()?.to_string())
    }

    fn view(&self) -> Result<Option<View>, BrokenRules> {
        Ok(None)
    }

    fn fork(&self) -> Box<dyn Session> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn write_legal(&mut self, out: &mut String) -> Result<(), BrokenRules> {
        by_steps::write_legal(self, out)
    }

    fn each_child(
        &self,
        take: &mut dyn FnMut(&[&str], &mut dyn Session),
    ) -> Result<(), BrokenRules> {
        by_steps::each_child(self, take)
    }

    fn perft(&self, request: &PerftRequest) -> Result<Option<Perft>, BrokenRules> {
        by_steps::perft(self, request)
    }

    fn playouts(
        &self,
        request: &PlayoutRequest,
        budget: PlayoutBudget<'_>,
    ) -> Result<Option<PlayoutResults>, BrokenRules> {
        by_steps::playouts(self, request, budget)
    }
}

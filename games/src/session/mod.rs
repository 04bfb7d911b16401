//! Every game behind one interface that does not depend on its type: moves as text, states as JSON.

pub mod by_steps;
mod description;
mod errors;
pub mod perft;
pub mod playout;
mod result;
mod steps;
mod typed;

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use crate::kit::info::Info;
use crate::kit::options::Options;
use crate::kit::outcome::Seat;
use crate::kit::rng::Rng;
use crate::kit::to_move::ToMove;
use crate::kit::view::View;
use crate::learning::Learning;
use crate::settlement::{Budget, Settlement};

use perft::{Perft, PerftRequest};
use playout::{PlayoutBudget, PlayoutMeans, PlayoutRequest, PlayoutResults};

pub use description::{Description, Origin};
pub use errors::{BrokenRules, LoadError, MoveError, UndoError, wrong_count};
pub use result::{End, Tally};
pub use steps::{PlyByPly, as_strs, draw, random_step};
pub use typed::typed;
pub(crate) use typed::{Typed, configure};

/// The rules of some game under fixed options.
pub trait Rules: Send + Sync {
    /// All that is fixed: the game, its options, who plays, where the rules come from.
    fn description(&self) -> &Description;
    /// Itself, for code that knows its kind of rules.
    fn as_any(&self) -> &dyn Any;
    /// A new game; the seed decides the start if that is random.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn start(&self, seed: u64) -> Result<Box<dyn Session>, BrokenRules>;
    /// A game that goes on from a given state.
    ///
    /// # Errors
    /// If the state breaks the rules, or rules from outside do not work.
    fn load(&self, state: &Value) -> Result<Box<dyn Session>, LoadError>;
    /// Checks that the state of a session of these rules, loaded again, is the very same position. The
    /// games that are compiled in are tested for it, so that there is nothing to check in a match.
    ///
    /// # Errors
    /// If rules from outside do not work, or give another position.
    fn comes_back(&self, _session: &dyn Session) -> Result<(), BrokenRules> {
        Ok(())
    }
    /// At most `count` states of the information set of a seat with this observation; empty
    /// if the rules cannot draw any.
    ///
    /// # Errors
    /// If nobody can know this, or rules from outside do not work.
    fn sample(
        &self,
        _observation: &Value,
        _seat: Seat,
        _seed: u64,
        _count: u32,
    ) -> Result<Vec<Value>, LoadError> {
        Ok(Vec::new())
    }
    /// The numbers of moves and positions; `None` if the rules cannot name all moves.
    fn learning(&self) -> Option<&dyn Learning> {
        None
    }
}

impl dyn Rules + '_ {
    /// The game's description of itself.
    pub fn info(&self) -> &Info {
        &self.description().info
    }

    /// The options, with the defaults filled in.
    pub fn options(&self) -> &Options {
        &self.description().options
    }

    /// The names of the seats, in seat order.
    pub fn roles(&self) -> &[String] {
        &self.description().roles
    }

    /// The number of seats.
    pub fn seats(&self) -> usize {
        self.roles().len()
    }
}

/// A game in progress: a position, and those before it so that moves can be taken back.
///
/// The actors, chance outcomes and the result are known as soon as a position exists. Steps and
/// other queries can fail if the rules are external.
pub trait Session: Send + Sync {
    /// The number of seats.
    fn seats(&self) -> usize;
    /// The number of plies since the start of the game: moves of seats and outcomes of chance.
    fn ply(&self) -> u32;
    /// The actors of the next step.
    fn to_move(&self) -> ToMove;
    /// Calls `take` with each legal move of a seat. There is at least one if the seat acts, and none
    /// otherwise.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn each_legal(&mut self, seat: Seat, take: &mut dyn FnMut(&str)) -> Result<(), BrokenRules>;
    /// The outcomes of chance with their probabilities; empty if it takes no part in the step.
    fn chances(&self) -> Vec<(String, f64)> {
        Vec::new()
    }
    /// All legal moves of the seat that acts alone, or the outcomes if chance does; empty if the game
    /// is over or several act at once.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn legal(&mut self) -> Result<Vec<String>, BrokenRules> {
        if self.to_move() == ToMove::CHANCE {
            let chances = self.chances().into_iter();
            return Ok(chances.map(|(outcome, _)| outcome).collect());
        }
        match self.to_move().alone() {
            Some(seat) => self.legal_of(seat),
            None => Ok(Vec::new()),
        }
    }
    /// All legal moves of a seat; empty if it does not act.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn legal_of(&mut self, seat: Seat) -> Result<Vec<String>, BrokenRules> {
        let mut moves = Vec::new();
        self.each_legal(seat, &mut |mv| moves.push(mv.to_owned()))?;
        Ok(moves)
    }
    /// Appends everything that is legal as JSON, in the form of the forward model: a list for one
    /// seat, an object by seat for several, outcomes with their probabilities for chance.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn write_legal(&mut self, out: &mut String) -> Result<(), BrokenRules>;
    /// A random legal move of a seat, all equally likely; `None` if the seat does not act.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn random_move(&mut self, seat: Seat, rng: &mut Rng) -> Result<Option<String>, BrokenRules> {
        let mut moves = self.legal_of(seat)?;
        Ok((!moves.is_empty()).then(|| moves.swap_remove(rng.index(moves.len()))))
    }
    /// Checks that a seat that acts may make this move now.
    ///
    /// # Errors
    /// If not, why.
    fn check_move(&mut self, seat: Seat, text: &str) -> Result<(), MoveError>;
    /// Makes a step, given the choices of all who act: seats in ascending order, then chance.
    ///
    /// # Errors
    /// If one of them is not legal, or rules from outside do not work; the position is then as it was.
    fn play_step(&mut self, choices: &[&str]) -> Result<(), MoveError>;
    /// Makes a step in which one seat or chance acts alone.
    ///
    /// # Errors
    /// See [`Session::play_step`].
    fn play(&mut self, text: &str) -> Result<(), MoveError> {
        self.play_step(&[text])
    }
    /// The number of steps that can be taken back: those since the session was opened.
    fn played(&self) -> usize;
    /// Takes `count` steps back.
    ///
    /// # Errors
    /// If fewer were made, or rules from outside do not work; the position is then as it was.
    fn undo(&mut self, count: usize) -> Result<(), UndoError>;
    /// The state as JSON.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn state(&self) -> Result<Value, BrokenRules>;
    /// The state as JSON on one line, where rules from outside said it so: it can be passed on without
    /// making a tree of it. `None` if there is no such text.
    ///
    /// # Errors
    /// If the rules do not work.
    fn state_text(&self) -> Result<Option<Arc<str>>, BrokenRules> {
        Ok(None)
    }
    /// All that a seat knows now: the state, unless the game has hidden information.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn observation(&self, _seat: Seat) -> Result<Value, BrokenRules> {
        self.state()
    }
    /// Each seat's perceptions of the last step, in games with hidden information.
    fn sees(&self) -> &[Vec<Value>] {
        &[]
    }
    /// The points so far and what they are worth if play ends in this position.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn tally(&self) -> Result<Tally, BrokenRules>;
    /// The result of best play, where the seats are separate from each other and looking at as many
    /// positions as the budget allows proves it. `None` in a finished game.
    fn settlement(&self, _budget: &mut Budget) -> Option<Settlement> {
        None
    }
    /// The result; `None` while the game goes on.
    fn end(&self) -> Option<End>;
    /// The reason for the end; `None` while the game goes on.
    fn reason(&self) -> Option<Cow<'_, str>>;
    /// A text that is the same for two positions exactly if all further play is the same.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn identity(&self) -> Result<String, BrokenRules>;
    /// The board as a picture shows it; `None` for rules that draw none.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn view(&self) -> Result<Option<View>, BrokenRules>;
    /// A copy of the session, which goes on independently.
    fn fork(&self) -> Box<dyn Session>;
    /// Itself, for [`typed`].
    fn as_any(&self) -> &dyn Any;
    /// Itself, for [`Learning`].
    fn as_any_mut(&mut self) -> &mut dyn Any;

    /// Calls `take` with each possible step (the choices as for [`Session::play_step`]) and a session
    /// of the position after it, in which it cannot be taken back.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn each_child(
        &self,
        take: &mut dyn FnMut(&[&str], &mut dyn Session),
    ) -> Result<(), BrokenRules>;
    /// Counts paths; `None` if that takes too many positions.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn perft(&self, request: &PerftRequest) -> Result<Option<Perft>, BrokenRules>;
    /// The number of random games that [`Session::playouts_by_move`] plays in little more time than one; 1 if
    /// it has no faster way.
    fn games_at_once(&self) -> u32 {
        1
    }
    /// Plays random games from here, where one seat acts alone, and stops them at the ply `last`. Game `n`
    /// begins with the legal move at the place `first + n`, counted round and round; all other moves are
    /// drawn. Returns the outcomes for the seats, game by game; `None` if that takes as long as one game
    /// after the other.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn playouts_by_move(
        &self,
        _count: u32,
        _first: usize,
        _last: Option<u32>,
        _seed: u64,
    ) -> Result<Option<Vec<Vec<f64>>>, BrokenRules> {
        Ok(None)
    }
    /// A session of the position after a step, in which it cannot be taken back; the choices are given as for
    /// [`Session::play_step`].
    ///
    /// # Errors
    /// As [`Session::play_step`].
    fn child(&self, choices: &[&str]) -> Result<Box<dyn Session>, MoveError> {
        let mut child = self.fork();
        child.play_step(choices)?;
        Ok(child)
    }
    /// Plays random games from here; `None` if they do not fit into the budget.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn playouts(
        &self,
        request: &PlayoutRequest,
        budget: PlayoutBudget<'_>,
    ) -> Result<Option<PlayoutResults>, BrokenRules>;
}

impl dyn Session + '_ {
    /// The number of paths of exactly `depth` steps, without a limit.
    ///
    /// # Errors
    /// If rules from outside do not work.
    pub fn perft_nodes(&self, depth: u32) -> Result<u64, BrokenRules> {
        let counted = self.perft(&PerftRequest::new(depth))?;
        Ok(counted.expect("there is no limit").nodes)
    }

    /// The means of all games of a request, without a limit.
    ///
    /// # Errors
    /// If rules from outside do not work.
    pub fn playout_means(&self, request: &PlayoutRequest) -> Result<PlayoutMeans, BrokenRules> {
        let played = self.playouts(request, PlayoutBudget::UNLIMITED)?;
        Ok(played.expect("there is no limit").means)
    }
}

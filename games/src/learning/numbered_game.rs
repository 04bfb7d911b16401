//! A game in progress, played by numbers or by texts.

use std::sync::Arc;

use serde_json::Value;

use super::{Learning, PlayError};
use crate::kit::outcome::Seat;
use crate::kit::rng::Rng;
use crate::kit::text::shown;
use crate::kit::to_move::ToMove;
use crate::session::{BrokenRules, LoadError, MoveError, Rules, Session, UndoError, as_strs, draw};

/// Separates the draws of chance from everything else that a seed decides.
const CHANCE: u64 = 0x6368_616e_6365;
/// The same for random actions.
const ACTIONS: u64 = 0x6163_7469_6f6e;

/// A game in progress. Seats play actions or moves; chance is drawn at once, by the seed and the ply, so
/// that chance alone is never to move.
pub struct NumberedGame {
    rules: Arc<dyn Rules>,
    session: Box<dyn Session>,
    seed: u64,
    /// The actions of a move that is not complete.
    begun: Vec<u32>,
    history: Vec<Taken>,
    /// For random actions, made when the first one is drawn.
    rng: Option<Box<Rng>>,
}

/// How to take back an action or a move.
#[derive(Clone)]
struct Taken {
    /// The steps that the session made, those of chance included.
    steps: usize,
    /// The actions that the move had before.
    begun: Vec<u32>,
}

impl NumberedGame {
    /// A new game; the seed decides the start and all draws.
    ///
    /// # Errors
    /// If rules from outside do not work.
    pub fn start(rules: &Arc<dyn Rules>, seed: u64) -> Result<Self, BrokenRules> {
        Self::of(rules, rules.start(seed)?, seed)
    }

    /// A game that goes on from a state.
    ///
    /// # Errors
    /// If the state breaks the rules, or rules from outside do not work.
    pub fn load(rules: &Arc<dyn Rules>, state: &Value, seed: u64) -> Result<Self, LoadError> {
        Ok(Self::of(rules, rules.load(state)?, seed)?)
    }

    fn of(
        rules: &Arc<dyn Rules>,
        session: Box<dyn Session>,
        seed: u64,
    ) -> Result<Self, BrokenRules> {
        let mut game = NumberedGame {
            rules: rules.clone(),
            session,
            seed,
            begun: Vec::new(),
            history: Vec::new(),
            rng: None,
        };
        game.draw_chance()?;
        Ok(game)
    }

    /// A copy that goes on independently, with draws by another seed if one is given.
    #[must_use]
    pub fn copy(&self, seed: Option<u64>) -> Self {
        NumberedGame {
            rules: self.rules.clone(),
            session: self.session.fork(),
            seed: seed.unwrap_or(self.seed),
            begun: self.begun.clone(),
            history: self.history.clone(),
            rng: self.rng.clone().filter(|_| seed.is_none()),
        }
    }

    /// The rules.
    pub fn rules(&self) -> &Arc<dyn Rules> {
        &self.rules
    }

    /// The position before the move that is begun, if one is.
    pub fn session(&self) -> &dyn Session {
        &*self.session
    }

    /// The seed of all draws.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The actions of a move that is not complete.
    pub fn begun(&self) -> &[u32] {
        &self.begun
    }

    /// The seats that act.
    pub fn to_move(&self) -> ToMove {
        self.session.to_move()
    }

    /// The number of actions and moves that can be taken back.
    pub fn played(&self) -> usize {
        self.history.len()
    }

    /// The legal moves of a seat: where it has begun one, those that begin so.
    ///
    /// # Errors
    /// If rules from outside do not work.
    pub fn legal(&mut self, seat: Seat) -> Result<Vec<String>, BrokenRules> {
        let mut legal = self.session.legal_of(seat)?;
        if let (false, Some(learning)) = (self.begun.is_empty(), self.rules.learning()) {
            legal.retain(|text| goes_on(learning, &self.begun, text));
        }
        Ok(legal)
    }

    /// Appends the legal actions of a seat; none if moves have no numbers.
    ///
    /// # Errors
    /// If rules from outside do not work.
    pub fn list_actions(&mut self, seat: Seat, actions: &mut Vec<i64>) -> Result<(), BrokenRules> {
        let Some(learning) = self.rules.learning() else {
            return Ok(());
        };
        learning.list_actions(&mut *self.session, seat, &self.begun, actions)
    }

    /// A legal action of the seat that acts alone, all equally likely, by a generator of the game's own
    /// that its seed decides; `None` if no seat acts alone, or moves have no numbers.
    ///
    /// # Errors
    /// If rules from outside do not work.
    pub fn random_action(&mut self) -> Result<Option<u32>, BrokenRules> {
        let (Some(seat), Some(learning)) = (self.to_move().alone(), self.rules.learning()) else {
            return Ok(None);
        };
        let seed = self.seed;
        let new = || Box::new(Rng::from_parts(&[seed, ACTIONS]));
        let rng = self.rng.get_or_insert_with(new);
        learning.random_action(&mut *self.session, seat, &self.begun, rng)
    }

    /// Plays an action of the seat that acts alone.
    ///
    /// # Errors
    /// If it is not legal, or rules from outside do not work; nothing has changed then.
    pub fn play_action(&mut self, action: u32) -> Result<(), PlayError> {
        let learning = self.rules.learning().ok_or(PlayError::NoNumbers)?;
        let to_move = self.session.to_move();
        if to_move.is_over() {
            return Err(PlayError::Over);
        }
        if to_move.count() > 1 {
            return Err(PlayError::Together(to_move.count()));
        }
        let (before, begun) = (self.session.played(), self.begun.clone());
        learning.play(&mut *self.session, &mut self.begun, action)?;
        self.complete(before, begun)
    }

    /// Plays a step: the moves of all seats that act, in ascending order.
    ///
    /// # Errors
    /// If one of them is not legal, or rules from outside do not work; nothing has changed then.
    pub fn play(&mut self, moves: &[&str]) -> Result<(), PlayError> {
        if let (&[action], false, Some(learning)) =
            (moves, self.begun.is_empty(), self.rules.learning())
            && !goes_on(learning, &self.begun, action)
        {
            let texts = self.begun.iter().filter_map(|&part| learning.text(part));
            return Err(PlayError::NotAsBegun {
                text: shown(action),
                begun: texts.collect::<Vec<_>>().join(", "),
            });
        }
        let mut moves: Vec<String> = moves.iter().map(|text| (*text).to_owned()).collect();
        let to_move = self.session.to_move();
        if to_move.has_chance() && to_move.count() > 1 {
            moves.extend(self.drawn());
        }
        let (before, begun) = (self.session.played(), std::mem::take(&mut self.begun));
        let played = self.session.play_step(&as_strs(&moves));
        if let Err(error) = played {
            self.begun = begun;
            return Err(error.into());
        }
        self.complete(before, begun)
    }

    /// Takes the last action or move back, with all draws that followed it.
    ///
    /// # Errors
    /// If there is none, or rules from outside do not work.
    pub fn undo(&mut self) -> Result<(), UndoError> {
        let Some(taken) = self.history.last() else {
            return Err(UndoError::TooMany {
                count: 1,
                played: 0,
            });
        };
        self.session.undo(taken.steps)?;
        self.begun.clone_from(&taken.begun);
        self.history.pop();
        Ok(())
    }

    /// Writes what a seat sees; see [`Learning::observe`].
    pub fn observe(&self, seat: Seat, values: &mut [f32]) {
        if let Some(learning) = self.rules.learning() {
            learning.observe(&*self.session, &self.begun, seat, values);
        }
    }

    /// Draws what chance does after a step, and notes how to take all of it back.
    fn complete(&mut self, before: usize, begun: Vec<u32>) -> Result<(), PlayError> {
        let drawn = self.draw_chance();
        let steps = self.session.played() - before;
        self.history.push(Taken { steps, begun });
        Ok(drawn?)
    }

    fn drawn(&self) -> Option<String> {
        let ply = u64::from(self.session.ply());
        let mut rng = Rng::from_parts(&[self.seed, CHANCE, ply]);
        draw(self.session.chances(), &mut rng)
    }

    fn draw_chance(&mut self) -> Result<(), BrokenRules> {
        while self.session.to_move() == ToMove::CHANCE {
            let outcome = self.drawn().unwrap_or_default();
            self.session.play(&outcome).map_err(|error| match error {
                MoveError::Broken(broken) => broken,
                other => BrokenRules::new(format!("the rules refuse what chance drew: {other}")),
            })?;
        }
        Ok(())
    }
}

/// True if a move begins with these actions.
fn goes_on(learning: &dyn Learning, begun: &[u32], text: &str) -> bool {
    learning
        .parts(text)
        .is_ok_and(|parts| parts.starts_with(begun))
}

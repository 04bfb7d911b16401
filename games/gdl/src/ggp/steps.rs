//! A game as the steps of its sheet: every role moves in each of them, and those in which nobody has a
//! choice count as well.

use std::sync::Arc;

use games::session::LoadError;
use games::{BrokenRules, Rules, Seat, StateError};
use serde_json::Value;
use thiserror::Error;

use crate::engine::Engine;
use crate::interpreter::Interpreter;
use crate::network::Network;
use crate::play::rules::GdlRules;
use crate::play::shared::{SharedRules, texts};
use crate::read::canonical;

/// A position of a game in GDL, and the steps from there.
///
/// ```
/// let sheet = "(role me) (init (left 2)) (legal me (take 1)) (<= (next (left 1)) (true (left 2)))
///     (<= terminal (not (true (left 2)))) (goal me 100)";
/// let names = gdl::Names { id: "take", own_id: "take" };
/// let game = gdl::SheetGame::new(&names, sheet).unwrap();
/// let mut steps = gdl::Steps::of(&*game.rules).unwrap().unwrap();
/// assert_eq!(steps.legal(0), ["(take 1)"]);
/// steps.make(&["(TAKE 1)"]).unwrap();
/// assert!(steps.is_over());
/// ```
pub struct Steps(Box<dyn Follow>);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StepError {
    /// It does not have a move for each role.
    #[error("a step has {roles} moves, one of each role, not {given}")]
    Count { roles: usize, given: usize },
    /// A move that is not legal.
    #[error("`{mv}` is no legal move of the role `{role}`")]
    Illegal { role: String, mv: String },
    /// The sheet does not work.
    #[error(transparent)]
    Broken(#[from] BrokenRules),
}

impl Steps {
    /// The game from its first step on; `None` if its rules are not a sheet.
    pub fn of(rules: &dyn Rules) -> Option<Result<Self, BrokenRules>> {
        Self::from(rules, |rules| rules.start())
    }

    /// The game from the position on that a state describes; `None` if its rules are not a sheet.
    pub fn at(rules: &dyn Rules, state: &Value) -> Option<Result<Self, LoadError>> {
        Self::from(rules, |rules| rules.load(state))
    }

    fn from<E>(
        rules: &dyn Rules,
        begin: impl Fn(&dyn Begin) -> Result<Box<dyn Follow>, E>,
    ) -> Option<Result<Self, E>> {
        let rules = rules.as_any();
        let begun = if let Some(rules) = rules.downcast_ref::<GdlRules<Network>>() {
            begin(&rules.shared)
        } else {
            begin(&rules.downcast_ref::<GdlRules<Interpreter>>()?.shared)
        };
        Some(begun.map(Steps))
    }

    /// The names of the roles, in the order of the moves of a step; `random` is one of them.
    pub fn roles(&self) -> &[String] {
        self.0.roles()
    }

    pub fn role(&self, seat: Seat) -> usize {
        self.0.role(seat)
    }

    pub fn random(&self) -> Option<usize> {
        self.0.random()
    }

    /// True if the sheet defines percepts, so that seats do not know everything.
    pub fn is_hidden(&self) -> bool {
        self.0.is_hidden()
    }

    pub fn is_over(&self) -> bool {
        self.0.is_over()
    }

    pub fn count(&self, role: usize) -> usize {
        self.0.count(role)
    }

    /// The legal moves of a role, sorted.
    pub fn legal(&self, role: usize) -> Vec<String> {
        self.0.legal(role)
    }

    /// The legal move of a role that a text means, as the sheet spells it.
    pub fn find(&self, role: usize, text: &str) -> Option<String> {
        self.0.find(role, text)
    }

    /// The facts that are true, sorted.
    pub fn facts(&self) -> Vec<String> {
        self.0.facts()
    }

    /// The goal of a role, if it has one.
    ///
    /// # Errors
    /// If the sheet does not work.
    pub fn goal(&self, role: usize) -> Result<Option<i64>, BrokenRules> {
        self.0.goal(role)
    }

    /// Makes a step, given a move of each role. Returns the percepts of each role.
    ///
    /// # Errors
    /// If a move is not legal, or the sheet does not work.
    pub fn make(&mut self, moves: &[impl AsRef<str>]) -> Result<Vec<Vec<String>>, StepError> {
        let moves: Vec<&str> = moves.iter().map(AsRef::as_ref).collect();
        self.0.make(&moves)
    }
}

impl Clone for Steps {
    fn clone(&self) -> Self {
        Steps(self.0.fork())
    }
}

/// Sets up the initial position.
trait Begin {
    fn start(&self) -> Result<Box<dyn Follow>, BrokenRules>;
    fn load(&self, state: &Value) -> Result<Box<dyn Follow>, LoadError>;
}

impl<E: Engine> Begin for Arc<SharedRules<E>> {
    fn start(&self) -> Result<Box<dyn Follow>, BrokenRules> {
        let position = self.play.engine.start();
        Ok(Box::new(Following {
            position: position.map_err(|failure| self.play.failed(&failure))?,
            rules: self.clone(),
        }))
    }

    fn load(&self, state: &Value) -> Result<Box<dyn Follow>, LoadError> {
        let facts = texts(state.get("facts"), "facts")?;
        let loaded = self.play.engine.load(&facts);
        let position = loaded.map_err(|failure| StateError::new("facts", failure.to_string()))?;
        Ok(Box::new(Following {
            position,
            rules: self.clone(),
        }))
    }
}

/// [`Steps`] by an engine of any kind.
trait Follow: Send + Sync {
    fn roles(&self) -> &[String];
    fn role(&self, seat: Seat) -> usize;
    fn random(&self) -> Option<usize>;
    fn is_hidden(&self) -> bool;
    fn is_over(&self) -> bool;
    fn count(&self, role: usize) -> usize;
    fn legal(&self, role: usize) -> Vec<String>;
    fn find(&self, role: usize, text: &str) -> Option<String>;
    fn facts(&self) -> Vec<String>;
    fn goal(&self, role: usize) -> Result<Option<i64>, BrokenRules>;
    fn make(&mut self, moves: &[&str]) -> Result<Vec<Vec<String>>, StepError>;
    fn fork(&self) -> Box<dyn Follow>;
}

struct Following<E: Engine> {
    rules: Arc<SharedRules<E>>,
    position: E::Position,
}

impl<E: Engine> Following<E> {
    fn numbers(&self, role: usize) -> Vec<u32> {
        let mut moves = Vec::new();
        self.rules
            .play
            .engine
            .legal(&self.position, role, &mut moves);
        moves
    }

    /// The number of a legal move.
    fn number(&self, role: usize, text: &str) -> Option<u32> {
        let text = canonical(text)?;
        let found = self.rules.play.engine.find(&self.position, role, &text)?;
        self.numbers(role).contains(&found).then_some(found)
    }

    fn text(&self, role: usize, mv: u32) -> String {
        let text = self.rules.play.engine.text(&self.position, role, mv);
        text.to_owned()
    }
}

impl<E: Engine> Follow for Following<E> {
    fn roles(&self) -> &[String] {
        self.rules.play.engine.roles()
    }

    fn role(&self, seat: Seat) -> usize {
        self.rules.play.seats[seat]
    }

    fn random(&self) -> Option<usize> {
        self.rules.play.random
    }

    fn is_hidden(&self) -> bool {
        self.rules.play.hidden
    }

    fn is_over(&self) -> bool {
        self.rules.play.engine.is_over(&self.position)
    }

    fn count(&self, role: usize) -> usize {
        self.rules.play.engine.count_legal(&self.position, role)
    }

    fn legal(&self, role: usize) -> Vec<String> {
        let numbers = self.numbers(role).into_iter();
        numbers.map(|mv| self.text(role, mv)).collect()
    }

    fn find(&self, role: usize, text: &str) -> Option<String> {
        Some(self.text(role, self.number(role, text)?))
    }

    fn facts(&self) -> Vec<String> {
        self.rules.play.engine.facts(&self.position)
    }

    fn goal(&self, role: usize) -> Result<Option<i64>, BrokenRules> {
        let play = &self.rules.play;
        let mut goal = None;
        let take = &mut |found| goal = found;
        let evaluated = play.engine.each_goal(&self.position, &[role], take);
        evaluated.map_err(|failure| play.failed(&failure))?;
        Ok(goal)
    }

    fn make(&mut self, moves: &[&str]) -> Result<Vec<Vec<String>>, StepError> {
        let (roles, given) = (self.roles().len(), moves.len());
        if given != roles {
            return Err(StepError::Count { roles, given });
        }
        let numbers = moves.iter().enumerate().map(|(role, mv)| {
            self.number(role, mv).ok_or_else(|| StepError::Illegal {
                role: self.roles()[role].clone(),
                mv: games::kit::text::shown(mv),
            })
        });
        let joint: Vec<u32> = numbers.collect::<Result<_, _>>()?;
        let mut percepts = vec![Vec::new(); roles];
        let play = &self.rules.play;
        let wanted = play.hidden.then_some(&mut percepts);
        let made = play.engine.step(&mut self.position, &joint, wanted);
        made.map_err(|failure| play.failed(&failure))?;
        Ok(percepts)
    }

    fn fork(&self) -> Box<dyn Follow> {
        Box::new(Following {
            rules: self.rules.clone(),
            position: self.position.clone(),
        })
    }
}

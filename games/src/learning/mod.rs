//! Positions and moves as numbers, for programs that learn: every move of a game has a number that never
//! changes, and a position is an array of planes.
//!
//! A game of [`crate::rules`] says by [`Learnable`] what its numbers mean. Callers that do not know which
//! game they hold use [`Learning`], which [`Rules::learning`](crate::Rules::learning) returns, and play
//! by numbers with a [`NumberedGame`].

mod numbered_game;
mod planes;
mod texts;
mod typed;

use thiserror::Error;

use crate::game::{Game, ParseError};
use crate::kit::outcome::Seat;
use crate::kit::rng::Rng;
use crate::kit::text::shown;
use crate::session::{BrokenRules, MoveError, Session};

pub use numbered_game::NumberedGame;
pub use planes::{Planes, Shape, Writer};
pub use texts::ListedMoves;
pub(crate) use typed::TypedLearning;

/// The text of the action that ends a move of several actions.
pub const STOP: &str = "stop";

/// A game whose moves have numbers, and whose positions are arrays.
pub trait Learnable: Game {
    /// True if some moves are several actions in a row; see [`Learnable::parts`].
    const IN_PARTS: bool = false;

    /// Every move that a position under these options can have, each once, in an order that must never
    /// change: the place of a move here is the number of its action. Of moves in parts, the parts.
    fn every_move(&self) -> Vec<Self::Move>;

    /// A place for each move of [`Learnable::every_move`] in two tables, whose entries add up to its
    /// number. The second one is for moves that are numbered group by group, all groups with the same
    /// second place in the same order; else it is 0.
    fn places(mv: Self::Move) -> [usize; 2];

    /// Calls `take` with each legal move of a game that goes on. `scratch` is for games that list them.
    fn each_legal(
        &self,
        position: &Self::Position,
        scratch: &mut Vec<Self::Move>,
        take: impl FnMut(Self::Move),
    ) {
        self.legal(position, scratch);
        scratch.iter().copied().for_each(take);
    }

    /// Appends the moves of [`Learnable::every_move`] that a move consists of.
    fn parts(&self, mv: Self::Move, parts: &mut Vec<Self::Move>) {
        parts.push(mv);
    }

    /// The planes of an observation.
    fn planes(&self) -> Planes;

    /// Writes all planes in order: the position as `seat` sees it. `begun` are the parts of the move that
    /// the seat to move has begun.
    fn observe(
        &self,
        position: &Self::Position,
        begun: &[Self::Move],
        seat: Seat,
        planes: &mut Writer<'_>,
    );
}

/// The number of a move cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ActionError {
    /// The text is no move of the game.
    #[error(transparent)]
    Unknown(#[from] ParseError),
    /// The text is no move of rules from outside.
    #[error("`{0}` is not one of the moves that the rules list")]
    Unlisted(String),
    /// The move is several actions in a row.
    #[error("`{text}` is {parts} actions in a row: {}", .actions.join(", "))]
    Several {
        /// The move.
        text: String,
        /// The number of actions.
        parts: usize,
        /// Their texts.
        actions: Vec<String>,
    },
}

impl ActionError {
    fn unlisted(text: &str) -> Self {
        ActionError::Unlisted(shown(text))
    }
}

/// An action that cannot be played.
#[derive(Debug, Error)]
pub enum PlayError {
    /// There is no action with this number.
    #[error("there is no action {action}: they go from 0 to {}", .actions - 1)]
    NoAction {
        /// The number.
        action: u64,
        /// The number of actions.
        actions: usize,
    },
    /// The action is not legal now.
    #[error("action {action}, `{text}`, is not one of the {legal} that are legal here")]
    Illegal {
        /// The number.
        action: u32,
        /// Its text.
        text: String,
        /// The number of legal actions.
        legal: u64,
    },
    /// A move of a text is not legal, or the rules do not work.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// A move that does not begin with the actions that were played.
    #[error("`{text}` does not go on as the move was begun, with {begun}")]
    NotAsBegun {
        /// The move, cut and escaped for a terminal.
        text: String,
        /// The texts of the actions.
        begun: String,
    },
    /// Actions without a seat where several act at once.
    #[error("{0} seats act at once: their moves are played together")]
    Together(usize),
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// A number where moves have none.
    #[error("the moves of this game have no numbers")]
    NoNumbers,
}

impl From<BrokenRules> for PlayError {
    fn from(broken: BrokenRules) -> Self {
        PlayError::Move(broken.into())
    }
}

/// The numbers of some rules under fixed options. Sessions must be those of the same rules.
pub trait Learning: Send + Sync {
    /// The number of actions; their numbers begin with 0.
    fn actions(&self) -> usize;

    /// The text of an action: that of a move or of a part of one. `None` if there is no such action.
    fn text(&self, action: u32) -> Option<String>;

    /// The numbers of the actions that a move consists of, nearly always a single one.
    ///
    /// # Errors
    /// If the text is no move.
    fn parts(&self, text: &str) -> Result<Vec<u32>, ActionError>;

    /// The number of a move's single action, or of a part of a move.
    ///
    /// # Errors
    /// If the text is no move, or one of several actions.
    fn action(&self, text: &str) -> Result<u32, ActionError> {
        let parts = self.parts(text)?;
        if let [action] = parts[..] {
            return Ok(action);
        }
        let actions = parts.iter().filter_map(|&action| self.text(action));
        Err(ActionError::Several {
            text: shown(text),
            parts: parts.len(),
            actions: actions.collect(),
        })
    }

    /// Appends the legal actions of a seat, given those of its move that it has begun. A seat that acts
    /// has at least one.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn list_actions(
        &self,
        session: &mut dyn Session,
        seat: Seat,
        begun: &[u32],
        actions: &mut Vec<i64>,
    ) -> Result<(), BrokenRules>;

    /// A legal action of a seat, all equally likely; `None` if the seat does not act. Listing all of them
    /// may take longer.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn random_action(
        &self,
        session: &mut dyn Session,
        seat: Seat,
        begun: &[u32],
        rng: &mut Rng,
    ) -> Result<Option<u32>, BrokenRules> {
        let mut actions = Vec::new();
        self.list_actions(session, seat, begun, &mut actions)?;
        Ok((!actions.is_empty()).then(|| actions[rng.index(actions.len())] as u32))
    }

    /// Plays an action of the seat that acts alone. If that completes a move, the session makes it and
    /// `begun` is empty afterwards; otherwise the action is added to `begun`.
    ///
    /// # Errors
    /// If the action is not legal, or rules from outside do not work; nothing has changed then.
    fn play(
        &self,
        session: &mut dyn Session,
        begun: &mut Vec<u32>,
        action: u32,
    ) -> Result<(), PlayError>;

    /// The planes of an observation; `None` for rules that have none.
    fn planes(&self) -> Option<&Planes>;

    /// Writes what a seat sees into `values`, which has the length of [`Planes::len`]. Does nothing for
    /// rules without planes.
    fn observe(&self, session: &dyn Session, begun: &[u32], seat: Seat, values: &mut [f32]);
}

//! Errors of sessions: impossible requests, and rules that do not work.

use thiserror::Error;

use crate::budget::Spent;
use crate::game::ParseError;
use crate::kit::outcome::Seat;
use crate::kit::state::StateError;
use crate::kit::text::shown;
use crate::kit::to_move::ToMove;

/// Rules from outside that do not work, in a sentence that names them. Nobody at the table is to blame.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{sentence}")]
pub struct BrokenRules {
    sentence: Box<str>,
    spent: Option<Spent>,
}

impl BrokenRules {
    /// The failure that this sentence describes.
    pub fn new(sentence: impl Into<Box<str>>) -> Self {
        BrokenRules {
            sentence: sentence.into(),
            spent: None,
        }
    }

    /// A computation that was stopped, because a [`Budget`](crate::budget::Budget) was spent.
    pub fn given_up(sentence: impl Into<Box<str>>, spent: Spent) -> Self {
        BrokenRules {
            sentence: sentence.into(),
            spent: Some(spent),
        }
    }

    /// True if the rules may be fine, but did not have the time that they need.
    pub fn is_given_up(&self) -> bool {
        self.spent.is_some()
    }
}

/// A state that cannot be played on from.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoadError {
    /// It breaks the rules of the game.
    #[error(transparent)]
    State(#[from] StateError),
    /// The rules come from outside and do not work.
    #[error(transparent)]
    Broken(#[from] BrokenRules),
}

/// A move that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MoveError {
    /// The text is not a move in any position.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The move is not legal in this position.
    #[error("`{text}` is not legal here for {role} (seat {seat}), who has {legal} legal moves")]
    Illegal {
        /// The move as it was given.
        text: String,
        /// The seat to move.
        seat: Seat,
        /// The name of that seat.
        role: String,
        /// The number of legal moves.
        legal: u64,
    },
    /// Chance cannot bring this.
    #[error("`{text}` is not among the {outcomes} outcomes of chance here")]
    NoOutcome {
        /// The outcome as it was given, cut and escaped for a terminal.
        text: String,
        /// The number of outcomes.
        outcomes: usize,
    },
    /// More or fewer choices were given than are to be made.
    #[error("the number of moves in this step is {expected} ({to_move}), not {given}")]
    Count {
        /// The actors.
        to_move: ToMove,
        /// Their number.
        expected: usize,
        /// The number of choices given.
        given: usize,
    },
    /// The game is over.
    #[error("`{text}` cannot be played: the game is over")]
    Over {
        /// The move as it was given, cut and escaped for a terminal.
        text: String,
    },
    /// The rules come from outside and do not work.
    #[error(transparent)]
    Broken(#[from] BrokenRules),
}

/// Moves that are not taken back.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UndoError {
    /// More than were played.
    #[error(
        "{count} moves cannot be taken back: {played} were played since the position was set up"
    )]
    TooMany {
        /// The number of moves to take back.
        count: usize,
        /// The number of moves that were played.
        played: usize,
    },
    /// The rules come from outside and do not work.
    #[error(transparent)]
    Broken(#[from] BrokenRules),
}

impl UndoError {
    /// The number of steps that remain after `count` of `played` are taken back.
    ///
    /// # Errors
    /// If fewer were played.
    pub fn remaining(played: usize, count: usize) -> Result<usize, UndoError> {
        let remaining = played.checked_sub(count);
        remaining.ok_or(UndoError::TooMany { count, played })
    }
}

/// The error of a step with a wrong number of choices.
pub fn wrong_count(to_move: ToMove, choices: &[&str]) -> MoveError {
    if to_move.is_over() {
        let text = choices.first().copied().unwrap_or_default();
        return MoveError::Over { text: shown(text) };
    }
    MoveError::Count {
        to_move,
        expected: to_move.count(),
        given: choices.len(),
    }
}

//! The ways in which a recorded match can be wrong.

use games::{BrokenRules, UnknownGame};
use thiserror::Error;

use super::adjudicated::Refused;

/// A mismatch in a recorded match.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Mismatch {
    /// No game has this id.
    #[error(transparent)]
    UnknownGame(#[from] UnknownGame),
    /// The game does not take these options.
    #[error("{0}")]
    Options(String),
    /// The rules are not those that the match was played by.
    #[error(
        "it was played by {recorded}, but here are {now}; `--rules` names rules to check it by all the same"
    )]
    OtherRules {
        /// The hash of the recorded ones, in words.
        recorded: String,
        /// The hash of those that are there.
        now: String,
    },
    /// The start is not a position of the game.
    #[error("start: {0}")]
    Start(String),
    /// The number of players is not that of seats.
    #[error("{players} players for {seats} seats")]
    Players {
        players: usize,
        /// Of the game.
        seats: usize,
    },
    /// The opening is longer than the match.
    #[error("an opening of {opening} plies, but only {moves} moves")]
    Opening { opening: u32, moves: usize },
    /// The opening has plies that a bot took time for.
    #[error("the opening is recorded with plies that took time, so the referee did not make them")]
    Timed,
    /// A move that is not legal.
    #[error("move {number}: {error}")]
    Move {
        /// Which one, from 1.
        number: usize,
        error: String,
    },
    /// A move of a seat that was not to move.
    #[error("move {number}: recorded for {recorded}, but {to_move} was to move")]
    Seat {
        /// Which one, from 1.
        number: usize,
        recorded: String,
        to_move: String,
    },
    /// Chance does not bring this.
    #[error(
        "move {number}: chance is recorded to bring `{recorded}`, but the match's {} brings `{drawn}`",
        if *dealt { "deal" } else { "seed" }
    )]
    Chance {
        /// Which one, from 1.
        number: usize,
        recorded: String,
        /// By the seed or the deal.
        drawn: String,
        /// True if it is dealt from a secret.
        dealt: bool,
    },
    /// It was dealt from another secret.
    #[error(
        "`deal` is recorded as {recorded}, but the secret that is there has the SHA-256 {known}"
    )]
    Deal {
        /// In the log.
        recorded: String,
        /// The hash of the secret.
        known: String,
    },
    /// The start differs from the deal.
    #[error("`start` is not what is dealt from the secret")]
    DealtStart,
    /// The last step lacks the moves of some seats.
    #[error("the moves end in the middle of a step")]
    HalfStep,
    /// Moves after the end.
    #[error("move {number}: the match was over by `{reason}` before it")]
    AfterEnd {
        /// Which one, from 1.
        number: usize,
        /// The reason of the end.
        reason: String,
    },
    /// No end is reached.
    #[error("the moves do not lead to an end, but the result's reason is `{reason}`")]
    NoEnd { reason: String },
    /// A part that is not the one of the rules.
    #[error("`{field}` is recorded as {recorded}, but is {actual}")]
    Result {
        /// Which part.
        field: String,
        recorded: String,
        actual: String,
    },
    /// A rules program failed.
    #[error(transparent)]
    Broken(#[from] BrokenRules),
    /// An adjudication that does not follow from the match.
    #[error("adjudication at ply {ply}: {reason}")]
    Adjudication { ply: u32, reason: String },
    /// A fault that cannot have happened there.
    #[error("fault of seat {seat}: {reason}")]
    Fault { seat: usize, reason: String },
}

impl From<Refused> for Mismatch {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Wrong { ply, reason } => Mismatch::Adjudication { ply, reason },
            Refused::Broken(broken) => Mismatch::Broken(broken),
        }
    }
}

//! The trait that every game implements, and what it says about itself.

use std::fmt::Debug;
use std::hash::Hash;

use arrayvec::ArrayVec;
use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use crate::options::{OptionError, OptionSpec, Options};
use crate::rng::Rng;
use crate::state::StateError;
use crate::view::View;

/// No game has more seats than this.
pub const MAX_SEATS: usize = 4;

/// A player's place at the table; seat 0 moves first.
pub type Seat = usize;

/// Points, one entry a seat.
pub type Scores = ArrayVec<i32, MAX_SEATS>;

/// Results in [0, 1], one entry a seat: (seats beaten + half the seats tied with) / (seats − 1).
pub type Outcome = ArrayVec<f64, MAX_SEATS>;

/// What a game says about itself.
#[derive(Debug)]
pub struct Info {
    /// The name in configurations, messages and logs.
    pub id: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// One sentence: what one does and how one wins.
    pub summary: &'static str,
    /// The seats' names in seat order, for the largest number of seats.
    pub roles: &'static [&'static str],
    /// Whether all seats play by the same rules with the same means.
    pub symmetric: bool,
    /// Every option, with its default and its range.
    pub options: &'static [OptionSpec],
    /// How moves are written: pairs of a form and its meaning.
    pub notation: &'static [(&'static str, &'static str)],
    /// The limits that a match has unless it sets its own.
    pub limits: Limits,
}

/// When the referee stops a match that does not end by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// The match ends when this many plies were made.
    pub max_plies: Option<u32>,
    /// The match ends when one position is there for this many times.
    pub repetition: Option<u32>,
}

impl Limits {
    /// For games that always end by themselves.
    pub const NONE: Limits = Limits {
        max_plies: None,
        repetition: None,
    };
}

/// The text is not a move of this game in any position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is not a move: {allowed}")]
pub struct ParseError {
    /// The text that was read.
    pub text: String,
    /// What a move looks like in this game.
    pub allowed: String,
}

impl ParseError {
    /// An error for a game with these forms of moves.
    pub fn new(info: &Info, text: &str) -> Self {
        let forms: Vec<&str> = info.notation.iter().map(|(form, _)| *form).collect();
        ParseError {
            text: shown(text),
            allowed: format!("{} moves look like {}", info.id, forms.join(", ")),
        }
    }
}

/// The move is not legal in this position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the move is not legal in this position")]
pub struct IllegalMove;

/// The beginning of a text that is no move, fit to be shown in a terminal. Moves are plain ASCII:
/// whatever is not is escaped.
pub(crate) fn shown(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars().take(40) {
        match c {
            ' '..='~' => shown.push(c),
            _ => shown.extend(c.escape_unicode()),
        }
    }
    shown
}

/// The rules of one game under fixed options.
///
/// `Self` holds the options and tables; a [`Game::Position`] is plain data that is copied to
/// take a move back. Methods that take a position expect one that this very value made.
pub trait Game: Sized + Send + Sync + 'static {
    /// A position, seat to move, ply and scores included.
    type Position: Copy + Eq + Debug + Send + Sync + 'static;
    /// A move. It carries all that is needed to play it and to write it.
    type Move: Copy + Eq + Hash + Debug + Send + Sync + 'static;

    /// The game's description.
    const INFO: Info;

    /// The rules under these options.
    ///
    /// # Errors
    /// If options that are fine by themselves do not go together.
    fn new(options: &Options) -> Result<Self, OptionError>;

    /// How many seats play.
    fn seats(&self) -> usize {
        Self::INFO.roles.len()
    }

    /// The start of a game. Games with a fixed start ignore the generator.
    fn start(&self, rng: &mut Rng) -> Self::Position;

    /// Reads a state. A seat to move that cannot move is settled at once.
    ///
    /// # Errors
    /// If the state breaks the rules, with the field that does.
    fn load(&self, state: &Value) -> Result<Self::Position, StateError>;

    /// Writes the state, so that [`Game::load`] gives an equal position.
    fn save(&self, position: &Self::Position) -> Value;

    /// The seat to act, which always has a legal move; `None` when the game is over.
    fn to_move(&self, position: &Self::Position) -> Option<Seat>;

    /// How many moves were made since the start.
    fn ply(&self, position: &Self::Position) -> u32;

    /// Points so far.
    fn scores(&self, position: &Self::Position) -> Scores;

    /// What the scores of this position are worth, finished or stopped by a limit.
    fn outcome(&self, position: &Self::Position) -> Outcome {
        rank(&self.scores(position))
    }

    /// What ended the game; `None` while it goes on.
    fn reason(&self, position: &Self::Position) -> Option<&'static str>;

    /// Replaces the contents of `moves` by all legal moves; empty only when the game is over.
    fn legal(&self, position: &Self::Position, moves: &mut Vec<Self::Move>);

    /// How many legal moves there are.
    fn count_legal(&self, position: &Self::Position) -> u64 {
        let mut moves = Vec::new();
        self.legal(position, &mut moves);
        moves.len() as u64
    }

    /// One legal move, each equally likely. `scratch` saves allocations for games that have to
    /// list their moves; what it holds does not matter.
    ///
    /// # Panics
    /// If the game is over.
    fn random_move(
        &self,
        position: &Self::Position,
        rng: &mut Rng,
        scratch: &mut Vec<Self::Move>,
    ) -> Self::Move {
        self.legal(position, scratch);
        scratch[rng.index(scratch.len())]
    }

    /// Whether a move, however it was made, is legal here.
    fn is_legal(&self, position: &Self::Position, mv: Self::Move) -> bool;

    /// Plays a move if it is legal.
    ///
    /// # Errors
    /// If the move is not legal or the game is over; the position is then as it was.
    fn play(&self, position: &mut Self::Position, mv: Self::Move) -> Result<(), IllegalMove> {
        if self.to_move(position).is_none() || !self.is_legal(position, mv) {
            return Err(IllegalMove);
        }
        self.play_unchecked(position, mv);
        Ok(())
    }

    /// Plays a move that is known to be legal, as those of [`Game::legal`] and
    /// [`Game::random_move`] are. Searches use this; [`Game::play`] is for moves from outside.
    ///
    /// # Panics
    /// May panic if the move is not legal. If it does not, the position is meaningless afterwards.
    fn play_unchecked(&self, position: &mut Self::Position, mv: Self::Move);

    /// Reads a move, legal or not.
    ///
    /// # Errors
    /// If no position of this game under these options could have such a move.
    fn parse_move(&self, text: &str) -> Result<Self::Move, ParseError>;

    /// Appends the move's text.
    fn write_move(&self, mv: Self::Move, out: &mut String);

    /// A hash of all that matters for how play goes on (not `ply` and scores, unless the rules
    /// need them), kept up to date by [`Game::play_unchecked`].
    fn key(&self, position: &Self::Position) -> u64;

    /// Appends a text that is equal exactly for positions from which play goes on equally.
    fn write_identity(&self, position: &Self::Position, out: &mut String);

    /// The board, for drawing.
    fn view(&self, position: &Self::Position) -> View;

    /// The name of a seat.
    fn role(&self, seat: Seat) -> &'static str {
        Self::INFO.roles[seat]
    }
}

/// The outcome of scores where more is better and equal is a tie.
///
/// ```
/// assert_eq!(games::rank(&[3, 1, 3]).as_slice(), [0.75, 0.0, 0.75]);
/// ```
pub fn rank(scores: &[i32]) -> Outcome {
    let others = (scores.len().max(2) - 1) as f64;
    scores
        .iter()
        .map(|mine| {
            let beaten = scores.iter().filter(|s| *s < mine).count() as f64;
            let tied = scores.iter().filter(|s| *s == mine).count() as f64 - 1.0;
            (beaten + tied / 2.0) / others
        })
        .collect()
}

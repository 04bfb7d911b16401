//! The trait that every game implements.

use std::fmt::Debug;
use std::hash::Hash;

use serde_json::Value;
use thiserror::Error;

use crate::kit::info::{Info, StaticInfo};
use crate::kit::options::{OptionError, Options};
use crate::kit::outcome::{Outcome, Scores, Seat, rank};
use crate::kit::rng::Rng;
use crate::kit::solving::{CellSets, Solvable};
use crate::kit::state::StateError;
use crate::kit::text::shown;
use crate::kit::view::View;
use crate::settlement::Budget;

/// A text that is not a move of this game in any position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is not a move: {allowed}")]
pub struct ParseError {
    /// The text, cut and escaped for a terminal.
    pub text: String,
    /// A move of this game.
    pub allowed: String,
}

impl ParseError {
    /// The error about a text, with the forms of moves that the game has.
    pub fn new(info: &StaticInfo, text: &str) -> Self {
        let forms: Vec<&str> = info.notation.iter().map(|(form, _)| *form).collect();
        let looks_right = forms.iter().find(|form| shape(form) == shape(text));
        let allowed = match looks_right {
            Some(form) => format!("it is written like {form}, but not all of it is on this board"),
            None => format!("{} moves look like {}", info.id, forms.join(", ")),
        };
        ParseError {
            text: shown(text),
            allowed,
        }
    }
}

/// A move with all letters and all numbers made the same: that of every move of one form.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    for c in text.chars() {
        let c = match c {
            'a'..='z' => 'a',
            '0'..='9' => '1',
            c => c,
        };
        if c != '1' || !shape.ends_with('1') {
            shape.push(c);
        }
    }
    shape
}

/// A move that is not legal in the position; see [`Game::play`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the move is not legal in this position")]
pub struct IllegalMove;

/// The rules of one game under fixed options.
///
/// `Self` holds the options and tables. A [`Game::Position`] is plain data, so a copy of it is enough
/// to take a move back. Methods that take a position expect one that this very value made.
pub trait Game: Sized + Send + Sync + 'static {
    /// A position, including the seat to move, the ply and the scores.
    type Position: Copy + Eq + Debug + Send + Sync + 'static;
    /// A move, with all that is needed to play it and to write it.
    type Move: Copy + Eq + Hash + Debug + Send + Sync + 'static;

    /// The game's description.
    const INFO: StaticInfo;

    /// The rules for people, as Markdown: how the game is played, with an example of every kind of
    /// move and of the state. Empty for a game that has none, which the registry does not take.
    const GUIDE: &'static str = "";

    /// True if [`Game::settled`] ever proves anything.
    const SETTLES: bool = false;

    /// False for options that another type of the registry plays under the same id.
    fn fits(_options: &Options) -> bool {
        true
    }

    /// The rules under these options.
    ///
    /// # Errors
    /// If options that are each valid contradict each other.
    fn new(options: &Options) -> Result<Self, OptionError>;

    /// The number of seats.
    fn seats(&self) -> usize {
        Self::INFO.roles.len()
    }

    /// The position at the start. Games with a fixed start ignore the generator.
    fn start(&self, rng: &mut Rng) -> Self::Position;

    /// Reads a state. If the seat to move has no move, the turn passes on or the game ends, as the rules
    /// say.
    ///
    /// # Errors
    /// If the state breaks the rules; the error names the field.
    fn load(&self, state: &Value) -> Result<Self::Position, StateError>;

    /// Writes the state; [`Game::load`] reads it as an equal position.
    fn save(&self, position: &Self::Position) -> Value;

    /// The seat to move, which always has a legal move; `None` when the game is over.
    fn to_move(&self, position: &Self::Position) -> Option<Seat>;

    /// The number of moves since the start.
    fn ply(&self, position: &Self::Position) -> u32;

    /// The points so far, one entry a seat.
    fn scores(&self, position: &Self::Position) -> Scores;

    /// The outcome if play ends in this position, by the rules or by a limit.
    fn outcome(&self, position: &Self::Position) -> Outcome {
        rank(&self.scores(position))
    }

    /// The final points with best play of all seats, if these are separate from each other so that the
    /// points can be counted, and looking at as many positions as the budget allows proves them. More
    /// points are better then. `None` in a finished game.
    fn settled(&self, _position: &Self::Position, _budget: &mut Budget) -> Option<Scores> {
        None
    }

    /// The reason for the end, as the log names it; `None` while the game goes on.
    fn reason(&self, position: &Self::Position) -> Option<&'static str>;

    /// Replaces the contents of `moves` by all legal moves; empty only when the game is over.
    fn legal(&self, position: &Self::Position, moves: &mut Vec<Self::Move>);

    /// The number of legal moves.
    fn count_legal(&self, position: &Self::Position) -> u64 {
        let mut moves = Vec::new();
        self.legal(position, &mut moves);
        moves.len() as u64
    }

    /// A random legal move, all equally likely. `scratch` saves allocations for games that have to list
    /// their moves; its contents do not matter.
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

    /// True if a move from any source is legal in this position.
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
    /// If no position of this game under these options can have such a move.
    fn parse_move(&self, text: &str) -> Result<Self::Move, ParseError>;

    /// Appends the text of a move to `out`.
    fn write_move(&self, mv: Self::Move, out: &mut String);

    /// A hash of everything that affects further play (not `ply` and scores, unless the rules need
    /// them), kept up to date by [`Game::play_unchecked`].
    fn key(&self, position: &Self::Position) -> u64;

    /// Appends a text that is the same for two positions exactly if all further play is the same.
    fn write_identity(&self, position: &Self::Position, out: &mut String);

    /// The facts that a solver needs; `None` if it does not support the game. Positions must never
    /// recur, so that a position's value does not depend on its history.
    fn solvable(&self) -> Option<Solvable<'_>> {
        None
    }

    /// Appends the position as sets of cells. Two positions of a game that is [`Game::solvable`] have
    /// the same further play if the sets and the seat to move are the same, and mirrored further play
    /// if the sets are mirror images.
    fn cell_sets(&self, _position: &Self::Position, _sets: &mut CellSets) {}

    /// By how much seat 0 is ahead of seat 1, which decides the game at its end. What further play adds
    /// to it depends on the [`Game::cell_sets`] only.
    fn margin(&self, position: &Self::Position) -> i32 {
        let scores = self.scores(position);
        scores[0] - scores[1]
    }

    /// Between which margins the game surely ends, however it is played; quickly, and not while the game
    /// is over.
    fn margin_bounds(&self, _position: &Self::Position) -> (i32, i32) {
        (i32::MIN, i32::MAX)
    }

    /// The board as a picture shows it.
    fn view(&self, position: &Self::Position) -> View;

    /// The name of a seat's role in the game.
    fn role(&self, seat: Seat) -> &'static str {
        Self::INFO.roles[seat]
    }
}

impl Options {
    /// [`Options::read`] for a game that is compiled in.
    ///
    /// # Errors
    /// If an option is unknown, of a wrong type or out of range.
    pub fn of<G: Game>(given: &Value) -> Result<Self, OptionError> {
        Self::read(&Info::from(&G::INFO), given)
    }

    /// The default options of a game that is compiled in.
    pub fn defaults_of<G: Game>() -> Self {
        Self::of::<G>(&Value::Null).expect("defaults are allowed")
    }
}

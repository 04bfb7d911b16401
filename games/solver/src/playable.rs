//! The games that a solver takes: those of the registry by their types, all others through sessions.

use std::fmt;

use games::{Game, Seat};
use thiserror::Error;

use crate::engine::HasEngine;
use crate::keys;
use crate::search::Stopped;
use crate::solve::{Question, Value, Winner};

/// The final margins that decide a game.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The least final margin with which seat 0 wins.
    pub win: i32,
    /// The least final margin with which seat 0 does not lose.
    pub draw: i32,
    /// True if a win may be by more or less.
    pub points: bool,
}

impl Facts {
    /// Who wins if the final margin is between these bounds, both ends included.
    pub(crate) fn value(&self, bounds: (i32, i32)) -> Value {
        let (least, most) = bounds;
        let winner = match () {
            () if least >= self.win => Some(Winner::Seat(0)),
            () if most < self.draw => Some(Winner::Seat(1)),
            () if least >= self.draw && most < self.win => Some(Winner::Draw),
            () => None,
        };
        Value { winner, bounds }
    }

    /// The question to ask: without points, always who wins.
    pub(crate) fn question(&self, question: Question) -> Question {
        if self.points { question } else { Question::Win }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unsolvable {
    #[error("only games of two seats can be solved, and {game} has {seats} under these options")]
    Seats { game: String, seats: usize },
    /// It has cycles.
    #[error(
        "{game} cannot be solved: its positions can come back, so what one is worth depends on the plies \
         before it and on the limits of a match; of the built-in games, `referee solve` takes those in \
         which every move is final"
    )]
    Cycles { game: String },
    /// Its sets of cells do not fit into integers.
    #[error("{game} cannot be solved on a board of {cells} cells: {most} is the most")]
    Large {
        game: String,
        cells: usize,
        most: u32,
    },
    #[error(
        "{game} cannot be solved: it has hidden information, and best play is then a mixture of moves"
    )]
    Hidden { game: String },
    #[error("{game} cannot be solved: chance takes part in it")]
    Chance { game: String },
    #[error(
        "retrograde analysis is for sheets and rules programs: in {game} no position can come back, so the \
         other methods always do"
    )]
    Retrograde { game: String },
}

/// A move and the position after it.
pub type Successor<G> = (<G as Playable>::Move, <G as Playable>::Position);

/// Makes keys of positions.
pub type Keys<'g, G> = Box<dyn Fn(&<G as Playable>::Position) -> u128 + 'g>;

/// A game of two seats that take turns. [`Game`]s are playable, and so is a
/// [`SessionGame`](crate::SessionGame).
#[expect(private_bounds, reason = "no other crate implements it")]
pub trait Playable: HasEngine + Sized {
    type Position: Clone;
    type Move: Clone + fmt::Debug;

    /// # Errors
    /// If the game cannot be solved.
    fn facts(&self) -> Result<Facts, Unsolvable>;

    /// A key of positions that are not over, made without the help of any faster rules. Positions of one
    /// key have the same further play, or its mirror image.
    fn keys<'g>(&'g self) -> Keys<'g, Self>;

    /// The seat to move; `None` when the game is over.
    fn mover(&self, position: &Self::Position) -> Option<Seat>;

    /// By how much seat 0 is ahead; in the end, this is the final margin.
    fn margin(&self, position: &Self::Position) -> i32;

    /// Between which margins every game ends, by the range of its points alone: nobody has to prove that.
    fn range(&self) -> (i32, i32) {
        (i32::MIN, i32::MAX)
    }

    /// Between which margins a game that is not over surely ends.
    fn margin_bounds(&self, position: &Self::Position) -> (i32, i32);

    /// Each legal move with the position after it.
    ///
    /// # Errors
    /// If the rules do not work.
    fn successors(&self, position: &Self::Position) -> Result<Vec<Successor<Self>>, Stopped>;

    fn text(&self, mv: &Self::Move) -> String;
}

impl<G: Game> Playable for G {
    type Position = G::Position;
    type Move = G::Move;

    fn facts(&self) -> Result<Facts, Unsolvable> {
        let game = G::INFO.id.to_owned();
        let seats = self.seats();
        if seats != 2 {
            return Err(Unsolvable::Seats { game, seats });
        }
        let Some(about) = self.solvable() else {
            return Err(Unsolvable::Cycles { game });
        };
        let (cells, most) = (about.board.len(), u128::BITS);
        if cells > most as usize {
            return Err(Unsolvable::Large { game, cells, most });
        }
        Ok(Facts {
            win: about.win,
            draw: about.draw,
            points: about.points,
        })
    }

    fn keys<'g>(&'g self) -> Keys<'g, G> {
        let about = self.solvable().expect("the facts were asked for first");
        let keys = keys::Keys::new(about.board);
        Box::new(move |position| keys.key(self, position))
    }

    fn mover(&self, position: &G::Position) -> Option<Seat> {
        self.to_move(position)
    }

    fn margin(&self, position: &G::Position) -> i32 {
        Game::margin(self, position)
    }

    fn margin_bounds(&self, position: &G::Position) -> (i32, i32) {
        Game::margin_bounds(self, position)
    }

    fn successors(&self, position: &G::Position) -> Result<Vec<Successor<G>>, Stopped> {
        let mut moves = Vec::new();
        self.legal(position, &mut moves);
        let after = |mv| {
            let mut next = *position;
            self.play_unchecked(&mut next, mv);
            (mv, next)
        };
        Ok(moves.into_iter().map(after).collect())
    }

    fn text(&self, mv: &G::Move) -> String {
        let mut text = String::new();
        self.write_move(*mv, &mut text);
        text
    }
}

//! Rules for searches: successors, keys, and bounds.
//!
//! [`generic`] asks the game itself. [`amazons`] and [`penguins`] know how pieces move and have the whole
//! board in a few integers, which is faster by far.

pub(crate) mod amazons;
pub(crate) mod generic;
mod image_keys;
pub(crate) mod penguins;
mod slides;
#[cfg(test)]
mod tests;

use games::kit::solving::CellSets;
use games::{Game, Seat};

use crate::playable::Playable;
use crate::search::Stopped;

/// The worth of a point in moves, for move ordering.
const POINT: i32 = 3;

pub(crate) struct Keyed<P> {
    pub(crate) position: P,
    pub(crate) key: u128,
}

pub(crate) trait SearchRules {
    type Position: Clone;

    /// True if a position may come back, which searches then look out for.
    const MAY_COME_BACK: bool = false;

    /// The seat to move; it means nothing if the game is over.
    fn mover(&self, position: &Self::Position) -> Seat;

    /// By how much seat 0 is ahead; in the end, this is the final margin.
    fn margin(&self, position: &Self::Position) -> i32;

    /// Between which margins the game surely ends, as far as that can be seen at once; exactly one margin
    /// if it is over.
    fn quick_bounds(&self, position: &Self::Position) -> (i32, i32);

    /// The same of a position that is not over, by counting, as far as that may show whether the
    /// final margin is at least `need`. It takes longer.
    fn counted_bounds(&mut self, position: &Self::Position, need: i32) -> (i32, i32);

    /// The number of moves, or about as many.
    fn mobility(&self, position: &Self::Position) -> u32;

    /// What proof-number search supposes of a position that it has not seen: how much it takes, at least 1, to
    /// show that the seat to move reaches its goal, and to show that it does not.
    fn first_numbers(&self, position: &Self::Position) -> (u32, u32) {
        (1, self.mobility(position).max(1))
    }

    /// A quick estimate for seat 0, for move ordering.
    fn outlook(&self, position: &Self::Position) -> i32;

    /// A key of positions that are not over: those with the same key have the same further play, or
    /// its mirror image. Margins so far are not in it.
    fn key(&self, position: &Self::Position) -> u128;

    /// Appends the position after each move.
    ///
    /// # Errors
    /// If rules from outside do not work.
    fn successors(
        &self,
        position: &Self::Position,
        out: &mut Vec<Keyed<Self::Position>>,
    ) -> Result<(), Stopped>;
}

/// The cells of a set, lowest first.
#[inline]
fn cells(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let cell = set.trailing_zeros();
            set &= set - 1;
            cell
        })
    })
}

/// The sets of cells that make a position, on a board of at most 64 cells; those that its game does not
/// have are empty.
fn cell_sets<G: Game, const SETS: usize>(game: &G, position: &G::Position) -> [u64; SETS] {
    let mut sets = CellSets::new();
    game.cell_sets(position, &mut sets);
    std::array::from_fn(|at| sets.get(at).map_or(0, |set| *set as u64))
}

/// Search rules that can take over positions from the rules of a game.
pub(crate) trait FromGame<G: Playable>: SearchRules {
    /// The same position.
    fn position(&self, game: &G, position: &G::Position) -> Self::Position;
}

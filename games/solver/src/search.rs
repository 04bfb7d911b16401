//! What both searches share: the game, the table, counting, and being stopped.

use games::Game;
use games::kit::solving::Solvable;
use games::settlement::Budget;

use crate::keys::Keys;
use crate::table::Table;

/// Why a search ended before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The watch said so.
    Told,
    /// The limit on positions is reached.
    Positions,
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// The positions searched, those before a checkpoint included.
    pub positions: u64,
    /// The share of the table's entries that are in use.
    pub table: f64,
    /// Between which margins the final one of best play is known to be.
    pub bounds: (i32, i32),
    /// The least margin that the present search asks for.
    pub asks: i32,
    /// Proof and disproof number of the start, in proof-number search.
    pub numbers: Option<(u32, u32)>,
}

/// Called now and then; `false` stops the search.
pub type Watch<'w> = dyn FnMut(&Progress) -> bool + 'w;

/// At most this many positions are counted to settle one: if that does not do, the search goes on.
const MOST_COUNTED: u32 = 500;
/// How often the watch is called, in moves that were made.
const WATCH_EVERY: usize = 1 << 13;

pub(crate) struct Search<'w, G: Game> {
    pub(crate) game: &'w G,
    pub(crate) keys: Keys,
    pub(crate) table: Table,
    pub(crate) progress: Progress,
    /// The most positions that may be searched.
    pub(crate) most: Option<u64>,
    pub(crate) watch: Box<Watch<'w>>,
    /// The moves made since the watch was last called.
    made: usize,
}

impl<'w, G: Game> Search<'w, G> {
    pub(crate) fn new(
        game: &'w G,
        about: &Solvable<'_>,
        bytes: usize,
        watch: Box<Watch<'w>>,
    ) -> Self {
        Search {
            game,
            keys: Keys::new(about.board),
            table: Table::new(bytes),
            progress: Progress::default(),
            most: None,
            watch,
            made: 0,
        }
    }

    /// Counts a position that is searched, with this many moves.
    pub(crate) fn count(&mut self, moves: usize) -> Result<(), Stopped> {
        self.progress.positions += 1;
        if self.most.is_some_and(|most| self.progress.positions > most) {
            return Err(Stopped::Positions);
        }
        self.made += moves + 1;
        if self.made >= WATCH_EVERY {
            self.made = 0;
            self.progress.table = self.table.filled();
            if !(self.watch)(&self.progress) {
                return Err(Stopped::Told);
            }
        }
        Ok(())
    }

    pub(crate) fn key(&self, position: &G::Position) -> u128 {
        self.keys.key(self.game, position)
    }

    pub(crate) fn margin(&self, position: &G::Position) -> i32 {
        self.game.margin(position)
    }

    /// Between which margins the final one is, as far as that can be seen without a search.
    pub(crate) fn seen(&self, position: &G::Position) -> (i32, i32) {
        match self.game.to_move(position) {
            None => {
                let margin = self.margin(position);
                (margin, margin)
            }
            Some(_) => self.game.margin_bounds(position),
        }
    }

    /// The final margin of best play, if both sides are separate and counting proves it soon.
    pub(crate) fn settled(&self, position: &G::Position) -> Option<i32> {
        let mut budget = Budget::in_all(MOST_COUNTED);
        let scores = self.game.settled(position, &mut budget)?;
        Some(scores[0] - scores[1])
    }

    pub(crate) fn legal(&self, position: &G::Position) -> Vec<G::Move> {
        let mut moves = Vec::new();
        self.game.legal(position, &mut moves);
        moves
    }

    pub(crate) fn after(&self, position: &G::Position, mv: G::Move) -> G::Position {
        let mut next = *position;
        self.game.play_unchecked(&mut next, mv);
        next
    }
}

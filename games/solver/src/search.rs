//! The common parts of both searches: the rules, the table, counting, and cancelling.

use std::collections::HashSet;

use crate::keys;
use crate::rules::SearchRules;
use crate::table::Table;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Depth-first proof-number search.
    ProofNumber,
    /// Alpha-beta with windows of one point.
    AlphaBeta,
    /// All positions that can be reached, from the ends backwards.
    Retrograde,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The watch returned false.
    Told,
    Positions,
    /// Play came back to a position, or went on for longer than a search follows it; from retrograde
    /// analysis: nobody can force an end that decides.
    Endless,
    /// The positions do not fit into the memory.
    Memory,
    /// The rules do not work, or do not allow a solution: [`SessionGame::why`](crate::SessionGame::why).
    Rules,
}

/// The number of moves in a position that are decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// Moves that are known to lose the goal of the seat to move.
    pub refuted: usize,
    pub moves: usize,
}

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
    /// The moves of the start, and the replies to the one that is searched.
    pub decided: [Option<Decided>; 2],
}

/// Called now and then; `false` stops the search.
pub type Watch<'w> = dyn FnMut(&Progress) -> bool + 'w;

/// The longest line that a search follows in games whose positions may come back.
const MOST_DEPTH: usize = 1000;

/// The watch is called once in this many moves.
const WATCH_EVERY: usize = 1 << 13;

pub(crate) struct State<'w> {
    pub(crate) table: Table,
    pub(crate) progress: Progress,
    /// The most positions that may be searched.
    pub(crate) most: Option<u64>,
    watch: Box<Watch<'w>>,
    /// The moves made since the watch was last called.
    made: usize,
    /// The positions of the line being searched, where they may come back.
    line: HashSet<u128>,
}

impl<'w> State<'w> {
    pub(crate) fn new(bytes: usize, watch: Box<Watch<'w>>) -> Self {
        State {
            table: Table::new(bytes),
            progress: Progress::default(),
            most: None,
            watch,
            made: 0,
            line: HashSet::new(),
        }
    }

    /// Begins a search, after which nothing is left of an earlier one that was stopped on its way.
    pub(crate) fn begin(&mut self) {
        self.progress.decided = Default::default();
        self.line.clear();
    }

    /// Puts a position on the line being searched.
    pub(crate) fn enter(&mut self, key: u128) -> Result<(), Stopped> {
        if self.line.len() >= MOST_DEPTH || !self.line.insert(key) {
            return Err(Stopped::Endless);
        }
        Ok(())
    }

    /// Takes a position off the line being searched.
    pub(crate) fn leave(&mut self, key: u128) {
        self.line.remove(&key);
    }

    /// Counts an expanded position with this many moves.
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

    /// Notes how many moves of a position at this depth are decided.
    pub(crate) fn note(&mut self, depth: usize, refuted: usize, moves: usize) {
        if let Some(decided) = self.progress.decided.get_mut(depth) {
            *decided = Some(Decided { refuted, moves });
        }
    }
}

pub(crate) struct Search<'w, R> {
    pub(crate) rules: R,
    pub(crate) state: State<'w>,
}

impl<R: SearchRules> Search<'_, R> {
    /// The key of a position of this key, together with the question.
    pub(crate) fn need_key(&self, position: &R::Position, key: u128, need: i32) -> u128 {
        keys::with(key, need - self.rules.margin(position))
    }
}

//! Decides if the elephant gets this many more points: a search with a table, and static proofs near the end.

use games::rules::elephant_run::board::{CELLS, DIRECTIONS, cells};

use super::chase::{Chase, FarmerMove};
use super::table::{Known, Table, key};

/// The search was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// Called now and then with the number of positions searched and the share of the table in use; `false`
/// stops the search.
pub type Watch<'w> = dyn FnMut(u64, f64) -> bool + 'w;

/// The watch is called once in this many positions.
const WATCH_EVERY: u64 = 1 << 14;

pub struct ChaseSolver<'w> {
    ranged_jumps: bool,
    pub(super) table: Table,
    /// The number of times that a farmer's move refuted the elephant, by its cells.
    history: Vec<u32>,
    /// The positions searched.
    pub positions: u64,
    watch: Box<Watch<'w>>,
}

impl<'w> ChaseSolver<'w> {
    /// A solver whose table takes at most this many bytes.
    pub fn new(ranged_jumps: bool, bytes: usize, watch: Box<Watch<'w>>) -> Self {
        ChaseSolver {
            ranged_jumps,
            table: Table::new(bytes),
            history: vec![0; CELLS * CELLS],
            positions: 0,
            watch,
        }
    }

    pub(super) fn ranged_jumps(&self) -> bool {
        self.ranged_jumps
    }

    fn count(&mut self) -> Result<(), Stopped> {
        self.positions += 1;
        if self.positions.is_multiple_of(WATCH_EVERY)
            && !(self.watch)(self.positions, self.table.filled())
        {
            return Err(Stopped);
        }
        Ok(())
    }

    /// True if the elephant, which is to move, gets at least `need` more points against every defence.
    /// Capturing the last farmer counts as any number of points.
    ///
    /// # Errors
    /// If the watch stops the search.
    pub fn elephant_gets(&mut self, chase: Chase, need: u8) -> Result<bool, Stopped> {
        if need == 0 || chase.farmers == 0 {
            return Ok(true);
        }
        let (steps, jumps) = chase.elephant_targets();
        if steps | jumps == 0 {
            return Ok(false);
        }
        if need == 1 {
            return Ok(true);
        }
        let key = key(chase, false);
        let known = self.table.get(key);
        if known.at_least >= need {
            return Ok(true);
        }
        if known.at_most < need {
            return Ok(false);
        }
        self.count()?;
        let replies = Replies::of(chase);
        // What is known, or can be seen, before what has to be searched.
        let mut wins = replies
            .list()
            .any(|reply| self.seen(reply, need - 1) == Some(true));
        for reply in replies.list() {
            wins = wins || self.after_elephant(reply, need - 1)?;
        }
        self.learn(key, need, wins);
        Ok(wins)
    }

    /// The answer about a position with the farmers to move, if it needs no search.
    fn seen(&self, chase: Chase, need: u8) -> Option<bool> {
        if need == 0 || chase.farmers == 0 {
            return Some(true);
        }
        if surely(chase, need, 0) {
            return Some(true);
        }
        let known = self.table.get(key(chase, true));
        match () {
            () if known.at_least >= need => Some(true),
            () if known.at_most < need => Some(false),
            () => None,
        }
    }

    /// The same with the farmers to move.
    ///
    /// # Errors
    /// If the watch stops the search.
    pub fn after_elephant(&mut self, chase: Chase, need: u8) -> Result<bool, Stopped> {
        if need == 0 || chase.farmers == 0 {
            return Ok(true);
        }
        if chase.mobility() == 0 {
            return Ok(false);
        }
        if let Some(seen) = self.seen(chase, need) {
            return Ok(seen);
        }
        self.count()?;
        let mut moves = Moves::of(chase, self.ranged_jumps);
        let wins = if moves.count == 0 {
            self.elephant_gets(chase, need)?
        } else {
            self.beats_all(chase, need, &mut moves)?
        };
        self.learn(key(chase, true), need, wins);
        Ok(wins)
    }

    fn beats_all(&mut self, chase: Chase, need: u8, moves: &mut Moves) -> Result<bool, Stopped> {
        // Refutations that are known already come first.
        for mv in moves.list() {
            let next = chase.farmer_goes(mv);
            if next.mobility() == 0 || self.table.get(key(next, false)).at_most < need {
                return Ok(false);
            }
        }
        let history = &self.history;
        moves.sort(|mv| {
            let left = chase.farmer_goes(mv).mobility();
            (left, u32::MAX - history[slot(mv)])
        });
        for mv in moves.list() {
            if !self.elephant_gets(chase.farmer_goes(mv), need)? {
                self.history[slot(mv)] += 1 << need.min(12);
                if self.history[slot(mv)] > 1 << 28 {
                    self.history.iter_mut().for_each(|count| *count /= 2);
                }
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn learn(&mut self, key: u64, need: u8, wins: bool) {
        let mut known: Known = self.table.get(key);
        if wins {
            known.at_least = known.at_least.max(need);
        } else {
            known.at_most = known.at_most.min(need - 1);
        }
        self.table.put(key, known);
    }
}

fn slot(mv: FarmerMove) -> usize {
    mv.from.trailing_zeros() as usize * CELLS + mv.to.trailing_zeros() as usize
}

/// True if the elephant gets `need` more points with the farmers to move, even if they have made
/// `extra` moves more than they may by then. `false` if that cannot be seen.
///
/// A move of a farmer takes at most one cell from those that the elephant can go to: the one it comes
/// to. (If it uncovers a cell next to the elephant, the jump over it is lost, but the uncovered cell is
/// won.) And it takes at most one cell from those that the elephant can step to.
fn surely(chase: Chase, need: u8, extra: u32) -> bool {
    if need == 1 {
        return chase.mobility() >= 2 + extra;
    }
    let (steps, _) = chase.elephant_targets();
    if need > 4 || steps.count_ones() < 2 + extra {
        return false;
    }
    let mut good = 0;
    let mut left = steps.count_ones();
    for to in cells(steps).map(|cell| 1 << cell) {
        if surely(chase.step_to(to), need - 1, extra + 1) {
            good += 1;
            if good == 2 + extra {
                return true;
            }
        }
        left -= 1;
        if good + left < 2 + extra {
            return false;
        }
    }
    false
}

pub(super) struct Replies {
    /// Each with its sort key.
    list: [(u32, Chase); 2 * DIRECTIONS],
    count: usize,
}

impl Replies {
    /// Those that leave the elephant the most ways first.
    pub(super) fn of(chase: Chase) -> Self {
        let mut replies = Replies {
            list: [(0, chase); 2 * DIRECTIONS],
            count: 0,
        };
        let (steps, jumps) = chase.elephant_targets();
        for to in cells(steps).map(|cell| 1 << cell) {
            replies.push(chase.step_to(to));
        }
        for to in cells(jumps).map(|cell| 1 << cell) {
            replies.push(chase.jump_to(to));
        }
        replies.list[..replies.count].sort_unstable_by_key(|(order, _)| *order);
        replies
    }

    fn push(&mut self, chase: Chase) {
        let order = (32 - chase.mobility()) * 32 + chase.farmers.count_ones();
        self.list[self.count] = (order, chase);
        self.count += 1;
    }

    pub(super) fn list(&self) -> impl Iterator<Item = Chase> {
        self.list[..self.count].iter().map(|(_, chase)| *chase)
    }
}

/// The most moves that eight farmers have, two in each direction.
const MOST_MOVES: usize = 8 * 2 * DIRECTIONS;

/// Farmers' moves, each pair of cells once.
pub(super) struct Moves {
    /// Each with its sort key.
    list: [((u32, u32), FarmerMove); MOST_MOVES],
    count: usize,
}

impl Moves {
    pub(super) fn of(chase: Chase, ranged_jumps: bool) -> Self {
        let none = FarmerMove { from: 0, to: 0 };
        let mut moves = Moves {
            list: [((0, 0), none); MOST_MOVES],
            count: 0,
        };
        chase.farmers_moves(ranged_jumps, |mv| {
            if moves.list().all(|known| known != mv) {
                moves.list[moves.count].1 = mv;
                moves.count += 1;
            }
        });
        moves
    }

    pub(super) fn list(&self) -> impl Iterator<Item = FarmerMove> {
        self.list[..self.count].iter().map(|(_, mv)| *mv)
    }

    fn sort(&mut self, by: impl Fn(FarmerMove) -> (u32, u32)) {
        let list = &mut self.list[..self.count];
        for (order, mv) in list.iter_mut() {
            *order = by(*mv);
        }
        list.sort_unstable_by_key(|(order, _)| *order);
    }
}

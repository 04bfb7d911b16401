//! The search below the root: principal variation search, the seats in two sides.
//!
//! The seat that searches is one side, all others are the other one. With two seats that is
//! exact; with more it is the paranoid search, in which all others play against the one, but only
//! by moves that are good for themselves.

use games::{Game, Seat};

use super::order::{LONGEST, Order};
use super::stop::Stop;
use super::table::{Bound, Found, Table};
use super::value::{self, INFINITE, PROVEN, UNIT, Value};
use crate::evaluate::Evaluate;

/// From this depth on moves are put in order by what the evaluation says about them.
const ORDER_DEPTH: i32 = 3;
/// Up to this depth a position that is much too good is not searched.
const STATIC_DEPTH: i32 = 3;
/// How much too good it must be, for each ply of depth.
const STATIC_MARGIN: Value = 700;
/// So many moves are put in order between two looks at the clock.
const LOOK: usize = 32;
/// The first moves are never searched less deep.
const FULL_MOVES: usize = 4;
/// With more than two seats, so many moves of each other seat are searched.
const SENSIBLE: usize = 3;
/// Where the match ends within so many plies, positions are not the same at another ply.
const NEAR_END: u32 = 100;

/// What a search keeps from turn to turn.
pub(super) struct Memory<G: Game> {
    pub(super) table: Table<G::Move>,
    pub(super) order: Order<G::Move>,
    pub(super) evaluation: Box<dyn Evaluate<G>>,
    /// Lists of moves by distance from the root, reused.
    pub(super) lists: Vec<Vec<(i32, G::Move)>>,
    pub(super) scratch: Vec<G::Move>,
}

/// A search of one turn.
pub(super) struct Search<'a, G: Game> {
    pub(super) game: &'a G,
    pub(super) memory: &'a mut Memory<G>,
    /// The seat that searches.
    pub(super) seat: Seat,
    pub(super) max_plies: Option<u32>,
    /// The keys of the positions of the match so far; empty where repetition does not matter.
    pub(super) history: &'a [u64],
    /// How often a position must be there to end the match.
    pub(super) repetition: Option<u32>,
    /// The keys on the way from the root.
    pub(super) path: Vec<u64>,
    pub(super) stop: Stop,
    /// Mixed into keys where the ply matters.
    pub(super) ply_matters: bool,
}

impl<G: Game> Search<'_, G> {
    /// The side of a seat: 0 is the one that searches.
    pub(super) fn side(&self, seat: Seat) -> usize {
        usize::from(seat != self.seat)
    }

    /// Whether the match may end so early that the ply matters to what a position is worth.
    pub(super) fn near_end(game: &G, position: &G::Position, max_plies: Option<u32>) -> bool {
        max_plies.is_some_and(|most| most.saturating_sub(game.ply(position)) < NEAR_END)
    }

    /// The key for the table: scores matter to a search, too.
    pub(super) fn key(&self, position: &G::Position) -> u64 {
        let scores = self.game.scores(position);
        let mut salt = scores.iter().fold(0u64, |salt, score| {
            (salt ^ *score as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        });
        if self.ply_matters {
            salt = (salt ^ u64::from(self.game.ply(position))).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        }
        self.game.key(position) ^ salt ^ salt >> 29
    }

    /// What a position is worth to a side by its outcome so far.
    pub(super) fn outcome(&self, position: &G::Position, side: usize, ply: usize) -> Value {
        let outcome = self.game.outcome(position);
        let value = value::of_share(outcome[self.seat], ply);
        if side == 0 { value } else { -value }
    }

    /// What the evaluation says to a side.
    pub(super) fn guess(&mut self, position: &G::Position, side: usize) -> Value {
        let scores = self.memory.evaluation.scores(self.game, position);
        let scores = &scores[..self.game.seats()];
        if scores.len() > 2 {
            let value = value::of_many(scores, self.seat);
            return self.for_side(value, side);
        }
        let others = scores
            .iter()
            .enumerate()
            .filter(|(seat, _)| *seat != self.seat);
        let best = others
            .map(|(_, score)| *score)
            .fold(f32::NEG_INFINITY, f32::max);
        let value = value::of_lead(scores[self.seat] - best);
        self.for_side(value, side)
    }

    /// A guess of the seat that searches, as its side or the other one sees it. What is certain by
    /// the rules is only a guess where a limit may stop the match before it comes true.
    fn for_side(&self, value: Value, side: usize) -> Value {
        let value = match self.max_plies {
            Some(_) => value.clamp(1 - PROVEN, PROVEN - 1),
            None => value,
        };
        if side == 0 { value } else { -value }
    }

    /// The value of a move's position for the side that made the move, with the window of that
    /// side. The same side may be to move again.
    #[inline]
    pub(super) fn after(
        &mut self,
        next: &G::Position,
        side: usize,
        depth: i32,
        ply: usize,
        alpha: Value,
        beta: Value,
    ) -> Value {
        let next_side = self.game.to_move(next).map_or(side, |seat| self.side(seat));
        if next_side == side {
            self.value(next, side, depth, ply, alpha, beta)
        } else {
            -self.value(next, next_side, depth, ply, -beta, -alpha)
        }
    }

    /// The value of a position for the side to move: exact within the window, else a bound.
    fn value(
        &mut self,
        position: &G::Position,
        side: usize,
        depth: i32,
        ply: usize,
        mut alpha: Value,
        beta: Value,
    ) -> Value {
        if self.stop.count() {
            return 0;
        }
        if self.is_over(position) {
            return self.outcome(position, side, ply);
        }
        let key = self.key(position);
        if self.is_repeated(position) {
            return self.outcome(position, side, ply);
        }
        let (mut best_move, mut known) = (None, None);
        if let Some(entry) = self.memory.table.find(key) {
            let value = entry.value(ply);
            let enough = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if enough && i32::from(entry.depth) >= depth {
                return value;
            }
            best_move = entry.mv;
            known = Some(entry.guess);
        }
        let guess = known.unwrap_or_else(|| self.guess(position, side));
        if value::is_proven(guess) || ply + 1 >= LONGEST {
            return guess;
        }
        if depth <= 0 {
            return self.quiet(position, side, ply, guess, alpha, beta);
        }
        if depth <= STATIC_DEPTH && beta.abs() < PROVEN && beta - alpha == 1 {
            let margin = STATIC_MARGIN * depth;
            if guess - margin >= beta {
                return guess - margin;
            }
        }
        let depth = if best_move.is_none() && depth >= 4 {
            depth - 1
        } else {
            depth
        };
        let list = self.moves(position, side, depth, ply, best_move);
        let alpha_before = alpha;
        let mut best = -INFINITE;
        self.path.push(self.game.key(position));
        for index in 0..list.len() {
            let mv = list[index].1;
            let mut next = *position;
            self.game.play(&mut next, mv);
            let (reduced, full) = (depth - 1 - reduction(depth, index), depth - 1);
            let mut value = -INFINITE;
            let narrow = index > 0;
            if narrow {
                value = self.after(&next, side, reduced, ply + 1, alpha, alpha + 1);
                if value > alpha && reduced < full {
                    value = self.after(&next, side, full, ply + 1, alpha, alpha + 1);
                }
            }
            if !narrow || value > alpha && value < beta {
                value = self.after(&next, side, full, ply + 1, alpha, beta);
            }
            if self.stop.stopped() {
                break;
            }
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    best_move = Some(mv);
                }
                if value >= beta {
                    self.reward(side, ply, depth, &list[..=index]);
                    break;
                }
            }
        }
        self.path.pop();
        self.memory.lists[ply] = list;
        if self.stop.stopped() {
            return 0;
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best > alpha_before {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let found = Found {
            mv: best_move,
            value: best,
            guess,
            depth,
            bound,
        };
        self.memory.table.store(key, ply, found);
        best
    }

    /// Whether play stops here.
    pub(super) fn is_over(&self, position: &G::Position) -> bool {
        let ply = self.game.ply(position);
        self.max_plies.is_some_and(|most| ply >= most) || self.game.to_move(position).is_none()
    }

    /// Whether a position was there on the way from the root, or so often before that the match
    /// ends with it.
    fn is_repeated(&self, position: &G::Position) -> bool {
        let Some(most) = self.repetition else {
            return false;
        };
        let key = self.game.key(position);
        let before = || self.history.iter().filter(|before| **before == key).count();
        self.path.contains(&key) || before() as u32 + 1 >= most
    }

    /// The value where the search would end: moves that change much are looked at first.
    fn quiet(
        &mut self,
        position: &G::Position,
        side: usize,
        ply: usize,
        guess: Value,
        mut alpha: Value,
        beta: Value,
    ) -> Value {
        if guess >= beta || ply + 1 >= LONGEST {
            return guess;
        }
        let mut list = std::mem::take(&mut self.memory.lists[ply]);
        list.clear();
        let evaluation = &mut self.memory.evaluation;
        evaluation.noisy(self.game, position, &mut list);
        list.sort_by_key(|(promise, _)| -promise);
        let mut best = guess;
        alpha = alpha.max(best);
        for &(_, mv) in &list {
            let mut next = *position;
            self.game.play(&mut next, mv);
            let value = self.quiet_after(&next, side, ply + 1, alpha, beta);
            if self.stop.stopped() {
                break;
            }
            best = best.max(value);
            alpha = alpha.max(value);
            if value >= beta {
                break;
            }
        }
        self.memory.lists[ply] = list;
        best
    }

    /// The same after a move of `side`, for that side.
    fn quiet_after(
        &mut self,
        next: &G::Position,
        side: usize,
        ply: usize,
        alpha: Value,
        beta: Value,
    ) -> Value {
        if self.stop.count() {
            return 0;
        }
        if self.is_over(next) {
            return self.outcome(next, side, ply);
        }
        let next_side = self.game.to_move(next).map_or(side, |seat| self.side(seat));
        let guess = self.guess(next, next_side);
        if next_side == side {
            self.quiet(next, side, ply, guess, alpha, beta)
        } else {
            -self.quiet(next, next_side, ply, guess, -beta, -alpha)
        }
    }

    /// The moves of a position, the most promising first.
    fn moves(
        &mut self,
        position: &G::Position,
        side: usize,
        depth: i32,
        ply: usize,
        first: Option<G::Move>,
    ) -> Vec<(i32, G::Move)> {
        let mut list = std::mem::take(&mut self.memory.lists[ply]);
        list.clear();
        // All moves: in the games that have shortlists, a search of these only did no better.
        let memory = &mut *self.memory;
        self.game.legal(position, &mut memory.scratch);
        list.extend(memory.scratch.iter().map(|&mv| (0, mv)));
        if side == 1 && self.game.seats() > 2 {
            self.keep_sensible(position, &mut list);
        }
        for (promise, mv) in &mut list {
            *promise = if first == Some(*mv) {
                i32::MAX
            } else {
                let evaluation = &mut self.memory.evaluation;
                self.memory.order.promise(side, ply, *mv)
                    + evaluation.promise(self.game, position, *mv)
            };
        }
        if depth >= ORDER_DEPTH {
            self.look_ahead(position, side, ply, &mut list);
        }
        list.sort_by_key(|(promise, _)| -promise);
        list
    }

    /// Keeps the moves of another seat that look best to that seat itself: of more than two seats
    /// none plays against one alone.
    fn keep_sensible(&mut self, position: &G::Position, list: &mut Vec<(i32, G::Move)>) {
        let mover = self.game.to_move(position);
        let Some(seat) = mover.filter(|_| list.len() > SENSIBLE) else {
            return;
        };
        for (promise, mv) in list.iter_mut() {
            let mut next = *position;
            self.game.play(&mut next, *mv);
            *promise = if self.is_over(&next) {
                value::of_share(self.game.outcome(&next)[seat], 0)
            } else {
                let scores = self.memory.evaluation.scores(self.game, &next);
                value::of_many(&scores[..self.game.seats()], seat)
            };
        }
        list.sort_by_key(|(promise, _)| -promise);
        list.truncate(SENSIBLE);
    }

    /// Adds to the moves' promises what the evaluation says about the positions after them.
    fn look_ahead(
        &mut self,
        position: &G::Position,
        side: usize,
        ply: usize,
        list: &mut [(i32, G::Move)],
    ) {
        let rest = list.iter_mut().filter(|(promise, _)| *promise != i32::MAX);
        for (index, (promise, mv)) in rest.enumerate() {
            // With a thousand moves this takes milliseconds.
            if index % LOOK == LOOK - 1 && self.stop.look() {
                return;
            }
            let mut next = *position;
            self.game.play(&mut next, *mv);
            let value = if self.is_over(&next) {
                self.outcome(&next, side, ply)
            } else {
                self.guess(&next, side)
            };
            *promise += value.clamp(-30 * UNIT, 30 * UNIT) * 64;
        }
    }

    /// Remembers that the last of these moves was too good, and the others were not.
    fn reward(&mut self, side: usize, ply: usize, depth: i32, list: &[(i32, G::Move)]) {
        let Some(((_, mv), before)) = list.split_last() else {
            return;
        };
        self.memory.scratch.clear();
        let before = before.iter().map(|(_, mv)| *mv);
        self.memory.scratch.extend(before);
        let memory = &mut *self.memory;
        memory.order.reward(side, ply, depth, *mv, &memory.scratch);
    }
}

/// How much less deep a late move is searched at first.
pub(super) fn reduction(depth: i32, index: usize) -> i32 {
    if depth < 3 || index < FULL_MOVES {
        return 0;
    }
    let by_index = usize::BITS - index.leading_zeros();
    ((by_index as i32) * (depth.ilog2() as i32 + 1) / 5).min(depth - 2)
}

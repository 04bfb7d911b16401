//! The search below the root: principal variation search between two sides.
//!
//! The seat that searches is one side, all others together are the other. With two seats that is
//! exact; with more it is the paranoid search, in which all others play against the one, but only
//! by moves that are good for themselves.

use games::{Game, Seat};

use super::budget::NodeBudget;
use super::move_ordering::{LONGEST, MoveOrdering};
use super::node::{Node, Window};
use super::transposition_table::{Bound, NodeResult, TranspositionTable};
use super::value::{self, INFINITE, PROVEN, UNIT, Value};
use crate::evaluation::Evaluate;
use crate::order::sort_best_first;

/// From this depth on, moves are ordered by the evaluations of the positions after them.
const ORDER_DEPTH: i32 = 3;
/// Up to this depth, a position whose evaluation is much too good is not searched.
const STATIC_DEPTH: i32 = 3;
/// Required margin above beta, for each ply of depth.
const STATIC_MARGIN: Value = 700;
/// The number of moves that are ordered between two checks of the clock.
const ORDERED_A_CHECK: usize = 32;
/// The first moves of a list are always searched to the full depth.
const FULL_MOVES: usize = 4;
/// With more than two seats, the number of moves searched for each of the others.
const SENSIBLE: usize = 3;
/// If a limit may end the match within this many plies, equal positions at different plies are
/// different nodes.
const NEAR_END: u32 = 100;

/// Data that the search keeps from turn to turn.
pub(super) struct Memory<G: Game> {
    pub(super) table: TranspositionTable<G::Move>,
    pub(super) ordering: MoveOrdering<G::Move>,
    pub(super) evaluation: Box<dyn Evaluate<G>>,
    /// Lists of moves by distance from the root, kept to be reused.
    pub(super) lists: Vec<Vec<(i32, G::Move)>>,
    pub(super) scratch: Vec<G::Move>,
}

pub(super) struct TurnSearch<'a, G: Game> {
    pub(super) game: &'a G,
    pub(super) memory: &'a mut Memory<G>,
    pub(super) seat: Seat,
    /// The ply of the position at which the match is stopped.
    pub(super) max_plies: Option<u32>,
    /// The keys of the positions of the match so far; empty if there is no limit on
    /// repetition.
    pub(super) history: &'a [u64],
    /// The number of times that a position must occur to end the match.
    pub(super) repetition: Option<u32>,
    /// The keys of the positions from the root to the current node.
    pub(super) path: Vec<u64>,
    pub(super) budget: NodeBudget,
    /// True if the ply is mixed into the keys of nodes.
    pub(super) ply_matters: bool,
}

impl<G: Game> TurnSearch<'_, G> {
    fn side(&self, seat: Seat) -> usize {
        usize::from(seat != self.seat)
    }

    /// True if a limit may end the match so soon that the value of a position depends on its ply.
    pub(super) fn near_end(game: &G, position: &G::Position, max_plies: Option<u32>) -> bool {
        max_plies.is_some_and(|most| most.saturating_sub(game.ply(position)) < NEAR_END)
    }

    /// The key of a node, which depends on the scores, too.
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

    /// The value for a side if play ends in this position.
    pub(super) fn outcome(&self, position: &G::Position, side: usize, ply: usize) -> Value {
        let outcome = self.game.outcome(position);
        let value = value::of_share(outcome[self.seat], ply);
        if side == 0 { value } else { -value }
    }

    /// The static evaluation of a position for a side.
    pub(super) fn evaluate(&mut self, position: &G::Position, side: usize) -> Value {
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

    /// Turns an evaluation for the seat that searches into one for a side. What is certain by the
    /// rules is only an estimate if a limit may stop the match before it comes true.
    fn for_side(&self, value: Value, side: usize) -> Value {
        let value = match self.max_plies {
            Some(_) => value.clamp(1 - PROVEN, PROVEN - 1),
            None => value,
        };
        if side == 0 { value } else { -value }
    }

    /// Searches the move at `index` of an ordered list, given the position after it. The first move gets
    /// the whole window; the others a null window at less depth first, and more only if they seem to
    /// be better.
    #[inline]
    pub(super) fn search_move(
        &mut self,
        next: &G::Position,
        index: usize,
        node: Node,
        window: Window,
    ) -> Value {
        let full = node.depth - 1;
        let reduced = full - reduction(node.depth, index);
        let child = |depth| Node {
            depth,
            ply: node.ply + 1,
            ..node
        };
        if index == 0 {
            return self.after(next, child(full), window);
        }
        let mut value = self.after(next, child(reduced), window.null());
        if value > window.alpha && reduced < full {
            value = self.after(next, child(full), window.null());
        }
        if value > window.alpha && value < window.beta {
            value = self.after(next, child(full), window);
        }
        value
    }

    /// The value of the position after a move of `node.side`, for that side and within its window. The
    /// same side may be to move again.
    #[inline]
    fn after(&mut self, next: &G::Position, node: Node, window: Window) -> Value {
        let next_side = self.side_to_move(next, node.side);
        if next_side == node.side {
            self.value(next, node, window)
        } else {
            let side = next_side;
            -self.value(next, Node { side, ..node }, window.of_other_side())
        }
    }

    /// The side to move; in a finished game, the one given.
    #[inline]
    fn side_to_move(&self, position: &G::Position, otherwise: usize) -> usize {
        let mover = self.game.to_move(position);
        mover.map_or(otherwise, |seat| self.side(seat))
    }

    /// The value of a position for the side to move: exact within the window, else a bound.
    fn value(&mut self, position: &G::Position, node: Node, window: Window) -> Value {
        let Node { side, depth, ply } = node;
        if self.budget.count() {
            return 0;
        }
        if self.is_over(position) || self.is_repeated(position) {
            return self.outcome(position, side, ply);
        }
        let key = self.key(position);
        let (mut best_move, mut known) = (None, None);
        if let Some(entry) = self.memory.table.find(key) {
            let value = entry.value(ply);
            if i32::from(entry.depth) >= depth && entry.bound.decides(value, window) {
                return value;
            }
            best_move = entry.mv;
            known = Some(entry.static_value);
        }
        let static_value = known.unwrap_or_else(|| self.evaluate(position, side));
        if value::is_proven(static_value) || ply + 1 >= LONGEST {
            return static_value;
        }
        if depth <= 0 {
            return self.quiescence(position, node, static_value, window);
        }
        if depth <= STATIC_DEPTH && window.beta.abs() < PROVEN && window.is_null() {
            let margin = STATIC_MARGIN * depth;
            if static_value - margin >= window.beta {
                return static_value - margin;
            }
        }
        // Without a move to try first, a search that is less deep finds one sooner.
        let reduced = i32::from(best_move.is_none() && depth >= 4);
        let node = Node {
            depth: depth - reduced,
            ..node
        };
        let list = self.ordered_moves(position, node, best_move);
        self.path.push(self.game.key(position));
        let mut result = self.search_moves(position, &list, node, window);
        self.path.pop();
        self.memory.lists[ply] = list;
        if self.budget.is_spent() {
            return 0;
        }
        result.mv = result.mv.or(best_move);
        result.static_value = static_value;
        self.memory.table.store(key, ply, result);
        result.value
    }

    /// Searches the moves of a position in order, until one is too good for the window.
    #[inline]
    fn search_moves(
        &mut self,
        position: &G::Position,
        list: &[(i32, G::Move)],
        node: Node,
        mut window: Window,
    ) -> NodeResult<G::Move> {
        let mut result = NodeResult {
            mv: None,
            value: -INFINITE,
            static_value: 0,
            depth: node.depth,
            bound: Bound::Upper,
        };
        for (index, &(_, mv)) in list.iter().enumerate() {
            let mut next = *position;
            self.game.play_unchecked(&mut next, mv);
            let value = self.search_move(&next, index, node, window);
            if self.budget.is_spent() {
                break;
            }
            if value > result.value {
                result.value = value;
                if value > window.alpha {
                    window.alpha = value;
                    result.mv = Some(mv);
                    result.bound = Bound::Exact;
                }
                if value >= window.beta {
                    result.bound = Bound::Lower;
                    self.reward(node, &list[..=index]);
                    break;
                }
            }
        }
        result
    }

    /// True if the match ends here, by the rules or by the limit on plies.
    pub(super) fn is_over(&self, position: &G::Position) -> bool {
        let ply = self.game.ply(position);
        self.max_plies.is_some_and(|most| ply >= most) || self.game.to_move(position).is_none()
    }

    /// True if a position repeats one on the way from the root, or occurred so often in the match that
    /// the match ends with it.
    fn is_repeated(&self, position: &G::Position) -> bool {
        let Some(most) = self.repetition else {
            return false;
        };
        let key = self.game.key(position);
        let before = || self.history.iter().filter(|before| **before == key).count();
        self.path.contains(&key) || before() as u32 + 1 >= most
    }

    /// The value at the end of the search: noisy moves, which change much, are still played out.
    fn quiescence(
        &mut self,
        position: &G::Position,
        node: Node,
        static_value: Value,
        mut window: Window,
    ) -> Value {
        if static_value >= window.beta || node.ply + 1 >= LONGEST {
            return static_value;
        }
        let mut list = std::mem::take(&mut self.memory.lists[node.ply]);
        list.clear();
        let evaluation = &mut self.memory.evaluation;
        evaluation.noisy(self.game, position, &mut list);
        sort_best_first(&mut list, |(promise, _)| *promise);
        let mut best = static_value;
        window.alpha = window.alpha.max(best);
        for &(_, mv) in &list {
            let mut next = *position;
            self.game.play_unchecked(&mut next, mv);
            let value = self.quiescence_after(&next, node, window);
            if self.budget.is_spent() {
                break;
            }
            best = best.max(value);
            window.alpha = window.alpha.max(value);
            if value >= window.beta {
                break;
            }
        }
        self.memory.lists[node.ply] = list;
        best
    }

    /// The same for the position after a move made at `node`, for the side that made it.
    fn quiescence_after(&mut self, next: &G::Position, node: Node, window: Window) -> Value {
        let ply = node.ply + 1;
        if self.budget.count() {
            return 0;
        }
        if self.is_over(next) {
            return self.outcome(next, node.side, ply);
        }
        let side = self.side_to_move(next, node.side);
        let static_value = self.evaluate(next, side);
        let child = Node { side, ply, ..node };
        if side == node.side {
            self.quiescence(next, child, static_value, window)
        } else {
            -self.quiescence(next, child, static_value, window.of_other_side())
        }
    }

    /// The moves of a position, the most promising first.
    fn ordered_moves(
        &mut self,
        position: &G::Position,
        node: Node,
        first: Option<G::Move>,
    ) -> Vec<(i32, G::Move)> {
        let Node { side, depth, ply } = node;
        let mut list = std::mem::take(&mut self.memory.lists[ply]);
        list.clear();
        // All moves: in the games that have shortlists, a search of these alone did no better.
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
                self.memory.ordering.promise(side, ply, *mv)
                    + evaluation.promise(self.game, position, *mv)
            };
        }
        if depth >= ORDER_DEPTH {
            self.look_ahead(position, node, &mut list);
        }
        sort_best_first(&mut list, |(promise, _)| *promise);
        list
    }

    /// Keeps the moves of another seat that look best to that seat itself: with more than two seats,
    /// no seat plays against only one of the others.
    fn keep_sensible(&mut self, position: &G::Position, list: &mut Vec<(i32, G::Move)>) {
        let mover = self.game.to_move(position);
        let Some(seat) = mover.filter(|_| list.len() > SENSIBLE) else {
            return;
        };
        for (promise, mv) in list.iter_mut() {
            let mut next = *position;
            self.game.play_unchecked(&mut next, *mv);
            *promise = if self.is_over(&next) {
                value::of_share(self.game.outcome(&next)[seat], 0)
            } else {
                let scores = self.memory.evaluation.scores(self.game, &next);
                value::of_many(&scores[..self.game.seats()], seat)
            };
        }
        sort_best_first(list, |(promise, _)| *promise);
        list.truncate(SENSIBLE);
    }

    /// Adds the evaluations of the positions after the moves to their promises.
    fn look_ahead(&mut self, position: &G::Position, node: Node, list: &mut [(i32, G::Move)]) {
        let rest = list.iter_mut().filter(|(promise, _)| *promise != i32::MAX);
        for (index, (promise, mv)) in rest.enumerate() {
            // With a thousand moves this takes milliseconds.
            if index % ORDERED_A_CHECK == ORDERED_A_CHECK - 1 && self.budget.check_clock() {
                return;
            }
            let mut next = *position;
            self.game.play_unchecked(&mut next, *mv);
            let value = if self.is_over(&next) {
                self.outcome(&next, node.side, node.ply)
            } else {
                self.evaluate(&next, node.side)
            };
            *promise += value.clamp(-30 * UNIT, 30 * UNIT) * 64;
        }
    }

    /// Records for the move ordering that the last of these moves caused a cutoff.
    fn reward(&mut self, node: Node, list: &[(i32, G::Move)]) {
        let Some(((_, mv), before)) = list.split_last() else {
            return;
        };
        self.memory.scratch.clear();
        let before = before.iter().map(|(_, mv)| *mv);
        self.memory.scratch.extend(before);
        let memory = &mut *self.memory;
        memory.ordering.reward(node, *mv, &memory.scratch);
    }
}

/// By how many plies the first search of a late move is reduced.
fn reduction(depth: i32, index: usize) -> i32 {
    if depth < 3 || index < FULL_MOVES {
        return 0;
    }
    let by_index = usize::BITS - index.leading_zeros();
    ((by_index as i32) * (depth.ilog2() as i32 + 1) / 5).min(depth - 2)
}

//! The search below the root: principal variation search between two sides.
//!
//! The seat that searches is one side, all others together are the other. With two seats that is
//! exact; with more it is the paranoid search, in which all others play against the one, but only
//! by moves that are good for themselves.

use games::{Game, Seat};

use super::budget::NodeBudget;
use super::move_list::MoveList;
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
/// In positions with more moves than this, a search of little depth leaves the late ones out.
const MANY: usize = 64;
/// The number of moves that are tried there at depth 1, and at depth 2.
const TRIED_AT_DEPTH_1: usize = 24;
const TRIED_AT_DEPTH_2: usize = 60;
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
    pub(super) lists: Vec<MoveList<G::Move>>,
    /// The same for noisy moves.
    pub(super) noisy: Vec<Vec<(i32, G::Move)>>,
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
        let mut list = std::mem::take(&mut self.memory.lists[ply]);
        list.clear();
        self.early_moves(position, node, best_move, &mut list);
        self.path.push(self.game.key(position));
        let mut result = self.search_moves(position, &mut list, node, window);
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
        list: &mut MoveList<G::Move>,
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
        let most = most_tried(node.depth, window);
        while let Some(mv) = self.next_move(position, node, list) {
            let index = list.tried.len() - 1;
            if index >= most && list.len() > MANY && result.value > -PROVEN {
                result.value = result.value.max(window.alpha);
                break;
            }
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
                    self.memory.ordering.reward(node, &list.tried);
                    break;
                }
            }
        }
        result
    }

    /// The next move of a list; the moves are listed when the early ones have been tried.
    #[inline]
    fn next_move(
        &mut self,
        position: &G::Position,
        node: Node,
        list: &mut MoveList<G::Move>,
    ) -> Option<G::Move> {
        if let Some(mv) = list.next() {
            return Some(mv);
        }
        if list.listed {
            return None;
        }
        self.list_moves(position, node, list);
        list.next()
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
        let mut list = std::mem::take(&mut self.memory.noisy[node.ply]);
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
        self.memory.noisy[node.ply] = list;
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

    /// Puts the moves that are tried before others are even listed into a list: the best one of an earlier
    /// search and the killers.
    fn early_moves(
        &mut self,
        position: &G::Position,
        node: Node,
        best: Option<G::Move>,
        list: &mut MoveList<G::Move>,
    ) {
        if let Some(mv) = best.filter(|mv| self.game.is_legal(position, *mv)) {
            list.push_early(mv);
        }
        // What is not sensible is not tried.
        if node.side == 0 || self.game.seats() == 2 {
            for mv in self.memory.ordering.killers(node.ply) {
                if self.game.is_legal(position, mv) {
                    list.push_early(mv);
                }
            }
        }
    }

    /// Lists the moves of a position with their promise.
    fn list_moves(&mut self, position: &G::Position, node: Node, list: &mut MoveList<G::Move>) {
        list.listed = true;
        // All moves: in the games that have shortlists, a search of these alone did no better.
        let mut moves = std::mem::take(&mut self.memory.scratch);
        self.game.legal(position, &mut moves);
        if node.side == 1 && self.game.seats() > 2 {
            self.keep_sensible(position, &mut moves);
        }
        let mut ahead = node.depth >= ORDER_DEPTH;
        for (index, &mv) in moves.iter().enumerate() {
            // With a thousand moves this takes milliseconds.
            if ahead && index % ORDERED_A_CHECK == ORDERED_A_CHECK - 1 {
                ahead = !self.budget.check_clock();
            }
            let later = if ahead {
                self.look_ahead(position, node, mv)
            } else {
                0
            };
            list.push(mv, self.memory.ordering.promise(node.side, mv) + later);
        }
        self.memory.scratch = moves;
    }

    /// Keeps the moves of another seat that look best to that seat itself: with more than two seats,
    /// no seat plays against only one of the others.
    fn keep_sensible(&mut self, position: &G::Position, moves: &mut Vec<G::Move>) {
        let mover = self.game.to_move(position);
        let Some(seat) = mover.filter(|_| moves.len() > SENSIBLE) else {
            return;
        };
        let mut rated: Vec<(Value, G::Move)> = Vec::with_capacity(moves.len());
        for &mv in moves.iter() {
            let mut next = *position;
            self.game.play_unchecked(&mut next, mv);
            let value = if self.is_over(&next) {
                value::of_share(self.game.outcome(&next)[seat], 0)
            } else {
                let scores = self.memory.evaluation.scores(self.game, &next);
                value::of_many(&scores[..self.game.seats()], seat)
            };
            rated.push((value, mv));
        }
        sort_best_first(&mut rated, |(value, _)| *value);
        moves.clear();
        moves.extend(rated.iter().take(SENSIBLE).map(|(_, mv)| *mv));
    }

    /// What the evaluation of the position after a move adds to the promise of the move.
    fn look_ahead(&mut self, position: &G::Position, node: Node, mv: G::Move) -> i32 {
        let mut next = *position;
        self.game.play_unchecked(&mut next, mv);
        let value = if self.is_over(&next) {
            self.outcome(&next, node.side, node.ply)
        } else {
            self.evaluate(&next, node.side)
        };
        value.clamp(-30 * UNIT, 30 * UNIT) * 64
    }
}

/// The number of moves of a position with many that a search to this depth tries; the later ones are
/// taken for no better. Only where a bound is wanted, so that mistakes cost little.
fn most_tried(depth: i32, window: Window) -> usize {
    match depth {
        1 if window.is_null() => TRIED_AT_DEPTH_1,
        2 if window.is_null() => TRIED_AT_DEPTH_2,
        _ => usize::MAX,
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

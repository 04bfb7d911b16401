//! One thread of the search: it selects a path down the graph, expands the position at its end, and
//! backpropagates the value.

use std::sync::{Mutex, MutexGuard, PoisonError};

use games::{Game, Rng};

use super::bounds::Bounds;
use super::budget::PlayoutBudget;
use super::candidate::{Candidate, SeatValues};
use super::evaluator::{self, LeafEvaluator};
use super::graph::SearchGraph;
use super::node::{NodeId, PositionId, Stage, Step};
use crate::engine::Question;

/// Positions with at most this many moves get all of them at once.
const ALL: usize = 256;
/// Other positions get this many at first, from the evaluation's shortlist or at random, and more
/// later.
const SAMPLE: usize = 48;

pub(super) struct Worker<G: Game> {
    pub(super) evaluator: LeafEvaluator<G>,
    pub(super) rng: Rng,
    path: Vec<Step>,
    moves: Vec<G::Move>,
    /// The length of the longest path.
    pub(super) depth: usize,
}

/// A position that has to be expanded.
struct Expansion<G: Game> {
    node: NodeId,
    position: G::Position,
    /// The moves that the node has already.
    have: Vec<G::Move>,
}

struct Expanded<M> {
    node: NodeId,
    candidates: Vec<Candidate<M>>,
    complete: bool,
    value: SeatValues,
}

impl<G: Game> Worker<G> {
    pub(super) fn new(rng: Rng) -> Self {
        Worker {
            evaluator: LeafEvaluator::new(),
            rng,
            path: Vec::new(),
            moves: Vec::new(),
            depth: 0,
        }
    }

    /// Searches until the budget is spent. Other workers may search the same graph.
    pub(super) fn search(
        &mut self,
        question: &Question<'_, G>,
        shared: &Mutex<SearchGraph<G::Move>>,
        budget: &PlayoutBudget,
    ) {
        let mut expanded = None;
        loop {
            let mut graph = lock(shared);
            if let Some(expanded) = expanded.take() {
                self.add(&mut graph, expanded);
            }
            if budget.is_spent(&graph) {
                return;
            }
            let leaf = self.select_path(question, &mut graph);
            self.depth = self.depth.max(self.path.len() - 1);
            match leaf {
                None => graph.backpropagate(&self.path),
                Some(leaf) => {
                    drop(graph);
                    expanded = Some(self.evaluate_leaf(question, &leaf, budget));
                }
            }
        }
    }

    /// Adds the moves that the root does not have yet: all of them or, if there are very many, those of
    /// the shortlist.
    pub(super) fn expand_root(
        &mut self,
        question: &Question<'_, G>,
        graph: &mut SearchGraph<G::Move>,
        moves: &[G::Move],
        budget: &PlayoutBudget,
    ) {
        let have: Vec<G::Move> = graph.node(0).edges.iter().map(|edge| edge.mv).collect();
        if have.len() == moves.len() {
            return;
        }
        let mut rest = moves.to_vec();
        if moves.len() > ALL {
            self.evaluator
                .shortlist(question.game, question.position, &mut rest);
        }
        rest.retain(|mv| !have.contains(mv));
        self.rng.shuffle(&mut rest);
        let late = || budget.is_late();
        let (candidates, value) =
            self.evaluator
                .evaluate_moves(question, question.position, &rest, late, &mut self.rng);
        let complete = have.len() + candidates.len() == moves.len();
        graph.expand(0, &candidates, complete, value);
    }

    /// Follows the graph down to a position that has to be expanded, or to an end (`None`).
    fn select_path(
        &mut self,
        question: &Question<'_, G>,
        graph: &mut SearchGraph<G::Move>,
    ) -> Option<Expansion<G>> {
        let mut position = *question.position;
        let mut id = 0;
        self.path.clear();
        self.path.push(Step { node: id, edge: 0 });
        loop {
            let full = graph.full();
            let node = graph.node_mut(id);
            match node.stage {
                Stage::Fresh if !full => {
                    if self.mark_if_over(question, graph, id, &position) {
                        return None;
                    }
                    graph.node_mut(id).stage = Stage::Busy;
                    return Some(Expansion {
                        node: id,
                        position,
                        have: Vec::new(),
                    });
                }
                Stage::Expanded if node.wants_more() && !full => {
                    node.stage = Stage::Busy;
                    let have = node.edges.iter().map(|edge| edge.mv).collect();
                    return Some(Expansion {
                        node: id,
                        position,
                        have,
                    });
                }
                Stage::Expanded => {}
                _ => return None,
            }
            if id != 0 && node.bounds.settled(node.mover).is_some() {
                return None;
            }
            let edge = graph.select(id);
            question
                .game
                .play_unchecked(&mut position, graph.node(id).edges[edge].mv);
            if let Some(step) = self.path.last_mut() {
                step.edge = edge;
            }
            id = graph.child(id, edge, || position_id(question, &position));
            self.path.push(Step { node: id, edge: 0 });
        }
    }

    /// Marks a node as an end if the match ends there or the position is repeated.
    fn mark_if_over(
        &self,
        question: &Question<'_, G>,
        graph: &mut SearchGraph<G::Move>,
        id: NodeId,
        position: &G::Position,
    ) -> bool {
        let game = question.game;
        let key = graph.node(id).key;
        let times = occurrences(question, key);
        let repeated = question.repetition.is_some_and(|most| times + 1 >= most);
        if id != 0 && (evaluator::over(question, position) || repeated) {
            let outcome = game.outcome(position);
            graph.mark_over(id, self.evaluator.result(&outcome), Bounds::exact(&outcome));
            return true;
        }
        let above = &self.path[..self.path.len() - 1];
        let again = || above.iter().any(|step| graph.node(step.node).key == key);
        if question.repetition.is_some() && again() {
            let outcome = game.outcome(position);
            graph.mark_over(id, self.evaluator.result(&outcome), Bounds::OPEN);
            graph.node_mut(id).stage = Stage::Repeated;
            return true;
        }
        graph.node_mut(id).seen_in_match = times > 0 && id != 0;
        false
    }

    /// Evaluates moves of a position that it does not have yet.
    fn evaluate_leaf(
        &mut self,
        question: &Question<'_, G>,
        leaf: &Expansion<G>,
        budget: &PlayoutBudget,
    ) -> Expanded<G::Move> {
        let game = question.game;
        let Expansion {
            node,
            position,
            ref have,
        } = *leaf;
        let all = game.count_legal(&position) as usize;
        if have.is_empty() {
            self.evaluator.shortlist(game, &position, &mut self.moves);
        } else {
            game.legal(&position, &mut self.moves);
            self.moves.retain(|mv| !have.contains(mv));
        }
        let room = if have.is_empty() {
            SAMPLE
        } else {
            3 * have.len()
        };
        if all > ALL && self.moves.len() > room {
            for place in 0..room {
                let from = place + self.rng.index(self.moves.len() - place);
                self.moves.swap(place, from);
            }
            self.moves.truncate(room);
        }
        let late = || budget.is_late();
        let (candidates, value) =
            self.evaluator
                .evaluate_moves(question, &position, &self.moves, late, &mut self.rng);
        Expanded {
            node,
            complete: have.len() + candidates.len() == all,
            candidates,
            value,
        }
    }

    /// Adds evaluated moves to the graph and backpropagates their value.
    fn add(&mut self, graph: &mut SearchGraph<G::Move>, expanded: Expanded<G::Move>) {
        let Expanded {
            node,
            candidates,
            complete,
            value,
        } = expanded;
        graph.expand(node, &candidates, complete, value);
        graph.backpropagate(&self.path);
    }
}

/// Locks the graph, even if another thread panicked.
pub(super) fn lock<M>(shared: &Mutex<SearchGraph<M>>) -> MutexGuard<'_, SearchGraph<M>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of times that a position occurred in the match.
pub(super) fn occurrences<G: Game>(question: &Question<'_, G>, key: u64) -> u32 {
    let same = question.history.iter().filter(|known| **known == key);
    same.count() as u32
}

/// Identifies a position. The ply is part of it, so that no path through the graph is endless.
pub(super) fn position_id<G: Game>(
    question: &Question<'_, G>,
    position: &G::Position,
) -> PositionId {
    let game = question.game;
    let key = game.key(position);
    let ply = game.ply(position);
    let parts = game.scores(position).into_iter().map(|score| score as u64);
    let hash = parts.fold(mixed(key, u64::from(ply)), mixed);
    PositionId {
        hash,
        key,
        ply,
        mover: game.to_move(position).unwrap_or(0),
    }
}

/// Mixes a number into a hash.
fn mixed(hash: u64, part: u64) -> u64 {
    let hash = (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ hash >> 32
}

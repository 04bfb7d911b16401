//! One thread of the search: down the graph, a look at the moves of a new position, and up again.

use std::sync::{Mutex, MutexGuard, PoisonError};

use games::{Game, Rng};

use super::bounds::Bounds;
use super::judge::{self, Judge};
use super::stop::Stop;
use super::tree::{Candidate, NodeId, Spot, Stage, Step, Tree, Value};
use crate::thinker::Question;

/// Positions with no more moves than this get all of them at once.
const ALL: usize = 256;
/// Others get so many at first, those on the evaluation's shortlist or drawn at random, and later
/// more.
const SAMPLE: usize = 48;

/// What a thread of the search has of its own.
pub(super) struct Worker<G: Game> {
    pub(super) judge: Judge<G>,
    pub(super) rng: Rng,
    path: Vec<Step>,
    moves: Vec<G::Move>,
    /// The length of the longest path.
    pub(super) depth: usize,
}

/// A position whose moves have to be looked at.
struct Job<G: Game> {
    node: NodeId,
    position: G::Position,
    /// The moves that it has already.
    have: Vec<G::Move>,
}

/// What came of that.
struct Found<M> {
    node: NodeId,
    candidates: Vec<Candidate<M>>,
    complete: bool,
    value: Value,
}

impl<G: Game> Worker<G> {
    pub(super) fn new(rng: Rng) -> Self {
        Worker {
            judge: Judge::new(),
            rng,
            path: Vec::new(),
            moves: Vec::new(),
            depth: 0,
        }
    }

    /// Searches until it is time to stop. Other workers may search the same graph.
    pub(super) fn search(
        &mut self,
        question: &Question<'_, G>,
        shared: &Mutex<Tree<G::Move>>,
        stop: &Stop,
    ) {
        let mut found = None;
        loop {
            let mut tree = lock(shared);
            if let Some(found) = found.take() {
                self.finish(&mut tree, found);
            }
            if stop.now(&tree) {
                return;
            }
            let job = self.descend(question, &mut tree);
            self.depth = self.depth.max(self.path.len() - 1);
            match job {
                None => tree.record(&self.path),
                Some(job) => {
                    drop(tree);
                    found = Some(self.look(question, &job, stop));
                }
            }
        }
    }

    /// Looks at the moves of the root that it does not have yet: all, or if they are very many
    /// those that seem to be worth it.
    pub(super) fn open(
        &mut self,
        question: &Question<'_, G>,
        tree: &mut Tree<G::Move>,
        moves: &[G::Move],
        stop: &Stop,
    ) {
        let have: Vec<G::Move> = tree.node(0).edges.iter().map(|edge| edge.mv).collect();
        if have.len() == moves.len() {
            return;
        }
        let mut rest = moves.to_vec();
        if moves.len() > ALL {
            self.judge
                .shortlist(question.game, question.position, &mut rest);
        }
        rest.retain(|mv| !have.contains(mv));
        self.rng.shuffle(&mut rest);
        let late = || stop.late();
        let (candidates, value) =
            self.judge
                .look(question, question.position, &rest, late, &mut self.rng);
        let complete = have.len() + candidates.len() == moves.len();
        tree.grow(0, &candidates, complete, value);
    }

    /// Follows the graph to a position whose moves were not looked at, or to an end.
    fn descend(&mut self, question: &Question<'_, G>, tree: &mut Tree<G::Move>) -> Option<Job<G>> {
        let mut position = *question.position;
        let mut id = 0;
        self.path.clear();
        self.path.push(Step { node: id, edge: 0 });
        loop {
            let full = tree.full();
            let node = tree.node_mut(id);
            match node.stage {
                Stage::Fresh if !full => {
                    if self.settle(question, tree, id, &position) {
                        return None;
                    }
                    tree.node_mut(id).stage = Stage::Busy;
                    return Some(Job {
                        node: id,
                        position,
                        have: Vec::new(),
                    });
                }
                Stage::Grown if node.wants_more() && !full => {
                    node.stage = Stage::Busy;
                    let have = node.edges.iter().map(|edge| edge.mv).collect();
                    return Some(Job {
                        node: id,
                        position,
                        have,
                    });
                }
                Stage::Grown => {}
                _ => return None,
            }
            if id != 0 && node.bounds.settled(node.mover).is_some() {
                return None;
            }
            let edge = tree.select(id);
            question
                .game
                .play(&mut position, tree.node(id).edges[edge].mv);
            if let Some(step) = self.path.last_mut() {
                step.edge = edge;
            }
            id = tree.child(id, edge, || spot(question, &position));
            self.path.push(Step { node: id, edge: 0 });
        }
    }

    /// Marks a position as an end if it is one.
    fn settle(
        &self,
        question: &Question<'_, G>,
        tree: &mut Tree<G::Move>,
        id: NodeId,
        position: &G::Position,
    ) -> bool {
        let game = question.game;
        let key = tree.node(id).key;
        let times = times(question, key);
        let stopped = question.repetition.is_some_and(|most| times + 1 >= most);
        if id != 0 && (judge::over(question, position) || stopped) {
            let outcome = game.outcome(position);
            tree.end(id, self.judge.result(&outcome), Bounds::exact(&outcome));
            return true;
        }
        let above = &self.path[..self.path.len() - 1];
        let again = || above.iter().any(|step| tree.node(step.node).key == key);
        if question.repetition.is_some() && again() {
            let outcome = game.outcome(position);
            tree.end(id, self.judge.result(&outcome), Bounds::OPEN);
            tree.node_mut(id).stage = Stage::Repeated;
            return true;
        }
        tree.node_mut(id).known(times > 0 && id != 0);
        false
    }

    /// Looks at the moves of a position.
    fn look(&mut self, question: &Question<'_, G>, job: &Job<G>, stop: &Stop) -> Found<G::Move> {
        let game = question.game;
        let Job {
            node,
            position,
            ref have,
        } = *job;
        let all = game.count_legal(&position) as usize;
        if have.is_empty() {
            self.judge.shortlist(game, &position, &mut self.moves);
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
        let late = || stop.late();
        let (candidates, value) =
            self.judge
                .look(question, &position, &self.moves, late, &mut self.rng);
        Found {
            node,
            complete: have.len() + candidates.len() == all,
            candidates,
            value,
        }
    }

    /// Puts into the graph what was found, and counts the playout.
    fn finish(&mut self, tree: &mut Tree<G::Move>, found: Found<G::Move>) {
        let Found {
            node,
            candidates,
            complete,
            value,
        } = found;
        tree.grow(node, &candidates, complete, value);
        tree.record(&self.path);
    }
}

/// The graph, also if another thread broke down.
pub(super) fn lock<M>(shared: &Mutex<Tree<M>>) -> MutexGuard<'_, Tree<M>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often a position was there in the match.
pub(super) fn times<G: Game>(question: &Question<'_, G>, key: u64) -> u32 {
    let same = question.history.iter().filter(|known| **known == key);
    same.count() as u32
}

/// Where a position is. Plies are part of it, so that no way through the graph is endless.
pub(super) fn spot<G: Game>(question: &Question<'_, G>, position: &G::Position) -> Spot {
    let game = question.game;
    let key = game.key(position);
    let ply = game.ply(position);
    let parts = game.scores(position).into_iter().map(|score| score as u64);
    let hash = parts.fold(mixed(key, u64::from(ply)), mixed);
    Spot {
        hash,
        key,
        ply,
        mover: game.to_move(position).unwrap_or(0),
    }
}

/// Two numbers made one.
fn mixed(hash: u64, part: u64) -> u64 {
    let hash = (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ hash >> 32
}

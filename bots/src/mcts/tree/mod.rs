//! The search graph: positions, the moves tried from them, what they are worth, what is proven.
//!
//! A position that is reached in several ways is one node. So a node's value is not a sum of what
//! came by, but is made anew from its moves: the mean of their values, weighted by visits.

mod proof;
mod reuse;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use games::{MAX_SEATS, Seat};

use super::bounds::{Bounds, WIN};
use super::judge::{self, shifted};

/// How much a move that looks good but was tried seldom is preferred to one that did well.
const EXPLORE: f32 = 1.0;
/// How much worse than the best move of a position a move may be, as an expected outcome, before it
/// hardly counts for the position's value.
const TOLERANCE: f32 = 0.5;
/// The nodes of a graph, at most; with the moves of [`MOST_EDGES`], some 300 MB.
const MOST_NODES: usize = 1 << 20;
/// The moves of all nodes, at most.
const MOST_EDGES: usize = 1 << 22;

/// The expected outcome of each seat.
pub(super) type Value = [f32; MAX_SEATS];

/// An index into the nodes; the root is 0.
pub(super) type NodeId = u32;

/// No node.
const NONE: NodeId = NodeId::MAX;

/// A step of a playout: a node and the move that was made there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) node: NodeId,
    pub(super) edge: usize,
}

/// How far a node has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Its moves were not looked at.
    Fresh,
    /// Somebody is looking at its moves.
    Busy,
    /// It has moves.
    Grown,
    /// The game ends there.
    Over,
    /// It is the same position as one before it on the way there: nothing new comes of it.
    Repeated,
}

/// A position.
#[derive(Debug)]
pub(super) struct Node<M> {
    /// Names position, ply and scores.
    hash: u64,
    /// Names the position alone.
    pub(super) key: u64,
    /// The plies before it.
    ply: u32,
    /// Whose turn it is.
    pub(super) mover: Seat,
    pub(super) stage: Stage,
    /// Whether all legal moves are among the edges.
    complete: bool,
    /// Whether it was there in the match before, so that a proof must not rest on it.
    known: bool,
    /// How often it was looked at from the moves that lead on from it, and once more.
    pub(super) visits: u32,
    /// What it is worth.
    pub(super) value: Value,
    /// What it seemed to be worth before any of its moves was tried.
    own: Value,
    pub(super) bounds: Bounds,
    /// The moves: those that were tried, then the others, the most promising first.
    pub(super) edges: Vec<Edge<M>>,
}

/// A move from a position.
#[derive(Clone, Debug)]
pub(super) struct Edge<M> {
    pub(super) mv: M,
    child: NodeId,
    /// How often it was tried.
    pub(super) visits: u32,
    /// How promising it is; of all moves of a node together 1.
    prior: f32,
    /// What it seems to be worth to the seat that makes it.
    mean: f32,
    /// The same before it was tried, in log odds, from which the prior is made.
    margin: f32,
    /// What is proven about it for the seat that makes it.
    least: u8,
    most: u8,
}

/// A move that was looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<M> {
    pub(super) mv: M,
    /// The expected outcome for the seat that makes it.
    pub(super) guess: f32,
    /// The same in log odds.
    pub(super) margin: f32,
    /// How promising it is; of all moves together 1.
    pub(super) prior: f32,
    /// The outcome in twelfths, where it is certain.
    pub(super) exact: Option<u8>,
}

/// Hashes are as good as random already.
#[derive(Debug, Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// The positions under the root.
#[derive(Debug)]
pub(super) struct Tree<M> {
    seats: usize,
    /// What the odds of seat 0 are multiplied by in all values.
    even: f32,
    nodes: Vec<Node<M>>,
    index: HashMap<u64, NodeId, BuildHasherDefault<AsIs>>,
    edges: usize,
}

impl<M: Copy + Eq> Tree<M> {
    /// No position at all.
    pub(super) fn empty() -> Self {
        Tree {
            seats: 2,
            even: 1.0,
            nodes: Vec::new(),
            index: HashMap::default(),
            edges: 0,
        }
    }

    /// Makes sure that the root is this position, and forgets everything if it is not.
    pub(super) fn root(&mut self, seats: usize, spot: &Spot) {
        self.seats = seats;
        if self.nodes.first().is_none_or(|root| root.hash != spot.hash) {
            self.clear();
            self.add(spot, [0.5; MAX_SEATS]);
        }
    }

    /// Forgets everything.
    fn clear(&mut self) {
        self.nodes.clear();
        self.index.clear();
        self.edges = 0;
    }

    pub(super) fn node(&self, id: NodeId) -> &Node<M> {
        &self.nodes[id as usize]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node<M> {
        &mut self.nodes[id as usize]
    }

    /// Whether there is no room for more.
    pub(super) fn full(&self) -> bool {
        self.nodes.len() >= MOST_NODES || self.edges >= MOST_EDGES
    }

    /// How many nodes there are.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node of a position, made if there is none.
    fn find(&mut self, spot: &Spot, value: Value) -> NodeId {
        match self.index.get(&spot.hash) {
            Some(&id) => id,
            None => self.add(spot, value),
        }
    }

    fn add(&mut self, spot: &Spot, value: Value) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.index.insert(spot.hash, id);
        self.nodes.push(Node {
            hash: spot.hash,
            key: spot.key,
            ply: spot.ply,
            mover: spot.mover,
            stage: Stage::Fresh,
            complete: false,
            known: false,
            visits: 1,
            value,
            own: value,
            bounds: Bounds::OPEN,
            edges: Vec::new(),
        });
        id
    }

    /// The node that a move leads to; makes it, given where it is.
    pub(super) fn child(&mut self, id: NodeId, edge: usize, spot: impl FnOnce() -> Spot) -> NodeId {
        let Edge { child, mean, .. } = self.nodes[id as usize].edges[edge];
        if child != NONE {
            return child;
        }
        // What the mover does not get, the others share.
        let others = (self.seats as f32 / 2.0 - mean) / (self.seats.max(2) - 1) as f32;
        let mut value = [others; MAX_SEATS];
        value[self.nodes[id as usize].mover] = mean;
        let child = self.find(&spot(), value);
        self.nodes[id as usize].edges[edge].child = child;
        child
    }

    /// Chooses which move of a node to try, and counts the visit.
    pub(super) fn select(&mut self, id: NodeId) -> usize {
        let node = &self.nodes[id as usize];
        let mover = node.mover;
        let reach = EXPLORE * (node.visits as f32).sqrt();
        let least = node.bounds.least[mover];
        let mut best = (f32::NEG_INFINITY, 0);
        for (index, edge) in node.edges.iter().enumerate() {
            // What cannot be better than what is sure already is not worth a look.
            if edge.most > least {
                let bound = edge.mean + reach * edge.prior / (1 + edge.visits) as f32;
                if bound > best.0 {
                    best = (bound, index);
                }
                // Those that were not tried are in the order of how promising they are.
                if edge.visits == 0 {
                    break;
                }
            }
        }
        self.nodes[id as usize].edges[best.1].visits += 1;
        best.1
    }

    /// Gives a node more moves, and its own value if these are its first ones.
    pub(super) fn grow(&mut self, id: NodeId, moves: &[Candidate<M>], complete: bool, own: Value) {
        let node = &mut self.nodes[id as usize];
        if node.edges.is_empty() {
            (node.own, node.value) = (own, own);
        }
        let first = node.edges.is_empty();
        node.edges.extend(moves.iter().map(Edge::new));
        self.edges += moves.len();
        node.complete = complete;
        node.stage = Stage::Grown;
        node.arrange(first);
        self.prove(id);
    }

    /// Marks a node as the end of the game.
    pub(super) fn end(&mut self, id: NodeId, value: Value, bounds: Bounds) {
        let node = &mut self.nodes[id as usize];
        node.stage = Stage::Over;
        node.bounds = bounds;
        (node.own, node.value) = (value, value);
    }

    /// Counts a playout that went this way, from its end up to the root.
    pub(super) fn record(&mut self, path: &[Step]) {
        let Some((last, above)) = path.split_last() else {
            return;
        };
        if self.node(last.node).stage == Stage::Grown {
            self.refresh(last.node);
        }
        let mut below = last.node;
        for step in above.iter().rev() {
            let Node { value, bounds, .. } = *self.node(below);
            let node = self.node_mut(step.node);
            // Another thread may have put more moves in between.
            let is = |edge: &&mut Edge<M>| edge.child == below;
            let mut edge = node.edges.get_mut(step.edge).filter(is);
            if edge.is_none() {
                edge = node.edges.iter_mut().find(is);
            }
            if let Some(edge) = edge {
                edge.mean = value[node.mover];
            }
            if bounds != Bounds::OPEN {
                self.prove(step.node);
            }
            self.refresh(step.node);
            below = step.node;
        }
    }

    /// Makes the value of a node anew from its moves.
    fn refresh(&mut self, id: NodeId) {
        let node = &self.nodes[id as usize];
        let mover = node.mover;
        let least = node.bounds.least[mover];
        let mut visits = 1;
        let mut tried = 0;
        let mut top = f32::NEG_INFINITY;
        for edge in &node.edges {
            if edge.visits == 0 && edge.most > least {
                break;
            }
            tried += 1;
            visits += edge.visits;
            if edge.visits > 0 {
                top = top.max(edge.mean);
            }
        }
        let value = match (self.seats, node.bounds.settled(mover)) {
            (2, Some(sure)) => {
                let first = if mover == 0 { sure } else { 1.0 - sure };
                let first = shifted(first, self.even);
                [first, 1.0 - first, 0.0, 0.0]
            }
            _ => self.mean_of_moves(node, tried, top),
        };
        let node = self.node_mut(id);
        node.value = value;
        node.visits = visits;
    }

    /// The mean of the first moves, weighted by visits and by how good they are for the mover.
    fn mean_of_moves(&self, node: &Node<M>, tried: usize, top: f32) -> Value {
        let mover = node.mover;
        let least = node.bounds.least[mover];
        let weight = |mean: f32| judge::exp((mean - top).min(0.0) * (1.0 / TOLERANCE));
        let mut weights = weight(node.own[mover]);
        let mut sum = node.own.map(|own| own * weights);
        for edge in &node.edges[..tried] {
            // Moves that are known to be bad don't make a position bad.
            let bad = edge.most <= least && edge.least < least.max(1);
            if edge.visits == 0 || bad {
                continue;
            }
            let share = edge.visits as f32 * weight(edge.mean);
            weights += share;
            if self.seats == 2 {
                sum[mover] += share * edge.mean;
            } else if let Some(child) = self.nodes.get(edge.child as usize) {
                for (sum, value) in sum.iter_mut().zip(&child.value) {
                    *sum += share * value;
                }
            }
        }
        let mut value = sum.map(|sum| sum / weights);
        if self.seats == 2 {
            value[1 - mover] = 1.0 - value[mover];
        }
        value
    }

    /// The best move of a node: a proven win, else the one that was tried most.
    pub(super) fn best(&self, id: NodeId) -> Option<&Edge<M>> {
        let node = self.nodes.get(id as usize)?;
        let worth = |edge: &Edge<M>| {
            let sure = node.bounds.least[node.mover];
            // If something is sure, then only what promises more, or gives just that.
            (
                edge.least == WIN,
                edge.most > sure || edge.least >= sure && sure > 0,
            )
        };
        node.edges.iter().rev().max_by(|a, b| {
            worth(a)
                .cmp(&worth(b))
                .then(a.visits.cmp(&b.visits))
                .then(a.mean.total_cmp(&b.mean))
        })
    }

    /// The best moves from the root on.
    pub(super) fn line(&self) -> Vec<M> {
        let mut line = Vec::new();
        let mut next = 0;
        let known = |edge: &&Edge<M>| edge.visits > 0 || edge.least == WIN;
        while let Some(edge) = self.best(next).filter(known) {
            line.push(edge.mv);
            next = edge.child;
        }
        line
    }

    /// Whether no other move of the root can get as many visits as the best one by so many more.
    pub(super) fn decided(&self, playouts_left: f64) -> bool {
        let Some(root) = self.nodes.first() else {
            return false;
        };
        let mut most = [0, 0];
        for edge in &root.edges {
            if edge.visits > most[0] {
                most = [edge.visits, most[0]];
            } else if edge.visits > most[1] {
                most[1] = edge.visits;
            }
        }
        f64::from(most[0] - most[1]) > playouts_left
    }

    /// What the root is worth to a seat.
    pub(super) fn value(&self, seat: Seat) -> f32 {
        let value = self
            .nodes
            .first()
            .map_or([0.5; MAX_SEATS], |root| root.value);
        match (self.seats, seat) {
            (2, 0) => shifted(value[0], 1.0 / self.even),
            (2, _) => 1.0 - shifted(value[0], 1.0 / self.even),
            _ => value[seat],
        }
    }
}

/// Where a position is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// Names position, ply and scores.
    pub(super) hash: u64,
    /// Names the position alone.
    pub(super) key: u64,
    /// The plies before it.
    pub(super) ply: u32,
    /// Whose turn it is; anything if the game is over.
    pub(super) mover: Seat,
}

impl<M: Copy + Eq> Node<M> {
    /// Tells whether it was there in the match before.
    pub(super) fn known(&mut self, known: bool) {
        self.known = known;
    }

    /// Whether it was visited often enough for more moves than it has.
    pub(super) fn wants_more(&self) -> bool {
        !self.complete && self.visits as usize > 2 * self.edges.len()
    }

    /// Puts the moves in order; makes the priors anew if there were moves before.
    fn arrange(&mut self, first: bool) {
        self.edges.sort_unstable_by(|a, b| {
            let late = |edge: &Edge<M>| edge.visits == 0;
            late(a).cmp(&late(b)).then(b.margin.total_cmp(&a.margin))
        });
        if first {
            return;
        }
        let mut all: Vec<Candidate<M>> = self.edges.iter().map(Edge::candidate).collect();
        judge::prefer(&mut all);
        for (edge, candidate) in self.edges.iter_mut().zip(all) {
            edge.prior = candidate.prior;
        }
    }
}

impl<M: Copy> Edge<M> {
    fn candidate(&self) -> Candidate<M> {
        Candidate {
            mv: self.mv,
            guess: self.mean,
            margin: self.margin,
            prior: self.prior,
            exact: None,
        }
    }

    fn new(candidate: &Candidate<M>) -> Self {
        Edge {
            mv: candidate.mv,
            child: NONE,
            visits: 0,
            prior: candidate.prior,
            mean: candidate.guess,
            margin: candidate.margin,
            least: candidate.exact.unwrap_or(0),
            most: candidate.exact.unwrap_or(WIN),
        }
    }
}

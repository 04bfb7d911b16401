//! The search graph: positions, the moves tried from them, their values, and what is proven.
//!
//! A position that is reached in several ways is one node. Its value is therefore not a sum over
//! playouts but is computed from its moves: the mean of their values, weighted by visits.

mod best_lines;
mod proof;
mod reuse;
mod selection;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use games::{MAX_SEATS, Seat};

use super::bounds::{Bounds, WIN};
use super::candidate::{Candidate, SeatValues};
use super::node::{Edge, GraphNode, NONE, NodeId, PositionId, Stage, Step};
use super::odds::{exp, shifted};

/// Moves whose expected outcome is further below the best one hardly count for the value of a
/// position.
const TOLERANCE: f32 = 0.5;
/// At most this many nodes; with [`MOST_EDGES`] edges they take about 300 MB.
const MOST_NODES: usize = 1 << 20;
/// At most this many edges of all nodes together.
const MOST_EDGES: usize = 1 << 22;

/// Uses hashes as they are: they are as good as random already.
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

/// The graph of positions below the root.
#[derive(Debug)]
pub(super) struct SearchGraph<M> {
    seats: usize,
    /// The exploration constant of PUCT.
    exploration: f32,
    /// The factor by which the odds of seat 0 are multiplied in all values.
    odds_factor: f32,
    nodes: Vec<GraphNode<M>>,
    /// The nodes by [`PositionId::hash`].
    index: HashMap<u64, NodeId, BuildHasherDefault<AsIs>>,
    /// The number of edges of all nodes.
    edges: usize,
}

impl<M: Copy + Eq> SearchGraph<M> {
    pub(super) fn empty() -> Self {
        SearchGraph {
            seats: 2,
            exploration: 1.0,
            odds_factor: 1.0,
            nodes: Vec::new(),
            index: HashMap::default(),
            edges: 0,
        }
    }

    /// Makes this position the root. Clears the graph unless it is the root already.
    pub(super) fn set_root(&mut self, seats: usize, exploration: f32, position: &PositionId) {
        self.seats = seats;
        self.exploration = exploration;
        if self
            .nodes
            .first()
            .is_none_or(|root| root.hash != position.hash)
        {
            self.clear();
            self.add(position, [0.5; MAX_SEATS]);
        }
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.index.clear();
        self.edges = 0;
    }

    pub(super) fn node(&self, id: NodeId) -> &GraphNode<M> {
        &self.nodes[id as usize]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut GraphNode<M> {
        &mut self.nodes[id as usize]
    }

    pub(super) fn full(&self) -> bool {
        self.nodes.len() >= MOST_NODES || self.edges >= MOST_EDGES
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node of a position; adds it with this value if there is none.
    fn find_or_add(&mut self, position: &PositionId, value: SeatValues) -> NodeId {
        match self.index.get(&position.hash) {
            Some(&id) => id,
            None => self.add(position, value),
        }
    }

    fn add(&mut self, position: &PositionId, value: SeatValues) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.index.insert(position.hash, id);
        self.nodes.push(GraphNode {
            hash: position.hash,
            key: position.key,
            ply: position.ply,
            mover: position.mover,
            stage: Stage::Fresh,
            complete: false,
            seen_in_match: false,
            visits: 1,
            value,
            own: value,
            bounds: Bounds::OPEN,
            edges: Vec::new(),
        });
        id
    }

    /// The node that an edge leads to; `id` identifies the position if the edge has no node yet.
    pub(super) fn child(
        &mut self,
        node: NodeId,
        edge: usize,
        id: impl FnOnce() -> PositionId,
    ) -> NodeId {
        let Edge { child, mean, .. } = self.nodes[node as usize].edges[edge];
        if child != NONE {
            return child;
        }
        // The others share what the mover does not get.
        let others = (self.seats as f32 / 2.0 - mean) / (self.seats.max(2) - 1) as f32;
        let mut value = [others; MAX_SEATS];
        value[self.nodes[node as usize].mover] = mean;
        let child = self.find_or_add(&id(), value);
        self.nodes[node as usize].edges[edge].child = child;
        child
    }

    /// Adds evaluated moves to a node, and sets its value if they are its first ones. `complete` says
    /// that all legal moves are there now.
    pub(super) fn expand(
        &mut self,
        id: NodeId,
        moves: &[Candidate<M>],
        complete: bool,
        own: SeatValues,
    ) {
        let node = &mut self.nodes[id as usize];
        if node.edges.is_empty() {
            (node.own, node.value) = (own, own);
        }
        let first = node.edges.is_empty();
        node.edges.extend(moves.iter().map(Edge::new));
        self.edges += moves.len();
        node.complete = complete;
        node.stage = Stage::Expanded;
        node.arrange(first);
        self.prove(id);
    }

    /// Marks a node as an end of the game.
    pub(super) fn mark_over(&mut self, id: NodeId, value: SeatValues, bounds: Bounds) {
        let node = &mut self.nodes[id as usize];
        node.stage = Stage::Over;
        node.bounds = bounds;
        (node.own, node.value) = (value, value);
    }

    /// Updates the values along the path of a playout, from its end up to the root.
    pub(super) fn backpropagate(&mut self, path: &[Step]) {
        let Some((last, above)) = path.split_last() else {
            return;
        };
        if self.node(last.node).stage == Stage::Expanded {
            self.refresh(last.node);
        }
        let mut below = last.node;
        for step in above.iter().rev() {
            let GraphNode { value, bounds, .. } = *self.node(below);
            let node = self.node_mut(step.node);
            // Another thread may have added and sorted edges meanwhile.
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

    /// Computes the value and visits of a node from its edges.
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
                let first = shifted(first, self.odds_factor);
                [first, 1.0 - first, 0.0, 0.0]
            }
            _ => self.mean_of_moves(node, tried, top),
        };
        let node = self.node_mut(id);
        node.value = value;
        node.visits = visits;
    }

    /// The mean of the values of the first `tried` moves, weighted by visits and by how good they are
    /// for the mover. `top` is the best of their means.
    fn mean_of_moves(&self, node: &GraphNode<M>, tried: usize, top: f32) -> SeatValues {
        let mover = node.mover;
        let least = node.bounds.least[mover];
        let weight = |mean: f32| exp((mean - top).min(0.0) * (1.0 / TOLERANCE));
        let mut weights = weight(node.own[mover]);
        let mut sum = node.own.map(|own| own * weights);
        for edge in &node.edges[..tried] {
            // Moves that are proven to be bad do not make a position bad.
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
        node.edges.iter().rev().max_by(|a, b| node.compare(a, b))
    }

    /// The principal variation: the best moves from the root on.
    pub(super) fn principal_variation(&self) -> Vec<M> {
        self.variation_from(0)
    }

    /// The best moves from a node on.
    fn variation_from(&self, mut next: NodeId) -> Vec<M> {
        let mut variation = Vec::new();
        let known = |edge: &&Edge<M>| edge.visits > 0 || edge.least == WIN;
        while let Some(edge) = self.best(next).filter(known) {
            variation.push(edge.mv);
            next = edge.child;
        }
        variation
    }

    /// True if no other move of the root can catch up with the most visited one in this many playouts.
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

    /// The expected outcome of the root for a seat.
    pub(super) fn value(&self, seat: Seat) -> f32 {
        let value = self
            .nodes
            .first()
            .map_or([0.5; MAX_SEATS], |root| root.value);
        match (self.seats, seat) {
            (2, 0) => shifted(value[0], 1.0 / self.odds_factor),
            (2, _) => 1.0 - shifted(value[0], 1.0 / self.odds_factor),
            _ => value[seat],
        }
    }
}

//! The search tree: which moves were tried in a position, how often, and what came of it.

use std::mem;

use games::{Outcome, Seat};

/// How much a move that was tried seldom is preferred to one that did well.
const EXPLORE: f64 = 0.15;
/// How fast the number of moves that are tried at all grows with the visits.
const WIDEN: f64 = 2.0;

/// The tree under one position, its root.
#[derive(Debug)]
pub(super) struct Tree<M> {
    /// The root is first.
    nodes: Vec<Node<M>>,
    /// The moves of all nodes.
    edges: usize,
}

/// An index into the nodes of a tree.
pub(super) type NodeId = usize;

/// A position that was reached often enough to look at its moves.
#[derive(Debug)]
pub(super) struct Node<M> {
    /// Whose turn it is.
    mover: Seat,
    /// How often one of its moves was tried.
    visits: u32,
    /// How many of the edges were tried: the first ones.
    tried: usize,
    /// The moves, the most promising first.
    edges: Vec<Edge<M>>,
}

/// A move from a position.
#[derive(Clone, Debug)]
pub(super) struct Edge<M> {
    /// The move.
    pub(super) mv: M,
    /// What it leads to.
    pub(super) child: Option<NodeId>,
    /// How often it was tried.
    pub(super) visits: u32,
    /// The sum of the outcomes, for the seat that makes the move.
    total: f64,
}

impl<M> Edge<M> {
    /// The mean outcome for the seat that makes the move.
    pub(super) fn mean(&self) -> f64 {
        self.total / f64::from(self.visits.max(1))
    }
}

impl<M: Copy + Eq> Tree<M> {
    /// No position at all.
    pub(super) fn empty() -> Self {
        Tree {
            nodes: Vec::new(),
            edges: 0,
        }
    }

    /// How many moves all nodes have together.
    pub(super) fn edges(&self) -> usize {
        self.edges
    }

    /// An edge of a node.
    pub(super) fn edge(&self, (node, edge): (NodeId, usize)) -> &Edge<M> {
        &self.nodes[node].edges[edge]
    }

    /// Hangs a new node under an edge.
    pub(super) fn grow(
        &mut self,
        (node, edge): (NodeId, usize),
        mover: Seat,
        moves: &[M],
    ) -> NodeId {
        let id = self.nodes.len();
        self.nodes[node].edges[edge].child = Some(id);
        self.nodes.push(Node::new(mover, moves));
        self.edges += moves.len();
        id
    }

    /// Makes sure that the root has all these moves in this order, but those that were tried
    /// first.
    pub(super) fn root(&mut self, mover: Seat, moves: &[M]) {
        if self.nodes.is_empty() {
            self.nodes.push(Node::new(mover, &[]));
        }
        let root = &mut self.nodes[0];
        root.mover = mover;
        root.edges.truncate(root.tried);
        let rest: Vec<_> = moves
            .iter()
            .filter(|mv| root.edges.iter().all(|edge| edge.mv != **mv))
            .map(|mv| Edge::new(*mv))
            .collect();
        root.edges.extend(rest);
        self.edges = self.nodes.iter().map(|node| node.edges.len()).sum();
    }

    /// Makes the position after a move of the root the new root, and forgets all others.
    pub(super) fn advance(&mut self, mv: M) {
        let edge = self
            .nodes
            .first()
            .and_then(|root| root.edges.iter().find(|e| e.mv == mv));
        let mut kept = Vec::new();
        let mut order: Vec<NodeId> = edge.and_then(|edge| edge.child).into_iter().collect();
        while let Some(&id) = order.get(kept.len()) {
            let mut node = mem::replace(&mut self.nodes[id], Node::new(0, &[]));
            for child in node.edges.iter_mut().filter_map(|edge| edge.child.as_mut()) {
                order.push(*child);
                *child = order.len() - 1;
            }
            kept.push(node);
        }
        self.edges = kept.iter().map(|node| node.edges.len()).sum();
        self.nodes = kept;
    }

    /// Chooses which move of a node to try next.
    pub(super) fn select(&mut self, node: NodeId) -> (NodeId, usize) {
        let Node {
            visits,
            tried,
            edges,
            ..
        } = &mut self.nodes[node];
        if *tried < edges.len() && *tried < width(*visits) {
            *tried += 1;
            return (node, *tried - 1);
        }
        let log = f64::from(*visits).ln();
        let bound = |edge: &Edge<M>| edge.mean() + EXPLORE * (log / f64::from(edge.visits)).sqrt();
        let bounds = edges[..*tried].iter().map(bound).enumerate();
        let best = bounds.max_by(|(_, a), (_, b)| a.total_cmp(b));
        (node, best.map_or(0, |(index, _)| index))
    }

    /// Counts an outcome for all moves that led to it.
    pub(super) fn record(&mut self, path: &[(NodeId, usize)], outcome: &Outcome) {
        for &(node, edge) in path {
            let node = &mut self.nodes[node];
            node.visits += 1;
            node.edges[edge].visits += 1;
            node.edges[edge].total += outcome[node.mover];
        }
    }

    /// The move of a node that was tried most.
    pub(super) fn best(&self, node: NodeId) -> Option<&Edge<M>> {
        let edges = self.nodes[node].edges.iter().rev();
        edges.max_by(|a, b| a.visits.cmp(&b.visits).then(a.mean().total_cmp(&b.mean())))
    }

    /// The moves that were tried most from the root on.
    pub(super) fn line(&self) -> Vec<M> {
        let mut line = Vec::new();
        let mut next = (!self.nodes.is_empty()).then_some(0);
        while let Some(edge) = next
            .and_then(|node| self.best(node))
            .filter(|e| e.visits > 0)
        {
            line.push(edge.mv);
            next = edge.child;
        }
        line
    }
}

impl<M: Copy> Node<M> {
    fn new(mover: Seat, moves: &[M]) -> Self {
        Node {
            mover,
            visits: 0,
            tried: 0,
            edges: moves.iter().map(|mv| Edge::new(*mv)).collect(),
        }
    }
}

impl<M> Edge<M> {
    fn new(mv: M) -> Self {
        Edge {
            mv,
            child: None,
            visits: 0,
            total: 0.0,
        }
    }
}

/// How many moves of a node may be tried after so many visits (progressive widening): thousands
/// of moves would else get one visit each and none a second.
fn width(visits: u32) -> usize {
    2 + (WIDEN * f64::from(visits).sqrt()) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Outcomes for two seats, of which the first gets this.
    fn outcome(first: f64) -> Outcome {
        [first, 1.0 - first].into_iter().collect()
    }

    /// A root of seat 0 with three moves, of which the second one does well, and a node of seat 1
    /// under that.
    fn grown() -> Tree<char> {
        let mut tree = Tree::empty();
        tree.root(0, &['a', 'b', 'c']);
        for value in [0.0, 1.0, 0.2] {
            let step = tree.select(0);
            tree.record(&[step], &outcome(value));
        }
        let step = (0, 1);
        let node = tree.grow(step, 1, &['x', 'y']);
        for value in [0.9, 0.6] {
            let below = tree.select(node);
            tree.record(&[step, below], &outcome(value));
        }
        tree
    }

    #[test]
    fn every_seat_counts_its_own_outcome() {
        let tree = grown();
        assert_eq!(tree.edge((0, 1)).visits, 3);
        assert!((tree.edge((0, 1)).mean() - 2.5 / 3.0).abs() < 1e-9);
        assert!((tree.edge((1, 1)).mean() - 0.4).abs() < 1e-9);
        assert_eq!(tree.line(), ['b', 'y']);
    }

    #[test]
    fn the_subtree_of_a_played_move_is_kept() {
        let mut tree = grown();
        tree.advance('b');
        assert_eq!((tree.line(), tree.edges()), (vec!['y'], 2));
        tree.root(1, &['z', 'y', 'x']);
        let moves: Vec<char> = tree.nodes[0].edges.iter().map(|edge| edge.mv).collect();
        assert_eq!(moves, ['x', 'y', 'z']);
        tree.advance('z');
        assert_eq!((tree.line(), tree.edges()), (vec![], 0));
    }

    #[test]
    fn promising_moves_come_first_and_bad_ones_late() {
        let mut tree = Tree::empty();
        let moves: Vec<u32> = (0..1000).collect();
        tree.root(0, &moves);
        for _ in 0..400 {
            let step = tree.select(0);
            let value = if step.1 == 3 { 0.9 } else { 0.1 };
            tree.record(&[step], &outcome(value));
        }
        assert_eq!(tree.best(0).map(|edge| edge.mv), Some(3));
        assert!(tree.nodes[0].tried < 50);
    }
}

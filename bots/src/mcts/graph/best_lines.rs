//! The best moves of the root, for an analysis.

use super::SearchGraph;
use crate::mcts::bounds::WIN;
use crate::mcts::node::{Edge, GraphNode};
use crate::mcts::odds::shifted;

#[derive(Debug)]
pub(in crate::mcts) struct GraphLine<M> {
    /// The move, and the best ones after it.
    pub(in crate::mcts) variation: Vec<M>,
    /// The expected outcome for the seat that makes the move.
    pub(in crate::mcts) value: f32,
    pub(in crate::mcts) visits: u32,
}

impl<M: Copy + Eq> SearchGraph<M> {
    /// At most this many moves of the root, the best first, of those that were tried or are proven.
    pub(in crate::mcts) fn best_lines(&self, most: usize) -> Vec<GraphLine<M>> {
        let Some(root) = self.nodes.first() else {
            return Vec::new();
        };
        let known = |edge: &&Edge<M>| edge.visits > 0 || edge.least == edge.most;
        let mut edges: Vec<&Edge<M>> = root.edges.iter().filter(known).collect();
        // The sort is stable, so that the first one is the same as that of `best`.
        edges.sort_by(|a, b| root.compare(b, a));
        edges.truncate(most);
        let line = |edge: &Edge<M>| GraphLine {
            variation: [vec![edge.mv], self.variation_from(edge.child)].concat(),
            value: self.expected(root, edge),
            visits: edge.visits,
        };
        edges.into_iter().map(line).collect()
    }

    /// Expected outcome of a move for the seat to move.
    fn expected(&self, node: &GraphNode<M>, edge: &Edge<M>) -> f32 {
        if edge.least == edge.most {
            return f32::from(edge.least) / f32::from(WIN);
        }
        match (self.seats, node.mover) {
            (2, 0) => shifted(edge.mean, 1.0 / self.odds_factor),
            (2, _) => 1.0 - shifted(1.0 - edge.mean, 1.0 / self.odds_factor),
            _ => edge.mean,
        }
    }
}

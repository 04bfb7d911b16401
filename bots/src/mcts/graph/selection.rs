//! Selection: which move the next iteration tries, by PUCT.

use super::SearchGraph;
use crate::mcts::node::NodeId;

impl<M: Copy + Eq> SearchGraph<M> {
    /// Chooses an edge of a node by PUCT, and counts the visit.
    pub(in crate::mcts) fn select(&mut self, id: NodeId) -> usize {
        let node = &self.nodes[id as usize];
        let mover = node.mover;
        let reach = self.exploration * (node.visits as f32).sqrt();
        let least = node.bounds.least[mover];
        let mut best = (f32::NEG_INFINITY, 0);
        for (index, edge) in node.edges.iter().enumerate() {
            // A move that cannot be better than what is proven already is not worth a visit.
            if edge.most > least {
                let bound = edge.mean + reach * edge.prior / (1 + edge.visits) as f32;
                if bound > best.0 {
                    best = (bound, index);
                }
                // Untried moves come in the order of their priors.
                if edge.visits == 0 {
                    break;
                }
            }
        }
        self.nodes[id as usize].edges[best.1].visits += 1;
        best.1
    }
}

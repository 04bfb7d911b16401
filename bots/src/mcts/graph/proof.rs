//! Proofs in the search graph: guaranteed outcomes.

use std::mem;

use games::Seat;

use super::SearchGraph;
use crate::mcts::bounds::{Bounds, WIN};
use crate::mcts::node::{Edge, NodeId, Stage};

impl<M: Copy + Eq> SearchGraph<M> {
    /// Updates the bounds of a node from those of its moves.
    pub(super) fn prove(&mut self, id: NodeId) {
        let node = self.node_mut(id);
        let mut edges = mem::take(&mut node.edges);
        let (mover, complete, seen) = (node.mover, node.complete, node.seen_in_match);
        let (mut least, mut most) = (0, 0);
        for edge in &mut edges {
            if let Some(child) = self.nodes.get(edge.child as usize) {
                edge.least = edge.least.max(child.bounds.least[mover]);
                edge.most = edge.most.min(child.bounds.most[mover]);
            }
            least = least.max(edge.least);
            most = most.max(edge.most);
        }
        if !complete {
            most = WIN;
        }
        let bounds = match self.seats {
            _ if seen => Bounds::OPEN,
            2 => Bounds::of_two(mover, least, most),
            _ => self.bounds_of_many(mover, least, most, complete, &edges),
        };
        let node = self.node_mut(id);
        node.edges = edges;
        node.bounds = bounds;
    }

    /// Bounds with more than two seats, where several may play against one.
    fn bounds_of_many(
        &self,
        mover: Seat,
        least: u8,
        most: u8,
        complete: bool,
        edges: &[Edge<M>],
    ) -> Bounds {
        let mut bounds = Bounds::OPEN;
        let children = || edges.iter().map(|edge| self.nodes.get(edge.child as usize));
        if complete && children().all(|child| child.is_some()) {
            for seat in 0..self.seats {
                let low = children().flatten().map(|child| child.bounds.least[seat]);
                let high = children().flatten().map(|child| child.bounds.most[seat]);
                bounds.least[seat] = low.min().unwrap_or(0);
                bounds.most[seat] = high.max().unwrap_or(WIN);
            }
        }
        (bounds.least[mover], bounds.most[mover]) = (least, most);
        bounds
    }

    /// True if more search cannot change the choice: the best move is proven, or the others are lost.
    pub(in crate::mcts) fn proven(&self) -> bool {
        self.nodes.first().is_some_and(|root| {
            let least = root.bounds.least[root.mover];
            let open = root.edges.iter().filter(|edge| edge.most > least).count();
            root.stage == Stage::Expanded && root.complete && (open == 0 || open == 1 && least == 0)
                || least == WIN
        })
    }

    /// True if the outcome at the root is proven for the seat that is to move there.
    pub(in crate::mcts) fn is_settled(&self) -> bool {
        self.nodes.first().is_some_and(|root| {
            root.stage == Stage::Expanded && root.bounds.settled(root.mover).is_some()
        })
    }

    /// The outcome of a seat at the root, if it is proven.
    pub(in crate::mcts) fn settled(&self, seat: Seat) -> Option<f32> {
        self.nodes.first()?.bounds.settled(seat)
    }
}

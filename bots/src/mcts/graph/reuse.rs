//! Reuse of the graph from turn to turn.

use std::mem;

use super::SearchGraph;
use crate::mcts::bounds::{Bounds, WIN};
use crate::mcts::node::{GraphNode, NONE, NodeId, Stage};
use crate::mcts::odds::shifted;
use crate::order::sort_best_first;

impl<M: Copy + Eq> SearchGraph<M> {
    /// Makes the position after a move of the root the new root, and drops all nodes that are not below
    /// it.
    pub(in crate::mcts) fn advance(&mut self, mv: M) {
        let edge = self
            .nodes
            .first()
            .and_then(|root| root.edges.iter().find(|edge| edge.mv == mv));
        let Some(root) = edge.map(|edge| edge.child).filter(|child| *child != NONE) else {
            self.clear();
            return;
        };
        let mut place = vec![NONE; self.nodes.len()];
        let mut order = vec![root];
        place[root as usize] = 0;
        let mut done = 0;
        while let Some(&id) = order.get(done) {
            for edge in &mut self.nodes[id as usize].edges {
                if edge.child != NONE {
                    let to = &mut place[edge.child as usize];
                    if *to == NONE {
                        *to = order.len() as NodeId;
                        order.push(edge.child);
                    }
                    edge.child = *to;
                }
            }
            done += 1;
        }
        let mut old: Vec<Option<GraphNode<M>>> =
            mem::take(&mut self.nodes).into_iter().map(Some).collect();
        self.nodes = order
            .iter()
            .filter_map(|id| old[*id as usize].take())
            .collect();
        let hashes = self.nodes.iter().map(|node| node.hash);
        self.index = hashes.zip(0..).collect();
        self.edges = self.nodes.iter().map(|node| node.edges.len()).sum();
    }

    /// Multiplies the odds of seat 0 in all values.
    pub(in crate::mcts) fn multiply_odds(&mut self, factor: f32) {
        self.odds_factor *= factor;
        for node in &mut self.nodes {
            for value in [&mut node.value, &mut node.own] {
                value[0] = shifted(value[0], factor);
                value[1] = 1.0 - value[0];
            }
            let factor = if node.mover == 0 {
                factor
            } else {
                1.0 / factor
            };
            for edge in &mut node.edges {
                edge.mean = shifted(edge.mean, factor);
            }
        }
    }

    /// Revises all values that depend on the positions that occurred in the match; `count` says how
    /// often one did.
    pub(in crate::mcts) fn apply_history(&mut self, count: impl Fn(u64) -> u32, limit: u32) {
        let mut order: Vec<NodeId> = (0..self.nodes.len() as NodeId).collect();
        sort_best_first(&mut order, |id| self.node(*id).ply);
        for id in order {
            let times = if id == 0 { 0 } else { count(self.node(id).key) };
            let node = self.node_mut(id);
            node.seen_in_match = times > 0;
            if node.stage == Stage::Repeated || times + 1 >= limit && node.stage != Stage::Over {
                node.stage = Stage::Fresh;
                node.edges.clear();
                node.bounds = Bounds::OPEN;
            }
            if node.stage == Stage::Expanded {
                // Proofs may rest on positions whose bounds have changed.
                for edge in node.edges.iter_mut().filter(|edge| edge.child != NONE) {
                    (edge.least, edge.most) = (0, WIN);
                }
                self.prove(id);
            }
        }
    }
}

//! The nodes and edges of the search graph: positions and the moves from them.

use std::cmp::Ordering;

use games::Seat;

use super::bounds::{Bounds, WIN};
use super::candidate::{Candidate, SeatValues, set_priors};

/// An index into the nodes; the root is 0.
pub(super) type NodeId = u32;

/// Stands for a node that does not exist yet.
pub(super) const NONE: NodeId = NodeId::MAX;

/// A step of a playout: a node, and the index of the edge that was followed from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) node: NodeId,
    pub(super) edge: usize,
}

/// The progress of the search at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// None of its moves is evaluated.
    Fresh,
    /// A thread is evaluating moves of it.
    Busy,
    /// It has edges.
    Expanded,
    /// The game ends there.
    Over,
    /// It repeats a position on the way to it, so that nothing new can come of it.
    Repeated,
}

/// A position, its moves, and what is known about them.
#[derive(Debug)]
pub(super) struct GraphNode<M> {
    /// Identifies position, ply and scores.
    pub(super) hash: u64,
    /// Identifies the position alone.
    pub(super) key: u64,
    /// The plies before it.
    pub(super) ply: u32,
    pub(super) mover: Seat,
    pub(super) stage: Stage,
    /// True if all legal moves are among the edges.
    pub(super) complete: bool,
    /// True if it occurred earlier in the match, so that no proof may rest on it.
    pub(super) seen_in_match: bool,
    /// The visits of its edges, and one more.
    pub(super) visits: u32,
    /// The expected outcome, by the search so far.
    pub(super) value: SeatValues,
    /// The expected outcome by the evaluation, before any of its moves was tried.
    pub(super) own: SeatValues,
    pub(super) bounds: Bounds,
    /// Its moves: those that were tried, then the others, the most promising first.
    pub(super) edges: Vec<Edge<M>>,
}

/// A move from a position, and what is known about it.
#[derive(Clone, Debug)]
pub(super) struct Edge<M> {
    pub(super) mv: M,
    /// The node that it leads to, or [`NONE`].
    pub(super) child: NodeId,
    pub(super) visits: u32,
    /// Its prior; those of a node's edges add up to 1.
    pub(super) prior: f32,
    /// The expected outcome for the seat that makes it.
    pub(super) mean: f32,
    /// The same before it was tried, in log odds; the prior is made from it.
    pub(super) margin: f32,
    /// The least that is proven for the seat that makes it, in twelfths.
    pub(super) least: u8,
    /// The most that is proven for that seat, in twelfths.
    pub(super) most: u8,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PositionId {
    /// Identifies position, ply and scores.
    pub(super) hash: u64,
    /// Identifies the position alone.
    pub(super) key: u64,
    /// The plies before it.
    pub(super) ply: u32,
    /// Arbitrary if the game is over.
    pub(super) mover: Seat,
}

impl<M: Copy + Eq> GraphNode<M> {
    /// True if it was visited often enough to get more moves than it has.
    pub(super) fn wants_more(&self) -> bool {
        !self.complete && self.visits as usize > 2 * self.edges.len()
    }

    /// Sorts the edges. Recomputes all priors, unless these are the first edges.
    pub(super) fn arrange(&mut self, first: bool) {
        self.edges.sort_unstable_by(|a, b| {
            let untried = |edge: &Edge<M>| edge.visits == 0;
            untried(a)
                .cmp(&untried(b))
                .then(b.margin.total_cmp(&a.margin))
        });
        if first {
            return;
        }
        let mut all: Vec<Candidate<M>> = self.edges.iter().map(Edge::candidate).collect();
        set_priors(&mut all);
        for (edge, candidate) in self.edges.iter_mut().zip(all) {
            edge.prior = candidate.prior;
        }
    }
}

impl<M> GraphNode<M> {
    /// Compares two moves of the node: a proven win is best, else the one that was tried more.
    pub(super) fn compare(&self, a: &Edge<M>, b: &Edge<M>) -> Ordering {
        let worth = |edge: &Edge<M>| {
            let sure = self.bounds.least[self.mover];
            // If a result is proven, only moves that may give more or that give just that result.
            (
                edge.least == WIN,
                edge.most > sure || edge.least >= sure && sure > 0,
            )
        };
        worth(a)
            .cmp(&worth(b))
            .then(a.visits.cmp(&b.visits))
            .then(a.mean.total_cmp(&b.mean))
    }
}

impl<M: Copy> Edge<M> {
    fn candidate(&self) -> Candidate<M> {
        Candidate {
            mv: self.mv,
            mean: self.mean,
            margin: self.margin,
            prior: self.prior,
            exact: None,
        }
    }

    pub(super) fn new(candidate: &Candidate<M>) -> Self {
        Edge {
            mv: candidate.mv,
            child: NONE,
            visits: 0,
            prior: candidate.prior,
            mean: candidate.mean,
            margin: candidate.margin,
            least: candidate.exact.unwrap_or(0),
            most: candidate.exact.unwrap_or(WIN),
        }
    }
}

//! The search graph: positions, the moves tried from them, what they are worth, what is proven.
//!
//! A position that is reached in several ways is one node. So a node's value is not a sum of what
//! came by, but is made anew from its moves: the mean of their values, weighted by visits.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::mem;

use games::{MAX_SEATS, Seat};

use super::bounds::{Bounds, WIN};

/// How much a move that looks good but was tried seldom is preferred to one that did well.
const EXPLORE: f32 = 0.6;
/// The nodes of a graph, at most; with the moves of [`MOST_EDGES`], some 250 MB.
const MOST_NODES: usize = 1 << 20;
/// The moves of all nodes, at most.
const MOST_EDGES: usize = 1 << 22;

/// The expected outcome of each seat.
pub(super) type Value = [f32; MAX_SEATS];

/// An index into the nodes; the root is 0.
pub(super) type NodeId = u32;

/// No node.
const NONE: NodeId = NodeId::MAX;

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
    guess: f32,
    /// The same in log odds, from which the prior is made.
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
    nodes: Vec<Node<M>>,
    index: HashMap<u64, NodeId, BuildHasherDefault<AsIs>>,
    edges: usize,
}

impl<M: Copy + Eq> Tree<M> {
    /// No position at all.
    pub(super) fn empty() -> Self {
        Tree {
            seats: 2,
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
    pub(super) fn len(&self) -> usize {
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
        let Edge { child, guess, .. } = self.nodes[id as usize].edges[edge];
        if child != NONE {
            return child;
        }
        // What the mover does not get, the others share.
        let others = (self.seats as f32 / 2.0 - guess) / (self.seats.max(2) - 1) as f32;
        let mut value = [others; MAX_SEATS];
        value[self.nodes[id as usize].mover] = guess;
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
                let mean = match self.nodes.get(edge.child as usize) {
                    Some(child) => child.value[mover],
                    None => edge.guess,
                };
                let bound = mean + reach * edge.prior / (1 + edge.visits) as f32;
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
        node.edges.extend(moves.iter().map(Edge::new));
        self.edges += moves.len();
        node.complete = complete;
        node.stage = Stage::Grown;
        node.arrange();
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
    pub(super) fn record(&mut self, path: &[NodeId]) {
        let mut below = Bounds::OPEN;
        for &id in path.iter().rev() {
            if self.node(id).stage == Stage::Grown {
                if below != Bounds::OPEN {
                    self.prove(id);
                }
                self.refresh(id);
            }
            below = self.node(id).bounds;
        }
    }

    /// Makes the value of a node anew from its moves.
    fn refresh(&mut self, id: NodeId) {
        let node = &self.nodes[id as usize];
        if let (2, Some(sure)) = (self.seats, node.bounds.settled(node.mover)) {
            let mut value = [1.0 - sure; MAX_SEATS];
            value[node.mover] = sure;
            let node = self.node_mut(id);
            node.value = value;
            node.visits += 1;
            return;
        }
        let least = node.bounds.least[node.mover];
        let (mut sum, mut weight, mut visits) = (node.own, 1.0, 1);
        for edge in &node.edges {
            visits += edge.visits;
            if edge.visits == 0 {
                if edge.most > least {
                    break;
                }
                continue;
            }
            // Moves that are known to be bad don't make a position bad.
            if edge.child == NONE || edge.most <= least && edge.least < least.max(1) {
                continue;
            }
            let value = &self.nodes[edge.child as usize].value;
            let share = edge.visits as f32;
            for (sum, value) in sum.iter_mut().zip(value) {
                *sum += share * value;
            }
            weight += share;
        }
        let node = self.node_mut(id);
        node.value = sum.map(|sum| sum / weight);
        node.visits = visits;
    }

    /// Draws conclusions from what is proven about the moves of a node.
    fn prove(&mut self, id: NodeId) {
        let node = self.node_mut(id);
        let mut edges = mem::take(&mut node.edges);
        let (mover, complete, known) = (node.mover, node.complete, node.known);
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
            _ if known => Bounds::OPEN,
            2 => Bounds::of_two(mover, least, most),
            _ => self.bounds_of_many(mover, least, most, complete, &edges),
        };
        let node = self.node_mut(id);
        node.edges = edges;
        node.bounds = bounds;
    }

    /// What is proven where more than two seats play, and others may join against one.
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

    /// The best move of a node: a proven win, else the one that was tried most.
    pub(super) fn best(&self, id: NodeId) -> Option<&Edge<M>> {
        let node = self.nodes.get(id as usize)?;
        let worth = |edge: &Edge<M>| {
            let sure = node.bounds.least[node.mover];
            // If something is sure, then only what promises more, or gives just that.
            (edge.least == WIN, edge.most > sure || edge.least >= sure && sure > 0)
        };
        node.edges.iter().rev().max_by(|a, b| {
            worth(a)
                .cmp(&worth(b))
                .then(a.visits.cmp(&b.visits))
                .then(self.mean(node, a).total_cmp(&self.mean(node, b)))
        })
    }

    /// What a move seems to be worth to the seat that makes it.
    fn mean(&self, node: &Node<M>, edge: &Edge<M>) -> f32 {
        match self.nodes.get(edge.child as usize) {
            Some(child) => child.value[node.mover],
            None => edge.guess,
        }
    }

    /// The moves of the root with visits and what they seem to be worth.
    pub(super) fn moves(&self) -> Vec<(M, u32, f32)> {
        let root = &self.nodes[0];
        let told = |edge: &Edge<M>| (edge.mv, edge.visits, self.mean(root, edge));
        root.edges.iter().map(told).collect()
    }

    /// The best moves from the root on.
    pub(super) fn line(&self) -> Vec<M> {
        let mut line = Vec::new();
        let mut next = 0;
        while let Some(edge) = self.best(next).filter(|edge| edge.visits > 0) {
            line.push(edge.mv);
            next = edge.child;
        }
        line
    }

    /// Makes the position after a move of the root the new root, and forgets what is not below.
    pub(super) fn advance(&mut self, mv: M) {
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
        let mut old: Vec<Option<Node<M>>> = mem::take(&mut self.nodes).into_iter().map(Some).collect();
        self.nodes = order
            .iter()
            .filter_map(|id| old[*id as usize].take())
            .collect();
        let hashes = self.nodes.iter().map(|node| node.hash);
        self.index = hashes.zip(0..).collect();
        self.edges = self.nodes.iter().map(|node| node.edges.len()).sum();
    }

    /// Thinks again about all that depends on the positions that were there in the match, where
    /// `count` tells how often one was.
    pub(super) fn remember(&mut self, count: impl Fn(u64) -> u32, limit: u32) {
        let mut order: Vec<NodeId> = (0..self.nodes.len() as NodeId).collect();
        order.sort_by_key(|id| std::cmp::Reverse(self.node(*id).ply));
        for id in order {
            let times = if id == 0 { 0 } else { count(self.node(id).key) };
            let node = self.node_mut(id);
            node.known = times > 0;
            if node.stage == Stage::Repeated || times + 1 >= limit && node.stage != Stage::Over {
                node.stage = Stage::Fresh;
                node.edges.clear();
                node.bounds = Bounds::OPEN;
            }
            if node.stage == Stage::Grown {
                // Proofs that rested on other positions are made again.
                for edge in node.edges.iter_mut().filter(|edge| edge.child != NONE) {
                    (edge.least, edge.most) = (0, WIN);
                }
                self.prove(id);
            }
        }
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

    /// Whether more thinking cannot change anything: the best is proven, or there is no other.
    pub(super) fn proven(&self) -> bool {
        self.nodes.first().is_some_and(|root| {
            let least = root.bounds.least[root.mover];
            let open = root.edges.iter().filter(|edge| edge.most > least).count();
            root.stage == Stage::Grown && root.complete && (open == 0 || open == 1 && least == 0)
                || least == WIN
        })
    }

    /// What is proven for a seat at the root.
    pub(super) fn settled(&self, seat: Seat) -> Option<f32> {
        self.nodes.first()?.bounds.settled(seat)
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
        !self.complete && self.visits as usize * 2 > self.edges.len()
    }

    /// Puts the moves in order and makes their priors.
    fn arrange(&mut self) {
        let tried = self.edges.iter().filter(|edge| edge.visits > 0).count();
        self.edges.sort_by(|a, b| {
            let late = |edge: &Edge<M>| edge.visits == 0;
            late(a).cmp(&late(b)).then(b.margin.total_cmp(&a.margin))
        });
        debug_assert!(self.edges[..tried].iter().all(|edge| edge.visits > 0));
        super::judge::softmax(
            super::judge::PRIOR_HEAT,
            self.edges.iter_mut().map(|edge| (edge.margin, &mut edge.prior)),
        );
    }
}

impl<M: Copy> Edge<M> {
    fn new(candidate: &Candidate<M>) -> Self {
        Edge {
            mv: candidate.mv,
            child: NONE,
            visits: 0,
            prior: 0.0,
            guess: candidate.guess,
            margin: candidate.margin,
            least: candidate.exact.unwrap_or(0),
            most: candidate.exact.unwrap_or(WIN),
        }
    }
}

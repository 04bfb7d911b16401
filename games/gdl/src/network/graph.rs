//! Gates over facts and moves, simplified while they are made.

use crate::terms::Map;

/// A gate, fact or move, perhaps negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Ref(pub(crate) u32);

impl Ref {
    pub(crate) const TRUE: Ref = Ref(0);
    pub(crate) const FALSE: Ref = Ref(1);

    pub(crate) fn of(node: usize) -> Self {
        Ref((node as u32) << 1)
    }

    pub(crate) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    #[must_use]
    pub(crate) fn not(self) -> Self {
        Ref(self.0 ^ 1)
    }

    #[must_use]
    pub(crate) fn negated_if(self, negated: bool) -> Self {
        Ref(self.0 ^ u32::from(negated))
    }
}

/// A node of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    True,
    /// A fact that may be true, by its number.
    Base(u32),
    /// A move of a role, by its number.
    Does(u32),
    And(Box<[Ref]>),
    Or(Box<[Ref]>),
    /// An alternative that depends on itself. All that lies on a circle has the same number.
    Circle(u32, Box<[Ref]>),
    /// A conjunction on such a circle.
    CircleAnd(u32, Box<[Ref]>),
}

/// Hash-consed gates.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    gates: Map<(bool, Box<[Ref]>), Ref>,
}

impl Graph {
    pub(crate) fn new() -> Self {
        Graph {
            nodes: vec![Node::True],
            gates: Map::default(),
        }
    }

    /// Adds a node that is unlike all others.
    pub(crate) fn add(&mut self, node: Node) -> Ref {
        self.nodes.push(node);
        Ref::of(self.nodes.len() - 1)
    }

    pub(crate) fn and(&mut self, inputs: Vec<Ref>) -> Ref {
        self.gate(true, inputs)
    }

    pub(crate) fn or(&mut self, inputs: Vec<Ref>) -> Ref {
        self.gate(false, inputs)
    }

    fn gate(&mut self, is_and: bool, inputs: Vec<Ref>) -> Ref {
        let inputs = match simplified(is_and, inputs) {
            Simplified::One(only) => return only,
            Simplified::Gate(inputs) => inputs,
        };
        let key = (is_and, inputs.into_boxed_slice());
        if let Some(gate) = self.gates.get(&key) {
            return *gate;
        }
        let inputs = key.1.clone();
        let gate = self.add(if is_and {
            Node::And(inputs)
        } else {
            Node::Or(inputs)
        });
        self.gates.insert(key, gate);
        gate
    }

    /// The gate of a kind with these inputs, if it is there.
    pub(crate) fn gate_of(&self, key: &(bool, Box<[Ref]>)) -> Option<Ref> {
        self.gates.get(key).copied()
    }

    pub(crate) fn inputs(&self, node: usize) -> &[Ref] {
        match &self.nodes[node] {
            Node::True | Node::Base(_) | Node::Does(_) => &[],
            Node::And(inputs)
            | Node::Or(inputs)
            | Node::Circle(_, inputs)
            | Node::CircleAnd(_, inputs) => inputs,
        }
    }
}

/// A gate after simplification.
pub(crate) enum Simplified {
    One(Ref),
    Gate(Vec<Ref>),
}

/// Simplifies a gate by removing neutral inputs.
pub(crate) fn simplified(is_and: bool, mut inputs: Vec<Ref>) -> Simplified {
    let (neutral, decisive) = if is_and {
        (Ref::TRUE, Ref::FALSE)
    } else {
        (Ref::FALSE, Ref::TRUE)
    };
    inputs.retain(|input| *input != neutral);
    inputs.sort_unstable();
    inputs.dedup();
    let contradicts = inputs.windows(2).any(|pair| pair[0] == pair[1].not());
    if contradicts || inputs.contains(&decisive) {
        return Simplified::One(decisive);
    }
    match inputs[..] {
        [] => Simplified::One(neutral),
        [only] => Simplified::One(only),
        _ => Simplified::Gate(inputs),
    }
}

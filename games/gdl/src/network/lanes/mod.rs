//! The network for many positions at once: a word has a bit for each of them, its lanes, and a gate is
//! evaluated for all lanes by one operation on words.
//!
//! Where positions are changed one by one, only what changes is evaluated ([`program`](super::program)).
//! Here everything is, but for hundreds of positions in the time of a few.

mod frame;
mod games;
mod positions;
mod sparse;
#[cfg(test)]
mod tests;
mod word;

use std::collections::HashMap;
use std::ops::Range;

use super::circuit::{Circuit, LegalMove};
use super::graph::{Graph, Node, Ref};

pub(super) use games::{Broken, play};
use sparse::Sparse;

/// Larger networks are evaluated one position at a time: their values would not stay in the cache, and to
/// compile them takes a while.
const MOST_NODES: usize = 400_000;

/// The positions in a word.
pub(super) const IN_A_WORD: u32 = u64::BITS;

/// The slot that is true in all lanes.
const TRUE: u32 = 0;

/// A value: twice its slot, plus 1 if it is negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Operand(u32);

impl Operand {
    fn slot(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

/// A conjunction. Alternatives are conjunctions, too, of what is not so, and stored negated.
#[derive(Clone, Copy, Debug)]
struct Gate {
    slot: u32,
    /// True if it is an alternative.
    turned: bool,
    /// Where its inputs begin, the negated ones among them, and where they end.
    first: u32,
    negated: u32,
    end: u32,
}

/// Gates in the order of evaluation.
#[derive(Clone, Debug, Default)]
struct Code {
    gates: Vec<Gate>,
    /// Slots.
    inputs: Vec<u32>,
    /// Gates that depend on each other, in order. All others are evaluated once.
    circles: Vec<Circle>,
}

#[derive(Clone, Debug)]
struct Circle {
    gates: Range<usize>,
    /// For each of them, those of them that read it, counted from the first.
    readers: Vec<Vec<u32>>,
}

impl Circle {
    fn new(code: &Code, gates: Range<usize>) -> Self {
        let members = &code.gates[gates.clone()];
        let places: HashMap<u32, usize> = members.iter().map(|gate| gate.slot).zip(0..).collect();
        let mut readers = vec![Vec::new(); members.len()];
        for (reader, gate) in members.iter().enumerate() {
            for input in &code.inputs[gate.first as usize..gate.end as usize] {
                if let Some(place) = places.get(input) {
                    readers[*place].push(reader as u32);
                }
            }
        }
        Circle { gates, readers }
    }
}

/// A role's move.
#[derive(Clone, Copy, Debug)]
struct LaneMove {
    legal: Operand,
    /// The slot that says that the move is made, if anything asks for that.
    does: Option<u32>,
}

/// The network, compiled for words of lanes.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    slots: usize,
    /// The slots of the facts are from 1 on.
    facts: usize,
    /// The slots of moves that are made.
    does: Range<usize>,
    /// What the facts decide: legal moves, the end, and inputs of `moved`.
    still: Code,
    /// What moves decide as well: first what nothing but one move decides.
    sparse: Sparse,
    moved: Code,
    /// What only goals need.
    at_end: Code,
    names: Vec<String>,
    roles: Vec<Vec<LaneMove>>,
    terminal: Operand,
    next: Vec<Operand>,
    goals: Vec<Vec<(Option<i64>, Operand)>>,
}

/// Where the values of nodes are.
struct Slots<'c> {
    graph: &'c Graph,
    of: Vec<Operand>,
    count: u32,
}

const NOWHERE: Operand = Operand(u32::MAX);

impl<'c> Slots<'c> {
    fn operand(&self, value: Ref) -> Operand {
        let stored = self.of[value.node()];
        debug_assert!(stored != NOWHERE);
        Operand(stored.0 ^ u32::from(value.is_negated()))
    }

    /// The next slot, for the value itself or for its negation.
    fn assign(&mut self, node: usize, negated: bool) -> u32 {
        let slot = self.count;
        self.count += 1;
        self.of[node] = Operand(slot << 1 | u32::from(negated));
        slot
    }

    fn is_alternative(&self, node: usize) -> bool {
        matches!(self.graph.nodes[node], Node::Or(_) | Node::Circle(..))
    }

    fn circle(&self, node: usize) -> Option<u32> {
        match self.graph.nodes[node] {
            Node::Circle(circle, _) | Node::CircleAnd(circle, _) => Some(circle),
            _ => None,
        }
    }

    /// Emits a gate whose inputs have slots, or get them on the same circle.
    fn emit(&self, code: &mut Code, node: usize) {
        let turned = self.is_alternative(node);
        let inputs = self.graph.inputs(node).iter();
        let inputs = inputs.map(|input| self.operand(input.negated_if(turned)));
        let (negated, plain): (Vec<Operand>, Vec<Operand>) =
            inputs.partition(|input| input.is_negated());
        let first = code.inputs.len() as u32;
        code.inputs.extend(plain.iter().map(|it| it.slot() as u32));
        let middle = code.inputs.len() as u32;
        code.inputs
            .extend(negated.iter().map(|it| it.slot() as u32));
        code.gates.push(Gate {
            slot: self.of[node].slot() as u32,
            turned,
            first,
            negated: middle,
            end: code.inputs.len() as u32,
        });
    }

    /// These nodes in an order in which the inputs of each come first, and those of a circle follow each other.
    fn in_order(&self, nodes: &[usize]) -> Vec<usize> {
        let mut circles: HashMap<u32, Vec<usize>> = HashMap::new();
        let mut is_open = vec![false; self.graph.nodes.len()];
        for &node in nodes {
            is_open[node] = true;
            if let Some(circle) = self.circle(node) {
                circles.entry(circle).or_default().push(node);
            }
        }
        let mut order = Vec::with_capacity(nodes.len());
        let mut todo: Vec<(usize, bool)> = Vec::new();
        for &node in nodes {
            todo.push((node, false));
            while let Some((node, has_inputs)) = todo.pop() {
                if !is_open[node] {
                    continue;
                }
                let circle = self.circle(node);
                let members = match &circle {
                    Some(circle) => &circles[circle][..],
                    None => &[node][..],
                };
                if has_inputs {
                    members.iter().for_each(|member| is_open[*member] = false);
                    order.extend_from_slice(members);
                    continue;
                }
                todo.push((node, true));
                let inputs = members.iter().flat_map(|node| self.graph.inputs(*node));
                let outside = inputs
                    .map(|input| input.node())
                    .filter(|input| circle.is_none() || self.circle(*input) != circle);
                todo.extend(
                    outside
                        .filter(|input| is_open[*input])
                        .map(|it| (it, false)),
                );
            }
        }
        order
    }

    /// Emits these nodes.
    fn emit_all(&mut self, nodes: &[usize]) -> Code {
        let nodes = &self.in_order(nodes);
        let mut code = Code::default();
        for &node in nodes {
            let negated = self.is_alternative(node);
            self.assign(node, negated);
        }
        let is_one = |one: &usize, other: &usize| {
            let circle = self.circle(*one);
            circle.is_some() && circle == self.circle(*other)
        };
        for group in nodes.chunk_by(is_one) {
            let begin = code.gates.len();
            group.iter().for_each(|node| self.emit(&mut code, *node));
            if self.circle(group[0]).is_some() {
                let circle = Circle::new(&code, begin..code.gates.len());
                code.circles.push(circle);
            }
        }
        code
    }
}

impl Lanes {
    /// The network of a circuit; `None` if it is too large.
    pub(super) fn new(circuit: &Circuit) -> Option<Self> {
        if circuit.graph.nodes.len() > MOST_NODES {
            return None;
        }
        let mut graph = circuit.graph.clone();
        let next = frame::next_values(circuit, &mut graph);
        let graph = &graph;
        let mut slots = Slots {
            graph,
            of: vec![NOWHERE; graph.nodes.len()],
            count: 1,
        };
        slots.of[0] = Operand(TRUE << 1);
        for base in &circuit.bases {
            slots.assign(base.node(), false);
        }
        let first_does = slots.count as usize;
        for does in &circuit.does {
            slots.assign(does.node(), false);
        }
        let does = first_does..slots.count as usize;
        let is_moved = moved(graph);
        let legal = circuit.moves.iter().flatten().map(|mv| mv.legal);
        let needed = needed(
            graph,
            legal.chain(next.iter().copied()).chain([circuit.terminal]),
        );
        let goals = circuit.goals.iter().flatten().map(|(_, when)| *when);
        let for_goals = self::needed(graph, goals);
        let gates = |wanted: &dyn Fn(usize) -> bool| {
            let is_gate = |node: &usize| !graph.inputs(*node).is_empty();
            let all = (0..graph.nodes.len()).filter(is_gate);
            all.filter(|node| wanted(*node)).collect::<Vec<_>>()
        };
        let still = gates(&|node| needed[node] && !is_moved[node]);
        let moved = gates(&|node| needed[node] && is_moved[node]);
        let at_end = gates(&|node| for_goals[node] && !needed[node]);
        // Goals are asked where nobody moves.
        if at_end.iter().any(|node| is_moved[*node]) {
            return None;
        }
        for (node, kind) in graph.nodes.iter().enumerate() {
            // An alternative without inputs holds nowhere, and a conjunction without any everywhere.
            match kind {
                Node::Or(inputs) | Node::Circle(_, inputs) if inputs.is_empty() => {
                    slots.of[node] = Operand(TRUE << 1 | 1);
                }
                Node::And(inputs) | Node::CircleAnd(_, inputs) if inputs.is_empty() => {
                    slots.of[node] = Operand(TRUE << 1);
                }
                _ => {}
            }
        }
        let still = slots.emit_all(&still);
        let mut moved = slots.emit_all(&moved);
        let next: Vec<Operand> = next.iter().map(|it| slots.operand(*it)).collect();
        let sparse = Sparse::take(&mut moved, &does, next.iter().map(|it| it.slot()));
        let at_end = slots.emit_all(&at_end);
        let role_moves = |moves: &Vec<LegalMove>| {
            let moves = moves.iter().map(|mv| LaneMove {
                legal: slots.operand(mv.legal),
                does: mv.does.map(|number| first_does as u32 + number),
            });
            moves.collect()
        };
        Some(Lanes {
            facts: circuit.facts.len(),
            does,
            names: circuit.roles.clone(),
            roles: circuit.moves.iter().map(role_moves).collect(),
            terminal: slots.operand(circuit.terminal),
            next,
            sparse,
            goals: circuit
                .goals
                .iter()
                .map(|goals| {
                    let goals = goals.iter();
                    let operand = |(value, when): &(_, Ref)| (*value, slots.operand(*when));
                    goals.map(operand).collect()
                })
                .collect(),
            slots: slots.count as usize,
            still,
            moved,
            at_end,
        })
    }
}

/// The nodes that these values depend on.
fn needed(graph: &Graph, values: impl Iterator<Item = Ref>) -> Vec<bool> {
    let mut needed = vec![false; graph.nodes.len()];
    let mut open: Vec<usize> = values.map(Ref::node).collect();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut needed[node], true) {
            open.extend(graph.inputs(node).iter().map(|input| input.node()));
        }
    }
    needed
}

/// The nodes whose values depend on moves.
fn moved(graph: &Graph) -> Vec<bool> {
    let mut readers: Vec<Vec<u32>> = vec![Vec::new(); graph.nodes.len()];
    let mut open = Vec::new();
    for node in 0..graph.nodes.len() {
        if matches!(graph.nodes[node], Node::Does(_)) {
            open.push(node);
        }
        for input in graph.inputs(node) {
            readers[input.node()].push(node as u32);
        }
    }
    let mut moved = vec![false; graph.nodes.len()];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut moved[node], true) {
            open.extend(readers[node].iter().map(|reader| *reader as usize));
        }
    }
    moved
}

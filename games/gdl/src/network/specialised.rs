//! The effect of a joint move: the next position as a function of the present facts alone.
//!
//! Most of what rules say about the next position is that nothing changes. With the moves known, that
//! vanishes, and a few facts are left which become true or false, or depend on others. Where much is left,
//! as in sheets that keep what is connected as facts, a program of its own for each joint move costs more
//! than it brings: the network itself is evaluated for such a move.

use std::collections::BTreeMap;

use super::circuit::Circuit;
use super::cubes::Flips;
use super::graph::{Graph, Node, Ref, Simplified, simplified};
use crate::terms::Map;

#[derive(Clone, Debug, Default)]
pub(super) struct Change {
    /// Words of facts that become true or false in any position: number, true, false.
    pub(super) certain: Vec<(u32, u64, u64)>,
    /// Facts that change under conditions that are small.
    pub(super) flips: Flips,
    /// Other facts with their next values.
    pub(super) open: Vec<(u32, Ref)>,
    /// Possible percepts of each role: number and condition.
    pub(super) sees: Vec<Vec<(u32, Ref)>>,
    /// Gates of this change alone, numbered behind those of the graph.
    pub(super) gates: Vec<Node>,
}

#[derive(Clone, Debug)]
pub(super) struct Specialiser {
    /// True if the value of each node depends on moves.
    moved: Vec<bool>,
    /// The value of each node when nobody makes a move that rules ask for; itself, if it does not
    /// depend on moves.
    idle: Vec<Ref>,
    /// The nodes that read each node and depend on moves.
    readers: Vec<Vec<u32>>,
    /// The facts whose next values depend on moves, with those.
    facts: Vec<(u32, Ref)>,
}

impl Specialiser {
    /// True if each node depends on moves.
    pub(super) fn moved(graph: &Graph) -> Vec<bool> {
        let mut moved = vec![false; graph.nodes.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (node, kind) in graph.nodes.iter().enumerate() {
                let inputs = || graph.inputs(node).iter().any(|input| moved[input.node()]);
                if !moved[node] && (matches!(kind, Node::Does(_)) || inputs()) {
                    moved[node] = true;
                    changed = true;
                }
            }
        }
        moved
    }

    /// `None` if a circle depends on moves.
    pub(super) fn new(circuit: &mut Circuit) -> Option<Self> {
        let moved = Self::moved(&circuit.graph);
        let on_circle =
            circuit.graph.nodes.iter().zip(&moved).any(|(node, moved)| {
                *moved && matches!(node, Node::Circle(..) | Node::CircleAnd(..))
            });
        if on_circle {
            return None;
        }
        let count = circuit.graph.nodes.len();
        let mut idle: Vec<Ref> = (0..count).map(Ref::of).collect();
        let mut readers = vec![Vec::new(); count];
        let depending = (0..count).filter(|node| moved[*node]);
        for node in depending {
            let is_and = match circuit.graph.nodes[node] {
                Node::And(_) => true,
                Node::Or(_) => false,
                _ => {
                    idle[node] = Ref::FALSE;
                    continue;
                }
            };
            let mut inputs = Vec::new();
            for input in circuit.graph.inputs(node) {
                inputs.push(idle[input.node()].negated_if(input.is_negated()));
                readers[input.node()].push(node as u32);
            }
            let value = if is_and {
                circuit.graph.and(inputs)
            } else {
                circuit.graph.or(inputs)
            };
            idle[node] = value;
        }
        let facts = circuit.next.iter().enumerate();
        let facts = facts.filter(|(_, next)| moved[next.node()]);
        let facts = facts.map(|(fact, next)| (fact as u32, *next)).collect();
        Some(Specialiser {
            moved,
            idle,
            readers,
            facts,
        })
    }

    /// True if the value of a node depends on moves.
    pub(super) fn is_moved(&self, node: usize) -> bool {
        self.moved.get(node).is_some_and(|moved| *moved)
    }

    /// The facts whose next values depend on moves, with those.
    pub(super) fn facts(&self) -> &[(u32, Ref)] {
        &self.facts
    }

    /// The change that a joint move makes; `None` if that is more work than `most`: gates that
    /// are looked at and inputs of new ones.
    pub(super) fn change(&self, circuit: &Circuit, joint: &[u32], most: usize) -> Option<Change> {
        let mut local = Local {
            specialiser: self,
            graph: &circuit.graph,
            values: Map::default(),
            gates: Vec::new(),
            known: Map::default(),
            left: most,
        };
        local.propagate(moves_of(circuit, joint))?;
        let mut change = Change::default();
        for (fact, next) in &self.facts {
            let value = local.value(*next);
            if value != circuit.bases[*fact as usize] {
                change.add(*fact, value);
            }
        }
        change.sees = circuit
            .sees
            .iter()
            .map(|sees| {
                let values = sees.iter().enumerate();
                let values = values.map(|(number, (_, when))| (number as u32, local.value(*when)));
                values.filter(|(_, value)| *value != Ref::FALSE).collect()
            })
            .collect();
        change.gates = local.gates;
        let Change {
            flips, open, gates, ..
        } = &mut change;
        open.retain(|(fact, next)| !flips.add(*fact, *next, &circuit.graph, gates));
        Some(change)
    }
}

/// The nodes of the moves of a joint move that rules ask for.
pub(super) fn moves_of(circuit: &Circuit, joint: &[u32]) -> impl Iterator<Item = u32> {
    let does = joint.iter().zip(&circuit.moves);
    let does = does.filter_map(|(mv, moves)| moves[*mv as usize].does);
    does.map(|number| circuit.does[number as usize].node() as u32)
}

impl Change {
    fn add(&mut self, fact: u32, value: Ref) {
        if value.node() != 0 {
            self.open.push((fact, value));
            return;
        }
        let (word, mask) = (fact / 64, 1u64 << (fact % 64));
        let at = match self.certain.iter().position(|(other, ..)| *other == word) {
            Some(at) => at,
            None => {
                self.certain.push((word, 0, 0));
                self.certain.len() - 1
            }
        };
        let (_, set, clear) = &mut self.certain[at];
        *(if value == Ref::TRUE { set } else { clear }) |= mask;
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let inputs = self.gates.iter().map(|gate| match gate {
            Node::And(inputs) | Node::Or(inputs) => 32 + 4 * inputs.len(),
            _ => 32,
        });
        160 + self.flips.bytes()
            + 24 * self.certain.len()
            + 8 * self.open.len()
            + inputs.sum::<usize>()
    }
}

/// Looks at inputs that cost about as much as one gate to look at, or one input of a new gate.
const LOOKS: usize = 64;

/// A specialisation in progress.
struct Local<'s> {
    specialiser: &'s Specialiser,
    graph: &'s Graph,
    /// The nodes whose values are not those of an idle step.
    values: Map<u32, Ref>,
    gates: Vec<Node>,
    known: Map<(bool, Box<[Ref]>), Ref>,
    /// Gates that may still be looked at, or inputs that new ones may have.
    left: usize,
}

impl Local<'_> {
    /// The value of a node under the joint move.
    fn value(&self, value: Ref) -> Ref {
        let found = self.values.get(&(value.node() as u32));
        let found = found.or_else(|| self.specialiser.idle.get(value.node()));
        found.map_or(value, |found| found.negated_if(value.is_negated()))
    }

    /// Finds the values of all nodes that these moves change; `None` if they are too many.
    fn propagate(&mut self, does: impl Iterator<Item = u32>) -> Option<()> {
        // The inputs that have changed, by node.
        let mut open: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for node in does {
            self.change(node, Ref::TRUE, &mut open)?;
        }
        // Nodes come after their inputs.
        while let Some((node, changed)) = open.pop_first() {
            let value = self.gate_after(node, &changed);
            if self.specialiser.idle[node as usize] != value {
                self.change(node, value, &mut open)?;
            }
            let looked_at = self.graph.inputs(node as usize).len();
            self.left = self.left.checked_sub(1 + looked_at / LOOKS)?;
        }
        Some(())
    }

    fn change(&mut self, node: u32, value: Ref, open: &mut BTreeMap<u32, Vec<u32>>) -> Option<()> {
        self.values.insert(node, value);
        let before = open.len();
        for reader in &self.specialiser.readers[node as usize] {
            open.entry(*reader).or_default().push(node);
            if open.len() - before > self.left {
                return None;
            }
        }
        self.left -= open.len() - before;
        Some(())
    }

    /// The value of a gate of which these inputs have changed. Some have thousands of others, which need
    /// not be looked at where the changed ones did not matter before.
    fn gate_after(&mut self, node: u32, changed: &[u32]) -> Ref {
        let node = node as usize;
        let is_and = matches!(self.graph.nodes[node], Node::And(_));
        let neutral = if is_and { Ref::TRUE } else { Ref::FALSE };
        let all = self.graph.inputs(node);
        if all.len() > 2 * changed.len() {
            let mut inputs = vec![self.specialiser.idle[node]];
            let mattered = changed.iter().any(|input| {
                let plain = Ref::of(*input as usize);
                let input = all.binary_search(&plain).map_or(plain.not(), |_| plain);
                inputs.push(self.value(input));
                let idle = self.specialiser.idle[input.node()];
                idle.negated_if(input.is_negated()) != neutral
            });
            if !mattered {
                return self.gate(is_and, inputs);
            }
        }
        let inputs = all.iter().map(|input| self.value(*input)).collect();
        self.gate(is_and, inputs)
    }

    fn gate(&mut self, is_and: bool, inputs: Vec<Ref>) -> Ref {
        let inputs = match simplified(is_and, inputs) {
            Simplified::One(only) => return only,
            Simplified::Gate(inputs) => inputs.into_boxed_slice(),
        };
        let key = (is_and, inputs);
        let known = self
            .graph
            .gate_of(&key)
            .or_else(|| self.known.get(&key).copied());
        if let Some(known) = known {
            return known;
        }
        let inputs = key.1.clone();
        self.left = self.left.saturating_sub(inputs.len());
        let gate = Ref::of(self.graph.nodes.len() + self.gates.len());
        self.gates.push(if is_and {
            Node::And(inputs)
        } else {
            Node::Or(inputs)
        });
        self.known.insert(key, gate);
        gate
    }
}

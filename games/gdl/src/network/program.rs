//! The part of the graph that is kept up to date with every change: counting gates.
//!
//! Each gate counts the inputs that matter, for a conjunction those that are false, for an alternative
//! those that are true. A change of a fact adds or subtracts 1 at the gates that read it, and goes on
//! only where a count leaves or reaches 0. Gates are settled level by level, so each at most once a
//! change. Circles, where an atom depends on itself, grow as long as atoms only become true; if one may
//! have become false, the circle is recomputed.

use games::budget;

use super::graph::{Graph, Node, Ref};
use crate::ground::Ungroundable;
use crate::terms::Map;

const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(super) struct Program {
    /// The number of facts; they are the first sources.
    facts: usize,
    /// The number of facts and moves. Behind them, gates are sources.
    inputs: usize,
    /// Start of each source in the edges.
    edges_at: Vec<u32>,
    /// A gate, twice, plus 1 if the count grows when the source becomes true.
    edges: Vec<u32>,
    /// The same for edges to gates on circles.
    circle_edges_at: Vec<u32>,
    circle_edges: Vec<u32>,
    /// Start of each source in the bits.
    bits_at: Vec<u32>,
    bits: Vec<u32>,
    gates: Vec<Gate>,
    /// The gates on each circle.
    circles: Vec<Vec<u32>>,
    /// The source of each node of the graph, if it is live.
    source: Vec<u32>,
    levels: usize,
    /// The state in which no fact is true.
    empty: Live,
}

#[derive(Clone, Copy, Debug)]
struct Gate {
    is_or: bool,
    /// Nothing but bits depends on it.
    is_leaf: bool,
    level: u16,
    circle: u32,
}

/// The values of all live gates in some position.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    /// Facts, then moves.
    pub(super) inputs: Vec<u64>,
    counts: Vec<i32>,
    on: Vec<bool>,
    /// The parts that were wanted when the program was made.
    pub(super) bits: Vec<u64>,
    /// Gates that may have changed, by level.
    queues: Vec<Vec<u32>>,
    lowest: usize,
}

/// A gate in a queue whose circle has to be recomputed.
const RECOMPUTE: u32 = 1 << 31;

pub(super) fn bit(words: &[u64], index: usize) -> bool {
    words[index / 64] >> (index % 64) & 1 == 1
}

pub(super) fn flip(words: &mut [u64], index: usize) {
    words[index / 64] ^= 1 << (index % 64);
}

pub(super) struct Layout<'g> {
    pub(super) graph: &'g Graph,
    pub(super) facts: usize,
    pub(super) moves: usize,
    /// Which bits follow which node.
    pub(super) bits: Vec<(u32, Ref)>,
    pub(super) words: usize,
    /// Nodes that have to be live without a bit.
    pub(super) more: Vec<usize>,
    pub(super) circles: usize,
}

impl Layout<'_> {
    /// The nodes that are live: what the bits need.
    fn live(&self) -> Vec<bool> {
        let mut live = vec![false; self.graph.nodes.len()];
        let bits = self.bits.iter().map(|(_, value)| value.node());
        let mut open: Vec<usize> = bits.chain(self.more.iter().copied()).collect();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut live[node], true) {
                open.extend(self.graph.inputs(node).iter().map(|input| input.node()));
            }
        }
        live
    }

    /// The inputs of live gates, with those gates inlined that only one gate of their kind reads.
    fn inputs(&self, live: &[bool]) -> (Vec<Vec<Ref>>, Vec<bool>) {
        let nodes = &self.graph.nodes;
        let mut uses = vec![0u32; nodes.len()];
        let used = live.iter().enumerate().filter(|(_, live)| **live);
        for (node, _) in used {
            for input in self.graph.inputs(node) {
                uses[input.node()] += 1;
            }
        }
        let bits = self.bits.iter().map(|(_, value)| value.node());
        for node in bits.chain(self.more.iter().copied()) {
            uses[node] += 2;
        }
        let mut inputs: Vec<Vec<Ref>> = vec![Vec::new(); nodes.len()];
        let mut live = live.to_vec();
        for node in 0..nodes.len() {
            if !live[node] {
                continue;
            }
            let mut own = Vec::new();
            for input in self.graph.inputs(node) {
                let inner = input.node();
                let same_kind = matches!(
                    (&nodes[node], &nodes[inner]),
                    (Node::And(_), Node::And(_)) | (Node::Or(_), Node::Or(_))
                );
                if same_kind && !input.is_negated() && uses[inner] == 1 {
                    live[inner] = false;
                    own.append(&mut inputs[inner]);
                } else {
                    own.push(*input);
                }
            }
            inputs[node] = own;
        }
        (inputs, live)
    }
}

impl Program {
    /// # Errors
    /// If it would be too deep, or take too long to make.
    pub(super) fn new(layout: &Layout<'_>) -> Result<Self, Ungroundable> {
        let live = layout.live();
        let (inputs, live) = layout.inputs(&live);
        let nodes = &layout.graph.nodes;
        let first_gate = layout.facts + layout.moves;
        let mut source = vec![NONE; nodes.len()];
        let mut gates = Vec::new();
        let mut gate_nodes = Vec::new();
        for (node, kind) in nodes.iter().enumerate() {
            source[node] = match kind {
                Node::True => NONE,
                Node::Base(number) => *number,
                Node::Does(number) if layout.moves > 0 => layout.facts as u32 + number,
                Node::Does(_) => NONE,
                _ if !live[node] => NONE,
                _ => {
                    let circle = match kind {
                        Node::Circle(circle, _) | Node::CircleAnd(circle, _) => *circle,
                        _ => NONE,
                    };
                    gates.push(Gate {
                        is_or: matches!(kind, Node::Or(_) | Node::Circle(..)),
                        is_leaf: true,
                        level: 0,
                        circle,
                    });
                    gate_nodes.push(node);
                    (first_gate + gates.len() - 1) as u32
                }
            };
        }
        let mut wires = Wires::new(first_gate + gates.len(), layout);
        for (gate, node) in gate_nodes.iter().enumerate() {
            wires.connect(gate, &mut gates, &inputs[*node], &source);
        }
        budget::check()?;
        let levels = assign_levels(&mut gates, &gate_nodes, &inputs, &source, first_gate)?;
        for (index, value) in &layout.bits {
            wires.output(*index, *value, &source);
        }
        Ok(wires.finish(gates, source, levels, layout))
    }

    /// The state in which these facts are true.
    pub(super) fn start(&self, facts: impl Iterator<Item = usize>) -> Live {
        let mut live = self.empty.clone();
        for fact in facts {
            if !bit(&live.inputs, fact) {
                self.set(&mut live, fact);
            }
        }
        self.settle(&mut live);
        live
    }

    /// Sets the facts to those of another state, and evaluates the gates from the state in which no
    /// fact is true.
    pub(super) fn restart(&self, live: &mut Live, facts: &Live) {
        live.clone_from(&self.empty);
        for (word, bits) in facts.inputs.iter().enumerate() {
            let mut bits = *bits;
            while bits != 0 {
                let fact = word * 64 + bits.trailing_zeros() as usize;
                if fact < self.facts {
                    self.set(live, fact);
                }
                bits &= bits - 1;
            }
        }
        self.settle(live);
    }

    /// True if a node has a value in every state.
    pub(super) fn is_live(&self, node: usize) -> bool {
        node == 0 || self.source[node] != NONE
    }

    /// Changes a fact or move. The gates follow with [`Program::settle`].
    #[inline]
    pub(super) fn set(&self, live: &mut Live, input: usize) {
        flip(&mut live.inputs, input);
        let value = bit(&live.inputs, input);
        self.toggle(live, input, value);
    }

    pub(super) fn move_input(&self, number: u32) -> usize {
        self.facts + number as usize
    }

    /// The value of a node; `None` if it is not live.
    #[inline]
    pub(super) fn value(&self, live: &Live, node: usize) -> Option<bool> {
        let source = *self.source.get(node)?;
        if source == NONE {
            return (node == 0).then_some(true);
        }
        let source = source as usize;
        if source < self.inputs {
            return Some(bit(&live.inputs, source));
        }
        let gate = source - self.inputs;
        Some((live.counts[gate] != 0) == self.gates[gate].is_or)
    }

    /// Propagates a source's new value to its readers.
    #[inline]
    fn toggle(&self, live: &mut Live, source: usize, value: bool) {
        let (from, to) = (self.edges_at[source], self.edges_at[source + 1]);
        for &edge in &self.edges[from as usize..to as usize] {
            let gate = (edge >> 1) as usize;
            let before = live.counts[gate];
            let after = before + if (edge & 1 == 1) == value { 1 } else { -1 };
            live.counts[gate] = after;
            if before == 0 || after == 0 {
                let found = self.gates[gate];
                if found.is_leaf {
                    self.flip_bits(live, self.inputs + gate);
                } else {
                    live.queues[found.level as usize].push(gate as u32);
                    live.lowest = live.lowest.min(found.level as usize);
                }
            }
        }
        self.flip_bits(live, source);
        let (from, to) = (
            self.circle_edges_at[source],
            self.circle_edges_at[source + 1],
        );
        if from != to {
            self.toggle_circles(live, (from, to), value);
        }
    }

    #[inline]
    fn flip_bits(&self, live: &mut Live, source: usize) {
        let (from, to) = (self.bits_at[source], self.bits_at[source + 1]);
        for &index in &self.bits[from as usize..to as usize] {
            flip(&mut live.bits, index as usize);
        }
    }

    fn toggle_circles(&self, live: &mut Live, (from, to): (u32, u32), value: bool) {
        for &edge in &self.circle_edges[from as usize..to as usize] {
            let gate = (edge >> 1) as usize;
            let grows = (edge & 1 == 1) == value;
            live.counts[gate] += if grows { 1 } else { -1 };
            let found = self.gates[gate];
            // A gate that lost an input may be held up by nothing but itself.
            let falls = grows != found.is_or && live.on[gate];
            let entry = gate as u32 | if falls { RECOMPUTE } else { 0 };
            live.queues[found.level as usize].push(entry);
            live.lowest = live.lowest.min(found.level as usize);
        }
    }

    /// Evaluates all gates that may have changed.
    #[inline]
    pub(super) fn settle(&self, live: &mut Live) {
        let mut level = live.lowest;
        while level < self.levels {
            while let Some(entry) = live.queues[level].pop() {
                self.settle_gate(live, entry);
            }
            level += 1;
        }
        live.lowest = self.levels;
    }

    #[inline]
    fn settle_gate(&self, live: &mut Live, entry: u32) {
        let gate = (entry & !RECOMPUTE) as usize;
        let found = self.gates[gate];
        let now = (live.counts[gate] != 0) == found.is_or;
        if found.circle != NONE && (entry & RECOMPUTE != 0 || (live.on[gate] && !now)) {
            if live.on[gate] {
                self.compute_anew(live, found.circle);
            }
            return;
        }
        if live.on[gate] != now {
            live.on[gate] = now;
            self.toggle(live, self.inputs + gate, now);
        }
    }

    /// Applies the edges inside of a circle.
    fn toggle_inside(&self, live: &mut Live, gate: u32, value: bool) {
        let source = self.inputs + gate as usize;
        let circle = self.gates[gate as usize].circle;
        let (from, to) = (
            self.circle_edges_at[source],
            self.circle_edges_at[source + 1],
        );
        for &edge in &self.circle_edges[from as usize..to as usize] {
            let to = (edge >> 1) as usize;
            if self.gates[to].circle == circle {
                live.counts[to] += if (edge & 1 == 1) == value { 1 } else { -1 };
            }
        }
    }

    fn compute_anew(&self, live: &mut Live, circle: u32) {
        let members = &self.circles[circle as usize];
        let before: Vec<bool> = members.iter().map(|gate| live.on[*gate as usize]).collect();
        for (gate, was_on) in members.iter().zip(&before) {
            if *was_on {
                live.on[*gate as usize] = false;
                self.toggle_inside(live, *gate, false);
            }
        }
        let mut open = members.clone();
        while let Some(gate) = open.pop() {
            let found = self.gates[gate as usize];
            let now = (live.counts[gate as usize] != 0) == found.is_or;
            if !now || live.on[gate as usize] {
                continue;
            }
            live.on[gate as usize] = true;
            self.toggle_inside(live, gate, true);
            let source = self.inputs + gate as usize;
            let (from, to) = (
                self.circle_edges_at[source],
                self.circle_edges_at[source + 1],
            );
            let targets = self.circle_edges[from as usize..to as usize].iter();
            open.extend(
                targets
                    .map(|edge| edge >> 1)
                    .filter(|to| self.gates[*to as usize].circle == circle),
            );
        }
        for (gate, was_on) in members.iter().zip(before) {
            let now = live.on[*gate as usize];
            if now != was_on {
                self.toggle_outside(live, *gate, now);
            }
        }
    }

    /// Applies all edges of a gate on a circle but those inside of it.
    fn toggle_outside(&self, live: &mut Live, gate: u32, value: bool) {
        self.toggle(live, self.inputs + gate as usize, value);
        // That went inside as well, which was done before.
        self.toggle_inside(live, gate, !value);
        let circle = self.gates[gate as usize].circle;
        let level = self.gates[gate as usize].level as usize;
        live.queues[level].retain(|entry| {
            let gate = (entry & !RECOMPUTE) as usize;
            entry & RECOMPUTE == 0 || self.gates[gate].circle != circle
        });
    }

    pub(super) fn size(&self) -> usize {
        self.gates.len()
    }
}

/// Edges under construction.
struct Wires {
    edges: Vec<Vec<u32>>,
    circle_edges: Vec<Vec<u32>>,
    bits: Vec<Vec<u32>>,
    counts: Vec<i32>,
    initial: Vec<u64>,
    first_gate: usize,
}

impl Wires {
    fn new(sources: usize, layout: &Layout<'_>) -> Self {
        let first_gate = layout.facts + layout.moves;
        Wires {
            edges: vec![Vec::new(); sources],
            circle_edges: vec![Vec::new(); sources],
            bits: vec![Vec::new(); sources],
            counts: vec![0; sources - first_gate],
            initial: vec![0; layout.words],
            first_gate,
        }
    }

    /// Connects the inputs of a gate, all of which are off.
    fn connect(&mut self, gate: usize, gates: &mut [Gate], inputs: &[Ref], source: &[u32]) {
        let Gate { is_or, circle, .. } = gates[gate];
        for input in inputs {
            // Off, an input is true if it is negated; it counts if that is what the gate counts.
            let is_true = input.is_negated() != (input.node() == 0);
            self.counts[gate] += i32::from(is_true == is_or);
            if input.node() == 0 {
                continue;
            }
            let from = source[input.node()] as usize;
            let edge = (gate as u32) << 1 | u32::from(input.is_negated() != is_or);
            if circle == NONE {
                self.edges[from].push(edge);
            } else {
                self.circle_edges[from].push(edge);
            }
            if from >= self.first_gate {
                gates[from - self.first_gate].is_leaf = false;
            }
        }
        if circle != NONE {
            gates[gate].is_leaf = false;
        }
    }

    /// Connects a bit to a node.
    fn output(&mut self, index: u32, value: Ref, source: &[u32]) {
        let is_true = value.is_negated() != (value.node() == 0);
        if is_true {
            flip(&mut self.initial, index as usize);
        }
        if value.node() != 0 {
            self.bits[source[value.node()] as usize].push(index);
        }
    }

    fn finish(
        self,
        gates: Vec<Gate>,
        source: Vec<u32>,
        levels: usize,
        layout: &Layout<'_>,
    ) -> Program {
        let (edges_at, edges) = flattened(&self.edges);
        let (circle_edges_at, circle_edges) = flattened(&self.circle_edges);
        let (bits_at, bits) = flattened(&self.bits);
        let mut circles = vec![Vec::new(); layout.circles];
        for (number, gate) in gates.iter().enumerate() {
            if gate.circle != NONE {
                circles[gate.circle as usize].push(number as u32);
            }
        }
        let mut live = Live {
            inputs: vec![0; self.first_gate.div_ceil(64)],
            on: vec![false; gates.len()],
            counts: self.counts,
            bits: self.initial,
            queues: vec![Vec::new(); levels],
            lowest: levels,
        };
        let mut program = Program {
            facts: layout.facts,
            inputs: self.first_gate,
            edges_at,
            edges,
            circle_edges_at,
            circle_edges,
            bits_at,
            bits,
            gates,
            circles,
            source,
            levels,
            empty: Live::default(),
        };
        program.settle_all(&mut live);
        program.empty = live;
        program
    }
}

impl Program {
    /// Evaluates all gates, which are off before.
    fn settle_all(&self, live: &mut Live) {
        for (number, gate) in self.gates.iter().enumerate() {
            let now = (live.counts[number] != 0) == gate.is_or;
            if now && gate.is_leaf {
                self.flip_bits(live, self.inputs + number);
            } else if now {
                live.queues[gate.level as usize].push(number as u32);
            }
        }
        live.lowest = 0;
        self.settle(live);
    }
}

fn flattened(lists: &[Vec<u32>]) -> (Vec<u32>, Vec<u32>) {
    let mut at = Vec::with_capacity(lists.len() + 1);
    at.push(0);
    let mut all = Vec::new();
    for list in lists {
        all.extend_from_slice(list);
        at.push(all.len() as u32);
    }
    (at, all)
}

/// Assigns each gate a level above those of its inputs; all of a circle have the same. Returns the
/// number of levels.
fn assign_levels(
    gates: &mut [Gate],
    gate_nodes: &[usize],
    inputs: &[Vec<Ref>],
    source: &[u32],
    first_gate: usize,
) -> Result<usize, Ungroundable> {
    let needs = |gate: usize| {
        let inputs = inputs[gate_nodes[gate]].iter();
        inputs.filter_map(|input| {
            let from = source[input.node()];
            (input.node() != 0 && from as usize >= first_gate).then(|| from as usize - first_gate)
        })
    };
    let edges: Vec<Vec<u32>> = (0..gates.len())
        .map(|gate| needs(gate).map(|from| from as u32).collect())
        .collect();
    let (component, count) =
        crate::ground::components::components(gates.len(), |gate| &edges[gate]);
    let mut level_of = vec![0u16; count];
    let mut by_component: Vec<usize> = (0..gates.len()).collect();
    by_component.sort_by_key(|gate| component[*gate]);
    // A circle of the ground rules may have come apart, but keeps one level.
    let mut of_circle: Map<u32, u16> = Map::default();
    let mut changed = true;
    while changed {
        changed = false;
        budget::check()?;
        for &gate in &by_component {
            let own = component[gate] as usize;
            let below = needs(gate).filter(|from| {
                let circle = gates[gate].circle;
                component[*from] as usize != own
                    && (circle == NONE || gates[*from].circle != circle)
            });
            let highest = below.map(|from| gates[from].level).max();
            let mut level = match highest {
                Some(u16::MAX) => return Err(Ungroundable::Levels(u16::MAX.into())),
                Some(level) => level + 1,
                None => 0,
            };
            level = level.max(level_of[own]);
            if gates[gate].circle != NONE {
                let circle = of_circle.entry(gates[gate].circle).or_default();
                level = level.max(*circle);
                changed |= *circle != level;
                *circle = level;
            }
            changed |= level_of[own] != level || gates[gate].level != level;
            level_of[own] = level;
            gates[gate].level = level;
        }
    }
    let highest = level_of.iter().max();
    Ok(highest.map_or(0, |level| *level as usize + 1))
}

//! Conditions on facts as alternatives of conjunctions, each of which is compared with the facts word by
//! word.
//!
//! The effect of a move mostly depends on a few facts, such as the cell below in Connect Four.
//! Comparing one or two words is much faster than evaluating gates.

use super::graph::{Graph, Node, Ref};
use crate::terms::Map;

/// A condition of more alternatives than this is left to gates.
const MOST_CUBES: usize = 24;
/// A gate with more inputs than this is not looked into.
const MOST_INPUTS: usize = 64;

#[derive(Clone, Debug, Default)]
pub(super) struct Flips {
    /// The alternatives of one fact stand together.
    cubes: Vec<Placed>,
    tests: Vec<Test>,
}

/// A conjunction under which a fact changes.
#[derive(Clone, Copy, Debug)]
struct Placed {
    fact: u32,
    from: u32,
    to: u32,
}

/// A word of facts that must have these values where the mask has bits.
#[derive(Clone, Copy, Debug)]
struct Test {
    word: u32,
    mask: u64,
    values: u64,
}

/// Facts and the values that they must have, sorted.
type Cube = Vec<(u32, bool)>;

impl Flips {
    /// Adds a fact with its next value. Returns false, and adds nothing, if the condition under which it
    /// changes is too large.
    pub(super) fn add(&mut self, fact: u32, next: Ref, graph: &Graph, gates: &[Node]) -> bool {
        let mut all = Vec::new();
        for now in [false, true] {
            let mut search = Search {
                graph,
                gates,
                known: Map::default(),
                fact,
                now,
            };
            let Some(cubes) = search.cubes(next.negated_if(now)) else {
                return false;
            };
            let with_fact = cubes.into_iter().map(|mut cube| {
                cube.push((fact, now));
                cube
            });
            all.extend(with_fact);
        }
        for cube in all {
            self.place(fact, &cube);
        }
        true
    }

    fn place(&mut self, fact: u32, cube: &Cube) {
        let from = self.tests.len();
        for (other, value) in cube {
            let (word, bit) = (other / 64, 1u64 << (other % 64));
            let known = self.tests[from..].iter().position(|test| test.word == word);
            let at = known.map_or(self.tests.len(), |at| from + at);
            if known.is_none() {
                self.tests.push(Test {
                    word,
                    mask: 0,
                    values: 0,
                });
            }
            self.tests[at].mask |= bit;
            self.tests[at].values |= if *value { bit } else { 0 };
        }
        self.cubes.push(Placed {
            fact,
            from: from as u32,
            to: self.tests.len() as u32,
        });
    }

    #[inline]
    pub(super) fn collect(&self, facts: &[u64], changed: &mut Vec<u32>) {
        let mut last = u32::MAX;
        for cube in &self.cubes {
            let mut tests = self.tests[cube.from as usize..cube.to as usize].iter();
            if cube.fact != last
                && tests.all(|test| facts[test.word as usize] & test.mask == test.values)
            {
                last = cube.fact;
                changed.push(cube.fact);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.cubes.len()
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.cubes[..]) + size_of_val(&self.tests[..])
    }
}

/// The search for the alternatives of one value.
struct Search<'g> {
    graph: &'g Graph,
    /// Gates numbered behind those of the graph.
    gates: &'g [Node],
    known: Map<Ref, Option<Vec<Cube>>>,
    /// A fact whose value is taken for granted.
    fact: u32,
    now: bool,
}

impl Search<'_> {
    /// The alternatives; `None` if there are too many, or a circle decides.
    fn cubes(&mut self, value: Ref) -> Option<Vec<Cube>> {
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        let found = self.find(value);
        self.known.insert(value, found.clone());
        found
    }

    fn find(&mut self, value: Ref) -> Option<Vec<Cube>> {
        let (graph, gates) = (self.graph, self.gates);
        let nodes = &graph.nodes;
        let node = value.node();
        let node = nodes
            .get(node)
            .unwrap_or_else(|| &gates[node - nodes.len()]);
        let holds = !value.is_negated();
        let constant = |value: bool| if value { vec![Vec::new()] } else { Vec::new() };
        match node {
            Node::True => Some(constant(holds)),
            Node::Base(fact) if *fact == self.fact => Some(constant(holds == self.now)),
            Node::Base(fact) => Some(vec![vec![(*fact, holds)]]),
            Node::And(inputs) | Node::Or(inputs) if inputs.len() > MOST_INPUTS => None,
            Node::And(inputs) if holds => self.all(inputs, false),
            Node::Or(inputs) if !holds => self.all(inputs, true),
            Node::And(inputs) => self.any(inputs, true),
            Node::Or(inputs) => self.any(inputs, false),
            // Moves are known by now; those that are left are not made.
            Node::Does(_) => Some(constant(!holds)),
            Node::Circle(..) | Node::CircleAnd(..) => None,
        }
    }

    fn any(&mut self, inputs: &[Ref], negated: bool) -> Option<Vec<Cube>> {
        let mut any: Vec<Cube> = Vec::new();
        for input in inputs {
            for cube in self.cubes(input.negated_if(negated))? {
                add(&mut any, cube);
            }
            if any.len() > MOST_CUBES {
                return None;
            }
        }
        Some(any)
    }

    fn all(&mut self, inputs: &[Ref], negated: bool) -> Option<Vec<Cube>> {
        let mut all: Vec<Cube> = vec![Vec::new()];
        for input in inputs {
            let mut both = Vec::new();
            let factor = self.cubes(input.negated_if(negated))?;
            for one in &all {
                for other in &factor {
                    if let Some(cube) = conjunction(one, other) {
                        add(&mut both, cube);
                    }
                    if both.len() > MOST_CUBES {
                        return None;
                    }
                }
            }
            all = both;
        }
        Some(all)
    }
}

/// Adds an alternative, unless another one holds wherever it does.
fn add(cubes: &mut Vec<Cube>, cube: Cube) {
    let within = |small: &Cube, large: &Cube| small.iter().all(|fact| large.contains(fact));
    if !cubes.iter().any(|other| within(other, &cube)) {
        cubes.retain(|other| !within(&cube, other));
        cubes.push(cube);
    }
}

/// Both together; `None` if they contradict each other.
fn conjunction(one: &Cube, other: &Cube) -> Option<Cube> {
    let mut both = one.clone();
    both.extend(other);
    both.sort_unstable();
    both.dedup();
    let clash = both.windows(2).any(|pair| pair[0].0 == pair[1].0);
    (!clash).then_some(both)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Facts 0, 1 and 70 with gates of every kind.
    fn changed(next: impl Fn(&mut Graph, [Ref; 3]) -> Ref, facts: [bool; 3]) -> Vec<u32> {
        let mut graph = Graph::new();
        let bases = [0, 1, 70].map(|fact| graph.add(Node::Base(fact)));
        let next = next(&mut graph, bases);
        let mut flips = Flips::default();
        assert!(flips.add(0, next, &graph, &[]));
        let [first, second, third] = facts.map(u64::from);
        let mut changed = Vec::new();
        flips.collect(&[first | second << 1, third << 6], &mut changed);
        changed
    }

    #[test]
    fn a_fact_changes_where_its_next_value_is_another() {
        let every = (0..8).map(|bits| [0, 1, 2].map(|at| bits >> at & 1 == 1));
        for facts in every {
            let [a, b, c] = facts;
            let exclusive = |graph: &mut Graph, [a, b, c]: [Ref; 3]| {
                let one = graph.and(vec![a, b.not()]);
                let other = graph.and(vec![b, c.not()]);
                graph.or(vec![one, other])
            };
            let next = a && !b || b && !c;
            assert_eq!(changed(exclusive, facts).len(), usize::from(next != a));
            let negated = |graph: &mut Graph, [a, b, c]: [Ref; 3]| {
                let any = graph.or(vec![a, c]);
                graph.and(vec![b, any]).not()
            };
            let next = !(b && (a || c));
            assert_eq!(changed(negated, facts).len(), usize::from(next != a));
        }
    }

    #[test]
    fn large_conditions_are_left_to_gates() {
        let mut graph = Graph::new();
        let mut pairs = Vec::new();
        for fact in 0..6 {
            let pair = [2 * fact, 2 * fact + 1].map(|fact| graph.add(Node::Base(fact)));
            pairs.push(graph.or(pair.to_vec()));
        }
        let next = graph.and(pairs);
        assert!(!Flips::default().add(20, next, &graph, &[]));
    }
}

//! Legal moves as bits. A condition that many moves of a role share is evaluated once, not for each
//! of them.
//!
//! In nearly all games, most moves of a role need a fact as `(control white)`. As a part of each move's
//! gate it would change them all at every step.

use games::budget::{self, Ticks};

use super::circuit::Circuit;
use super::graph::{Graph, Node, Ref};
use crate::terms::Map;

/// The least moves of a group, and the most groups of a role.
const LEAST: usize = 3;
const MOST: usize = 8;

/// Moves of a role that have a condition in common.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The bit of the condition; `None` if there is none.
    pub(super) guard: Option<u32>,
    /// The first of their words.
    pub(super) word: u32,
    pub(super) words: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct RoleMoves {
    pub(super) groups: Vec<Group>,
    /// The move of each bit, from the first word on.
    pub(super) moves: Vec<u32>,
    pub(super) first_word: u32,
}

/// Bits, and the nodes that they follow.
#[derive(Default)]
pub(super) struct Bits {
    pub(super) values: Vec<(u32, Ref)>,
    pub(super) words: u32,
}

impl Bits {
    /// Reserves whole words for this many bits. Returns the number of the first bit.
    pub(super) fn reserve(&mut self, bits: usize) -> u32 {
        let first = self.words * 64;
        self.words += bits.div_ceil(64) as u32;
        first
    }
}

/// Assigns a bit to each legal move of a role. Guards are collected, and get their bits later.
pub(super) fn place(
    circuit: &mut Circuit,
    role: usize,
    bits: &mut Bits,
    guards: &mut Vec<Ref>,
) -> RoleMoves {
    let mut left: Vec<u32> = (0..circuit.moves[role].len() as u32).collect();
    let mut placed = RoleMoves {
        first_word: bits.words,
        ..RoleMoves::default()
    };
    // If the budget is spent it stays so, and nothing is made of this.
    while !left.is_empty() && budget::check().is_ok() {
        let guard = if placed.groups.len() + 1 < MOST {
            most_common(circuit, role, &left)
        } else {
            None
        };
        let has_guard = |mv: &u32| {
            let legal = circuit.moves[role][*mv as usize].legal;
            guard.is_none_or(|guard| common(&circuit.graph, legal).contains(&guard))
        };
        let (members, rest): (Vec<u32>, Vec<u32>) = left.iter().partition(|mv| has_guard(mv));
        left = rest;
        let first = bits.reserve(members.len());
        for (offset, mv) in members.iter().enumerate() {
            let legal = circuit.moves[role][*mv as usize].legal;
            let value = guard.map_or(legal, |guard| without(&mut circuit.graph, legal, guard));
            bits.values.push((first + offset as u32, value));
        }
        let number = guard.map(|guard| {
            let known = guards.iter().position(|other| *other == guard);
            known.unwrap_or_else(|| {
                guards.push(guard);
                guards.len() - 1
            }) as u32
        });
        placed.groups.push(Group {
            guard: number,
            word: first / 64,
            words: (members.len() as u32).div_ceil(64),
        });
        let filled = placed.moves.len();
        placed.moves.extend(members);
        placed.moves.resize(
            filled + (placed.moves.len() - filled).div_ceil(64) * 64,
            u32::MAX,
        );
    }
    placed
}

/// The condition that most of these moves have, if enough have it.
fn most_common(circuit: &Circuit, role: usize, moves: &[u32]) -> Option<Ref> {
    let mut counts: Map<Ref, usize> = Map::default();
    let mut ticks = Ticks::default();
    for mv in moves {
        if ticks.tick().is_err() {
            break;
        }
        for guard in common(&circuit.graph, circuit.moves[role][*mv as usize].legal) {
            *counts.entry(guard).or_default() += 1;
        }
    }
    let best = counts
        .into_iter()
        .max_by_key(|(guard, count)| (*count, guard.0));
    best.filter(|(_, count)| *count >= LEAST)
        .map(|(guard, _)| guard)
}

/// Conditions that are necessary for a node.
fn common(graph: &Graph, value: Ref) -> Vec<Ref> {
    if value.node() == 0 {
        return Vec::new();
    }
    if value.is_negated() {
        return vec![value];
    }
    match &graph.nodes[value.node()] {
        Node::And(inputs) => inputs.to_vec(),
        Node::Or(inputs) => {
            let mut all = inputs.iter().map(|input| match &graph.nodes[input.node()] {
                Node::And(inner) if !input.is_negated() => inner.to_vec(),
                _ => vec![*input],
            });
            let mut common = all.next().unwrap_or_default();
            for other in all {
                common.retain(|guard| other.contains(guard));
            }
            common
        }
        _ => vec![value],
    }
}

/// A node under the condition that a guard holds.
fn without(graph: &mut Graph, value: Ref, guard: Ref) -> Ref {
    if value == guard {
        return Ref::TRUE;
    }
    if value.is_negated() {
        return value;
    }
    match graph.nodes[value.node()].clone() {
        Node::And(inputs) => graph.and(rest(&inputs, guard)),
        Node::Or(inputs) => {
            let inputs = inputs
                .iter()
                .map(|input| match graph.nodes[input.node()].clone() {
                    Node::And(inner) if !input.is_negated() => graph.and(rest(&inner, guard)),
                    _ if *input == guard => Ref::TRUE,
                    _ => *input,
                });
            let inputs = inputs.collect();
            graph.or(inputs)
        }
        _ => value,
    }
}

fn rest(inputs: &[Ref], guard: Ref) -> Vec<Ref> {
    inputs
        .iter()
        .copied()
        .filter(|input| *input != guard)
        .collect()
}

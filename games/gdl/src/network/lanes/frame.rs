//! Facts that stay as they are after most moves of a role.
//!
//! Many sheets list for each move what it leaves alone, a gate for each fact and move. A role makes exactly one
//! move, so that all these gates together say as much as one: none of the few other moves is made.

use std::collections::HashSet;

use crate::network::circuit::Circuit;
use crate::network::graph::{Graph, Node, Ref};
use crate::terms::Map;

/// The moves of a role that rules ask for, and whether it makes one of these.
struct RoleMoves {
    asked: Vec<Ref>,
    any: Ref,
}

/// The next values of all facts, with gates that are added to the graph in place of those for most moves.
pub(super) fn next_values(circuit: &Circuit, graph: &mut Graph) -> Vec<Ref> {
    let mut role_of = vec![None; graph.nodes.len()];
    let mut moves = Vec::new();
    for (role, own) in circuit.moves.iter().enumerate() {
        let asked = own.iter().filter_map(|mv| mv.does);
        let asked: Vec<Ref> = asked.map(|number| circuit.does[number as usize]).collect();
        for mv in &asked {
            role_of[mv.node()] = Some(role);
        }
        let any = if asked.len() == own.len() {
            Ref::TRUE
        } else {
            graph.or(asked.clone())
        };
        moves.push(RoleMoves { asked, any });
    }
    let next = circuit.next.iter();
    next.map(|value| factored(graph, *value, &moves, &role_of))
        .collect()
}

fn factored(graph: &mut Graph, value: Ref, moves: &[RoleMoves], role_of: &[Option<usize>]) -> Ref {
    let Node::Or(inputs) = graph.nodes[value.node()].clone() else {
        return value;
    };
    let mut kept = Vec::new();
    // The moves with which each condition is enough, and the inputs that say so.
    let mut stays: Map<(Ref, usize), Vec<(Ref, Ref)>> = Map::default();
    for input in inputs {
        match split(graph, input, role_of) {
            Some((mv, role, rest)) => {
                let when = graph.and(rest);
                stays.entry((when, role)).or_default().push((mv, input));
            }
            None => kept.push(input),
        }
    }
    let mut stays: Vec<_> = stays.into_iter().collect();
    stays.sort_unstable();
    for ((when, role), with) in stays {
        let RoleMoves { asked, any } = &moves[role];
        if 2 * with.len() <= asked.len() {
            kept.extend(with.into_iter().map(|(_, input)| input));
            continue;
        }
        let with: HashSet<Ref> = with.into_iter().map(|(mv, _)| mv).collect();
        let others = asked.iter().filter(|mv| !with.contains(mv));
        let others = others.copied().collect();
        let none_of_them = graph.or(others).not();
        kept.push(graph.and(vec![when, none_of_them, *any]));
    }
    graph.or(kept).negated_if(value.is_negated())
}

/// A conjunction as a move, its role, and the rest of its inputs.
fn split(graph: &Graph, input: Ref, role_of: &[Option<usize>]) -> Option<(Ref, usize, Vec<Ref>)> {
    let Node::And(inputs) = &graph.nodes[input.node()] else {
        return None;
    };
    if input.is_negated() {
        return None;
    }
    let role = |input: &Ref| {
        let role = role_of.get(input.node()).copied().flatten();
        role.filter(|_| !input.is_negated())
    };
    let at = inputs.iter().position(|input| role(input).is_some())?;
    let mut rest = inputs.to_vec();
    let mv = rest.remove(at);
    Some((mv, role(&mv)?, rest))
}

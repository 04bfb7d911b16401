//! Finds parts of sheets that could be played apart: facts that no move and no rule ties together.
//!
//! Facts that change by themselves, as whose turn it is and which round, are left out: all parts may read
//! them. What decides the end and the goals may read every part, and in all sheets of ours with several
//! parts it does so in conjunctions, as of four cells in a row: the parts cannot be decided one by one.
//! In a random game there is little to save, since what a move changes does not grow with other parts.
//! So nothing is factored.

use super::circuit::Circuit;
use super::graph::{Node, Ref};
use super::specialised::Specialiser;
use crate::ground::Ground;
use crate::limits::GroundLimits;
use crate::read::Sheet;

fn circuit(text: &str) -> Circuit {
    let sheet = Sheet::read(text).unwrap();
    Circuit::of(&Ground::new(sheet, &GroundLimits::DEFAULT).unwrap()).unwrap()
}

fn sheet(id: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../sheets");
    std::fs::read_to_string(format!("{folder}/{id}.kif")).unwrap()
}

/// Sets of facts and moves, which are numbered behind the facts.
struct Sets(Vec<usize>);

impl Sets {
    fn root(&self, mut item: usize) -> usize {
        while self.0[item] != item {
            item = self.0[item];
        }
        item
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one] = other;
    }
}

/// The number of facts in each part, the largest first.
fn parts(circuit: &Circuit) -> Vec<usize> {
    let facts = circuit.facts.len();
    let moved = Specialiser::moved(&circuit.graph);
    let is_moved = |fact: usize| moved[circuit.next[fact].node()];
    let mut sets = Sets((0..facts + circuit.does.len()).collect());
    // Joins an item with all that a value is made of.
    let mut join_all = |item: usize, value: Ref| {
        let mut seen = std::collections::HashSet::new();
        let mut open = vec![value.node()];
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            match circuit.graph.nodes[node] {
                Node::Base(fact) if is_moved(fact as usize) => sets.join(item, fact as usize),
                Node::Does(number) => sets.join(item, facts + number as usize),
                _ => {}
            }
            open.extend(circuit.graph.inputs(node).iter().map(|input| input.node()));
        }
    };
    for fact in (0..facts).filter(|fact| is_moved(*fact)) {
        join_all(fact, circuit.next[fact]);
    }
    for mv in circuit.moves.iter().flatten() {
        if let Some(number) = mv.does {
            join_all(facts + number as usize, mv.legal);
        }
    }
    let mut sizes = vec![0; sets.0.len()];
    for fact in (0..facts).filter(|fact| is_moved(*fact)) {
        sizes[sets.root(fact)] += 1;
    }
    sizes.retain(|size| *size > 0);
    sizes.sort_unstable_by(|one, other| other.cmp(one));
    sizes
}

#[test]
fn five_of_twelve_sheets_have_several_parts() {
    let found = [
        "breakthrough-8x8",
        "chinese-checkers-3",
        "connect-four",
        "hex-5x5",
        "kuhn-poker",
        "lights-out",
        "monty-hall",
        "nim",
        "othello",
        "pig",
        "rock-paper-scissors",
        "tic-tac-toe",
    ]
    .map(|id| (id, parts(&circuit(&sheet(id))).len()));
    let several = found.iter().filter(|(_, parts)| *parts > 1);
    let several: Vec<_> = several.copied().collect();
    let expected = [
        ("connect-four", 7),
        ("hex-5x5", 25),
        ("kuhn-poker", 3),
        ("nim", 3),
        ("tic-tac-toe", 9),
    ];
    assert_eq!(several, expected);
}

/// Nim with more heaps, none of which is like another: they are parts.
fn nim(heaps: &[&str]) -> String {
    let more = heaps.iter().map(|heap| format!("(init (heap {heap} 5))\n"));
    sheet("nim") + &more.collect::<String>()
}

#[test]
fn a_move_changes_as_much_beside_more_heaps() {
    let size = |text: &str| {
        let mut circuit = circuit(text);
        let specialiser = Specialiser::new(&mut circuit).unwrap();
        let take = |moves: &[super::circuit::LegalMove]| {
            let found = moves.iter().position(|mv| mv.text == "(take a 2)");
            found.unwrap_or_else(|| moves.iter().position(|mv| mv.text == "noop").unwrap())
        };
        let joint: Vec<u32> = circuit
            .moves
            .iter()
            .map(|moves| take(moves) as u32)
            .collect();
        let change = specialiser.change(&circuit, &joint, usize::MAX).unwrap();
        (
            change.certain.len(),
            change.open.len(),
            change.flips.count(),
        )
    };
    let small = size(&sheet("nim"));
    assert_eq!(parts(&circuit(&nim(&["d", "e", "f"]))).len(), 6);
    assert_eq!(size(&nim(&["d", "e", "f"])), small);
}

#[test]
fn a_change_that_is_too_much_work_is_not_made() {
    let mut circuit = circuit(&sheet("nim"));
    let specialiser = Specialiser::new(&mut circuit).unwrap();
    let joint = vec![0; circuit.moves.len()];
    assert!(specialiser.change(&circuit, &joint, usize::MAX).is_some());
    assert!(specialiser.change(&circuit, &joint, 1).is_none());
}

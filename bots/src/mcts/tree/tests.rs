//! Tests of the search graph on small made-up games.

use super::*;

fn spot(hash: u64, mover: Seat) -> Spot {
    Spot {
        hash,
        key: hash,
        ply: hash as u32 / 10,
        mover,
    }
}

fn candidate(mv: char, guess: f32) -> Candidate<char> {
    Candidate {
        mv,
        guess,
        margin: 8.0 * (guess - 0.5),
        prior: 0.5,
        exact: None,
    }
}

fn exact(mv: char, twelfths: u8) -> Candidate<char> {
    Candidate {
        exact: Some(twelfths),
        ..candidate(mv, f32::from(twelfths) / 12.0)
    }
}

fn value(first: f32) -> Value {
    [first, 1.0 - first, 0.0, 0.0]
}

/// A root of seat 0 with two moves.
fn two_moves(candidates: [Candidate<char>; 2]) -> Tree<char> {
    let mut tree = Tree::empty();
    tree.root(2, &spot(1, 0));
    tree.grow(0, &candidates, true, value(0.5));
    tree
}

/// Follows a move, which must be the one chosen, and grows what is there.
fn visit(
    tree: &mut Tree<char>,
    mv: char,
    to: &Spot,
    moves: &[Candidate<char>],
    own: f32,
) -> NodeId {
    let edge = tree.select(0);
    assert_eq!(tree.node(0).edges[edge].mv, mv);
    let child = tree.child(0, edge, || *to);
    if tree.node(child).stage == Stage::Fresh {
        tree.grow(child, moves, true, value(own));
    }
    let path = [
        Step { node: 0, edge },
        Step {
            node: child,
            edge: 0,
        },
    ];
    tree.record(&path);
    child
}

#[test]
fn a_position_reached_in_two_ways_is_one_node() {
    let mut tree = two_moves([candidate('a', 0.6), candidate('b', 0.55)]);
    let replies = [candidate('x', 0.8), candidate('y', 0.7)];
    let one = visit(&mut tree, 'a', &spot(11, 1), &replies, 0.2);
    // What came of it makes the other move the better one, which leads to the same.
    let other = visit(&mut tree, 'b', &spot(11, 1), &replies, 0.2);
    assert_eq!((one, other), (1, 1));
    assert_eq!((tree.len(), tree.node(0).visits), (2, 3));
    assert!((tree.node(0).edges[1].mean - 0.2).abs() < 1e-6);
}

#[test]
fn a_sure_win_is_known_at_once_and_preferred() {
    let mut tree = two_moves([candidate('a', 0.9), exact('b', WIN)]);
    assert!(tree.proven());
    assert_eq!(tree.settled(0), Some(1.0));
    assert_eq!(tree.settled(1), Some(0.0));
    tree.record(&[Step { node: 0, edge: 0 }]);
    assert_eq!(tree.best(0).map(|edge| edge.mv), Some('b'));
    assert_eq!(tree.value(0), 1.0);
}

#[test]
fn proofs_go_up_through_both_seats() {
    let mut tree = two_moves([candidate('a', 0.9), exact('b', 6)]);
    assert_eq!((tree.settled(0), tree.proven()), (None, false));
    // The other seat has an answer that wins: so the promising move loses, and the draw is left.
    visit(&mut tree, 'a', &spot(11, 1), &[exact('x', WIN)], 0.9);
    assert_eq!(tree.settled(0), Some(0.5));
    assert!(tree.proven());
    assert_eq!(tree.best(0).map(|edge| edge.mv), Some('b'));
    assert_eq!(tree.value(0), 0.5);
}

#[test]
fn nothing_is_proven_by_moves_that_are_missing() {
    let mut tree = Tree::empty();
    tree.root(2, &spot(1, 0));
    tree.grow(0, &[exact('a', 0)], false, value(0.5));
    assert_eq!((tree.settled(0), tree.proven()), (None, false));
    tree.grow(0, &[exact('b', 0)], true, value(0.5));
    assert_eq!((tree.settled(0), tree.proven()), (Some(0.0), true));
}

#[test]
fn nothing_is_proven_by_a_position_that_was_there_before() {
    let mut tree = two_moves([candidate('a', 0.9), exact('b', 0)]);
    visit(&mut tree, 'a', &spot(11, 1), &[exact('x', 0)], 0.9);
    assert_eq!(tree.settled(0), Some(1.0));
    tree.remember(|key| u32::from(key == 11), 3);
    assert_eq!(tree.settled(0), None);
    // There for the third time, it would be the end: it has to be looked at again.
    tree.remember(|key| 2 * u32::from(key == 11), 3);
    assert_eq!(tree.node(1).stage, Stage::Fresh);
}

#[test]
fn with_more_seats_only_a_win_that_nobody_can_prevent_is_proven() {
    let mut tree = Tree::empty();
    tree.root(3, &spot(1, 0));
    tree.grow(
        0,
        &[candidate('a', 0.9), exact('b', 3)],
        true,
        [0.5; MAX_SEATS],
    );
    assert_eq!((tree.node(0).bounds.least[0], tree.proven()), (3, false));
    assert_eq!(tree.settled(1), None);
    visit(&mut tree, 'a', &spot(11, 1), &[candidate('x', 0.5)], 0.9);
    assert_eq!(tree.node(0).bounds.most, [WIN; MAX_SEATS]);
}

#[test]
fn the_graph_below_a_played_move_is_kept() {
    let mut tree = two_moves([candidate('a', 0.6), candidate('b', 0.5)]);
    let child = visit(&mut tree, 'a', &spot(11, 1), &[candidate('x', 0.4)], 0.6);
    let below = tree.child(child, 0, || spot(21, 0));
    assert_eq!((below, tree.len()), (2, 3));
    tree.advance('a');
    assert_eq!((tree.len(), tree.node(0).key), (2, 11));
    tree.root(2, &spot(11, 1));
    assert_eq!(tree.len(), 2);
    assert_eq!(tree.child(0, 0, || spot(99, 0)), 1);
    tree.root(2, &spot(12, 1));
    assert_eq!(tree.len(), 1);
    tree.advance('z');
    assert_eq!(tree.len(), 0);
}

#[test]
fn values_are_seen_from_another_zero_and_back() {
    let mut tree = two_moves([candidate('a', 0.9), exact('b', 0)]);
    visit(&mut tree, 'a', &spot(11, 1), &[candidate('x', 0.2)], 0.8);
    let before = tree.value(0);
    tree.shift(0.125);
    assert!((tree.value(0) - before).abs() < 1e-5);
    assert!(tree.node(0).value[0] < before - 0.3);
    assert_eq!(tree.node(0).edges[1].mean, 0.0);
}

#[test]
fn a_lead_that_cannot_be_caught_up_is_decided() {
    let mut tree = two_moves([candidate('a', 0.9), exact('b', 0)]);
    for _ in 0..3 {
        visit(&mut tree, 'a', &spot(11, 1), &[candidate('x', 0.1)], 0.1);
    }
    assert!(tree.decided(2.0) && !tree.decided(3.0));
}

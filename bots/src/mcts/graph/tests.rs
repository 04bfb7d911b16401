//! Tests of the search graph on small made-up games.

use super::*;

fn position(hash: u64, mover: Seat) -> PositionId {
    PositionId {
        hash,
        key: hash,
        ply: hash as u32 / 10,
        mover,
    }
}

fn candidate(mv: char, mean: f32) -> Candidate<char> {
    Candidate {
        mv,
        mean,
        margin: 8.0 * (mean - 0.5),
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

fn value(first: f32) -> SeatValues {
    [first, 1.0 - first, 0.0, 0.0]
}

/// A root of seat 0 with two moves.
fn two_moves(candidates: [Candidate<char>; 2]) -> SearchGraph<char> {
    let mut graph = SearchGraph::empty();
    graph.set_root(2, 1.0, &position(1, 0));
    graph.expand(0, &candidates, true, value(0.5));
    graph
}

/// Follows a move, which must be the selected one, and backpropagates.
fn visit(
    graph: &mut SearchGraph<char>,
    mv: char,
    to: &PositionId,
    moves: &[Candidate<char>],
    own: f32,
) -> NodeId {
    let edge = graph.select(0);
    assert_eq!(graph.node(0).edges[edge].mv, mv);
    let child = graph.child(0, edge, || *to);
    if graph.node(child).stage == Stage::Fresh {
        graph.expand(child, moves, true, value(own));
    }
    let path = [
        Step { node: 0, edge },
        Step {
            node: child,
            edge: 0,
        },
    ];
    graph.backpropagate(&path);
    child
}

#[test]
fn a_position_reached_in_two_ways_is_one_node() {
    let mut graph = two_moves([candidate('a', 0.6), candidate('b', 0.55)]);
    let replies = [candidate('x', 0.8), candidate('y', 0.7)];
    let one = visit(&mut graph, 'a', &position(11, 1), &replies, 0.2);
    // What came of it makes the other move the better one, which leads to the same.
    let other = visit(&mut graph, 'b', &position(11, 1), &replies, 0.2);
    assert_eq!((one, other), (1, 1));
    assert_eq!((graph.len(), graph.node(0).visits), (2, 3));
    assert!((graph.node(0).edges[1].mean - 0.2).abs() < 1e-6);
}

#[test]
fn a_sure_win_is_known_at_once_and_preferred() {
    let mut graph = two_moves([candidate('a', 0.9), exact('b', WIN)]);
    assert!(graph.proven());
    assert_eq!(graph.settled(0), Some(1.0));
    assert_eq!(graph.settled(1), Some(0.0));
    graph.backpropagate(&[Step { node: 0, edge: 0 }]);
    assert_eq!(graph.best(0).map(|edge| edge.mv), Some('b'));
    assert_eq!(graph.value(0), 1.0);
}

#[test]
fn proofs_go_up_through_both_seats() {
    let mut graph = two_moves([candidate('a', 0.9), exact('b', 6)]);
    assert_eq!((graph.settled(0), graph.proven()), (None, false));
    // The other seat has an answer that wins: so the promising move loses, and the draw is left.
    visit(&mut graph, 'a', &position(11, 1), &[exact('x', WIN)], 0.9);
    assert_eq!(graph.settled(0), Some(0.5));
    assert!(graph.proven());
    assert_eq!(graph.best(0).map(|edge| edge.mv), Some('b'));
    assert_eq!(graph.value(0), 0.5);
}

#[test]
fn nothing_is_proven_by_moves_that_are_missing() {
    let mut graph = SearchGraph::empty();
    graph.set_root(2, 1.0, &position(1, 0));
    graph.expand(0, &[exact('a', 0)], false, value(0.5));
    assert_eq!((graph.settled(0), graph.proven()), (None, false));
    graph.expand(0, &[exact('b', 0)], true, value(0.5));
    assert_eq!((graph.settled(0), graph.proven()), (Some(0.0), true));
}

#[test]
fn nothing_is_proven_by_a_position_that_was_there_before() {
    let mut graph = two_moves([candidate('a', 0.9), exact('b', 0)]);
    visit(&mut graph, 'a', &position(11, 1), &[exact('x', 0)], 0.9);
    assert_eq!(graph.settled(0), Some(1.0));
    graph.apply_history(|key| u32::from(key == 11), 3);
    assert_eq!(graph.settled(0), None);
    // There for the third time, it would be the end: it has to be looked at again.
    graph.apply_history(|key| 2 * u32::from(key == 11), 3);
    assert_eq!(graph.node(1).stage, Stage::Fresh);
}

#[test]
fn with_more_seats_only_a_win_that_nobody_can_prevent_is_proven() {
    let mut graph = SearchGraph::empty();
    graph.set_root(3, 1.0, &position(1, 0));
    graph.expand(
        0,
        &[candidate('a', 0.9), exact('b', 3)],
        true,
        [0.5; MAX_SEATS],
    );
    assert_eq!((graph.node(0).bounds.least[0], graph.proven()), (3, false));
    assert_eq!(graph.settled(1), None);
    visit(
        &mut graph,
        'a',
        &position(11, 1),
        &[candidate('x', 0.5)],
        0.9,
    );
    assert_eq!(graph.node(0).bounds.most, [WIN; MAX_SEATS]);
}

#[test]
fn the_graph_below_a_played_move_is_kept() {
    let mut graph = two_moves([candidate('a', 0.6), candidate('b', 0.5)]);
    let child = visit(
        &mut graph,
        'a',
        &position(11, 1),
        &[candidate('x', 0.4)],
        0.6,
    );
    let below = graph.child(child, 0, || position(21, 0));
    assert_eq!((below, graph.len()), (2, 3));
    graph.advance('a');
    assert_eq!((graph.len(), graph.node(0).key), (2, 11));
    graph.set_root(2, 1.0, &position(11, 1));
    assert_eq!(graph.len(), 2);
    assert_eq!(graph.child(0, 0, || position(99, 0)), 1);
    graph.set_root(2, 1.0, &position(12, 1));
    assert_eq!(graph.len(), 1);
    graph.advance('z');
    assert_eq!(graph.len(), 0);
}

#[test]
fn values_are_seen_from_another_zero_and_back() {
    let mut graph = two_moves([candidate('a', 0.9), exact('b', 0)]);
    visit(
        &mut graph,
        'a',
        &position(11, 1),
        &[candidate('x', 0.2)],
        0.8,
    );
    let before = graph.value(0);
    graph.multiply_odds(0.125);
    assert!((graph.value(0) - before).abs() < 1e-5);
    assert!(graph.node(0).value[0] < before - 0.3);
    assert_eq!(graph.node(0).edges[1].mean, 0.0);
}

#[test]
fn a_lead_that_cannot_be_caught_up_is_decided() {
    let mut graph = two_moves([candidate('a', 0.9), exact('b', 0)]);
    for _ in 0..3 {
        visit(
            &mut graph,
            'a',
            &position(11, 1),
            &[candidate('x', 0.1)],
            0.1,
        );
    }
    assert!(graph.decided(2.0) && !graph.decided(3.0));
}

//! Perft: counts of positions, the standard check of move generators.

use crate::game::Game;

/// The number of paths of exactly `depth` plies. Games that end earlier do not count.
pub fn perft<G: Game>(game: &G, position: &G::Position, depth: u32) -> u64 {
    count(game, position, depth, &mut { u64::MAX }, &mut Vec::new())
}

/// The same, or `None` if it takes the legal moves of more than `left` positions. What is not used up
/// stays in `left`.
pub fn perft_within<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    left: &mut u64,
) -> Option<u64> {
    // One more, so that 0 means that the limit was exceeded.
    *left = left.saturating_add(1);
    let nodes = count(game, position, depth, left, &mut Vec::new());
    *left = left.checked_sub(1)?;
    Some(nodes)
}

/// `spare` has lists of moves to be reused. It grows only with the plies that are played, since `depth`
/// may be far greater than the length of any game.
fn count<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    left: &mut u64,
    spare: &mut Vec<Vec<G::Move>>,
) -> u64 {
    if depth == 0 {
        return 1;
    }
    *left = left.saturating_sub(1);
    match depth {
        1 => game.count_legal(position),
        _ => {
            let mut moves = spare.pop().unwrap_or_default();
            game.legal(position, &mut moves);
            let mut nodes = 0;
            for &mv in &moves {
                if *left == 0 {
                    break;
                }
                let mut next = *position;
                game.play_unchecked(&mut next, mv);
                nodes += count(game, &next, depth - 1, left, spare);
            }
            spare.push(moves);
            nodes
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::session::random_step;

    #[test]
    fn what_would_be_too_much_is_given_up() {
        let rules = crate::find("amazons").unwrap();
        let session = rules
            .configure(&json!({"size": 5}))
            .unwrap()
            .start(1)
            .unwrap();
        // The start, and the positions after its 260 moves.
        let after_two = session.perft(2).unwrap();
        assert_eq!(session.perft_within(2, 261).unwrap(), Some(after_two));
        assert_eq!(session.perft_within(2, 260).unwrap(), None);
        assert_eq!(session.perft_within(1, 1).unwrap(), Some(260));
        assert_eq!(session.perft_within(1, 0).unwrap(), None);
        assert_eq!(session.perft_within(0, 0).unwrap(), Some(1));
        assert_eq!(session.perft_within(1000, 1000).unwrap(), None);
    }

    /// No memory is reserved for plies that are never played.
    #[test]
    fn a_huge_depth_costs_nothing_where_the_game_ends_before() {
        let rules = crate::find("paper-penguins").unwrap();
        let rules = rules.configure(&json!({"size": 4})).unwrap();
        let mut session = rules.start(1).unwrap();
        let mut rng = crate::Rng::new(1);
        while session.ply() < 8 {
            match random_step(&mut *session, &mut rng).unwrap() {
                Some(step) => session.play(&step[0]).unwrap(),
                None => break,
            }
        }
        assert_eq!(session.perft(u32::MAX).unwrap(), 0);
        assert_eq!(session.divide(0).unwrap(), []);
    }
}

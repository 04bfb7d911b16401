//! Counting positions: the standard check of move generators.

use crate::game::Game;

/// The positions after exactly `depth` plies, counted by paths. Games that ended earlier count
/// nothing.
pub fn perft<G: Game>(game: &G, position: &G::Position, depth: u32) -> u64 {
    count(game, position, depth, &mut Vec::new())
}

/// `spare` has lists of moves to be used again. It grows with the plies that are really played:
/// most games end long before a depth that nobody could wait for.
fn count<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    spare: &mut Vec<Vec<G::Move>>,
) -> u64 {
    match depth {
        0 => 1,
        1 => game.count_legal(position),
        _ => {
            let mut moves = spare.pop().unwrap_or_default();
            game.legal(position, &mut moves);
            let mut nodes = 0;
            for &mv in &moves {
                let mut next = *position;
                game.play(&mut next, mv);
                nodes += count(game, &next, depth - 1, spare);
            }
            spare.push(moves);
            nodes
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    /// Nothing is set aside for plies that are never played.
    #[test]
    fn a_huge_depth_costs_nothing_where_the_game_ends_before() {
        let rules = crate::find("paper-penguins").unwrap();
        let rules = rules.configure(&json!({"size": 4})).unwrap();
        let mut session = rules.start(1);
        let mut rng = crate::Rng::new(1);
        while session.ply() < 8 {
            match session.random_move(&mut rng) {
                Some(mv) => session.play(&mv).unwrap(),
                None => break,
            }
        }
        assert_eq!(session.perft(u32::MAX), 0);
        assert_eq!(session.divide(0), []);
    }
}

//! Counting positions: the standard check of move generators.

use crate::game::Game;

/// The positions after exactly `depth` plies, counted by paths. Games that ended earlier count
/// nothing.
pub fn perft<G: Game>(game: &G, position: &G::Position, depth: u32) -> u64 {
    let mut buffers = vec![Vec::new(); depth as usize];
    count(game, position, depth, &mut buffers)
}

fn count<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    buffers: &mut [Vec<G::Move>],
) -> u64 {
    match (depth, buffers) {
        (0, _) => 1,
        (1, _) => game.count_legal(position),
        (_, [moves, rest @ ..]) => {
            game.legal(position, moves);
            let mut nodes = 0;
            for &mv in moves.iter() {
                let mut next = *position;
                game.play(&mut next, mv);
                nodes += count(game, &next, depth - 1, rest);
            }
            nodes
        }
        (_, []) => unreachable!("one buffer a ply"),
    }
}

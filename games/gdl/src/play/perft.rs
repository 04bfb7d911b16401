//! Perft of sheets.

use games::BrokenRules;
use games::perft::PositionsLeft;

use crate::engine::Engine;
use crate::play::{Play, combinations};

/// Counts the paths of `depth` steps. The position comes back as it was.
pub(crate) fn perft<E: Engine>(
    play: &Play<E>,
    (position, counts): (&mut E::Position, &[u32]),
    depth: u32,
    left: &mut PositionsLeft,
) -> Result<u64, BrokenRules> {
    if depth == 0 {
        return Ok(1);
    }
    left.take();
    if depth == 1 {
        return Ok(counts.iter().map(|count| u64::from(*count)).product());
    }
    let lists = (0..counts.len()).map(|role| {
        let mut moves = Vec::new();
        if counts[role] > 0 {
            play.engine.legal(position, role, &mut moves);
        }
        moves
    });
    let lists: Vec<Vec<u32>> = lists.collect();
    let snapshot = play.engine.snapshot(position);
    let (mut nodes, mut failure) = (0, None);
    let mut after = Vec::new();
    combinations(&lists, |joint| {
        let mut count = || {
            play.step(position, joint, &mut |_, _| {})?;
            play.settle(position, &mut after, &mut |_, _| {})?;
            let below = perft(play, (position, &after), depth - 1, left)?;
            let restored = play.engine.restore(position, &snapshot);
            restored.map_err(|failure| play.failed(&failure))?;
            Ok(below)
        };
        match count() {
            Ok(below) => nodes += below,
            Err(broken) => failure = Some(broken),
        }
        failure.is_none() && !left.is_exceeded()
    });
    failure.map_or(Ok(nodes), Err)
}

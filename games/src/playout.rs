//! Random games: every move uniform over all legal ones.

use serde::Serialize;

use crate::game::{Game, Outcome};
use crate::rng::Rng;

/// What random games from one position came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Playouts {
    /// The mean outcome, one entry a seat.
    pub outcome: Vec<f64>,
    /// The mean number of plies until the end.
    pub plies: f64,
}

/// Plays one random game from `position`, in place, until it ends or `max_plies` is reached
/// (counted like a match's limit: from the start of the match, not from here). Gives the plies
/// played and the outcome.
pub fn playout<G: Game>(
    game: &G,
    position: &mut G::Position,
    max_plies: Option<u32>,
    rng: &mut Rng,
    scratch: &mut Vec<G::Move>,
) -> (u32, Outcome) {
    let left = max_plies.map_or(u32::MAX, |max| max.saturating_sub(game.ply(position)));
    let mut plies = 0;
    while plies < left && game.to_move(position).is_some() {
        let mv = game.random_move(position, rng, scratch);
        game.play(position, mv);
        plies += 1;
    }
    (plies, game.outcome(position))
}

/// Plays `count` random games from `position`.
pub fn playouts<G: Game>(
    game: &G,
    position: &G::Position,
    max_plies: Option<u32>,
    count: u32,
    rng: &mut Rng,
) -> Playouts {
    let mut total = vec![0.0; game.seats()];
    let mut all_plies = 0u64;
    let mut scratch = Vec::new();
    for _ in 0..count {
        let mut copy = *position;
        let (plies, outcome) = playout(game, &mut copy, max_plies, rng, &mut scratch);
        all_plies += u64::from(plies);
        for (sum, value) in total.iter_mut().zip(&outcome) {
            *sum += value;
        }
    }
    let count = f64::from(count.max(1));
    Playouts {
        outcome: total.iter().map(|sum| sum / count).collect(),
        plies: all_plies as f64 / count,
    }
}

//! Playouts: random games in which all legal moves are equally likely.

use serde::Serialize;

use crate::game::Game;
use crate::kit::outcome::Outcome;
use crate::kit::rng::Rng;

/// The results of random games from one position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Playouts {
    /// The mean outcome, one entry a seat.
    pub outcome: Vec<f64>,
    /// The mean number of plies until the end.
    pub plies: f64,
}

/// Plays one random game from `position`, in place, until it ends or its ply reaches `max_plies`.
/// Returns the number of plies played and the outcome.
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
        game.play_unchecked(position, mv);
        plies += 1;
    }
    (plies, game.outcome(position))
}

/// Plays `count` random games from `position`, or returns `None` if they take more than `left` plies in
/// all. What is not used up stays in `left`.
pub fn playouts_within<G: Game>(
    game: &G,
    position: &G::Position,
    max_plies: Option<u32>,
    count: u32,
    rng: &mut Rng,
    left: &mut u64,
) -> Option<Playouts> {
    let mut total = vec![0.0; game.seats()];
    let mut all_plies = 0u64;
    let mut scratch = Vec::new();
    for _ in 0..count {
        let mut copy = *position;
        // One ply more than is left shows that the limit is exceeded.
        let most = u32::try_from(left.saturating_add(1)).unwrap_or(u32::MAX);
        let most = game.ply(position).saturating_add(most);
        let most = max_plies.map_or(most, |max| max.min(most));
        let (plies, outcome) = playout(game, &mut copy, Some(most), rng, &mut scratch);
        // A game that is over from the start counts as one ply: it takes time, too.
        *left = left.checked_sub(u64::from(plies.max(1)))?;
        all_plies += u64::from(plies);
        for (sum, value) in total.iter_mut().zip(&outcome) {
            *sum += value;
        }
    }
    let count = f64::from(count.max(1));
    Some(Playouts {
        outcome: total.iter().map(|sum| sum / count).collect(),
        plies: all_plies as f64 / count,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn what_would_be_too_much_is_given_up() {
        let rules = crate::find("amazons").unwrap();
        let session = rules.configure(&json!({"size": 5})).unwrap().start(1);
        let whole = session.playouts(20, 1, None);
        let plies = (20.0 * whole.plies).round() as u64;
        assert_eq!(session.playouts_within(20, 1, None, plies), Some(whole));
        assert_eq!(session.playouts_within(20, 1, None, plies - 1), None);
        let by_move = session.playouts_by_move(1, 1, Some(3));
        // Two more plies after each move.
        let within = |most| session.playouts_by_move_within(1, 1, Some(3), most);
        assert_eq!(within(520), Some(by_move));
        assert_eq!(within(519), None);
        assert_eq!(
            session.playouts_within(7, 1, Some(0), 6),
            None,
            "of no plies"
        );
    }
}

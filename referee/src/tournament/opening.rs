//! Starts and openings: the same for all seat orders of a pairing.

use games::{Limits, Rng, Session};

use super::Config;
use super::schedule::Scheduled;
use crate::ending::LimitWatch;

/// Tells the stream of opening moves from others that are made from a pairing's seed.
const OPENING_MOVES: u64 = 1;
/// How often a random opening that ends the game is drawn anew before a shorter one is taken.
const TRIES: u32 = 50;
/// Seeds stay below this so that every reader of JSON gets them right.
const SEED_MASK: u64 = (1 << 53) - 1;

/// The seed of a pairing: the same for all its seat orders, and independent of what else is in
/// the tournament.
pub fn seed(config: &Config, scheduled: &Scheduled) -> u64 {
    let rules = &config.games[scheduled.game].rules;
    let mut text = format!(
        "{} {} {}",
        rules.info().id,
        rules.options().to_json(),
        scheduled.round
    );
    for bot in scheduled.group() {
        text.push('\n');
        text.push_str(&config.bots[bot].name);
    }
    Rng::from_text(config.seed, &text).next_u64() & SEED_MASK
}

/// So many random plies that belong to a seed; fewer only where the match does not last longer,
/// by its game or by its limits.
pub fn moves(start: &dyn Session, limits: Limits, seed: u64, plies: u32) -> Vec<String> {
    let mut rng = Rng::from_parts(&[seed, OPENING_MOVES]);
    let mut longest = Vec::new();
    for _ in 0..TRIES {
        let moves = random_moves(start, limits, &mut rng, plies);
        if moves.len() == plies as usize {
            return moves;
        }
        if moves.len() > longest.len() {
            longest = moves;
        }
    }
    longest
}

/// At most `plies` random moves, none of which ends the match.
fn random_moves(start: &dyn Session, limits: Limits, rng: &mut Rng, plies: u32) -> Vec<String> {
    let mut session = start.fork();
    let mut watch = LimitWatch::new(limits);
    let mut moves = Vec::new();
    if watch.see(&*session).is_some() {
        return moves;
    }
    while moves.len() < plies as usize {
        let Some(mv) = session.random_move(rng) else {
            break;
        };
        let played = session.play(&mv).is_ok();
        let stopped = watch.see(&*session).is_some();
        if !played || stopped || session.to_move().is_none() {
            break;
        }
        moves.push(mv);
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn openings_do_not_end_games() {
        let rules = games::find("amazons")
            .unwrap()
            .configure(&json!({"size": 5}))
            .unwrap();
        let mut session = rules.start(3);
        let short = moves(&*session, Limits::NONE, 3, 4);
        assert_eq!(short.len(), 4);
        assert_eq!(
            moves(&*session, Limits::NONE, 3, 4),
            short,
            "made from the seed alone"
        );
        // No game on 25 cells lasts that long.
        let long = moves(&*session, Limits::NONE, 3, 100);
        for mv in &long {
            session.play(mv).unwrap();
        }
        assert!(!long.is_empty() && session.to_move().is_some());
    }

    #[test]
    fn openings_stay_within_the_limits_of_the_match() {
        let session = games::find("siam")
            .unwrap()
            .configure(&json!({}))
            .unwrap()
            .start(1);
        let limits = |max_plies, repetition| Limits {
            max_plies,
            repetition,
        };
        let cut = moves(&*session, limits(Some(7), None), 1, 20);
        assert_eq!(cut.len(), 6, "the seventh ply would end the match");
        assert!(moves(&*session, limits(Some(1), None), 1, 20).is_empty());
        // Where the start itself counts as a repetition, no move can be made.
        assert!(moves(&*session, limits(None, Some(1)), 1, 20).is_empty());
    }
}

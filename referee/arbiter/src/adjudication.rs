//! Ends of a match besides the end of its game: limits and forfeits. Used by the arbiter and by the
//! verification of logs.

use std::cmp::Ordering;
use std::collections::HashMap;

use games::{BrokenRules, Limits, Session};

/// The reason of a match that a limit on plies ended.
pub(crate) const MAX_PLIES: &str = "max_plies";
/// The reason of a match that a repeated position ended.
pub(crate) const REPETITION: &str = "repetition";
/// The reason of a match that a fault decided.
pub const FORFEIT: &str = "forfeit";

/// Watches the positions of a match for its limits.
#[derive(Debug)]
pub struct LimitWatch {
    limits: Limits,
    seen: HashMap<String, u32>,
}

impl LimitWatch {
    pub fn new(limits: Limits) -> Self {
        LimitWatch {
            limits,
            seen: HashMap::new(),
        }
    }

    /// Counts a position, and returns the reason if a limit ends the match there. Call this once
    /// for each position, the start included. `None` for a game that is over: it has ended by
    /// itself.
    ///
    /// # Errors
    /// If rules from outside do not work.
    pub fn see(&mut self, session: &dyn Session) -> Result<Option<&'static str>, BrokenRules> {
        if session.to_move().is_over() {
            return Ok(None);
        }
        if let Some(most) = self.limits.repetition {
            let times = self.seen.entry(session.identity()?).or_default();
            *times += 1;
            if *times >= most {
                return Ok(Some(REPETITION));
            }
        }
        let most = self.limits.max_plies;
        Ok(most
            .filter(|most| session.ply() >= *most)
            .map(|_| MAX_PLIES))
    }
}

/// The outcome of a match in which some seats are at fault: they rank last, equal among
/// themselves; the others are ranked as the game ranks them.
pub fn forfeit_outcome(game: &[f64], at_fault: &[bool]) -> Vec<f64> {
    // Lower than any outcome of a game.
    let standing = |seat: usize| if at_fault[seat] { -1.0 } else { game[seat] };
    let seats = game.len();
    let share = |mine: f64, other: f64| match mine.total_cmp(&other) {
        Ordering::Greater => 1.0,
        Ordering::Equal => 0.5,
        Ordering::Less => 0.0,
    };
    (0..seats)
        .map(|seat| {
            let rivals = (0..seats).filter(|&other| other != seat);
            let points = rivals.map(|other| share(standing(seat), standing(other)));
            // A seat without rivals has nobody to lose to, and no points.
            points.sum::<f64>() / seats.saturating_sub(1).max(1) as f64
        })
        .collect()
}

/// True if faults alone decide the match: with one or two seats, the first fault does. With more
/// seats, the game is played to its end by those that are left.
pub fn decided_by_faults(at_fault: &[bool]) -> bool {
    at_fault.len() <= 2 && at_fault.contains(&true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn outcome(game: &[f64], at_fault: &[bool]) -> Vec<f64> {
        forfeit_outcome(game, at_fault)
    }

    #[test]
    fn seats_at_fault_rank_last() {
        assert_eq!(outcome(&[1.0, 0.0], &[true, false]), [0.0, 1.0]);
        assert_eq!(outcome(&[0.5, 0.5], &[true, true]), [0.5, 0.5]);
        let game = [1.0, 0.25, 0.25];
        assert_eq!(outcome(&game, &[true, false, false]), [0.0, 0.75, 0.75]);
        assert_eq!(outcome(&game, &[true, false, true]), [0.25, 1.0, 0.25]);
        assert_eq!(outcome(&[1.0], &[true]), [0.0], "nobody else has won");
    }

    #[test]
    fn three_seats_play_on() {
        assert!(decided_by_faults(&[false, true]));
        assert!(!decided_by_faults(&[true, true, false]));
        assert!(!decided_by_faults(&[true, true, true]));
    }

    #[test]
    fn limits_end_a_match_that_goes_on() {
        let rules = games::find("amazons")
            .unwrap()
            .configure(&json!({"size": 5}))
            .unwrap();
        let mut session = rules.start(0).unwrap();
        let mut watch = LimitWatch::new(Limits {
            max_plies: Some(2),
            repetition: Some(2),
        });
        assert_eq!(watch.see(&*session).unwrap(), None);
        let mv = session.legal().unwrap()[0].clone();
        session.play(&mv).unwrap();
        assert_eq!(watch.see(&*session).unwrap(), None);
        let mv = session.legal().unwrap()[0].clone();
        session.play(&mv).unwrap();
        assert_eq!(watch.see(&*session).unwrap(), Some(MAX_PLIES));
        assert_eq!(watch.see(&*session).unwrap(), Some(REPETITION));
    }
}

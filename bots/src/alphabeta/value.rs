//! Values of positions as whole numbers: wins by their distance, guesses by their log odds.

use crate::evaluate::{self, CERTAIN};

/// What a position is worth to the side to move.
pub(super) type Value = i32;

/// Above all values.
pub(super) const INFINITE: Value = 10_000_000;
/// A win at once; each ply to a win takes 1 off.
pub(super) const WIN: Value = 1_000_000;
/// Beyond this, a value tells the distance of a win.
const FAR_WIN: Value = WIN - 10_000;
/// One unit of log odds.
pub(super) const UNIT: Value = 1000;
/// From this on, an evaluation is certain, and a value is proven.
pub(super) const PROVEN: Value = CERTAIN as Value * UNIT;

/// The value of a lead in the evaluation.
pub(super) fn of_lead(lead: f32) -> Value {
    let most = (FAR_WIN - 1) as f32;
    (lead * UNIT as f32).clamp(-most, most) as Value
}

/// The value of an outcome in [0, 1] so many plies from the root.
pub(super) fn of_outcome(outcome: f64, ply: usize) -> Value {
    let value = ((2.0 * outcome - 1.0) * f64::from(WIN)) as Value;
    match value {
        0 => 0,
        _ => value - value.signum() * ply as Value,
    }
}

/// The outcome that a value expects.
pub(super) fn expected(value: Value) -> f64 {
    if value.abs() > FAR_WIN {
        return f64::from(u8::from(value > 0));
    }
    f64::from(evaluate::expected(value as f32 / UNIT as f32, 0.0))
}

/// Whether a value says for sure who wins.
pub(super) fn is_proven(value: Value) -> bool {
    value.abs() >= PROVEN
}

/// A value as seen from a position so many plies from the root.
pub(super) fn to_node(value: Value, ply: usize) -> Value {
    match value {
        v if v > FAR_WIN => v + ply as Value,
        v if v < -FAR_WIN => v - ply as Value,
        v => v,
    }
}

/// The opposite of [`to_node`].
pub(super) fn from_node(value: Value, ply: usize) -> Value {
    match value {
        v if v > FAR_WIN => v - ply as Value,
        v if v < -FAR_WIN => v + ply as Value,
        v => v,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearer_wins_are_worth_more_than_all_guesses() {
        assert!(of_outcome(1.0, 3) > of_outcome(1.0, 5));
        assert!(of_outcome(0.0, 3) < of_outcome(0.0, 5));
        assert_eq!(of_outcome(0.5, 7), 0);
        assert!(of_outcome(1.0, 200) > of_lead(1e9));
        assert!(is_proven(of_lead(CERTAIN + 0.1)) && !is_proven(of_lead(CERTAIN - 0.1)));
    }

    #[test]
    fn values_are_outcomes() {
        assert_eq!(expected(of_outcome(1.0, 9)), 1.0);
        assert_eq!(expected(of_outcome(0.0, 9)), 0.0);
        assert_eq!(expected(0), 0.5);
        assert!(expected(of_lead(2.0)) > 0.8);
    }
}

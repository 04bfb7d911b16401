//! Values of positions as whole numbers: wins by their distance, estimates by their log odds.

use games::Seat;

use crate::evaluation;
use crate::evaluation::CERTAIN;

/// The value of a position for a side, in thousandths of log odds.
pub(super) type Value = i32;

/// Greater than every value.
pub(super) const INFINITE: Value = 10_000_000;
/// A win at the root; a win takes 1 off for each ply to it.
pub(super) const WIN: Value = 1_000_000;
/// Beyond this, a value is a win or loss at a known distance.
const FAR_WIN: Value = WIN - 10_000;
/// One unit of log odds.
pub(super) const UNIT: Value = 1000;
pub(super) const PROVEN: Value = CERTAIN as Value * UNIT;

/// The value of a lead, in units of log odds.
pub(super) fn of_lead(lead: f32) -> Value {
    let most = (FAR_WIN - 1) as f32;
    (lead * UNIT as f32).clamp(-most, most) as Value
}

/// The value of a win (1) or a loss (0) at `ply` plies from the root.
fn of_outcome(outcome: f64, ply: usize) -> Value {
    let value = ((2.0 * outcome - 1.0) * f64::from(WIN)) as Value;
    value - value.signum() * ply as Value
}

/// The value of an outcome in [0, 1] at `ply` plies from the root. Only first and last place are ends
/// of the scale; a place between them is worth as much as an estimate of the same outcome.
pub(super) fn of_share(share: f64, ply: usize) -> Value {
    if share <= 0.0 || share >= 1.0 {
        return of_outcome(share, ply);
    }
    of_lead((share / (1.0 - share)).ln() as f32)
}

/// The value of evaluated scores for one of more than two seats: by the share of the others that it
/// can expect to beat.
pub(super) fn of_many(scores: &[f32], seat: Seat) -> Value {
    let others = || (0..scores.len()).filter(|other| *other != seat);
    let leads = || others().map(|other| scores[seat] - scores[other]);
    let least = leads().fold(f32::INFINITY, f32::min);
    let most = leads().fold(f32::NEG_INFINITY, f32::max);
    if least >= CERTAIN || most <= -CERTAIN {
        return of_lead(if least > 0.0 { least } else { most });
    }
    let beaten: f32 = leads().map(|lead| evaluation::expected(lead, 0.0)).sum();
    let share = (beaten / others().count() as f32).clamp(1e-6, 1.0 - 1e-6);
    of_lead((share / (1.0 - share)).ln())
}

/// The expected outcome, in [0, 1], that a value stands for.
pub(super) fn expected(value: Value) -> f64 {
    if value.abs() > FAR_WIN {
        return f64::from(u8::from(value > 0));
    }
    f64::from(evaluation::expected(value as f32 / UNIT as f32, 0.0))
}

/// True if a value says with certainty who wins.
pub(super) fn is_proven(value: Value) -> bool {
    value.abs() >= PROVEN
}

/// Converts a value as seen from the root into one as seen from a node at `ply`.
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
    fn nearer_wins_are_worth_more_than_all_estimates() {
        assert!(of_outcome(1.0, 3) > of_outcome(1.0, 5));
        assert!(of_outcome(0.0, 3) < of_outcome(0.0, 5));
        assert_eq!(of_outcome(0.5, 7), 0);
        assert!(of_outcome(1.0, 200) > of_lead(1e9));
        assert!(is_proven(of_lead(CERTAIN + 0.1)) && !is_proven(of_lead(CERTAIN - 0.1)));
    }

    #[test]
    fn places_between_first_and_last_are_worth_what_an_estimate_of_them_is() {
        assert_eq!(of_share(1.0, 3), of_outcome(1.0, 3));
        assert_eq!(of_share(0.0, 3), of_outcome(0.0, 3));
        assert_eq!(of_share(0.5, 3), 0);
        let second_of_four = of_share(2.0 / 3.0, 9);
        assert!(second_of_four > 0 && second_of_four < of_many(&[9.0, 2.0, 1.0, 0.0], 0));
        assert!(!is_proven(second_of_four));
        assert_eq!(of_many(&[1.0, 1.0, 1.0], 2), 0);
        // Sure to beat one and to lose to the other; sure to be first.
        let sure = [100.0, 50.0, 0.0];
        assert!(of_many(&sure, 1).abs() < 10 && is_proven(of_many(&sure, 0)));
        assert!(of_many(&sure, 2) <= -PROVEN);
    }

    #[test]
    fn values_are_outcomes() {
        assert_eq!(expected(of_outcome(1.0, 9)), 1.0);
        assert_eq!(expected(of_outcome(0.0, 9)), 0.0);
        assert_eq!(expected(0), 0.5);
        assert!(expected(of_lead(2.0)) > 0.8);
    }
}

//! The estimated difference in strength after a test has stopped.
//!
//! A test stops when the score happens to be high or low, so the score overstates the difference.
//! The estimate here is corrected for that: under it, a stop at the same bound as early as this, or
//! one that says even more, is as likely as not. So it is too high as often as too low; the ends of
//! its interval are those under which the same has a chance of 2.5 and 97.5 %. Stops are ordered by
//! bound and time: early at the upper bound says most. The course of the test is taken as a Brownian
//! motion.

use serde::Serialize;

use super::passage::{OVERSHOOT, Walk};
use super::{EloModel, Hypotheses, NORMALIZED, Scores, Verdict, elo, expected};

/// An estimate that is corrected for when the test stopped, in the scale of its hypotheses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Corrected {
    pub elo: f64,
    /// The lower end of its 95 % interval; `None` if it has none.
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// Largest absolute value of the tested difference.
const MOST_NORMALIZED: f64 = 10.0;

/// The estimate of a test that has stopped here; `None` while it runs.
pub fn corrected(scores: &Scores, hypotheses: &Hypotheses, verdict: Verdict) -> Option<Corrected> {
    let model = hypotheses.model;
    let a_match = scores.a_unit().sqrt();
    // What is looked at: the mean score, or the mean in standard deviations.
    let look = |elo: f64| match model {
        EloModel::Logistic => expected(elo),
        EloModel::Normalized => elo / NORMALIZED * a_match,
    };
    let back = |looked: f64| match model {
        EloModel::Logistic => elo(looked),
        EloModel::Normalized => looked * NORMALIZED / a_match,
    };
    let (at0, at1) = (look(hypotheses.elo0), look(hypotheses.elo1));
    let (apart, middle) = (at1 - at0, 0.5 * (at0 + at1));
    let units = scores.units() as f64;
    let llr = scores.llr(hypotheses);
    let seen = look(scores.elo(model));
    // The variance that takes the test to where it is, which allows for repetitions, too.
    let implied = units * apart * (seen - middle) / llr;
    let variance = if implied.is_finite() && implied > 0.0 {
        implied
    } else {
        return None;
    };
    let deviation = variance.sqrt();
    let walk = |looked: f64| Walk {
        drift: (looked - middle) / deviation,
        up: hypotheses.upper() * deviation / apart + OVERSHOOT,
        down: -hypotheses.lower() * deviation / apart + OVERSHOOT,
    };
    // The chance of a stop that says at least as much for the first bot.
    let as_much = |looked: f64| match verdict {
        Verdict::H1 => walk(looked).ended_above(units),
        _ => 1.0 - walk(looked).ended_below(units),
    };
    if verdict == Verdict::Running {
        return None;
    }
    let range = match model {
        EloModel::Logistic => [0.0, 1.0],
        EloModel::Normalized => [-MOST_NORMALIZED, MOST_NORMALIZED],
    };
    let solve = |chance: f64| solve(as_much, chance, range).map(back);
    Some(Corrected {
        elo: solve(0.5)?,
        low: solve(0.025),
        high: solve(0.975),
    })
}

/// Inverts a growing function by bisection; `None` if the value is not within the range.
fn solve(function: impl Fn(f64) -> f64, value: f64, [mut low, mut high]: [f64; 2]) -> Option<f64> {
    if function(low) >= value || function(high) <= value {
        return None;
    }
    for _ in 0..60 {
        let at = 0.5 * (low + high);
        if function(at) < value {
            low = at;
        } else {
            high = at;
        }
    }
    Some(0.5 * (low + high))
}

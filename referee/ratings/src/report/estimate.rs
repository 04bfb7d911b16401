//! A figure in Elo with its 95 % interval.

use serde::Serialize;

/// A figure in Elo that was estimated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The likeliest value. With a bound, what the prior makes of it: the likelihood alone has it
    /// at infinity.
    pub elo: f64,
    /// Its standard error.
    pub error: f64,
    /// The lower end of the 95 % interval; −∞ (`null` in JSON) if there is none.
    pub low: f64,
    /// The upper end of the 95 % interval; ∞ (`null` in JSON) if there is none.
    pub high: f64,
    /// Which ends the interval has, if not both.
    pub bound: Option<Bound>,
}

/// What is known of a figure of which results say no more than on which side it is: a bot that has
/// won everything may be any amount better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// `low` or more.
    AtLeast,
    /// `high` or less.
    AtMost,
    /// Neither end is known.
    Unknown,
}

impl Bound {
    /// The same from the other side.
    fn reversed(self) -> Self {
        match self {
            Bound::AtLeast => Bound::AtMost,
            Bound::AtMost => Bound::AtLeast,
            Bound::Unknown => Bound::Unknown,
        }
    }

    /// As in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Bound::AtLeast => "at_least",
            Bound::AtMost => "at_most",
            Bound::Unknown => "unknown",
        }
    }
}

impl Estimate {
    /// The same from the other side.
    pub fn reversed(self) -> Self {
        Estimate {
            elo: -self.elo,
            low: -self.high,
            high: -self.low,
            bound: self.bound.map(Bound::reversed),
            ..self
        }
    }
}

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

/// What of an estimate is shown to people, wherever that is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Figure {
    /// The estimate, and half its interval.
    Known {
        /// The estimate.
        elo: f64,
        /// Half the width of its interval.
        half: f64,
    },
    /// Only that it is this or more.
    AtLeast(f64),
    /// Only that it is this or less.
    AtMost(f64),
    /// Nothing: results do not say on which side it is.
    Unknown,
}

impl Estimate {
    /// What is shown: no figure without both ends, since it would only be what the prior makes of it.
    pub fn figure(&self) -> Figure {
        match (self.low.is_finite(), self.high.is_finite()) {
            (true, true) => Figure::Known {
                elo: self.elo,
                half: (self.high - self.low) / 2.0,
            },
            (true, false) => Figure::AtLeast(self.low),
            (false, true) => Figure::AtMost(self.high),
            (false, false) => Figure::Unknown,
        }
    }

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

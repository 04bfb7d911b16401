//! A figure in Elo with its 95 % interval.

use serde::Serialize;

/// An estimate in Elo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The most likely value. With a bound, a value from the prior: the maximum of the likelihood is at
    /// infinity.
    pub elo: f64,
    pub error: f64,
    /// The lower end of the 95 % interval; −∞ (`null` in JSON) if there is none.
    pub low: f64,
    /// The upper end of the 95 % interval; ∞ (`null` in JSON) if there is none.
    pub high: f64,
    /// `None` if it has both ends.
    pub bound: Option<Bound>,
}

/// A one-sided estimate: a bot that has won everything may be any amount better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    AtLeast,
    AtMost,
    Unknown,
}

impl Bound {
    fn reversed(self) -> Self {
        match self {
            Bound::AtLeast => Bound::AtMost,
            Bound::AtMost => Bound::AtLeast,
            Bound::Unknown => Bound::Unknown,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Bound::AtLeast => "at_least",
            Bound::AtMost => "at_most",
            Bound::Unknown => "unknown",
        }
    }
}

/// The form in which an estimate is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Figure {
    Known {
        elo: f64,
        /// Half the width of the interval.
        half: f64,
    },
    AtLeast(f64),
    AtMost(f64),
    /// Unknown: results do not even determine the side.
    Unknown,
}

impl Estimate {
    /// The figure to show. Without both ends the value itself is not shown, as it comes from the prior.
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

    /// The estimate of the other side.
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

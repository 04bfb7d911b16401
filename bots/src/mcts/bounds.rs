//! Bounds: the least and the most that each seat can get from a position, as far as it is proven.

use games::{MAX_SEATS, Outcome, Seat};

/// A whole win. Outcomes are counted in twelfths, since those of two to four seats are whole twelfths.
pub(super) const WIN: u8 = 12;

pub(super) fn twelfths(outcome: f64) -> u8 {
    (outcome * f64::from(WIN))
        .round()
        .clamp(0.0, f64::from(WIN)) as u8
}

/// Lower and upper bounds of each seat's outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// The least, in twelfths.
    pub(super) least: [u8; MAX_SEATS],
    /// The most, in twelfths.
    pub(super) most: [u8; MAX_SEATS],
}

impl Bounds {
    pub(super) const OPEN: Bounds = Bounds {
        least: [0; MAX_SEATS],
        most: [WIN; MAX_SEATS],
    };

    /// The bounds of a finished game.
    pub(super) fn exact(outcome: &Outcome) -> Self {
        let mut bounds = Self::OPEN;
        for (seat, &value) in outcome.iter().enumerate() {
            bounds.least[seat] = twelfths(value);
            bounds.most[seat] = twelfths(value);
        }
        bounds
    }

    /// The bounds of two seats if the one to move can be sure of `least` and cannot get more than
    /// `most`: the other gets what it does not.
    pub(super) fn of_two(mover: Seat, least: u8, most: u8) -> Self {
        let mut bounds = Self::OPEN;
        let other = 1 - mover;
        (bounds.least[mover], bounds.most[mover]) = (least, most);
        (bounds.least[other], bounds.most[other]) = (WIN - most, WIN - least);
        bounds
    }

    /// The outcome of a seat in [0, 1], if it is proven.
    pub(super) fn settled(&self, seat: Seat) -> Option<f32> {
        let least = self.least[seat];
        (least == self.most[seat]).then(|| f32::from(least) / f32::from(WIN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_of_two_cannot_get_the_other_gets() {
        let bounds = Bounds::of_two(1, 6, 12);
        assert_eq!((bounds.least[0], bounds.most[0]), (0, 6));
        assert_eq!(bounds.settled(0), None);
        assert_eq!(Bounds::of_two(0, 12, 12).settled(1), Some(0.0));
    }

    #[test]
    fn all_outcomes_are_whole_twelfths() {
        for scores in [
            &[1, 0][..],
            &[1, 1],
            &[3, 2, 2],
            &[4, 3, 2, 1],
            &[2, 2, 2, 1],
        ] {
            let outcome = games::rank(scores);
            let bounds = Bounds::exact(&outcome);
            for (seat, &value) in outcome.iter().enumerate() {
                assert_eq!(bounds.settled(seat), Some(value as f32));
            }
        }
    }
}

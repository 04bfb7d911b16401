//! Whether iterations are faster one by one or many at once, by what they took so far.

use std::time::Duration;

/// Iterations that are begun together do not know of each other's values. That does little harm where the
/// root has this many visits for each of them.
const VISITS: u32 = 8;
/// Iterations at once have to be this many times as fast as one by one.
const FASTER: f64 = 6.0;
/// What was measured long ago counts for less.
const KEPT: f64 = 0.9;

#[derive(Clone, Debug, Default)]
pub(super) struct Pace {
    /// The number of iterations that can be made at once.
    pub(super) at_once: u32,
    /// The mean seconds of an iteration one by one, and at once.
    single: Option<f64>,
    many: Option<f64>,
}

impl Pace {
    /// The number of iterations to make next.
    pub(super) fn count(&self, visits: u32) -> u32 {
        let is_early = visits < VISITS.saturating_mul(self.at_once);
        match (self.single, self.many) {
            _ if self.at_once <= 1 || is_early => 1,
            (Some(single), Some(many)) if many * FASTER > single => 1,
            _ => self.at_once,
        }
    }

    /// Records how long `count` iterations took together.
    pub(super) fn add(&mut self, count: u32, took: Duration) {
        let each = took.as_secs_f64() / f64::from(count);
        let mean = if count == 1 {
            &mut self.single
        } else {
            &mut self.many
        };
        *mean = Some(mean.map_or(each, |mean| KEPT * mean + (1.0 - KEPT) * each));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_at_once_are_made_where_that_is_faster() {
        let mut pace = Pace {
            at_once: 64,
            ..Pace::default()
        };
        assert_eq!(pace.count(511), 1);
        pace.add(1, Duration::from_millis(1));
        assert_eq!(pace.count(512), 64, "to see how fast they are");
        pace.add(64, Duration::from_millis(20));
        assert_eq!(pace.count(512), 1);
        pace.many = None;
        pace.add(64, Duration::from_millis(10));
        assert_eq!(pace.count(512), 64);
        pace.at_once = 1;
        assert_eq!(pace.count(512), 1);
    }
}

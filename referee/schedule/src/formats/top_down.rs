//! Swiss pairings of the first version of schedules, for tournaments that started with it: from the
//! top, each bot meets the nearest one below among those with the fewest meetings.

use std::collections::HashMap;

/// Step limit of the search for pairings without rematches; then some are allowed.
const MOST_STEPS: u32 = 20_000;

/// Pairs an even number of bots, the best first. `met` has the numbers of meetings, the lower index
/// first.
pub(super) fn pairings(bots: &[usize], met: &HashMap<(usize, usize), u32>) -> Vec<Vec<usize>> {
    let mut most = 0;
    loop {
        let mut search = PairingSearch {
            met,
            most,
            steps: MOST_STEPS,
            found: Vec::new(),
        };
        if search.pair(bots) {
            return search.found;
        }
        most += 1;
    }
}

/// A search for pairings from the top, with backtracking.
struct PairingSearch<'a> {
    met: &'a HashMap<(usize, usize), u32>,
    /// Bots that met more often do not meet again.
    most: u32,
    steps: u32,
    found: Vec<Vec<usize>>,
}

impl PairingSearch<'_> {
    /// Pairs these bots, the best first; false if it is impossible, or nothing was found in time.
    fn pair(&mut self, bots: &[usize]) -> bool {
        let Some((&first, rest)) = bots.split_first() else {
            return true;
        };
        let mut others: Vec<(u32, usize)> = rest
            .iter()
            .enumerate()
            .map(|(at, &other)| (self.times(first, other), at))
            .filter(|(times, _)| *times <= self.most)
            .collect();
        others.sort_unstable();
        for (_, at) in others {
            if self.steps == 0 {
                return false;
            }
            self.steps -= 1;
            let other = rest[at];
            let mut left = rest.to_vec();
            left.remove(at);
            self.found.push(vec![first.min(other), first.max(other)]);
            if self.pair(&left) {
                return true;
            }
            self.found.pop();
        }
        false
    }

    fn times(&self, a: usize, b: usize) -> u32 {
        let pair = (a.min(b), a.max(b));
        self.met.get(&pair).copied().unwrap_or(0)
    }
}

//! Balanced designs for games of many seats, which have too many groups of bots for a round.

use games::Rng;

use crate::seats::GameShape;
use crate::shape::Shape;

/// In games of up to this many seats, every group plays in each round.
const ALL_GROUPS: usize = 4;
/// The difference of two bots is evened out from this many random starts, by this many trials each.
const STARTS: usize = 10;
const TRIALS: usize = 1_000;

/// The groups of a game of many seats, round by round.
///
/// The bots are placed around a circle, and a round is all rotations of one group: as many groups as
/// there are bots, with each bot in as many of them as the game has seats. How often two bots meet
/// depends only on their distance, so each round takes a group whose distances even out those of the
/// rounds before. Groups that are a rotation of themselves play several times in their round.
pub(super) struct Design {
    seats: usize,
    bots: usize,
    rng: Rng,
    /// By distance: the number of meetings of two bots so far.
    met: Vec<u64>,
}

impl Design {
    /// The design of a game; `None` if all of its groups play in each round.
    pub(super) fn of(shape: &Shape, game: &GameShape) -> Option<Design> {
        let bots = shape.bots - game.absent.len();
        (game.seats > ALL_GROUPS && game.seats <= bots).then(|| Design {
            seats: game.seats,
            bots,
            rng: Rng::from_text(shape.seed, "designs"),
            met: vec![0; bots / 2 + 1],
        })
    }

    /// The number of groups in a round.
    pub(super) fn count(seats: usize, bots: usize) -> Option<u64> {
        let groups = match seats.cmp(&bots) {
            std::cmp::Ordering::Less => bots as u64,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Greater => 0,
        };
        (seats > ALL_GROUPS).then_some(groups)
    }

    /// The groups of the next round, each in ascending order.
    pub(super) fn next_round(&mut self) -> Vec<Vec<usize>> {
        let first = self.next_group();
        let rotations = if self.seats == self.bots {
            1
        } else {
            self.bots
        };
        let rotated = |by: usize| {
            let group = first.iter().map(|bot| (bot + by) % self.bots);
            let mut group: Vec<usize> = group.collect();
            group.sort_unstable();
            group
        };
        (0..rotations).map(rotated).collect()
    }

    /// A group that evens out meetings.
    fn next_group(&mut self) -> Vec<usize> {
        if self.seats == self.bots {
            return (0..self.bots).collect();
        }
        let mut best: Option<(u64, Vec<usize>)> = None;
        for _ in 0..STARTS {
            let found = self.climb();
            if best.as_ref().is_none_or(|(least, _)| found.0 < *least) {
                best = Some(found);
            }
        }
        let (_, group) = best.unwrap_or_default();
        self.add(&group);
        group
    }

    /// A random group, improved by exchanging one bot at a time, and how uneven it makes the meetings.
    fn climb(&mut self) -> (u64, Vec<usize>) {
        let mut circle: Vec<usize> = (0..self.bots).collect();
        self.rng.shuffle(&mut circle);
        let mut least = self.uneven(&circle[..self.seats]);
        let trials = TRIALS.min(4 * self.seats * (self.bots - self.seats));
        for _ in 0..trials {
            let inside = self.rng.index(self.seats);
            let outside = self.seats + self.rng.index(self.bots - self.seats);
            circle.swap(inside, outside);
            let uneven = self.uneven(&circle[..self.seats]);
            if uneven < least {
                least = uneven;
            } else {
                circle.swap(inside, outside);
            }
        }
        circle.truncate(self.seats);
        (least, circle)
    }

    /// The meetings of all bots after a round of this group, squared and summed: least if all are equal.
    /// The sum before the round is left out.
    fn uneven(&self, group: &[usize]) -> u64 {
        let mut added = vec![0_u64; self.met.len()];
        self.meetings(group, |distance, times| added[distance] += times);
        let met = self.met.iter().zip(added).enumerate();
        let squares = met.map(|(distance, (met, added))| {
            let half = 2 * distance == self.bots;
            (if half { 1 } else { 2 }) * (2 * met * added + added * added)
        });
        squares.sum()
    }

    fn add(&mut self, group: &[usize]) {
        let mut met = std::mem::take(&mut self.met);
        self.meetings(group, |distance, times| met[distance] += times);
        self.met = met;
    }

    /// Calls `add` with how often two bots at a distance meet in the rotations of a group. Those on opposite
    /// sides of the circle meet twice for each such pair of the group.
    fn meetings(&self, group: &[usize], mut add: impl FnMut(usize, u64)) {
        for (at, one) in group.iter().enumerate() {
            for other in &group[..at] {
                let apart = one.abs_diff(*other);
                let distance = apart.min(self.bots - apart);
                add(distance, if 2 * distance == self.bots { 2 } else { 1 });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::{Format, GameShape, Schedule, SeatOrders};

    fn spread(counts: &[u32]) -> u32 {
        counts.iter().max().unwrap() - counts.iter().min().unwrap()
    }

    #[test]
    fn bots_are_equally_busy_and_pairs_meet_about_equally_often() {
        for seats in [5, 6, 9, 16] {
            for bots in seats..seats + 9 {
                let shape = Shape::round_robin(&[seats], bots, 12);
                let all: Vec<_> = Schedule::new(&shape).known().collect();
                assert_eq!(all.len() as u64, shape.count().most, "{seats} of {bots}");
                let mut met = vec![0; bots * bots];
                let mut sat = vec![0; bots * seats];
                for round in all.chunk_by(|a, b| a.round == b.round) {
                    let units: HashSet<_> = round.iter().map(|it| (it.group(), it.turn)).collect();
                    let all = if seats == bots { 1 } else { bots };
                    assert_eq!(units.len(), all, "the units of a round differ");
                    for it in round {
                        for (seat, one) in it.seats.iter().enumerate() {
                            sat[one * seats + seat] += 1;
                            for other in it.seats.iter().filter(|other| *other != one) {
                                met[one * bots + other] += 1;
                            }
                        }
                    }
                    assert_eq!(spread(&sat), 0, "{seats} of {bots}");
                }
                let of_pairs = (0..bots * bots).filter(|cell| cell / bots != cell % bots);
                let met: Vec<u32> = of_pairs.map(|cell| met[cell]).collect();
                // One meeting in a group counts once in each of its seat orders.
                let groups = spread(&met) / seats as u32;
                assert!(groups <= 2, "{seats} of {bots}: {groups}");
            }
        }
    }

    #[test]
    fn what_was_played_does_not_depend_on_later_rounds() {
        let of = |rounds| -> Vec<_> {
            let shape = Shape::round_robin(&[6, 2, 5], 9, rounds);
            Schedule::new(&shape).known().collect()
        };
        let (short, long) = (of(2), of(5));
        assert_eq!(long[..short.len()], short);
    }

    #[test]
    fn gauntlets_have_the_groups_of_the_challengers() {
        let shape = Shape {
            format: Format::Gauntlet {
                challengers: vec![0, 7],
            },
            ..Shape::round_robin(&[5], 12, 7)
        };
        let all: Vec<_> = Schedule::new(&shape).known().collect();
        assert_eq!(all.len() as u64, shape.count().most);
        assert!(
            all.iter()
                .all(|it| it.seats.contains(&0) || it.seats.contains(&7))
        );
        let round = Shape {
            format: Format::RoundRobin,
            ..shape
        };
        assert!(all.len() < Schedule::new(&round).known().count());
    }

    #[test]
    fn absent_bots_do_not_count() {
        let mut shape = Shape::round_robin(&[5], 8, 3);
        shape.games[0] = GameShape {
            absent: vec![1, 4, 6],
            ..GameShape::of(5)
        };
        let all: Vec<_> = Schedule::new(&shape).known().collect();
        assert_eq!((all.len(), shape.count().most), (15, 15));
        assert_eq!(all[0].group()[..], [0, 2, 3, 5, 7]);
        assert_eq!(shape.orders, SeatOrders::Rotations);
    }
}

//! Balanced designs for games of many seats, which have too many groups of bots for a round.

use games::Rng;

use crate::seat_orders::GameShape;
use crate::shape::Shape;

/// In games of up to this many seats, every group plays in each round.
const ALL_GROUPS: usize = 4;
/// The difference of two bots is evened out from this many random starts, by this many trials each.
const STARTS: usize = 4;
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
    met: Vec<i64>,
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
        let mut best: Option<(i64, Vec<usize>)> = None;
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
    fn climb(&mut self) -> (i64, Vec<usize>) {
        let mut circle: Vec<usize> = (0..self.bots).collect();
        self.rng.shuffle(&mut circle);
        let mut round = Round::new(&self.met, self.bots);
        for at in 1..self.seats {
            round.join(circle[at], &circle[..at], 1);
        }
        for _ in 0..TRIALS.min(4 * self.seats * (self.bots - self.seats)) {
            let inside = self.rng.index(self.seats);
            let outside = self.seats + self.rng.index(self.bots - self.seats);
            let before = round.uneven;
            // The one that leaves, or has come, is the last of the group.
            circle.swap(inside, self.seats - 1);
            let [leaves, comes] = [circle[self.seats - 1], circle[outside]];
            let others = &circle[..self.seats - 1];
            round.join(leaves, others, -1);
            round.join(comes, others, 1);
            if round.uneven < before {
                circle.swap(self.seats - 1, outside);
            } else {
                round.join(comes, others, -1);
                round.join(leaves, others, 1);
            }
        }
        circle.truncate(self.seats);
        (round.uneven, circle)
    }

    fn add(&mut self, group: &[usize]) {
        let mut round = Round::new(&self.met, self.bots);
        for at in 1..group.len() {
            round.join(group[at], &group[..at], 1);
        }
        let added = round.added;
        for (met, added) in self.met.iter_mut().zip(added) {
            *met += added;
        }
    }
}

/// The meetings of a round, while its group is being searched.
struct Round<'a> {
    met: &'a [i64],
    bots: usize,
    /// By distance: how often two bots meet in the rotations of the group.
    added: Vec<i64>,
    /// The meetings of all bots after the round, squared and summed, less those before it: least if all are
    /// equal.
    uneven: i64,
}

impl<'a> Round<'a> {
    fn new(met: &'a [i64], bots: usize) -> Self {
        Round {
            met,
            bots,
            added: vec![0; met.len()],
            uneven: 0,
        }
    }

    /// A bot joins others (`by` is 1), or leaves them (-1).
    fn join(&mut self, bot: usize, others: &[usize], by: i64) {
        for other in others {
            let apart = bot.abs_diff(*other);
            let distance = apart.min(self.bots - apart);
            // Bots on opposite sides of the circle meet twice in the rotations, and are half as many.
            let (times, pairs) = if 2 * distance == self.bots {
                (2 * by, 1)
            } else {
                (by, 2)
            };
            let after = self.met[distance] + self.added[distance];
            self.uneven += pairs * times * (2 * after + times);
            self.added[distance] += times;
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

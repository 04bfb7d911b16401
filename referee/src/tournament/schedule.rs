//! Who meets whom, in which game and seats: a pure function of the configuration.

/// A match to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// Its place in the schedule, from 1; the match's id is made from it.
    pub number: usize,
    /// The game, as an index.
    pub game: usize,
    /// The bots in seat order, as indices.
    pub seats: Vec<usize>,
    /// From 0.
    pub round: u32,
}

impl Scheduled {
    /// The match's id.
    pub fn id(&self) -> String {
        format!("m-{:06}", self.number)
    }

    /// The bots of the pairing, whoever sits where: what all matches of a pairing share.
    pub fn group(&self) -> Vec<usize> {
        let mut group = self.seats.clone();
        group.sort_unstable();
        group
    }
}

/// A round robin: each round plays, for every game, every group of as many bots as the game has
/// seats, in every seat order.
///
/// `games` has the number of seats of each game. The matches of a pairing follow each other, and
/// each round is complete before the next one begins.
///
/// ```
/// let schedule = referee::tournament::schedule::round_robin(&[2], 3, 1);
/// let seats: Vec<_> = schedule.iter().map(|m| m.seats.clone()).collect();
/// assert_eq!(seats, [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]]);
/// ```
pub fn round_robin(games: &[usize], bots: usize, rounds: u32) -> Vec<Scheduled> {
    let mut schedule = Vec::new();
    for round in 0..rounds {
        for (game, &seats) in games.iter().enumerate() {
            for group in groups(bots, seats) {
                for seats in orders(&group) {
                    schedule.push(Scheduled {
                        number: schedule.len() + 1,
                        game,
                        seats,
                        round,
                    });
                }
            }
        }
    }
    schedule
}

/// How many matches [`round_robin`] gives, without making them; too many to count is
/// [`u64::MAX`].
///
/// ```
/// assert_eq!(referee::tournament::schedule::count(&[2, 3], 4, 2), 2 * (4 * 3 + 4 * 3 * 2));
/// ```
pub fn count(games: &[usize], bots: usize, rounds: u32) -> u64 {
    // The seats are filled one after another, each by one of the bots that are left.
    let orders = |&seats: &usize| {
        let choices = (0..seats).map(|taken| bots.saturating_sub(taken) as u64);
        choices.fold(1, u64::saturating_mul)
    };
    let a_round = games.iter().map(orders).fold(0, u64::saturating_add);
    a_round.saturating_mul(u64::from(rounds))
}

/// All groups of `size` out of `bots`, in lexicographic order.
fn groups(bots: usize, size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for last in size - 1..bots {
        for mut group in groups(last, size - 1) {
            group.push(last);
            all.push(group);
        }
    }
    all.sort_unstable();
    all
}

/// All orders of a group, in lexicographic order.
fn orders(group: &[usize]) -> Vec<Vec<usize>> {
    if group.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, &first) in group.iter().enumerate() {
        let mut rest = group.to_vec();
        rest.remove(i);
        for mut order in orders(&rest) {
            order.insert(0, first);
            all.push(order);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn every_group_plays_in_every_order_every_round() {
        let schedule = round_robin(&[2, 3], 4, 2);
        assert_eq!(schedule.len(), 2 * (6 * 2 + 4 * 6));
        let mut seen: HashMap<(u32, usize, Vec<usize>), u32> = HashMap::new();
        for (i, game) in schedule.iter().enumerate() {
            assert_eq!(game.number, i + 1);
            *seen
                .entry((game.round, game.game, game.seats.clone()))
                .or_default() += 1;
        }
        assert!(seen.len() == schedule.len() && seen.values().all(|n| *n == 1));
    }

    #[test]
    fn matches_are_counted_without_making_them() {
        for (games, bots, rounds) in [(&[2, 3][..], 4, 2), (&[4], 6, 3), (&[2], 1, 1), (&[], 3, 3)]
        {
            let made = round_robin(games, bots, rounds).len() as u64;
            assert_eq!(count(games, bots, rounds), made);
        }
        assert_eq!(count(&[4, 4], usize::MAX, u32::MAX), u64::MAX);
    }

    #[test]
    fn seats_are_fair() {
        let mut at: HashMap<(usize, usize), u32> = HashMap::new();
        for game in round_robin(&[3], 5, 1) {
            for (seat, bot) in game.seats.into_iter().enumerate() {
                *at.entry((bot, seat)).or_default() += 1;
            }
        }
        assert!(at.len() == 15 && at.values().all(|n| *n == 12), "{at:?}");
    }
}

//! Groups of bots and their order: after any number of swapped pairs, all bots, pairings and games have been
//! played about equally often.

use std::collections::HashSet;

use super::seat_orders::GameShape;

/// The number of groups of `size` out of `bots`; [`u64::MAX`] if too many to count.
pub(super) fn count_groups(bots: usize, size: usize) -> u64 {
    if size > bots {
        return 0;
    }
    // The product of k successive numbers is divisible by k!.
    let product = (0..size as u128).try_fold(1_u128, |product, i| {
        Some(product.checked_mul(bots as u128 - i)? / (i + 1))
    });
    product.map_or(u64::MAX, |count| u64::try_from(count).unwrap_or(u64::MAX))
}

/// All groups of `size` out of `bots`, each in ascending order.
///
/// Groups that are rotations of each other (all numbers plus one, modulo `bots`) are adjacent: such an
/// orbit has every bot equally often, so that in any prefix of the list, no bot is in more than `size`
/// groups more than another one.
pub(super) fn groups(bots: usize, size: usize) -> Vec<Vec<usize>> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    let mut next = (size <= bots).then(|| (0..size).collect::<Vec<_>>());
    while let Some(first) = next {
        let mut group = first.clone();
        while seen.insert(group.clone()) {
            all.push(group.clone());
            group = rotated(&group, bots);
        }
        next = successor(first, bots);
    }
    all
}

/// Adds one to all numbers, around the circle.
fn rotated(group: &[usize], bots: usize) -> Vec<usize> {
    let mut group: Vec<usize> = group.iter().map(|bot| (bot + 1) % bots).collect();
    group.sort_unstable();
    group
}

/// The next group in lexicographic order.
fn successor(mut group: Vec<usize>, bots: usize) -> Option<Vec<usize>> {
    let size = group.len();
    let at = (0..size).rev().find(|&i| group[i] < bots - size + i)?;
    group[at] += 1;
    for i in at + 1..size {
        group[i] = group[i - 1] + 1;
    }
    Some(group)
}

/// The games with the same groups as `like` (`None` for all games), each repeated by its weight, evenly
/// mixed.
pub(super) fn slots(games: &[GameShape], like: Option<&GameShape>) -> Vec<usize> {
    let mut slots: Vec<(f64, usize)> = Vec::new();
    for (game, shape) in games.iter().enumerate() {
        if like.is_none_or(|like| like.has_groups_of(shape)) {
            let place = |nth: u32| (f64::from(nth) + 0.5) / f64::from(shape.weight);
            slots.extend((0..shape.weight).map(|nth| (place(nth), game)));
        }
    }
    slots.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    slots.into_iter().map(|(_, game)| game).collect()
}

/// Every group in every slot once. Each group plays once before any plays twice, and in any prefix no slot is
/// used more than once more than another one.
pub(super) fn mix(groups: &[Vec<usize>], slots: &[usize]) -> Vec<(usize, Vec<usize>)> {
    let (many, size) = (groups.len(), slots.len());
    let mut all = Vec::with_capacity(many * size);
    if size == 0 {
        return all;
    }
    // Each sweep over the groups begins with the slot after the last one of the sweep before;
    // where that was the first one of an earlier sweep, one slot further on.
    let rest = many % size;
    let laps = gcd(rest, size);
    for sweep in 0..size {
        let first = sweep * rest + sweep * laps / size;
        for (i, group) in groups.iter().enumerate() {
            all.push((slots[(first + i) % size], group.clone()));
        }
    }
    all
}

fn gcd(a: usize, b: usize) -> usize {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}

/// Merges lists so that at any time the same share of each is done.
pub(super) fn joined<T>(lists: Vec<Vec<T>>) -> Vec<T> {
    let lengths: Vec<u128> = lists.iter().map(|list| list.len() as u128).collect();
    let mut taken = vec![0_u128; lists.len()];
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        // The middle of an item in its list, as a fraction; compared by multiplying crosswise.
        let left = (0..lists.len()).filter(|&list| taken[list] < lengths[list]);
        let next = left.min_by(|&a, &b| {
            let (x, y) = (2 * taken[a] + 1, 2 * taken[b] + 1);
            (x * lengths[b]).cmp(&(y * lengths[a])).then(a.cmp(&b))
        });
        let Some(next) = next else { return all };
        taken[next] += 1;
        all.extend(lists[next].next());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The difference between the largest and the smallest number.
    fn spread(counts: &[u32]) -> u32 {
        counts.iter().max().unwrap() - counts.iter().min().unwrap()
    }

    #[test]
    fn each_group_is_there_once_and_bots_are_equally_busy() {
        for bots in 1..=9 {
            for size in 1..=4 {
                let all = groups(bots, size);
                assert_eq!(all.len() as u64, count_groups(bots, size));
                assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
                let mut busy = vec![0; bots];
                for group in all {
                    assert!(group.is_sorted() && group.len() == size);
                    group.iter().for_each(|&bot| busy[bot] += 1);
                    assert!(spread(&busy) as usize <= size, "{bots} {size}: {busy:?}");
                }
            }
        }
        assert_eq!(count_groups(100, 4), 3_921_225);
        assert_eq!(count_groups(usize::MAX, 4), u64::MAX);
    }

    #[test]
    fn slots_and_groups_are_mixed_evenly() {
        for many in 1..=12 {
            for size in 1..=7 {
                let groups: Vec<Vec<usize>> = (0..many).map(|group| vec![group]).collect();
                let slots: Vec<usize> = (0..size).collect();
                let mixed = mix(&groups, &slots);
                assert_eq!(mixed.iter().collect::<HashSet<_>>().len(), many * size);
                let (mut by_slot, mut by_group) = (vec![0; size], vec![0; many]);
                for (slot, group) in mixed {
                    by_slot[slot] += 1;
                    by_group[group[0]] += 1;
                    assert!(spread(&by_slot) <= 1, "{many} {size}: {by_slot:?}");
                    assert!(spread(&by_group) <= 1, "{many} {size}: {by_group:?}");
                }
            }
        }
    }

    #[test]
    fn weights_repeat_games_evenly() {
        let game = |seats, weight| GameShape {
            weight,
            ..GameShape::of(seats)
        };
        let games = [game(2, 1), game(3, 5), game(2, 3)];
        assert_eq!(slots(&games, Some(&games[0])), [2, 0, 2, 2]);
        assert_eq!(slots(&games, Some(&games[1])), [1; 5]);
        assert_eq!(slots(&games, Some(&game(4, 1))), [0; 0]);
        assert_eq!(slots(&games, None).len(), 9);
    }

    #[test]
    fn lists_are_joined_by_their_shares() {
        let joined = joined(vec![vec!['a'; 4], vec![], vec!['b'; 2]]);
        assert_eq!(joined, ['a', 'b', 'a', 'a', 'b', 'a']);
    }
}

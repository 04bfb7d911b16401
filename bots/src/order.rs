//! Sorting, the best first.
//!
//! A sort is a large function, and the searches are compiled once for every game. So what is sorted here
//! is indices and their keys, and generic over nothing: building the bots takes a fifth less.

use std::cmp::Reverse;

/// Sorts by a key, the greatest first; what has equal keys stays in its order.
pub(crate) fn sort_best_first<T: Clone, K: Ord + Copy>(list: &mut [T], key: impl Fn(&T) -> K) {
    let keys = list.iter().map(key).map(Reverse);
    // With the places, no two are equal.
    let mut order: Vec<(Reverse<K>, usize)> = keys.zip(0..).collect();
    order.sort_unstable();
    let sorted: Vec<T> = order
        .iter()
        .map(|(_, place)| list[*place].clone())
        .collect();
    list.clone_from_slice(&sorted);
}

/// A number in the order of `f32::total_cmp`.
pub(crate) fn rank(value: f32) -> i32 {
    let bits = value.to_bits() as i32;
    // The sign is kept; below zero, greater bits are smaller numbers.
    if bits < 0 { bits ^ i32::MAX } else { bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_comes_first_and_equal_ones_keep_their_order() {
        let mut list = [(1, 'a'), (3, 'b'), (1, 'c'), (2, 'd'), (3, 'e'), (-1, 'f')];
        sort_best_first(&mut list, |(key, _)| *key);
        assert_eq!(
            list.map(|(_, letter)| letter),
            ['b', 'e', 'd', 'a', 'c', 'f']
        );
    }

    #[test]
    fn ranks_are_in_the_order_of_the_numbers() {
        let numbers = [
            -f32::NAN,
            f32::NEG_INFINITY,
            -2.5,
            -1e-40,
            -0.0,
            0.0,
            1e-40,
            1.0,
            2.5,
            f32::INFINITY,
            f32::NAN,
        ];
        for pair in numbers.windows(2) {
            assert!(rank(pair[0]) < rank(pair[1]), "{pair:?}");
            assert!(pair[0].total_cmp(&pair[1]).is_lt());
        }
    }
}

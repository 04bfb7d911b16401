//! All orders of a few things.

/// All orders, in lexicographic order of places.
pub(crate) fn permutations<T: Copy>(things: &[T]) -> Vec<Vec<T>> {
    if things.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, &first) in things.iter().enumerate() {
        let mut rest = things.to_vec();
        rest.remove(i);
        for mut order in permutations(&rest) {
            order.insert(0, first);
            all.push(order);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_order_is_there_once_and_in_its_place() {
        assert_eq!(permutations::<u8>(&[]), [[0; 0]]);
        let of_three = permutations(&['a', 'b', 'c']);
        let words: Vec<String> = of_three
            .iter()
            .map(|order| order.iter().collect())
            .collect();
        assert_eq!(words, ["abc", "acb", "bac", "bca", "cab", "cba"]);
    }
}

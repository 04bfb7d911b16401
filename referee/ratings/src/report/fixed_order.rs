//! Bots that sat in only one cyclic order. In games of three and four seats, the order matters: if
//! one bot always follows another, its strength cannot be separated from the advantage of its
//! place, however many matches there are.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::results::{Entry, SwappedPairs};

/// Two bots of which one always played right after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FixedOrder {
    pub first: usize,
    /// The one that always came right after it.
    pub then: usize,
    /// The matches of more than two seats in which both were and one of them followed the other.
    pub matches: u64,
}

/// The order of two bots in matches of more than two seats.
#[derive(Clone, Copy, Default)]
struct Order {
    /// Matches in which the second followed the first, and the other way round.
    followed: [u64; 2],
    /// Units in which one of them followed the other.
    units: u64,
}

/// In the order of the bots. Bots that met in only one unit cannot have sat in more orders.
pub(super) fn fixed_orders(pairs: &SwappedPairs<'_>) -> Vec<FixedOrder> {
    let mut all: BTreeMap<(usize, usize), Order> = BTreeMap::new();
    // With more seats, orders are drawn, and most bots sit apart.
    let has_few_orders = |unit: &Vec<Entry<'_>>| (3..=4).contains(&unit[0].seats);
    for unit in pairs.units().filter(has_few_orders) {
        let mut in_unit: BTreeMap<(usize, usize), [u64; 2]> = BTreeMap::new();
        for entry in &unit {
            for seat in 0..entry.seats {
                let [first, then] = [seat, (seat + 1) % entry.seats].map(|seat| entry.bot(seat));
                let count = in_unit
                    .entry((first.min(then), first.max(then)))
                    .or_default();
                count[usize::from(first > then)] += 1;
            }
        }
        for (bots, count) in in_unit {
            let order = all.entry(bots).or_default();
            order.units += 1;
            for (sum, count) in order.followed.iter_mut().zip(count) {
                *sum += count;
            }
        }
    }
    let fixed = |((a, b), order): ((usize, usize), Order)| {
        let (first, then, matches) = match order.followed {
            _ if order.units < 2 => return None,
            [matches, 0] => (a, b, matches),
            [0, matches] => (b, a, matches),
            _ => return None,
        };
        Some(FixedOrder {
            first,
            then,
            matches,
        })
    };
    all.into_iter().filter_map(fixed).collect()
}

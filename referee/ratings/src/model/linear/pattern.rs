//! The sparsity pattern of a symmetric matrix and its Cholesky factor. Most bots never meet most others,
//! so that a well-chosen elimination order fills few entries.
//!
//! If thousands of bots meet at random, no order is good enough. Then the pattern is that of the matrix
//! alone, and systems are solved by conjugate gradients.

use std::collections::BTreeSet;

/// The elimination order, and the entries of the factor's lower half in that order, column by column.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// The position of each unknown in the order.
    pub(crate) place: Vec<u32>,
    /// The index of each column's first entry, then the number of entries.
    pub(crate) starts: Vec<usize>,
    /// The rows of the entries, in ascending order within a column; the diagonal comes first.
    pub(crate) rows: Vec<u32>,
    /// By row: column and index of each entry left of the diagonal. Empty in a pattern without room for a
    /// factor.
    pub(crate) left: Vec<Vec<(u32, usize)>>,
}

/// With at most this many unknowns, there is always room for a factor.
pub(crate) const FEW: usize = 1024;
/// The most multiplications for a factor of more unknowns: about ten factorizations and a solution for
/// each unknown.
const MOST_WORK: f64 = 1e10;

impl Pattern {
    /// All pairs of a clique have entries.
    pub(crate) fn new(size: usize, cliques: impl IntoIterator<Item = Vec<u32>>) -> Self {
        let mut near: Vec<Vec<u32>> = vec![Vec::new(); size];
        for clique in cliques {
            for &one in &clique {
                let others = clique.iter().filter(|other| **other != one);
                near[one as usize].extend(others);
            }
        }
        for near in &mut near {
            near.sort_unstable();
            near.dedup();
        }
        let Some(order) = order(&near) else {
            return Pattern::without_factor(&near);
        };
        let mut place = vec![0; size];
        for (at, &unknown) in order.iter().enumerate() {
            place[unknown as usize] = at as u32;
        }
        let (starts, rows) = fill(&near, &order, &place);
        let mut left = vec![Vec::new(); size];
        for column in 0..size {
            for at in starts[column] + 1..starts[column + 1] {
                left[rows[at] as usize].push((column as u32, at));
            }
        }
        Pattern {
            place,
            starts,
            rows,
            left,
        }
    }

    /// The entries of the matrix alone.
    fn without_factor(near: &[Vec<u32>]) -> Self {
        let (mut starts, mut rows) = (vec![0], Vec::new());
        for (column, near) in (0..).zip(near) {
            rows.push(column);
            rows.extend(near.iter().filter(|row| **row > column));
            starts.push(rows.len());
        }
        Pattern {
            place: (0..near.len() as u32).collect(),
            starts,
            rows,
            left: Vec::new(),
        }
    }

    pub(crate) fn has_factor(&self) -> bool {
        self.left.len() == self.size()
    }

    pub(crate) fn size(&self) -> usize {
        self.place.len()
    }

    /// The index of the entry of two unknowns.
    #[inline]
    pub(crate) fn find(&self, one: usize, other: usize) -> usize {
        match self.get(one, other) {
            Some(at) => at,
            None => unreachable!("a pattern has the entries of all its cliques"),
        }
    }

    /// The index of the entry of two unknowns, if there is one.
    #[inline]
    pub(crate) fn get(&self, one: usize, other: usize) -> Option<usize> {
        let (one, other) = (self.place[one], self.place[other]);
        let (row, column) = (one.max(other), one.min(other));
        let start = self.starts[column as usize];
        let rows = &self.rows[start..self.starts[column as usize + 1]];
        // Most columns are full if all bots meet each other.
        if rows.len() == self.size() - column as usize {
            return Some(start + (row - column) as usize);
        }
        rows.binary_search(&row).ok().map(|at| start + at)
    }
}

/// An elimination order with little fill-in: minimum degree. Unknowns with very many, such as what
/// a seat is worth, come last, as they would anyway. `None` if a factor would cost too much.
fn order(near: &[Vec<u32>]) -> Option<Vec<u32>> {
    let many = 16 + 8 * near.len().isqrt();
    let (mut last, first): (Vec<u32>, Vec<u32>) =
        (0..near.len() as u32).partition(|&one| near[one as usize].len() > many);
    last.sort_unstable_by_key(|&one| (near[one as usize].len(), one));
    let is_first = |one: &u32| near[*one as usize].len() <= many;
    let mut left: Vec<Vec<u32>> = near.to_vec();
    for left in &mut left {
        left.retain(is_first);
    }
    let mut queue: BTreeSet<(usize, u32)> = first
        .iter()
        .map(|&one| (left[one as usize].len(), one))
        .collect();
    let mut order = Vec::with_capacity(near.len());
    let mut cost = Cost::new(near.len());
    cost.add_full(0, last.len());
    // The lengths of all lists of those in the queue.
    let mut ends: usize = queue.iter().map(|(degree, _)| degree).sum();
    while let Some((degree, one)) = queue.pop_first() {
        order.push(one);
        ends -= degree;
        cost.add(degree + last.len());
        // All that are left are neighbours of each other: any order is as good.
        if degree == queue.len() {
            cost.add_full(last.len(), queue.len());
            order.extend(queue.iter().map(|(_, other)| other));
            break;
        }
        let group = std::mem::take(&mut left[one as usize]);
        for &member in &group {
            let mine = &mut left[member as usize];
            queue.remove(&(mine.len(), member));
            ends -= mine.len();
            *mine = union(mine, &group, [one, member]);
            ends += mine.len();
            queue.insert((mine.len(), member));
        }
        // What are neighbours now will be entries of the factor.
        let least = cost.with_entries(ends / 2 + queue.len() * last.len(), queue.len());
        if near.len() > FEW && least > MOST_WORK {
            return None;
        }
    }
    if near.len() > FEW && cost.with_entries(0, 1) > MOST_WORK {
        return None;
    }
    order.append(&mut last);
    Some(order)
}

/// The cost of a factor: its entries, and the multiplications to compute it.
struct Cost {
    unknowns: f64,
    entries: f64,
    products: f64,
}

impl Cost {
    fn new(unknowns: usize) -> Self {
        Cost {
            unknowns: unknowns as f64,
            entries: 0.0,
            products: 0.0,
        }
    }

    /// Adds a column with this many entries below the diagonal.
    fn add(&mut self, below: usize) {
        let entries = below as f64 + 1.0;
        self.entries += entries;
        self.products += 0.5 * entries * entries;
    }

    /// Adds columns that are full, with this many rows below the last of them.
    fn add_full(&mut self, below: usize, columns: usize) {
        (0..columns).for_each(|column| self.add(below + column));
    }

    /// About ten factors, and a solution for each unknown, if at least this many entries are still to
    /// come, in this many columns.
    fn with_entries(&self, entries: usize, columns: usize) -> f64 {
        let entries = entries as f64;
        let products = 0.5 * entries * entries / columns.max(1) as f64;
        10.0 * (self.products + products) + self.unknowns * (self.entries + entries)
    }
}

/// Two ascending lists as one, without two of their members.
fn union(one: &[u32], other: &[u32], without: [u32; 2]) -> Vec<u32> {
    let mut both = Vec::with_capacity(one.len() + other.len());
    let (mut i, mut j) = (0, 0);
    loop {
        let next = match (one.get(i), other.get(j)) {
            (Some(&a), Some(&b)) => a.min(b),
            (Some(&a), None) | (None, Some(&a)) => a,
            (None, None) => return both,
        };
        i += usize::from(one.get(i) == Some(&next));
        j += usize::from(other.get(j) == Some(&next));
        if !without.contains(&next) {
            both.push(next);
        }
    }
}

/// The entries of the factor. A column hands what it has below the diagonal on to the column of its
/// first entry there.
fn fill(near: &[Vec<u32>], order: &[u32], place: &[u32]) -> (Vec<usize>, Vec<u32>) {
    let (mut starts, mut rows) = (vec![0], Vec::new());
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
    for (column, &unknown) in order.iter().enumerate() {
        let mut mine: Vec<u32> = near[unknown as usize]
            .iter()
            .map(|other| place[*other as usize])
            .filter(|row| *row as usize > column)
            .collect();
        for child in std::mem::take(&mut children[column]) {
            let (start, end): (usize, usize) = (starts[child], starts[child + 1]);
            // Without its diagonal, and without this column.
            mine.extend(&rows[start + 2..end]);
        }
        mine.sort_unstable();
        mine.dedup();
        if let Some(parent) = mine.first() {
            children[*parent as usize].push(column);
        }
        rows.push(column as u32);
        rows.append(&mut mine);
        starts.push(rows.len());
    }
    (starts, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_and_a_star_fill_nothing() {
        let chain = Pattern::new(100, (0..99).map(|i| vec![i, i + 1]));
        assert_eq!(chain.rows.len(), 100 + 99);
        let star = Pattern::new(100, (1..100).map(|i| vec![0, i]));
        assert_eq!(star.rows.len(), 100 + 99);
        assert_eq!(star.place[0], 99, "the middle comes last");
    }

    /// A ladder has a factor, however long it is; thousands of bots that meet at random have none.
    #[test]
    fn a_ladder_has_a_factor_and_a_crowd_has_none() {
        let size = 10_000_u32;
        let pairs =
            (0..size).flat_map(|one| (1..4).map(move |step| vec![one, (one + step) % size]));
        let ladder = Pattern::new(size as usize, pairs);
        assert!(ladder.has_factor());
        assert!(
            ladder.rows.len() < 12 * size as usize,
            "{}",
            ladder.rows.len()
        );
        let mut rng = games::Rng::new(3);
        let pairs = (0..10 * size).map(|_| [(); 2].map(|()| rng.index(size as usize) as u32));
        let pairs = pairs.filter(|[a, b]| a != b).map(|pair| pair.to_vec());
        let crowd = Pattern::new(size as usize, pairs);
        assert!(!crowd.has_factor());
        assert!(crowd.rows.len() <= 11 * size as usize);
        let row = crowd.rows[crowd.starts[5] + 1] as usize;
        assert_eq!(crowd.find(5, row), crowd.starts[5] + 1);
    }

    #[test]
    fn all_with_all_is_a_full_half() {
        let full = Pattern::new(9, [(0..9).collect()]);
        assert_eq!(full.rows.len(), 45);
        let mut found: Vec<usize> = (0..9)
            .flat_map(|one| (0..=one).map(move |other| (one, other)))
            .map(|(one, other)| full.find(one, other))
            .collect();
        found.sort_unstable();
        assert_eq!(found, (0..45).collect::<Vec<_>>());
    }
}

//! Where a symmetric matrix and its factor by Cholesky's method are not zero. Most bots never meet
//! most others, so that in an order of elimination that is well chosen few entries are filled.

use std::collections::BTreeSet;

/// The order of elimination, and the entries of the factor in that order: the lower half, column
/// by column.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// The place of each unknown in the order.
    pub(crate) place: Vec<u32>,
    /// Where the entries of each column begin, and behind the last one where they end.
    pub(crate) starts: Vec<usize>,
    /// The rows of the entries, in ascending order within a column; the diagonal comes first.
    pub(crate) rows: Vec<u32>,
    /// For each row, the entries left of the diagonal: their columns and where they are.
    pub(crate) left: Vec<Vec<(u32, usize)>>,
}

impl Pattern {
    /// Of this many unknowns; those of a clique have entries with each other.
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
        let order = order(&near);
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

    /// How many unknowns there are.
    pub(crate) fn size(&self) -> usize {
        self.place.len()
    }

    /// Where the entry of two unknowns is.
    #[inline]
    pub(crate) fn find(&self, one: usize, other: usize) -> usize {
        let (one, other) = (self.place[one], self.place[other]);
        let (row, column) = (one.max(other), one.min(other));
        let start = self.starts[column as usize];
        let rows = &self.rows[start..self.starts[column as usize + 1]];
        // Full columns are the rule where everybody meets everybody.
        if rows.len() == self.size() - column as usize {
            return start + (row - column) as usize;
        }
        match rows.binary_search(&row) {
            Ok(at) => start + at,
            Err(_) => unreachable!("a pattern has the entries of all its cliques"),
        }
    }
}

/// An order of elimination that fills little: whoever has the fewest neighbours left comes next.
/// Unknowns with very many, such as what a seat is worth, come last, as they would anyway.
fn order(near: &[Vec<u32>]) -> Vec<u32> {
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
    while let Some((degree, one)) = queue.pop_first() {
        order.push(one);
        // All that are left are neighbours of each other: any order is as good.
        if degree == queue.len() {
            order.extend(queue.iter().map(|(_, other)| other));
            break;
        }
        let group = std::mem::take(&mut left[one as usize]);
        for &member in &group {
            let mine = &mut left[member as usize];
            queue.remove(&(mine.len(), member));
            *mine = union(mine, &group, [one, member]);
            queue.insert((mine.len(), member));
        }
    }
    order.append(&mut last);
    order
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

//! Sparse symmetric positive definite systems by Cholesky's method.

use std::sync::Arc;

use super::pattern::Pattern;

/// A symmetric matrix: the lower half, where its pattern has entries.
#[derive(Clone, Debug)]
pub(crate) struct Symmetric {
    pattern: Arc<Pattern>,
    entries: Vec<f64>,
}

impl Symmetric {
    pub(crate) fn zero(pattern: Arc<Pattern>) -> Self {
        let entries = vec![0.0; pattern.rows.len()];
        Symmetric { pattern, entries }
    }

    pub(crate) fn clear(&mut self) {
        self.entries.fill(0.0);
    }

    /// Adds to an entry, which is also the one of `column` and `row`.
    #[inline]
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.entries[self.pattern.find(row, column)] += value;
    }

    /// An entry, which is also the one of `column` and `row`.
    #[inline]
    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[self.pattern.find(row, column)]
    }

    /// True if all pairs of these unknowns have entries.
    pub(crate) fn has_all(&self, unknowns: &[u32]) -> bool {
        let has = |one: u32, other: u32| self.pattern.get(one as usize, other as usize).is_some();
        let pairs = unknowns.iter().enumerate();
        let mut pairs = pairs.flat_map(|(at, one)| unknowns[..at].iter().map(|it| (*one, *it)));
        pairs.all(|(one, other)| has(one, other))
    }

    pub(crate) fn entries_count(&self) -> usize {
        self.entries.len()
    }

    /// The product with a vector from both sides.
    pub(crate) fn quadratic(&self, vector: &[f64]) -> f64 {
        let mut sum = 0.0;
        let pattern = &*self.pattern;
        let mut ordered = vec![0.0; pattern.size()];
        for (place, value) in pattern.place.iter().zip(vector) {
            ordered[*place as usize] = *value;
        }
        for (column, own) in ordered.iter().enumerate() {
            let (start, end) = (pattern.starts[column], pattern.starts[column + 1]);
            let below = pattern.rows[start + 1..end]
                .iter()
                .zip(&self.entries[start + 1..end]);
            let below: f64 = below
                .map(|(row, entry)| entry * ordered[*row as usize])
                .sum();
            sum += own * (own * self.entries[start] + 2.0 * below);
        }
        sum
    }

    /// Adds another one of the same pattern.
    pub(crate) fn join(&mut self, other: &Symmetric) {
        for (sum, value) in self.entries.iter_mut().zip(&other.entries) {
            *sum += value;
        }
    }

    pub(crate) fn size(&self) -> usize {
        self.pattern.size()
    }

    /// The product with some vectors, side by side.
    pub(crate) fn times<const N: usize>(&self, vectors: &[[f64; N]], product: &mut [[f64; N]]) {
        let pattern = &*self.pattern;
        let place = |index: usize| pattern.place[index] as usize;
        let size = pattern.size();
        // In the order of elimination, in which the entries are.
        let mut ordered = vec![[0.0; N]; size];
        for (index, vector) in vectors.iter().enumerate() {
            ordered[place(index)] = *vector;
        }
        let mut sums = vec![[0.0; N]; size];
        for column in 0..size {
            let (start, end) = (pattern.starts[column], pattern.starts[column + 1]);
            let mine = ordered[column];
            let mut sum = scaled(mine, self.entries[start]);
            for at in start + 1..end {
                let (row, entry) = (pattern.rows[at] as usize, self.entries[at]);
                for lane in 0..N {
                    sums[row][lane] += entry * mine[lane];
                    sum[lane] += entry * ordered[row][lane];
                }
            }
            for lane in 0..N {
                sums[column][lane] += sum[lane];
            }
        }
        for (index, product) in product.iter_mut().enumerate() {
            *product = sums[place(index)];
        }
    }

    /// The entries, with row and column; those off the diagonal once.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let pattern = &*self.pattern;
        let mut unknown = vec![0; pattern.size()];
        for (index, place) in pattern.place.iter().enumerate() {
            unknown[*place as usize] = index;
        }
        (0..pattern.size()).flat_map(move |column| {
            let mine = pattern.starts[column]..pattern.starts[column + 1];
            let entries: Vec<_> = mine
                .map(|at| {
                    let row = unknown[pattern.rows[at] as usize];
                    (row, unknown[column], self.entries[at])
                })
                .collect();
            entries
        })
    }

    /// Factors the matrix in place; `None` if it is not positive definite.
    pub(crate) fn factor(mut self) -> Option<Cholesky> {
        let pattern = &*self.pattern;
        if !pattern.has_factor() {
            return None;
        }
        let entries = &mut self.entries;
        let mut work = vec![0.0; pattern.size()];
        for column in 0..pattern.size() {
            let mine = pattern.starts[column]..pattern.starts[column + 1];
            let rows = &pattern.rows[mine.clone()];
            for (row, entry) in rows.iter().zip(&entries[mine.clone()]) {
                work[*row as usize] = *entry;
            }
            for &(before, at) in &pattern.left[column] {
                let end = pattern.starts[before as usize + 1];
                subtract(&mut work, &pattern.rows[at..end], &entries[at..end]);
            }
            let rest = work[column];
            if !(rest > 0.0 && rest.is_finite()) {
                return None;
            }
            let diagonal = rest.sqrt();
            work[column] = diagonal * diagonal;
            for (row, entry) in rows.iter().zip(&mut entries[mine]) {
                *entry = work[*row as usize] / diagonal;
            }
        }
        Some(Cholesky(self))
    }
}

/// Subtracts a column, times its first entry.
#[inline]
fn subtract(work: &mut [f64], rows: &[u32], entries: &[f64]) {
    let (Some(&first), Some(&last), Some(&times)) = (rows.first(), rows.last(), entries.first())
    else {
        return;
    };
    if (last - first) as usize + 1 == rows.len() {
        // Without gaps, several are done at once.
        let work = &mut work[first as usize..=last as usize];
        for (work, entry) in work.iter_mut().zip(entries) {
            *work -= times * entry;
        }
    } else {
        for (row, entry) in rows.iter().zip(entries) {
            work[*row as usize] -= times * entry;
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Cholesky(Symmetric);

impl Cholesky {
    /// Solves the system in place: the right side becomes the solution.
    pub(crate) fn solve(&self, right: &mut [f64]) {
        let Symmetric { pattern, entries } = &self.0;
        let mut x = vec![0.0; right.len()];
        for (place, right) in pattern.place.iter().zip(&*right) {
            x[*place as usize] = *right;
        }
        let column = |column: usize| {
            let (start, end) = (pattern.starts[column], pattern.starts[column + 1]);
            let below = &pattern.rows[start + 1..end];
            (entries[start], below.iter().zip(&entries[start + 1..end]))
        };
        for at in 0..x.len() {
            let (diagonal, below) = column(at);
            let value = x[at] / diagonal;
            x[at] = value;
            for (row, entry) in below {
                x[*row as usize] -= entry * value;
            }
        }
        for at in (0..x.len()).rev() {
            let (diagonal, below) = column(at);
            let known: f64 = below.map(|(row, entry)| entry * x[*row as usize]).sum();
            x[at] = (x[at] - known) / diagonal;
        }
        for (place, right) in pattern.place.iter().zip(right) {
            *right = x[*place as usize];
        }
    }
}

impl Cholesky {
    /// Solves several systems in place, side by side.
    pub(crate) fn solve_all<const N: usize>(&self, right: &mut [[f64; N]]) {
        let Symmetric { pattern, entries } = &self.0;
        let mut x = vec![[0.0; N]; right.len()];
        for (place, right) in pattern.place.iter().zip(&*right) {
            x[*place as usize] = *right;
        }
        for at in 0..x.len() {
            let (start, end) = (pattern.starts[at], pattern.starts[at + 1]);
            let value = scaled(x[at], 1.0 / entries[start]);
            x[at] = value;
            for (row, entry) in pattern.rows[start + 1..end]
                .iter()
                .zip(&entries[start + 1..end])
            {
                for (x, value) in x[*row as usize].iter_mut().zip(value) {
                    *x -= entry * value;
                }
            }
        }
        for at in (0..x.len()).rev() {
            let (start, end) = (pattern.starts[at], pattern.starts[at + 1]);
            let mut rest = x[at];
            for (row, entry) in pattern.rows[start + 1..end]
                .iter()
                .zip(&entries[start + 1..end])
            {
                for (rest, x) in rest.iter_mut().zip(x[*row as usize]) {
                    *rest -= entry * x;
                }
            }
            x[at] = scaled(rest, 1.0 / entries[start]);
        }
        for (place, right) in pattern.place.iter().zip(right) {
            *right = x[*place as usize];
        }
    }

    /// The entries of the inverse in the factor's pattern, by Takahashi's recurrence: each follows
    /// from entries further down.
    pub(crate) fn selected_inverse(&self) -> Symmetric {
        let Symmetric { pattern, entries } = &self.0;
        let mut inverse = Symmetric::zero(Arc::clone(pattern));
        let found = &mut inverse.entries;
        // Where the entry of two places is.
        let find = |one: u32, other: u32| {
            let (row, column) = (one.max(other), one.min(other) as usize);
            let (start, end) = (pattern.starts[column], pattern.starts[column + 1]);
            let rows = &pattern.rows[start..end];
            if rows.len() == pattern.size() - column {
                return start + row as usize - column;
            }
            match rows.binary_search(&row) {
                Ok(at) => start + at,
                Err(_) => unreachable!("rows of a column have entries with each other"),
            }
        };
        for column in (0..pattern.size()).rev() {
            let (start, end) = (pattern.starts[column], pattern.starts[column + 1]);
            let below = &pattern.rows[start + 1..end];
            let diagonal = entries[start];
            for (at, &row) in (start + 1..end).zip(below) {
                let products = below.iter().zip(&entries[start + 1..end]);
                let sum: f64 = products
                    .map(|(other, entry)| entry * found[find(row, *other)])
                    .sum();
                found[at] = -sum / diagonal;
            }
            let products = entries[start + 1..end].iter().zip(&found[start + 1..end]);
            let sum: f64 = products.map(|(entry, found)| entry * found).sum();
            found[start] = (1.0 / diagonal - sum) / diagonal;
        }
        inverse
    }
}

/// A vector times a number.
fn scaled<const N: usize>(vector: [f64; N], times: f64) -> [f64; N] {
    vector.map(|value| value * times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::linear::Conjugate;
    use games::Rng;

    fn dense(rows: &[[f64; 3]; 3]) -> Symmetric {
        let pattern = Pattern::new(3, [vec![0, 1, 2]]);
        let mut matrix = Symmetric::zero(Arc::new(pattern));
        for (r, row) in rows.iter().enumerate() {
            for (c, value) in row.iter().enumerate().take(r + 1) {
                matrix.add(r, c, *value);
            }
        }
        matrix
    }

    #[test]
    fn systems_are_solved() {
        let rows = [[4.0, 2.0, 0.6], [2.0, 5.0, 1.0], [0.6, 1.0, 3.0]];
        let mut right = [1.0, -2.0, 3.5];
        let factored = dense(&rows).factor().expect("positive definite");
        factored.solve(&mut right);
        for (row, expected) in rows.iter().zip([1.0, -2.0, 3.5]) {
            let product: f64 = row.iter().zip(&right).map(|(a, b)| a * b).sum();
            assert!((product - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        let rows = [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        assert!(dense(&rows).factor().is_none());
    }

    /// Systems of all densities, from pairs that meet by chance, with unknowns that all meet.
    #[test]
    fn sparse_systems_are_solved() {
        let mut rng = Rng::new(11);
        for round in 0..60 {
            let size = 3 + rng.index(60);
            let pairs = rng.index(1 + size * (1 + round % 8));
            let mut cliques = Vec::new();
            for _ in 0..pairs {
                let hub = (size - 1 - rng.index(2)) as u32;
                let mut clique = vec![rng.index(size) as u32, rng.index(size) as u32, hub];
                clique.sort_unstable();
                clique.dedup();
                cliques.push(clique);
            }
            let pattern = Arc::new(Pattern::new(size, cliques.clone()));
            let mut matrix = Symmetric::zero(pattern);
            let mut full = vec![vec![0.0; size]; size];
            for (at, row) in full.iter_mut().enumerate() {
                matrix.add(at, at, 0.5);
                row[at] += 0.5;
            }
            // A clique's part is v · vᵀ, so that the whole is positive definite.
            for clique in &cliques {
                let v: Vec<f64> = clique.iter().map(|_| rng.index(9) as f64 - 4.0).collect();
                for (i, a) in clique.iter().enumerate() {
                    for (j, b) in clique.iter().enumerate() {
                        full[*a as usize][*b as usize] += v[i] * v[j];
                        if j <= i {
                            matrix.add(*b as usize, *a as usize, v[i] * v[j]);
                        }
                    }
                }
            }
            let right: Vec<f64> = (0..size).map(|_| rng.index(100) as f64).collect();
            let mut solved = right.clone();
            let mut stepwise: Vec<[f64; 2]> = right.iter().map(|it| [*it, -2.0 * it]).collect();
            Conjugate::new(matrix.clone()).solve(&mut stepwise, 1e-10);
            let factored = matrix.clone().factor().expect("positive definite");
            factored.solve(&mut solved);
            let mut several: Vec<[f64; 3]> = right.iter().map(|it| [*it, 0.0, -it]).collect();
            factored.solve_all(&mut several);
            let inverse = factored.selected_inverse();
            for (at, expected) in solved.iter().enumerate() {
                let near = |it: f64| (it - expected).abs() < 1e-6 * (1.0 + expected.abs());
                assert!(near(several[at][0]) && near(-several[at][2]) && several[at][1] == 0.0);
                assert!(
                    near(stepwise[at][0]) && near(-0.5 * stepwise[at][1]),
                    "{size} {pairs}"
                );
                let mut unit = vec![0.0; size];
                unit[at] = 1.0;
                factored.solve(&mut unit);
                assert!(
                    (inverse.at(at, at) - unit[at]).abs() < 1e-9,
                    "{size} {pairs}"
                );
                for clique in cliques
                    .iter()
                    .filter(|clique| clique.contains(&(at as u32)))
                {
                    for other in clique.iter().map(|other| *other as usize) {
                        assert!((inverse.at(at, other) - unit[other]).abs() < 1e-9);
                    }
                }
            }
            for (row, expected) in full.iter().zip(right) {
                let product: f64 = row.iter().zip(&solved).map(|(a, b)| a * b).sum();
                assert!(
                    (product - expected).abs() < 1e-6 * (1.0 + expected),
                    "{size} {pairs}"
                );
            }
        }
    }
}

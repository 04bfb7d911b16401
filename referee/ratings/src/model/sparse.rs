//! Just enough linear algebra: symmetric positive definite systems by Cholesky's method, with what
//! is always zero left out.

use std::sync::Arc;

use super::pattern::Pattern;

/// A symmetric matrix: the lower half, where its pattern has entries.
#[derive(Clone, Debug)]
pub(crate) struct Symmetric {
    pattern: Arc<Pattern>,
    entries: Vec<f64>,
}

impl Symmetric {
    /// All zero.
    pub(crate) fn zero(pattern: Arc<Pattern>) -> Self {
        let entries = vec![0.0; pattern.rows.len()];
        Symmetric { pattern, entries }
    }

    /// Makes every entry zero again.
    pub(crate) fn clear(&mut self) {
        self.entries.fill(0.0);
    }

    /// Adds to an entry, which is also the one of `column` and `row`.
    #[inline]
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.entries[self.pattern.find(row, column)] += value;
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

/// Takes a column off, so often as its first entry says.
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

/// A factored matrix.
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

#[cfg(test)]
mod tests {
    use super::*;
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
            matrix
                .factor()
                .expect("positive definite")
                .solve(&mut solved);
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

//! Just enough linear algebra: symmetric positive definite systems by Cholesky's method.

/// A square matrix, by rows.
#[derive(Clone, Debug)]
pub(crate) struct Square {
    size: usize,
    entries: Vec<f64>,
}

impl Square {
    /// All zero.
    pub(crate) fn zero(size: usize) -> Self {
        Square {
            size,
            entries: vec![0.0; size * size],
        }
    }

    /// Makes every entry zero again.
    pub(crate) fn clear(&mut self) {
        self.entries.fill(0.0);
    }

    /// Adds to an entry.
    #[inline]
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.entries[row * self.size + column] += value;
    }

    /// An entry.
    #[inline]
    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.size + column]
    }

    /// The product with another one.
    pub(crate) fn times(&self, other: &Square) -> Square {
        let n = self.size;
        let mut product = Square::zero(n);
        for row in 0..n {
            let sums = &mut product.entries[row * n..(row + 1) * n];
            for (column, &factor) in self.entries[row * n..(row + 1) * n].iter().enumerate() {
                if factor != 0.0 {
                    let line = &other.entries[column * n..(column + 1) * n];
                    for (sum, value) in sums.iter_mut().zip(line) {
                        *sum += factor * value;
                    }
                }
            }
        }
        product
    }

    /// Factors a symmetric matrix, of which the lower half is read, in place; `None` if it is not
    /// positive definite.
    pub(crate) fn factor(mut self) -> Option<Cholesky> {
        let n = self.size;
        for row in 0..n {
            let (above, mine) = self.entries.split_at_mut(row * n);
            for column in 0..=row {
                let other = &above[(column * n).min(above.len())..];
                let dot: f64 = match column < row {
                    true => dot(&mine[..column], &other[..column]),
                    false => dot(&mine[..column], &mine[..column]),
                };
                let rest = mine[column] - dot;
                mine[column] = match column < row {
                    true => rest / other[column],
                    false if rest > 0.0 && rest.is_finite() => rest.sqrt(),
                    false => return None,
                };
            }
        }
        Some(Cholesky(self))
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A factored matrix.
#[derive(Clone, Debug)]
pub(crate) struct Cholesky(Square);

impl Cholesky {
    /// Solves the system in place: the right side becomes the solution.
    pub(crate) fn solve(&self, right: &mut [f64]) {
        let lower = &self.0;
        let n = lower.size;
        for row in 0..n {
            let known = dot(&lower.entries[row * n..row * n + row], &right[..row]);
            right[row] = (right[row] - known) / lower.at(row, row);
        }
        for row in (0..n).rev() {
            right[row] /= lower.at(row, row);
            let value = right[row];
            let entries = &lower.entries[row * n..row * n + row];
            for (right, entry) in right[..row].iter_mut().zip(entries) {
                *right -= entry * value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[[f64; 3]; 3]) -> Square {
        let mut matrix = Square::zero(3);
        for (r, row) in rows.iter().enumerate() {
            for (c, value) in row.iter().enumerate() {
                matrix.add(r, c, *value);
            }
        }
        matrix
    }

    #[test]
    fn systems_are_solved() {
        let rows = [[4.0, 2.0, 0.6], [2.0, 5.0, 1.0], [0.6, 1.0, 3.0]];
        let mut right = [1.0, -2.0, 3.5];
        matrix(&rows)
            .factor()
            .expect("positive definite")
            .solve(&mut right);
        for (row, expected) in rows.iter().zip([1.0, -2.0, 3.5]) {
            assert!((dot(row, &right) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        let rows = [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        assert!(matrix(&rows).factor().is_none());
    }
}

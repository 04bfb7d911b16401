//! Dense square matrices.

#[derive(Clone, Debug)]
pub(crate) struct Square {
    size: usize,
    entries: Vec<f64>,
}

impl Square {
    pub(crate) fn zero(size: usize) -> Self {
        Square {
            size,
            entries: vec![0.0; size * size],
        }
    }

    #[inline]
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.entries[row * self.size + column] += value;
    }

    #[inline]
    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.size + column]
    }

    /// The product with a sparse vector. For symmetric matrices only.
    pub(crate) fn times_sparse(&self, entries: impl Iterator<Item = (usize, f64)>) -> Vec<f64> {
        let mut product = vec![0.0; self.size];
        for (at, value) in entries {
            let row = &self.entries[at * self.size..(at + 1) * self.size];
            for (sum, entry) in product.iter_mut().zip(row) {
                *sum += value * entry;
            }
        }
        product
    }

    pub(crate) fn join(&mut self, other: &Square) {
        for (sum, value) in self.entries.iter_mut().zip(&other.entries) {
            *sum += value;
        }
    }

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
}

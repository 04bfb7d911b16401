//! Conjugate gradients, for systems that are too large to factor. The prior keeps the matrices far from
//! singular, so that few steps are enough.

use super::sparse::Symmetric;

const MOST_STEPS: usize = 2000;

/// A matrix with the reciprocals of its diagonal, which make the steps fewer (Jacobi).
#[derive(Clone, Debug)]
pub(crate) struct Conjugate {
    matrix: Symmetric,
    scale: Vec<f64>,
}

impl Conjugate {
    pub(crate) fn new(matrix: Symmetric) -> Self {
        let scale = (0..matrix.size()).map(|at| match matrix.at(at, at) {
            entry if entry > 0.0 && entry.is_finite() => 1.0 / entry,
            _ => 1.0,
        });
        Conjugate {
            scale: scale.collect(),
            matrix,
        }
    }

    /// Solves some systems side by side, in place, until the residual is at most `exact` times the right
    /// side. If the matrix is not positive definite, the solution leaves that direction out.
    pub(crate) fn solve<const N: usize>(&self, right: &mut [[f64; N]], exact: f64) {
        let size = right.len();
        let mut rest = right.to_vec();
        let mut ahead = vec![[0.0; N]; size];
        let mut product = vec![[0.0; N]; size];
        right.fill([0.0; N]);
        let mut lengths = self.lengths(&rest);
        let wanted = lengths.map(|length| length * exact * exact);
        let mut turn = [0.0; N];
        for step in 0..MOST_STEPS {
            let open = |lane: usize| lengths[lane] > wanted[lane] && lengths[lane].is_finite();
            if !(0..N).any(open) {
                return;
            }
            for ((ahead, rest), scale) in ahead.iter_mut().zip(&rest).zip(&self.scale) {
                for lane in 0..N {
                    ahead[lane] = rest[lane] * scale + turn[lane] * ahead[lane];
                }
            }
            self.matrix.times(&ahead, &mut product);
            let bends = dots(&ahead, &product);
            let mut far = [0.0; N];
            for lane in 0..N {
                if open(lane) && bends[lane] > 0.0 {
                    far[lane] = lengths[lane] / bends[lane];
                } else if open(lane) && step == 0 {
                    // Downhill at least.
                    far[lane] = 1.0;
                }
            }
            for at in 0..size {
                for lane in 0..N {
                    right[at][lane] += far[lane] * ahead[at][lane];
                    rest[at][lane] -= far[lane] * product[at][lane];
                }
            }
            let next = self.lengths(&rest);
            for lane in 0..N {
                turn[lane] = if lengths[lane] > 0.0 {
                    next[lane] / lengths[lane]
                } else {
                    0.0
                };
                // A lane that cannot go on is done.
                lengths[lane] = if bends[lane] > 0.0 { next[lane] } else { 0.0 };
            }
        }
    }

    /// The squared lengths of the residuals, scaled.
    fn lengths<const N: usize>(&self, rest: &[[f64; N]]) -> [f64; N] {
        let mut sums = [0.0; N];
        for (rest, scale) in rest.iter().zip(&self.scale) {
            for (sum, rest) in sums.iter_mut().zip(rest) {
                *sum += rest * rest * scale;
            }
        }
        sums
    }
}

fn dots<const N: usize>(one: &[[f64; N]], other: &[[f64; N]]) -> [f64; N] {
    let mut sums = [0.0; N];
    for (one, other) in one.iter().zip(other) {
        for lane in 0..N {
            sums[lane] += one[lane] * other[lane];
        }
    }
    sums
}

//! Student's distribution.

use statrs::distribution::StudentsT;

/// The least degrees of freedom: with fewer clusters, their spread says next to nothing.
const LEAST_FREEDOM: f64 = 1.0;

/// Student's distribution for an estimate from this many clusters.
pub(crate) fn student(clusters: f64) -> StudentsT {
    let freedom = (clusters - 1.0).max(LEAST_FREEDOM);
    match StudentsT::new(0.0, 1.0, freedom) {
        Ok(student) => student,
        Err(_) => unreachable!("scale and freedom are positive"),
    }
}

//! Student's distribution, which intervals are made from.

use statrs::distribution::StudentsT;

/// With fewer clusters, the spread between them says next to nothing; t is taken as if there were
/// one more than this.
const LEAST_FREEDOM: f64 = 1.0;

/// Student's distribution for what rests on a number of clusters.
pub(crate) fn student(clusters: f64) -> StudentsT {
    let freedom = (clusters - 1.0).max(LEAST_FREEDOM);
    match StudentsT::new(0.0, 1.0, freedom) {
        Ok(student) => student,
        Err(_) => unreachable!("scale and freedom are positive"),
    }
}

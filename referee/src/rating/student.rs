//! Student's distribution.

use statrs::distribution::{ContinuousCDF, StudentsT};

fn student(freedom: f64) -> StudentsT {
    match StudentsT::new(0.0, 1.0, freedom) {
        Ok(student) => student,
        Err(_) => unreachable!("scale and freedom are positive"),
    }
}

/// What is exceeded with a chance of 1 − `share`, at so many degrees of freedom (above 0).
pub(super) fn quantile(freedom: f64, share: f64) -> f64 {
    student(freedom).inverse_cdf(share)
}

//! Answers of the solvers.

mod answer;
pub mod elephant_run;

pub use answer::Answer;

//! Answers of the solvers.

mod answer;
mod each_move;
pub mod elephant_run;

pub use answer::Answer;
pub use each_move::EachMove;

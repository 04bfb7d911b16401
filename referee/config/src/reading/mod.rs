//! Reading: files that include each other, submissions, variables, keys set on the command line.

pub(crate) mod layers;
pub(crate) mod left_out;
pub mod submissions;
pub(crate) mod variables;

//! JSON as the protocol needs it: scanned in one pass, read leniently, written on one line.

pub(crate) mod lenient;
pub(crate) mod line;
#[cfg(test)]
pub(crate) mod near_misses;
pub(crate) mod scanner;
pub(crate) mod state;
pub(crate) mod whole_number;

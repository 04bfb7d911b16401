//! The operating system: processes as `/proc` shows them, resources of the machine that are used
//! up, and times in which this process did not run.

pub mod process_tree;
pub mod resource_exhausted;
pub mod suspension;

//! The operating system: children of this process, processes in `/proc`, exhausted resources of the
//! machine, and suspensions of this process.

pub mod children;
pub mod process_tree;
pub mod resource_exhausted;
pub mod spawner;
pub mod suspension;

//! Bots: factories that start their processes, the processes from `hello` to `quit`, and pools in
//! which processes wait for their next match.

pub mod factory;
pub mod failure;
pub mod files;
pub(crate) mod launch;
pub mod pool;
pub mod process;

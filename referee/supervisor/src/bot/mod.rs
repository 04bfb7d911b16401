//! Bots: what the configuration says of one, its process from the first line to the last, and where
//! processes come from and wait.

pub mod bounds;
pub mod command;
pub mod factory;
pub mod failure;
pub mod files;
pub(crate) mod launch;
pub mod pool;
pub mod process;
pub mod shebang;
pub mod spec;

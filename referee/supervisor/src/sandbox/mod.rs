//! Sandboxes. A [`Sandbox`](build::Sandbox) follows from what is [wanted](crate::spec::Wanted) and
//! from the means of this [`Machine`](machine::Machine). It consists of [`layers`], which a
//! [launcher](launch) applies to itself before it becomes the bot.

pub mod account;
pub mod build;
pub mod file_identity;
mod interpreter;
pub mod launch;
pub mod layers;
pub mod machine;
pub mod mounts;
pub mod promises;
pub(crate) mod watched_limits;

//! What a bot is confined by. The configuration says what is [wanted](limits::Wanted), the
//! [`Machine`](machine::Machine) what is possible; a [`Sandbox`](build::Sandbox) follows from both,
//! and is prepared for each process.

pub mod account;
pub mod build;
pub mod guard;
pub mod init;
mod interpreter;
pub mod launch;
pub mod layers;
pub mod limits;
pub mod machine;
pub mod mounts;
pub(crate) mod prepare;
pub mod promises;

//! The protocol of General Game Playing: players that answer over HTTP, and bots that answer to other
//! game managers.
//!
//! Each request is a list in KIF, each answer a word or a list. `INFO` asks for a description, `START`
//! begins a match with the whole sheet, `PLAY` asks for a move and contains all roles' moves of the
//! previous step, `STOP` ends a match that is over, `ABORT` one that is aborted.

mod client;
pub(crate) mod conversation;
pub mod follower;
pub mod message;
mod seats;

pub use conversation::Arrival;
pub(crate) use conversation::Conversation;

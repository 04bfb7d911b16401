//! The protocol of General Game Playing: players that are asked over HTTP, and the other way round,
//! bots that answer other people's game managers.
//!
//! Each request is one list in KIF, each answer a word or a list. `INFO` asks whether somebody is
//! there, `START` begins a match with the whole sheet, `PLAY` asks for a move and tells what all roles
//! did in the step before, `STOP` ends a match that is over, `ABORT` one that is given up.

mod client;
pub(crate) mod conversation;
pub mod follower;
pub mod message;
mod seats;

pub use conversation::Arrival;
pub(crate) use conversation::Conversation;

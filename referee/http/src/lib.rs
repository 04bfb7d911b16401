//! Serving HTTP to untrusted clients: nothing that one of them does or leaves undone is a reason
//! why others find a place.
//!
//! A request's head and its body have to be there in time, a connection that waits for the next request
//! is kept for a while only, and who takes nothing of an answer is cut off. There is a number of
//! connections that may be open; a new one takes the place of the one that has waited longest, so
//! nobody is refused. A connection by which a token was proven is not among those that have to go.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

mod connection;
mod connection_table;
mod serve;

pub use connection_table::{Limits, Place};
pub use serve::{WRONG_CLOCK, answers_to, has_date, serve};

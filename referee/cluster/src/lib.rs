//! Jobs and their results over a NATS server with JetStream, version 2.9 or later.
//!
//! This crate carries messages: opaque bytes, job numbers and leases. A [`Coordinator`] opens a
//! tournament's streams, publishes jobs and reads results; a [`Worker`] takes one job at a time and
//! stores its result.
//!
//! The design:
//!
//! - The stream of jobs is a work queue: each job belongs to one worker while that worker holds the lease
//!   ([`Job::renew_lease`] renews it every third of its length). When a lease expires, another worker
//!   gets the job.
//! - A worker that lost its lease may come back, and servers accept late acknowledgements. So nothing
//!   follows from an acknowledgement: a worker stores its result first, then acknowledges.
//! - The stream of results accepts one message per job. However often a job was done, it has one result.
//! - Announcements of all tournaments are messages of one stream, which workers read.
//! - Files for workers are stored in pieces in a stream of their tournament ([`put_file`], [`get_file`]).

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

mod api;
mod connection;
mod coordinator;
mod error;
mod files;
mod names;
mod presence;
mod retry;
mod streams;
mod worker;

pub use connection::{ANSWER, Client, Connection, Messages, Role, Server};
pub use coordinator::{
    Coordinator, JobResult, MOST_LEASED, MOST_WAITING, Published, Remedy, WorkerMessage,
};
pub use error::ClusterError;
pub use files::{FileError, get_file, put_file};
pub use names::{InvalidName, TournamentId, WorkerName};
pub use presence::{HEARTBEAT, Presence, workers};
pub use retry::Retry;
pub use streams::streams;
pub use worker::{
    Announcement, Announcements, Delivered, Finished, Handover, Job, LeaseRenewal, Step, Worker,
    renewal,
};

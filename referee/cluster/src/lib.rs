//! Jobs and their results over a NATS server with JetStream, the server's version 2.9 or later.
//!
//! This crate carries messages. It knows bytes, numbers of jobs and leases, and nothing of what is in
//! them. A [`Coordinator`] opens a tournament's streams, publishes jobs and takes results; a [`Worker`]
//! takes one job at a time and brings its result.
//!
//! What it is built on:
//!
//! - The stream of jobs is a work queue: each job goes to one worker, for as long as that worker holds
//!   the lease ([`Job::keep`] renews it every third of its length). A job whose lease has run out goes to
//!   another worker.
//! - Who lost a lease may come back, and servers accept late acknowledgements. So nothing follows from
//!   an acknowledgement: a worker stores its result first, then acknowledges.
//! - The stream of results takes one message for each job and refuses a second one. However often a job
//!   was done, it has one result.
//! - Configurations are messages of one stream for all tournaments, from which workers learn what there
//!   is to do.
//! - Files that workers need are pieces in a stream of their tournament ([`put_file`], [`get_file`]).

mod api;
mod connection;
mod coordinator;
mod error;
mod files;
mod handover;
mod names;
mod patience;
mod presence;
mod reading;
mod streams;
mod worker;

pub use connection::{ANSWER, Connection, Role, Server};
pub use coordinator::{Coordinator, Heard, JobResult, MOST_LEASED, MOST_WAITING, Published};
pub use error::ClusterError;
pub use files::{FileError, get_file, put_file};
pub use handover::{Finished, Handover, Step};
pub use names::{InvalidName, TournamentId, WorkerName};
pub use patience::Patience;
pub use presence::{HEARTBEAT, Presence, workers};
pub use reading::{QueueWatch, Remedy, ResultCursor};
pub use streams::streams;
pub use worker::{Announcement, Announcing, Delivered, Job, KeptLease, Worker, renewal};

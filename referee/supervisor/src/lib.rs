//! Untrusted child processes: started, limited, sandboxed, spoken to in lines, measured,
//! and ended together with everything that they started.
//!
//! A [`BotFactory`] starts processes of its bots, a [`Pool`] holds them between matches, and a
//! [`BotProcess`] is one that runs. A [`ServiceFactory`] starts processes of a program that answers
//! requests, and a [`Service`] is one of those. Between the referee and each of them is a
//! [supervisor](process::supervisor), a process of its own that ends the child if the referee is
//! gone. The program must therefore run two processes by their first argument: [`system::spawner::SUBCOMMAND`], which
//! is forked for each supervisor, and [`sandbox::launch::init::SUBCOMMAND`].
//!
//! Each folder imports only those above it in this list: [`system`], [`spec`], [`sandbox`],
//! [`streams`], [`process`], [`bot`], [`service`].
#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

pub mod bot;
pub mod process;
pub mod sandbox;
pub mod service;
pub mod spec;
pub mod streams;
pub mod system;

pub use bot::factory::{BotFactory, FactoryError};
pub use bot::failure::{Evidence, News, NotStarted};
pub use bot::pool::{Leaving, MAX_IDLE, Pool};
pub use bot::process::{BotProcess, REFEREE_NAME};
pub use process::stall::Stall;
pub use service::{MAX_ANSWER, Service, ServiceFactory, ServiceFailure};
pub use spec::bounds::OutOfBounds;
pub use spec::command::CommandError;
pub use spec::{BotSpec, GgpPlayer, Idle, REFEREE, Restart, file_name};
pub use streams::stderr::{INDEX_EXTENSION, Stderr};
pub use streams::trace::{TraceError, Tracer};
pub use system::children::OwnChild;
pub use system::{resource_exhausted, suspension};

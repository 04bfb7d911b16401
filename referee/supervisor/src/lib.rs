//! Child processes that nobody trusts: started, limited, kept in a sandbox, talked to in lines,
//! measured, and ended together with everything that they started.
//!
//! A [`BotFactory`] starts processes of the bots that it was made for, a [`Pool`] keeps them
//! between matches, and a [`BotProcess`] is one that runs. A [`ServiceFactory`] starts processes of a
//! program that answers requests, and a [`Service`] is one of those. Between the referee and each of
//! them is a [supervisor](process::supervisor), a process of its own that ends it if the referee is
//! gone. The program must therefore offer three hidden subcommands: [`process::plan::SUBCOMMAND`],
//! [`sandbox::launch::SUBCOMMAND`] and [`sandbox::init::SUBCOMMAND`].

pub mod bot;
pub mod process;
pub mod sandbox;
pub mod service;
pub mod shortage;
pub mod streams;
pub mod suspension;

pub use bot::bounds::OutOfBounds;
pub use bot::command::CommandError;
pub use bot::factory::{BotFactory, FactoryError};
pub use bot::failure::{Evidence, News, NotStarted};
pub use bot::pool::{Leaving, MAX_IDLE, Pool};
pub use bot::process::{BotProcess, REFEREE_NAME};
pub use bot::spec::{BotSpec, GgpPlayer, Idle, REFEREE, Restart, file_name};
pub use process::stall::Stall;
pub use service::{MAX_ANSWER, Service, ServiceFactory, ServiceFailure};
pub use streams::stderr::{INDEX_EXTENSION, Stderr};
pub use streams::trace::{TraceError, Tracer};

//! `referee worker`: plays matches of the tournaments on a NATS server.

use std::fs;
use std::path::PathBuf;

use bundle::{MAX_SIZE, default_cache};
use bytesize::ByteSize;
use cluster::{Server, WorkerName};
use report::print_notice;
use tokio::sync::watch;
use workers::worker::{Leave, WorkerOptions, work};

use crate::cli::common::signals::{Reaction, Urgency, on_signals, print_line};
use crate::cli::tournament::environment::yardstick;
use crate::cli::{CliError, block_on};

/// Plays matches of tournaments that run on other machines
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee worker nats://host                 a match at a time for each core
  referee worker tls://host --creds worker.creds --slots 2
  referee worker nats://host --dir /srv/bots   where relative paths of configurations start

A worker plays for all tournaments of `referee tournament --nats` that the server knows, one after
another, until it is stopped.

Ctrl-C once: it finishes the groups of matches that it is playing, and ends. Twice, or SIGTERM: it gives
them back, for other workers. Three times: it ends at once, and others get them when its lease ends.")]
pub(crate) struct Args {
    /// The NATS server, as in nats://host:4222, or tls://host for an encrypted connection
    server: String,
    /// Play this many groups of matches at a time; by default one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    slots: Option<u32>,
    /// This worker's name, which must be unique; by default the machine's name and a number
    #[arg(long)]
    name: Option<String>,
    /// The file of credentials for the server, as `nsc` makes it
    #[arg(long, value_name = "FILE")]
    creds: Option<PathBuf>,
    /// Where relative paths in configurations start; bots of any tournament may read what is in it. By default,
    /// bots come in bundles, and with --trust paths start in the folder of the coordinator's machine
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Run bots in the sandbox that the configuration asks for, if any, and not in the strict one, and let it
    /// name files and variables of this machine, rules programs and GGP players: for tournaments whose bots
    /// and configuration you trust
    #[arg(long)]
    trust: bool,
    /// Where bundles of bots from the server are unpacked, once: a folder of this machine, by default in
    /// the user's cache (root's: /var/cache/referee/bundles)
    #[arg(long, value_name = "DIR")]
    bundle_cache: Option<PathBuf>,
    /// Largest total size of a bundle's files, as in `500MiB`
    #[arg(long, value_name = "SIZE", default_value_t = ByteSize(MAX_SIZE))]
    max_bundle: ByteSize,
    /// Keep what bots print on stderr, and the folders about their failures, in DIR; otherwise they are
    /// gone when the worker ends
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let options = self.options()?;
        block_on(async {
            let leave = on_leave()?;
            let report = |what: &str| print_notice(format_args!("{}\n", protocol::shown(what)));
            Ok(work(options, leave, report).await?)
        })?
    }

    fn options(self) -> Result<WorkerOptions, CliError> {
        let name = self.name.map(|name| name.parse::<WorkerName>()).transpose();
        let name = name.map_err(|error| CliError::Usage(format!("--name: {error}")))?;
        let folder = self.dir.map(|dir| {
            let whole = fs::canonicalize(&dir);
            let named = |error| format!("--dir: `{}`: {error}", dir.display());
            whole.map_err(|error| CliError::Usage(named(error)))
        });
        Ok(WorkerOptions {
            server: Server {
                address: self.server,
                credentials: self.creds,
            },
            slots: self.slots.map(|slots| slots as usize),
            name,
            folder: folder.transpose()?,
            trust: self.trust,
            bundle_cache: self.bundle_cache.unwrap_or_else(default_cache),
            max_bundle: self.max_bundle.as_u64(),
            keep: self.keep,
            yardstick: yardstick(),
        })
    }
}

/// The user's requests to leave.
fn on_leave() -> Result<watch::Receiver<Leave>, CliError> {
    let (sender, receiver) = watch::channel(Leave::Stay);
    on_signals(None, move |urgency| {
        let before = *sender.borrow();
        let (leave, reaction, what) = match (before, urgency) {
            (Leave::Now, _) => return Reaction::AtOnce,
            (Leave::Stay, Urgency::Patient) => (
                Leave::AfterGroups,
                Reaction::Finish,
                "finishes its matches and ends; Ctrl-C again: gives them back\n",
            ),
            (Leave::Stay | Leave::AfterGroups, _) => (
                Leave::Now,
                Reaction::End,
                "gives its matches back and ends; Ctrl-C again: at once\n",
            ),
        };
        sender.send_replace(leave);
        print_line(what);
        reaction
    })?;
    Ok(receiver)
}

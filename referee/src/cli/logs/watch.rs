//! `referee watch`: a tournament in the browser.

use std::io::{self, Read as _};
use std::path::PathBuf;
use std::thread;

use report::print_notice;
use tokio::sync::watch;
use web::{Watch, WatchError};

use crate::cli::common::args::RulesArgs;
use crate::cli::common::listen::ListenArgs;
use crate::cli::{CliError, block_on, on_interrupt, print};

/// Shows a tournament in the browser, while it runs or afterwards
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee watch runs/quickstart-1
  referee watch runs/quickstart-1 runs/quickstart-2     two logs as one
  referee watch match.jsonl
  referee watch runs/class-1 --listen 0.0.0.0:8000      for others in the same network

It is a process of its own that follows the log: looking on costs the tournament nothing. Everybody
who can reach the address can read all matches; by default that is everybody on this machine. Ctrl-C
ends it.")]
pub(crate) struct Args {
    /// A tournament's folder, or a log; several are shown as one
    #[arg(required = true, value_name = "FOLDER|LOG")]
    logs: Vec<PathBuf>,
    #[command(flatten)]
    listen: ListenArgs,
    #[command(flatten)]
    rules: RulesArgs,
    /// End when the standard input ends
    #[arg(long, hide = true)]
    with_input: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        for log in &self.logs {
            let path = log::locate(log);
            // Before a tournament writes its log, it starts its own server.
            if !(path.is_file() || self.with_input && log.is_dir()) {
                // Opening it reports any problem.
                log::LogFile::open(log)?;
            }
        }
        // Bots that play on this machine come first.
        let _ = rustix::process::nice(NICE);
        block_on(self.serve())?
    }

    async fn serve(self) -> Result<(), CliError> {
        let interrupted = on_interrupt()?;
        let stop = if self.with_input {
            input_ended(interrupted)
        } else {
            interrupted
        };
        let rules = self
            .rules
            .are_given()
            .then(|| self.rules.open())
            .transpose()?;
        let watch = Watch::new(&self.logs, rules);
        let bound = self.listen.bind().await?;
        print(&format!("{}\n", bound.url("#/")))?;
        print_notice(bound.hints());
        watch.serve(bound.listener, stop).await?;
        Ok(())
    }
}

/// Added to this process's niceness.
const NICE: i32 = 10;

/// Turns true when the standard input ends, or `interrupted` does.
fn input_ended(mut interrupted: watch::Receiver<bool>) -> watch::Receiver<bool> {
    let (sender, receiver) = watch::channel(false);
    let ended = sender.clone();
    thread::spawn(move || {
        let mut rest = [0; 64];
        while io::stdin().read(&mut rest).is_ok_and(|read| read > 0) {}
        ended.send_replace(true);
    });
    tokio::spawn(async move {
        let _ = interrupted.wait_for(|stop| *stop).await;
        sender.send_replace(true);
    });
    receiver
}

impl From<WatchError> for CliError {
    fn from(error: WatchError) -> Self {
        match error {
            WatchError::System(error) => CliError::Io(error),
        }
    }
}

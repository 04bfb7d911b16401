//! `referee mcp`: a server for agents.

use std::path::PathBuf;

use config::Time;
use mcp::{Server, ServerError, Settings};
use report::print_notice;

use crate::cli::common::args::{RulesArgs, SandboxArgs};
use crate::cli::common::listen::Listen;
use crate::cli::tools::examples::configuration;
use crate::cli::tournament::environment::yardstick;
use crate::cli::{CliError, block_on, on_interrupt};

/// Serves agents that speak the Model Context Protocol
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples, as the command of a server in an agent's settings:
  referee mcp
  referee mcp --rules \"python3 my_game.py\" --allow-commands --sandbox restricted
  referee mcp --http 127.0.0.1:8765       for clients that speak streamable HTTP")]
pub(crate) struct Args {
    #[command(flatten)]
    rules: RulesArgs,
    /// Serve over HTTP, at this address of this machine, and not on stdin and stdout; if the port is
    /// taken, the next free one
    #[arg(long, value_name = "ADDR")]
    http: Option<Listen>,
    /// Where matches and tournaments are written, in folders of their own
    #[arg(long, value_name = "DIR", default_value = "runs/mcp")]
    out: PathBuf,
    /// Let clients have any program run as this user, as a bot or as rules, and not only reference bots
    #[arg(long)]
    allow_commands: bool,
    /// Matches at a time
    #[arg(long, value_name = "N", default_value_t = 16,
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    matches: u16,
    /// A match whose client does not move for so long is lost
    #[arg(
        long,
        value_name = "TIME",
        default_value = "30m",
        allow_hyphen_values = true
    )]
    idle: Time,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        if self.idle.0.is_zero() {
            return Err(CliError::Usage(
                "--idle: must be longer than zero".to_owned(),
            ));
        }
        let settings = Settings {
            rules: self.rules.open()?,
            sources: self.rules.sources().to_vec(),
            out: self.out,
            allow_commands: self.allow_commands,
            matches: self.matches.into(),
            idle: self.idle.0,
            sandbox: self.sandbox.sandbox,
            find_config: |word| configuration(word).map_err(|error| error.to_string()),
            yardstick: yardstick(),
        };
        block_on(serve(settings, self.http))?
    }
}

async fn serve(settings: Settings, http: Option<Listen>) -> Result<(), CliError> {
    let mut stop = on_interrupt()?;
    let stop = async move {
        let _ = stop.wait_for(|stop| *stop).await;
    };
    let server = Server::new(settings);
    let served = match http {
        None => server.serve_stdio(stop).await,
        Some(address) => {
            let bound = address.bind_here("--http").await?;
            print_notice(format_args!("serving agents at {}\n", bound.url("mcp")));
            server.serve_http(bound.listener, stop).await
        }
    };
    served.map_err(|error| match error {
        ServerError::System(error) => CliError::Io(error),
        ServerError::Begin(_) => CliError::Usage(error.to_string()),
    })
}

//! `referee ggp-player`: a bot for other people's game managers.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::SystemTime;

use config::Time;
use ggp_player::{Offer, PORT};
use protocol::TimeControl;
use report::print_notice;
use supervisor::BotSpec;
use tokio::net::TcpListener;

use crate::cli::{CliError, block_on, on_interrupt, print};

/// Lets a bot play for game managers of General Game Playing
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee ggp-player -- referee bot mcts
  referee ggp-player --port 9148 --name mine -- python3 mybot.py
  referee ggp-player --host 0.0.0.0 -- ./mybot            for game managers on other machines
  referee ggp-player --host 0.0.0.0 --allow-host players.example.org -- ./mybot   by that name as well

The bot gets the sheet of each match as a game with the id `ggp`, and finds the forward model of it
as in any other match (REFEREE_RULES). Each match gets a new process. Where it does not move in
time, or not legally, nothing is answered, and a sentence on stderr says why. Ctrl-C ends it.

Everybody who can reach the address can begin matches; pages in a browser cannot, and no request is
answered that is for another host (`Host`): on this machine's own address only localhost, elsewhere any
address, and the names of --allow-host.")]
pub(crate) struct Args {
    /// The bot: its program and arguments
    #[arg(trailing_var_arg = true, value_name = "COMMAND", required = true)]
    command: Vec<String>,
    /// The port to listen at; 0 takes one that is free
    #[arg(long, value_name = "PORT", default_value_t = PORT)]
    port: u16,
    /// The address to listen at; 0.0.0.0 is open to other machines
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// A name under which game managers may ask, besides addresses; may be repeated
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// The player's name [default: the program's name]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The part of each clock that is reserved for the way to the game manager, at most half of it
    #[arg(
        long,
        value_name = "TIME",
        allow_hyphen_values = true,
        default_value = "500ms"
    )]
    reserve: Time,
    /// The bot's working directory [default: the current one]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let here = std::env::current_dir()?;
        let dir = self.dir.as_ref().map_or(here.clone(), |dir| here.join(dir));
        let program = PathBuf::from(&self.command[0]);
        let stem = program.file_stem().unwrap_or_default().to_string_lossy();
        let name = self.name.unwrap_or_else(|| stem.into_owned());
        let spec = BotSpec::new(name.clone(), self.command, dir, &TimeControl::default());
        let usable = spec.program();
        usable.map_err(|error| CliError::Usage(format!("the bot: {error}")))?;
        let offer = Offer {
            name,
            spec,
            reserve: self.reserve.0,
            allowed_hosts: self.allow_host,
        };
        block_on(serve((self.host, self.port), offer))?
    }
}

async fn serve(address: (IpAddr, u16), offer: Offer) -> Result<(), CliError> {
    let listener = TcpListener::bind(address).await.map_err(|error| {
        let (host, port) = address;
        CliError::Usage(format!(
            "--port: nobody can listen at {host}, port {port}: {error}"
        ))
    })?;
    print(&format!(
        "`{}` plays at http://{}\n",
        offer.name,
        listener.local_addr()?
    ))?;
    let stop = on_interrupt()?;
    let log = |what: &str| print_notice(format_args!("{what}\n"));
    if !http::has_date(SystemTime::now()) {
        log(&format!("warning: {}", http::WRONG_CLOCK));
    }
    ggp_player::serve(listener, offer, log, stop).await?;
    Ok(())
}

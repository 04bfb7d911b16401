//! A server of the Model Context Protocol: agents read rules, play matches, check bots, and run
//! tournaments by tools, over stdin and stdout or over HTTP on this machine.
//!
//! [`Server`] has the tools' state, `tools` lists them with their schemas. What a client says is data: a
//! wrong value is an answer of its tool, and a line that is no message is answered as such.

#![allow(missing_docs, reason = "strangers read the front door, `referee`")]

mod answer;
mod background;
mod client;
mod commands;

mod http;
mod logs;
mod matches;
mod rulebook;
mod stdio;
mod study;
mod tools;
mod tournaments;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rules::RulesSet;
use supervisor::spec::Tier;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tournament::Yardstick;

use crate::matches::Matches;
use crate::study::Desk;
use crate::tournaments::Tournaments;

/// How long matches may take to end when the server does.
const MOST_TO_END: Duration = Duration::from_secs(5);

/// Finds the file of a configuration by its path, or by the name of an example.
pub type FindConfig = fn(&std::path::Path) -> Result<PathBuf, String>;

pub struct Settings {
    pub rules: RulesSet,
    /// Where rules come from that are not built in, as on the command line.
    pub sources: Vec<String>,
    /// Where matches and tournaments are written, in folders of their own.
    pub out: PathBuf,
    /// Clients may have any program run, as a bot or as rules.
    pub allow_commands: bool,
    /// Matches at a time.
    pub matches: usize,
    /// A match whose client does nothing for so long is lost.
    pub idle: Duration,
    /// The sandbox of opponents and of bots that are checked.
    pub sandbox: Tier,
    pub find_config: FindConfig,
    pub yardstick: Yardstick,
}

/// Why a server cannot begin or go on.
#[derive(Debug, Error)]
pub enum ServerError {
    #[error("the connection could not begin: {0}")]
    Begin(String),
    #[error("{0}")]
    System(#[from] std::io::Error),
}

/// What all clients share.
pub struct Server {
    settings: Settings,
    matches: Matches,
    tournaments: Tournaments,
    desk: Desk,
    /// Cancelled at the end.
    ended: CancellationToken,
}

impl Server {
    #[must_use]
    pub fn new(settings: Settings) -> Arc<Self> {
        let ended = CancellationToken::new();
        Arc::new(Server {
            matches: Matches::new(&settings, ended.clone()),
            tournaments: Tournaments::new(&settings.out),
            desk: Desk::default(),
            settings,
            ended,
        })
    }

    /// Serves one client on stdin and stdout until it closes stdin, or `stop` is there.
    ///
    /// # Errors
    /// If the connection does not begin.
    pub async fn serve_stdio(
        self: Arc<Self>,
        stop: impl Future<Output = ()>,
    ) -> Result<(), ServerError> {
        let gone = CancellationToken::new();
        let leave = async {
            gone.cancelled().await;
            self.leave();
            // What the client asked for last is still answered.
            std::future::pending().await
        };
        let served = tokio::select! {
            served = stdio::serve(self.clone(), gone.clone()) => served,
            () = self.matches.end_idle() => Ok(()),
            () = leave => Ok(()),
            () = stop => Ok(()),
        };
        self.end().await;
        served
    }

    /// Serves clients over HTTP until `stop` is there.
    ///
    /// # Errors
    /// If the system does not say where it listens.
    pub async fn serve_http(
        self: Arc<Self>,
        listener: TcpListener,
        stop: impl Future<Output = ()>,
    ) -> Result<(), ServerError> {
        let served = tokio::select! {
            served = http::serve(self.clone(), listener) => served,
            () = self.matches.end_idle() => Ok(()),
            () = stop => Ok(()),
        };
        self.end().await;
        served
    }

    /// Begins to end all matches, which their clients lose, and all tournaments, which can
    /// be resumed.
    fn leave(&self) {
        self.matches.end_all();
        self.tournaments.stop();
    }

    /// Ends everything. Bots have ended afterwards.
    async fn end(&self) {
        self.leave();
        let all = async {
            self.matches.ended().await;
            self.tournaments.ended().await;
        };
        // A bot that thinks may think on, but not for long.
        let _ = timeout(MOST_TO_END, all).await;
        self.ended.cancel();
        let _ = timeout(MOST_TO_END, self.matches.ended()).await;
    }
}

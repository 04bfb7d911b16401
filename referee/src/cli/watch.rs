//! `referee watch`: a tournament in the browser.

use std::io::{self, BufRead as _, BufReader, Read as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::str::FromStr;
use std::thread;
use std::time::SystemTime;

use report::tell;
use supervisor::process::OwnChild;
use tokio::sync::watch;
use web::{PORT, Watch, WatchError, bind};

use super::input::RulesArgs;
use super::{CliError, block_on, on_interrupt, print};

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
pub(super) struct Args {
    /// A tournament's folder, or a log; several are shown as one
    #[arg(required = true, value_name = "FOLDER|LOG")]
    logs: Vec<PathBuf>,
    #[command(flatten)]
    listen: ListenArgs,
    #[command(flatten)]
    rules: RulesArgs,
    /// End when the standard input does
    #[arg(long, hide = true)]
    with_input: bool,
}

/// Where a server listens.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct ListenArgs {
    /// Where the pages for the browser are: an address, with a port or without; if the port is taken,
    /// the next free one
    #[arg(long, value_name = "ADDR", default_value_t)]
    listen: Listen,
}

/// An address with a port to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Listen(SocketAddr);

impl Default for Listen {
    fn default() -> Self {
        Listen((Ipv4Addr::LOCALHOST, PORT).into())
    }
}

impl std::fmt::Display for Listen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "localhost" {
            return Ok(Listen::default());
        }
        let plain = text.trim_start_matches('[').trim_end_matches(']');
        if let Ok(address) = plain.parse::<IpAddr>() {
            return Ok(Listen((address, PORT).into()));
        }
        let text = text.replacen("localhost:", "127.0.0.1:", 1);
        let address = text.parse::<SocketAddr>().map(Listen);
        address.map_err(|_| "an address such as 127.0.0.1 or 0.0.0.0:8000 is needed".to_owned())
    }
}

/// A server that listens.
pub(super) struct Bound {
    pub(super) listener: tokio::net::TcpListener,
    address: SocketAddr,
}

impl ListenArgs {
    /// An address is of no use where nothing listens.
    pub(super) fn must_be_used(self, is_used: bool, by: &str) -> Result<(), CliError> {
        if is_used || self.listen == Listen::default() {
            return Ok(());
        }
        Err(CliError::Usage(format!("--listen goes with {by}")))
    }

    /// Listens.
    pub(super) async fn bind(self) -> Result<Bound, CliError> {
        let Listen(wanted) = self.listen;
        let refused = |error: io::Error| {
            CliError::Usage(format!(
                "--listen {wanted}: nothing can listen there: {error}"
            ))
        };
        let listener = bind(wanted.ip(), wanted.port()).await.map_err(refused)?;
        let address = listener.local_addr()?;
        Ok(Bound { listener, address })
    }
}

impl Bound {
    /// The address of a page, for the browser of this machine.
    pub(super) fn url(&self, rest: &str) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        format!("http://{address}/{rest}")
    }

    /// How to reach it from where somebody is logged in from, if they are; how others do.
    pub(super) fn hints(&self) -> String {
        let mut hints = String::new();
        let port = self.address.port();
        if self.address.ip().is_loopback()
            && let Some(target) = ssh_target()
        {
            hints += &format!(
                "from your own machine: ssh -L {port}:{} {target}\n",
                self.address
            );
        }
        if self.address.ip().is_unspecified() {
            hints += &format!("from other machines: http://THIS-MACHINE:{port}/\n");
        }
        if !self.address.ip().is_loopback() {
            hints += "warning: everybody in this network can read all matches\n";
        }
        if !http::has_date(SystemTime::now()) {
            hints += &format!("warning: {}\n", http::WRONG_CLOCK);
        }
        hints
    }
}

/// Whom `ssh` has to name to come here, if this is a session of it.
fn ssh_target() -> Option<String> {
    let connection = std::env::var("SSH_CONNECTION").ok()?;
    let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME"));
    target_of(&connection, user.ok().as_deref())
}

fn target_of(connection: &str, user: Option<&str>) -> Option<String> {
    let mut words = connection.split_whitespace().skip(2);
    let (server, port) = (words.next()?, words.next()?);
    let user = user.map_or(String::new(), |user| format!("{user}@"));
    let port = match port {
        "22" => String::new(),
        port => format!("-p {port} "),
    };
    Some(format!("{port}{user}{server}"))
}

impl Args {
    pub(super) fn run(self) -> Result<(), CliError> {
        for log in &self.logs {
            let path = log::locate(log);
            // A tournament that is about to begin starts its own server before it writes.
            if !(path.is_file() || self.with_input && log.is_dir()) {
                // Whatever is wrong with it, opening it says so.
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
        tell(bound.hints());
        watch.serve(bound.listener, stop).await?;
        Ok(())
    }
}

/// `referee watch` of a tournament that runs in this process: it ends with it.
pub(super) struct Watcher {
    process: OwnChild,
}

impl Watcher {
    /// Starts it. It says on stderr where the pages are.
    pub(super) fn start(folder: &Path, listen: ListenArgs) -> Result<Self, CliError> {
        let program = std::env::current_exe()?;
        let mut command = std::process::Command::new(program);
        command
            .arg("watch")
            .arg("--with-input")
            .arg("--listen")
            .arg(listen.listen.to_string())
            .arg("--")
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0);
        let mut process = OwnChild::spawn(&mut command)?;
        let mut line = String::new();
        let mut output = BufReader::new(process.child.stdout.take().expect("it is a pipe"));
        output.read_line(&mut line)?;
        if line.is_empty() {
            // It has said on stderr what is wrong.
            let _ = process.child.wait();
            let message = "--watch: the pages for the browser cannot be served".to_owned();
            return Err(CliError::Usage(message));
        }
        tell(format_args!("watch it at {line}"));
        Ok(Watcher { process })
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // The end of its input is its end; it sends its pages what came last.
        drop(self.process.child.stdin.take());
        let _ = self.process.child.wait();
    }
}

/// How much more important other processes are.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_port_or_not() {
        let parsed = |text: &str| text.parse::<Listen>().map(|listen| listen.to_string());
        assert_eq!(parsed("127.0.0.1"), Ok(format!("127.0.0.1:{PORT}")));
        assert_eq!(parsed("localhost:80"), Ok("127.0.0.1:80".to_owned()));
        assert_eq!(parsed("0.0.0.0:8000"), Ok("0.0.0.0:8000".to_owned()));
        assert_eq!(parsed("::1"), Ok(format!("[::1]:{PORT}")));
        assert_eq!(parsed("[::1]:9"), Ok("[::1]:9".to_owned()));
        assert!(parsed("example.org:80").is_err() && parsed("80").is_err());
    }

    #[test]
    fn a_session_of_ssh_says_where_this_is() {
        let target = |connection| target_of(connection, Some("anna"));
        assert_eq!(
            target("10.0.0.2 5000 10.0.0.1 22"),
            Some("anna@10.0.0.1".to_owned())
        );
        let other = "10.0.0.2 5000 10.0.0.1 2222";
        assert_eq!(target(other), Some("-p 2222 anna@10.0.0.1".to_owned()));
        assert_eq!(target("strange"), None);
    }
}

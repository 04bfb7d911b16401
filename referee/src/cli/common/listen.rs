//! `--listen`: the address of the server for the browser, and hints for reaching it.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;
use std::time::SystemTime;

use web::{PORT, bind};

use crate::cli::CliError;

#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct ListenArgs {
    /// Where the pages for the browser are: an address, with a port or without; if the port is taken,
    /// the next free one
    #[arg(long, value_name = "ADDR", default_value_t)]
    pub(crate) listen: Listen,
}

/// The first address and port to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Listen(SocketAddr);

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

pub(crate) struct Bound {
    pub(crate) listener: tokio::net::TcpListener,
    address: SocketAddr,
}

impl Listen {
    /// Listens there, if only this machine can connect; `flag` is for messages.
    #[cfg(feature = "mcp")]
    pub(crate) async fn bind_here(self, flag: &str) -> Result<Bound, CliError> {
        let Listen(wanted) = self;
        if !wanted.ip().is_loopback() {
            let message = format!(
                "{flag} {wanted}: only an address of this machine is allowed, such as 127.0.0.1"
            );
            return Err(CliError::Usage(message));
        }
        self.bind(flag).await
    }

    async fn bind(self, flag: &str) -> Result<Bound, CliError> {
        let Listen(wanted) = self;
        let refused = |error: io::Error| {
            CliError::Usage(format!(
                "{flag} {wanted}: nothing can listen there: {error}"
            ))
        };
        let listener = bind(wanted.ip(), wanted.port()).await.map_err(refused)?;
        let address = listener.local_addr()?;
        Ok(Bound { listener, address })
    }
}

impl ListenArgs {
    /// Refuses a given address if nothing listens there.
    pub(crate) fn must_be_used(self, is_used: bool, by: &str) -> Result<(), CliError> {
        if is_used || self.listen == Listen::default() {
            return Ok(());
        }
        Err(CliError::Usage(format!("--listen goes with {by}")))
    }

    pub(crate) async fn bind(self) -> Result<Bound, CliError> {
        self.listen.bind("--listen").await
    }
}

impl Bound {
    /// The address of a page, for a browser on this machine.
    pub(crate) fn url(&self, rest: &str) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        format!("http://{address}/{rest}")
    }

    /// Hints for reaching the server: over the present SSH session, if this is one, and from other
    /// machines.
    pub(crate) fn hints(&self) -> String {
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

/// The name of this machine for `ssh`, in an SSH session.
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

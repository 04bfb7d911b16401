//! Addresses of GGP players.

use std::net::IpAddr;

/// An example for messages.
const EXAMPLE: &str = "an address is a URL with a host and a port, as in \"http://127.0.0.1:9147\"";

/// The host and port of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// A name or an IP address; IPv6 without brackets.
    pub host: String,
    /// The TCP port.
    pub port: u16,
}

impl Address {
    /// Reads a URL.
    ///
    /// # Errors
    /// A sentence with the problem and what is allowed.
    pub fn parse(url: &str) -> Result<Self, String> {
        let wrong = |what: &str| format!("{url:?} {what}; {EXAMPLE}");
        let Some(rest) = url.strip_prefix("http://") else {
            return Err(wrong("does not begin with `http://`"));
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port),
            _ => return Err(wrong("has no port")),
        };
        let port = port.parse().ok().filter(|port| *port > 0);
        let port = port.ok_or_else(|| wrong("has a port that is not a number from 1 to 65535"))?;
        let bare = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        let host = bare.unwrap_or(host);
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let is_known = match bare {
            Some(bare) => bare.parse::<std::net::Ipv6Addr>().is_ok(),
            None => !host.is_empty() && host.chars().all(is_name),
        };
        if !is_known {
            return Err(wrong("names no host"));
        }
        Ok(Address {
            host: host.to_ascii_lowercase(),
            port,
        })
    }

    /// True if it is certainly on this machine, whatever a name server says.
    pub fn is_loopback(&self) -> bool {
        let address = self.host.parse::<IpAddr>();
        self.host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }

    /// Host and port as in a URL.
    pub fn text(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn addresses_are_read_or_the_mistake_is_told() {
        for (url, text, loopback) in [
            ("http://127.0.0.1:9147", "127.0.0.1:9147", true),
            ("http://LOCALHOST:80/", "localhost:80", true),
            ("http://[::1]:9147", "[::1]:9147", true),
            ("http://10.0.0.5:9148", "10.0.0.5:9148", false),
            ("http://127.0.0.1.example:1", "127.0.0.1.example:1", false),
        ] {
            let address = Address::parse(url).unwrap();
            assert_eq!((&*address.text(), address.is_loopback()), (text, loopback));
        }
        for (url, what) in [
            ("127.0.0.1:9147", "does not begin"),
            ("https://127.0.0.1:9147", "does not begin"),
            ("http://127.0.0.1", "has no port"),
            ("http://[::1]", "has no port"),
            ("http://127.0.0.1:0", "is not a number from 1"),
            ("http://127.0.0.1:99999", "is not a number from 1"),
            ("http://:9147", "names no host"),
            ("http://a b:9147", "names no host"),
            ("http://user@host:9147", "names no host"),
            ("http://host:1/path:2", "names no host"),
            ("http://[zz]:9147", "names no host"),
        ] {
            let error = Address::parse(url).unwrap_err();
            assert!(error.contains(what) && error.contains("9147"), "{error}");
        }
    }
}

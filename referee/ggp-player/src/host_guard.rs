//! Rejects requests of pages in browsers: they send an `Origin`, and DNS rebinding shows in `Host`.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{HOST, HeaderMap, ORIGIN};
use axum::http::{StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

#[derive(Clone, Debug)]
pub(super) struct HostGuard {
    /// The address of the listener.
    address: IpAddr,
    /// Host names that game managers may use, besides those of this machine.
    allowed: Vec<String>,
    log: fn(&str),
}

impl HostGuard {
    pub(super) fn new(address: IpAddr, allowed: &[String], log: fn(&str)) -> Self {
        HostGuard {
            address: address.to_canonical(),
            allowed: allowed.to_vec(),
            log,
        }
    }

    /// An error with the reason if the request is rejected.
    fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), &'static str> {
        if headers.contains_key(ORIGIN) {
            return Err("a page in a browser asks; only game managers may");
        }
        let hosts = headers.get_all(HOST).iter().map(|host| host.to_str().ok());
        let named = uri.authority().map(|authority| Some(authority.as_str()));
        for host in hosts.chain(named) {
            if !host.is_some_and(|host| self.is_own(host)) {
                return Err(
                    "the request is for another host; `--allow-host` names those that mean this player",
                );
            }
        }
        Ok(())
    }

    /// True if a host, with any port, may mean this player.
    fn is_own(&self, host: &str) -> bool {
        let Some(name) = host_name(host) else {
            return false;
        };
        let is_allowed = |allowed: &String| allowed.eq_ignore_ascii_case(name);
        if name.eq_ignore_ascii_case("localhost") || self.allowed.iter().any(is_allowed) {
            return true;
        }
        // A name can be made to point anywhere; an address cannot.
        let address = name.parse::<IpAddr>();
        address.is_ok_and(|ip| !self.address.is_loopback() || ip.to_canonical().is_loopback())
    }
}

/// A host without its port and brackets; `None` if it is malformed.
fn host_name(host: &str) -> Option<&str> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => match host.find(':') {
            Some(at) => host.split_at(at),
            None => (host, ""),
        },
    };
    let digits = match port.strip_prefix(':') {
        Some(digits) => digits,
        None if port.is_empty() => "",
        None => return None,
    };
    digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then_some(name)
}

pub(super) async fn guarded(
    State(guard): State<Arc<HostGuard>>,
    request: Request,
    next: Next,
) -> Response {
    match guard.check(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(why) => {
            (guard.log)(&format!("a request was refused: {why}"));
            (StatusCode::FORBIDDEN, format!("{why}\n")).into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(at: &str, allowed: &[&str], pairs: &[(&'static str, &str)]) -> bool {
        let allowed: Vec<String> = allowed.iter().map(|name| (*name).to_owned()).collect();
        let guard = HostGuard::new(at.parse().unwrap(), &allowed, |_| {});
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        guard.check(&Uri::from_static("/"), &headers).is_ok()
    }

    #[test]
    fn on_loopback_only_loopback_names_are_answered() {
        for at in ["127.0.0.1", "::1"] {
            for host in [
                "localhost",
                "LocalHost:9147",
                "127.0.0.1:1",
                "127.9.9.9",
                "[::1]:80",
                "[::ffff:127.0.0.1]",
            ] {
                assert!(check(at, &[], &[("host", host)]), "{host}");
            }
            for host in [
                "",
                "example.org",
                "example.org:9147",
                "localhost.example.org",
                "10.0.0.1:9147",
                "[2001:db8::1]:9147",
                "127.0.0.1.example.org",
                "127.0.0.1@example.org",
                "localhost:80:80",
                "[::1",
                "[::1]x",
                "::1",
            ] {
                assert!(!check(at, &[], &[("host", host)]), "{host}");
            }
            assert!(check(at, &[], &[]), "a missing one is fine");
            let both = [("host", "localhost"), ("host", "example.org")];
            assert!(!check(at, &[], &both), "each of them counts");
        }
    }

    #[test]
    fn elsewhere_any_address_is_answered_and_what_is_allowed() {
        for at in ["0.0.0.0", "192.168.7.7", "::"] {
            let asks = |host| check(at, &["Players.example"], &[("host", host)]);
            for host in [
                "192.168.7.7:9147",
                "10.0.0.1",
                "[2001:db8::1]:9147",
                "localhost",
            ] {
                assert!(asks(host), "{host}");
            }
            assert!(asks("players.EXAMPLE:9147"));
            assert!(!asks("example.org") && !asks("a.players.example"));
        }
    }

    #[test]
    fn no_page_is_answered_whatever_its_origin() {
        for origin in ["http://localhost:9147", "null", "http://example.org", ""] {
            let pairs = [("host", "localhost:9147"), ("origin", origin)];
            assert!(!check("127.0.0.1", &[], &pairs), "{origin}");
        }
        let guard = HostGuard::new([127, 0, 0, 1].into(), &[], |_| {});
        let headers = HeaderMap::new();
        let elsewhere = Uri::from_static("http://example.org/");
        assert!(guard.check(&elsewhere, &headers).is_err());
    }
}

//! Access control: other pages in the same browser, and foreign names that resolve to this server, get
//! nothing; changes require a token.

use std::fs::File;
use std::io::{self, Read as _};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use crate::http::answer::{errors_as_json, refuse};

/// Pages may load nothing from elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' \
                      data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// The header in which pages send the token.
const TOKEN_HEADER: &str = "x-token";

#[derive(Debug)]
pub(crate) struct Guard {
    /// The address of the listener.
    address: IpAddr,
    /// The name of this machine; `None` if only this machine can connect.
    machine: Option<String>,
}

/// A secret for an address, as hexadecimal digits.
///
/// # Errors
/// If the system has no random bytes.
pub(crate) fn new_token() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Compares two secrets in constant time.
pub(crate) fn same_secret(one: &str, other: &str) -> bool {
    let pairs = one.bytes().zip(other.bytes());
    let differences = pairs.fold(0, |differ, (a, b)| differ | (a ^ b));
    one.len() == other.len() && differences == 0
}

impl Guard {
    pub(crate) fn new(address: SocketAddr) -> Self {
        let address = address.ip();
        let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
        let machine = machine.map(|name| name.trim().to_ascii_lowercase());
        Guard {
            machine: machine.filter(|_| !address.is_loopback()),
            address,
        }
    }

    /// # Errors
    ///
    /// Explains why the request is refused.
    fn check(&self, method: &Method, path: &str, headers: &HeaderMap) -> Result<(), &'static str> {
        let text = |name: HeaderName| only(headers, &name).and_then(|value| value.to_str().ok());
        let host = text(header::HOST).filter(|host| self.is_own(host));
        let Some(host) = host else {
            return Err("this server has another name; open it by the address that it printed");
        };
        let own = format!("http://{host}");
        for origin in headers.get_all(header::ORIGIN) {
            if !origin
                .to_str()
                .is_ok_and(|origin| origin.eq_ignore_ascii_case(&own))
            {
                return Err("another page asks; only this server's own pages may");
            }
        }
        let mut sites = headers
            .get_all(HeaderName::from_static("sec-fetch-site"))
            .iter();
        let is_elsewhere = sites.any(|site| site == "cross-site" || site == "same-site");
        if is_elsewhere && (path.starts_with("/api/") || method != Method::GET) {
            return Err("another page asks; only this server's own pages may");
        }
        Ok(())
    }

    /// True if `Host` names this server. The port does not matter, as a tunnel has another one.
    fn is_own(&self, host: &str) -> bool {
        let name = host_name(host);
        if name.eq_ignore_ascii_case("localhost") {
            return true;
        }
        match name.parse::<IpAddr>() {
            // A name can resolve to anything, an address cannot.
            Ok(ip) => ip.is_loopback() || ip == self.address || self.address.is_unspecified(),
            Err(_) => {
                let machine = self.machine.as_deref();
                machine.is_some_and(|machine| name.eq_ignore_ascii_case(machine))
            }
        }
    }
}

/// The value of a header that occurs exactly once: programs disagree about which of two counts.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

/// A host without its port and brackets.
fn host_name(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split(']').next().unwrap_or(rest);
    }
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

pub(crate) fn token_of(headers: &HeaderMap) -> Option<&str> {
    headers.get(TOKEN_HEADER)?.to_str().ok()
}

/// Refuses what is not allowed, and adds security headers to each response.
pub(crate) async fn guarded(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let allowed = guard.check(request.method(), request.uri().path(), request.headers());
    let mut response = match allowed {
        Ok(()) => errors_as_json(next.run(request).await).await,
        Err(why) => refuse(StatusCode::FORBIDDEN, why),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cache-control", "no-store"),
    ] {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(at: &str, path: &str, pairs: &[(&'static str, &str)]) -> bool {
        let guard = Guard::new(at.parse().unwrap());
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        guard.check(&Method::GET, path, &headers).is_ok()
    }

    #[test]
    fn only_names_of_this_machine_are_answered() {
        let asks = |at: &str, host: &str| check(at, "/", &[("host", host)]);
        let here = "127.0.0.1:8000";
        for host in [
            "127.0.0.1:8000",
            "localhost:9",
            "LOCALHOST",
            "[::1]:80",
            "127.0.0.1",
        ] {
            assert!(asks(here, host), "{host}");
        }
        for host in [
            "example.org",
            "example.org:8000",
            "10.0.0.1:8000",
            "localhost.evil.org",
            "",
        ] {
            assert!(!asks(here, host), "{host}");
        }
        assert!(!check(here, "/", &[]), "no host");
        let two = [("host", "localhost"), ("host", "example.org")];
        assert!(!check(here, "/", &two), "which one?");
        assert!(asks("10.0.0.1:8000", "10.0.0.1:8000"));
        assert!(asks("0.0.0.0:8000", "192.168.7.7:8000"));
        assert!(!asks("0.0.0.0:8000", "rebound.example:8000"));
    }

    #[test]
    fn other_pages_get_nothing() {
        let here = "127.0.0.1:8000";
        let host = ("host", "127.0.0.1:9000");
        for (origin, good) in [
            ("http://127.0.0.1:9000", true),
            ("http://127.0.0.1:9001", false),
            ("http://localhost:9000", false),
            ("https://127.0.0.1:9000", false),
            ("http://evil.example", false),
            ("null", false),
        ] {
            let allowed = check(here, "/api/matches", &[host, ("origin", origin)]);
            assert_eq!(allowed, good, "{origin}");
        }
        let two = [
            host,
            ("origin", "http://127.0.0.1:9000"),
            ("origin", "null"),
        ];
        assert!(!check(here, "/", &two), "each of them counts");
        let cross = ("sec-fetch-site", "cross-site");
        assert!(!check(here, "/api/overview", &[host, cross]));
        assert!(
            check(here, "/", &[host, cross]),
            "a link to it may be anywhere"
        );
        assert!(check(
            here,
            "/api/overview",
            &[host, ("sec-fetch-site", "same-origin")]
        ));
    }

    #[test]
    fn tokens_differ_and_are_compared_as_a_whole() {
        let (one, other) = (new_token().unwrap(), new_token().unwrap());
        assert!(one.len() == 32 && one != other);
        assert!(same_secret(&one, &one.clone()) && !same_secret(&one, &other));
        assert!(!same_secret(&one, &one[1..]) && !same_secret("", &one));
    }
}

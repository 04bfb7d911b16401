//! The socket of the server, at the first free port.

use std::io;
use std::net::IpAddr;

use tokio::net::TcpListener;

/// The first port that is tried.
pub const PORT: u16 = 8642;
/// The number of further ports before any free one is taken.
const MOST_TRIED: u16 = 50;

/// Listens at this address. If the port is taken, the next free one is used.
///
/// # Errors
/// If the address does not belong to this machine, or no port is free.
pub async fn bind(address: IpAddr, port: u16) -> io::Result<TcpListener> {
    let last = port.saturating_add(MOST_TRIED);
    for port in port..=last {
        match TcpListener::bind((address, port)).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            bound => return bound,
        }
    }
    TcpListener::bind((address, 0)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_taken_port_gives_the_next_one() {
        let here: IpAddr = [127, 0, 0, 1].into();
        let first = bind(here, 40_000).await.unwrap();
        let port = first.local_addr().unwrap().port();
        let second = bind(here, port).await.unwrap();
        assert!(second.local_addr().unwrap().port() != port);
    }
}

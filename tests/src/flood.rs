//! Clients that occupy a server's connections: silent ones, and slow senders and readers.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Longer than anything takes on any machine.
const TIMEOUT: Duration = Duration::from_secs(120);

/// More than fits into the buffers of a connection, in bytes.
const MUCH: usize = 64 << 20;

/// Raises the limit on open files of this process; `false` if it may not have that many.
pub fn may_open(files: u64) -> bool {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else {
        return false;
    };
    soft >= files || (hard >= files && setrlimit(Resource::RLIMIT_NOFILE, files, hard).is_ok())
}

/// Opens this many connections, and sends only this on each.
pub fn connections(host: &str, count: usize, sent: &str) -> Vec<TcpStream> {
    let connect = |_| {
        let mut stream = TcpStream::connect(host).expect("a connection");
        // It may be closed already, to make room for others.
        let _ = stream.write_all(sent.as_bytes());
        stream
    };
    (0..count).map(connect).collect()
}

/// Reads until the server closes the connection; false if it does not.
pub fn is_ended(stream: &mut TcpStream) -> bool {
    let _ = stream.set_read_timeout(Some(TIMEOUT));
    match stream.read_to_end(&mut Vec::new()) {
        Ok(_) => true,
        Err(error) => error.kind() == io::ErrorKind::ConnectionReset,
    }
}

/// Sends a head that never ends, a byte at a time. Whether the server ends that.
pub fn drips_until_ended(host: &str) -> bool {
    let mut stream = TcpStream::connect(host).expect("a connection");
    let head = format!("GET / HTTP/1.1\r\nHost: {host}\r\nX: ");
    let all = head.bytes().chain(std::iter::repeat_n(b'x', 2_000));
    let _ = stream.set_read_timeout(Some(Duration::from_millis(50)));
    for byte in all {
        if stream.write_all(&[byte]).is_err() {
            return true;
        }
        match stream.read(&mut [0; 64]) {
            Ok(0) => return true,
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return true,
            _ => {}
        }
    }
    false
}

/// Requests much, and reads nothing for a while. True if the server gave up meanwhile: the answer
/// is incomplete.
pub fn is_cut_off_without_reading(host: &str, path: &str, bytes: usize, wait: Duration) -> bool {
    let mut stream = TcpStream::connect(host).expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let _ = stream.set_write_timeout(Some(Duration::from_millis(500)));
    let asked = (0..MUCH / bytes).take_while(|_| stream.write_all(request.as_bytes()).is_ok());
    let asked = asked.count();
    std::thread::sleep(wait);
    let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    all.len() < asked * bytes
}

//! Covert communication: sockets, queues, keys, and channels that were not meant as such.

use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixStream};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::libc;

use crate::redteam::call::call;
use crate::redteam::{Attempts, Later, Targets};

/// `KEY_SPEC_SESSION_KEYRING` and others, see keyctl(2).
pub(crate) const SESSION_KEYRING: usize = -3_isize as usize;
pub(crate) const USER_KEYRING: usize = -4_isize as usize;
const SEARCH: usize = 10;
const READ: usize = 11;
const DESCRIBE: usize = 6;

pub(crate) fn network(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    let address: SocketAddr = targets.text("tcp").parse().expect("an address");
    let connected = TcpStream::connect_timeout(&address, Duration::from_secs(2));
    attempts.io("tcp", connected, "connected");
    attempts.io("udp", udp(&targets.text("udp")), "sent");
    let connected = UnixStream::connect(targets.path("unix"));
    attempts.io("unix", connected, "connected by a path");
    let connected = UnixStream::connect(targets.path("shown unix"));
    attempts.io(
        "unix in a readable folder",
        connected,
        "connected by a path",
    );
    let connected = abstract_socket(&targets.text("abstract"));
    attempts.io("abstract", connected, "connected by a name");
    let connected = abstract_socket(&crate::redteam::witness::socket_name(targets));
    attempts.io(
        "abstract, to the opponent",
        connected,
        "connected by a name",
    );
    for (name, family, kind) in [
        ("vsock", libc::AF_VSOCK, libc::SOCK_STREAM),
        ("packet", libc::AF_PACKET, libc::SOCK_RAW),
        ("raw", libc::AF_INET, libc::SOCK_RAW),
        ("kernel's crypto", libc::AF_ALG, libc::SOCK_SEQPACKET),
        ("bluetooth", libc::AF_BLUETOOTH, libc::SOCK_RAW),
    ] {
        // Nobody is connected to: there is nothing on this machine to try it with.
        let icmp = usize::from(name == "raw");
        let socket = call(libc::SYS_socket, &[family as usize, kind as usize, icmp]);
        if let Ok(fd) = socket {
            let _ = call(libc::SYS_close, &[fd]);
        }
        attempts.call(name, socket, "a socket");
    }
    attempts.io(
        "netlink",
        netlink(),
        "the kernel reveals its network devices",
    );
    None
}

fn udp(address: &str) -> io::Result<usize> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    socket.connect(address)?;
    socket.send(b"x")?;
    // If nobody is there that comes back, and is reported now.
    thread::sleep(Duration::from_millis(50));
    socket.send(b"x")
}

fn abstract_socket(name: &str) -> io::Result<UnixStream> {
    UnixStream::connect_addr(&UnixAddr::from_abstract_name(name)?)
}

/// Lists network devices; only those that are up count, except `lo`.
fn netlink() -> io::Result<()> {
    let addresses = || -> io::Result<usize> {
        let arguments = [libc::AF_NETLINK as usize, libc::SOCK_RAW as usize, 0];
        let fd = call(libc::SYS_socket, &arguments)?;
        // A header of 16 bytes and a family: RTM_GETLINK (18) with NLM_F_REQUEST | NLM_F_DUMP.
        let mut request = [0_u8; 32];
        request[0] = 32;
        request[4] = 18;
        request[6..8].copy_from_slice(&0x301_u16.to_le_bytes());
        let mut answer = vec![0_u8; 1 << 16];
        let pointer = request.as_ptr() as usize;
        call(libc::SYS_sendto, &[fd, pointer, request.len(), 0, 0, 0])?;
        let length = call(
            libc::SYS_recvfrom,
            &[fd, answer.as_mut_ptr() as usize, answer.len()],
        )?;
        call(libc::SYS_close, &[fd])?;
        // A message (RTM_NEWLINK is 16) begins with its length.
        let (mut links, mut place) = (0, 0);
        while place + 6 <= length {
            let size = u32::from_le_bytes([
                answer[place],
                answer[place + 1],
                answer[place + 2],
                answer[place + 3],
            ]) as usize;
            links += usize::from(answer[place + 4] == 16);
            place += size.max(16).next_multiple_of(4);
        }
        Ok(links)
    };
    match addresses()? {
        0 | 1 => Err(io::Error::other("no device but `lo`")),
        _ => Ok(()),
    }
}

pub(crate) fn ipc(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    let key = targets.number("ipc key");
    let memory = call(libc::SYS_shmget, &[key, 0, 0]);
    attempts.call("shared memory", memory, "System V, found by its key");
    let semaphores = call(libc::SYS_semget, &[key, 0, 0]);
    attempts.call("semaphores", semaphores, "System V, found by its key");
    let queue = call(libc::SYS_msgget, &[key, 0]);
    attempts.call("message queue", queue, "System V, found by its key");
    let name = CString::new(targets.text("queue")).expect("a name");
    let queue = call(
        libc::SYS_mq_open,
        &[name.as_ptr() as usize, libc::O_RDWR as usize],
    );
    if let Ok(fd) = queue {
        let _ = call(libc::SYS_close, &[fd]);
    }
    attempts.call("POSIX queue", queue, "found by its name");
    for file in ["shm", "sem", "msg"] {
        let table = fs::read_to_string(format!("/proc/sysvipc/{file}")).unwrap_or_default();
        let others = table.lines().count() > 1;
        attempts.add("list System V objects", others, file);
    }
    None
}

pub(crate) fn keyrings(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    for (whose, name) in [
        ("referee", targets.text("key")),
        ("opponent", crate::redteam::witness::KEY.to_owned()),
    ] {
        let name = CString::new(name).expect("a name");
        for (which, keyring) in [("session", SESSION_KEYRING), ("user", USER_KEYRING)] {
            let arguments = [
                SEARCH,
                keyring,
                c"user".as_ptr() as usize,
                name.as_ptr() as usize,
                0,
            ];
            let found = call(libc::SYS_keyctl, &arguments);
            attempts.call(
                &format!("find a key of the {whose} ({which})"),
                found,
                "by its name",
            );
            let buffer = [0_u8; 64];
            if let Ok(key) = found {
                let read = call(libc::SYS_keyctl, &[READ, key, buffer.as_ptr() as usize, 64]);
                attempts.call(
                    &format!("read a key of the {whose} ({which})"),
                    read,
                    "read",
                );
            }
        }
        let arguments = [c"user".as_ptr() as usize, name.as_ptr() as usize, 0, 0];
        let found = call(libc::SYS_request_key, &arguments);
        attempts.call(
            &format!("request a key of the {whose}"),
            found,
            "by its name",
        );
    }
    // That there is a keyring of the user at all.
    let described = call(libc::SYS_keyctl, &[DESCRIBE, USER_KEYRING, 0, 0]);
    attempts.call("describe the user's keyring", described, "described");
    let seen = fs::read_to_string("/proc/keys").unwrap_or_default();
    let seen = seen.contains(&targets.text("key"));
    attempts.add("see keys in /proc/keys", seen, "/proc/keys");
    None
}

/// A covert channel: the witness locks a file that both see, and opens it in each of its turns.
pub(crate) fn channels(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    let shared = std::env::current_exe().expect("the path of this program");
    let locked = || {
        let file = File::open(&shared)?;
        let flags = (libc::LOCK_EX | libc::LOCK_NB) as usize;
        let locked = call(libc::SYS_flock, &[file.as_raw_fd() as usize, flags]);
        io::Result::Ok(locked == Err(Errno::EWOULDBLOCK))
    };
    let seen = locked().unwrap_or_default();
    attempts.add("flock", seen, "the opponent's lock on a file that both see");
    for path in [
        "/proc/loadavg",
        "/proc/stat",
        "/proc/meminfo",
        "/proc/pressure/cpu",
    ] {
        let read = fs::read_to_string(path);
        attempts.io("see how busy the machine is", read, path);
    }
    let devices = fs::read_to_string("/proc/net/dev").unwrap_or_default();
    let names = devices
        .lines()
        .skip(2)
        .filter_map(|line| line.split_once(':'));
    let others: Vec<&str> = names
        .map(|(name, _)| name.trim())
        .filter(|name| *name != "lo")
        .collect();
    attempts.add(
        "see network devices",
        !others.is_empty(),
        format!("{others:?}"),
    );
    let watch = call(libc::SYS_inotify_init1, &[libc::O_NONBLOCK as usize]).and_then(|fd| {
        let path = super::files::c_string(&shared).ok_or(Errno::EINVAL)?;
        let opened = libc::IN_OPEN as usize;
        call(
            libc::SYS_inotify_add_watch,
            &[fd, path.as_ptr() as usize, opened],
        )?;
        Ok(fd)
    });
    let fd = match watch {
        Ok(fd) => fd,
        Err(error) => {
            attempts.add("inotify", false, error.to_string());
            return None;
        }
    };
    Some(Box::new(move |attempts| {
        let events = [0_u8; 1024];
        let read = call(
            libc::SYS_read,
            &[fd, events.as_ptr() as usize, events.len()],
        );
        attempts.call("inotify", read, "the opponent opened a file that both see");
    }))
}

//! The surroundings of a tournament with the red team: sockets, queues and keys that nobody inside
//! should reach, and a list of processes. Runs as the referee's user, and takes everything down
//! afterwards.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs;
use std::io;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio, exit, id};
use std::thread;
use std::time::Duration;

use nix::libc;
use serde_json::{Value, json};

use super::call::call;
use super::targets::PROCESSES;
use super::tricks::files::OWN_FILES;
use super::tricks::memory::SEGMENT;
use super::tricks::network::USER_KEYRING;
use super::witness::add_key;

/// Interval between process lists.
const BETWEEN: Duration = Duration::from_millis(40);
/// `KEYCTL_JOIN_SESSION_KEYRING` and `KEYCTL_UNLINK`.
const JOIN: usize = 1;
const UNLINK: usize = 9;
/// Access rights for everybody.
const EVERYBODY: u32 = 0o666;

/// Sets everything up, adds the places to the targets, runs the command, and writes a report with
/// received messages and the bots' user ids beside the targets. Ends with the command's exit code.
///
/// # Errors
/// If something cannot be set up.
pub(crate) fn run(targets: &Path, command: &[String]) -> io::Result<()> {
    let around = Around::set_up(targets)?;
    let [program, arguments @ ..] = command else {
        return Err(io::Error::other("no command"));
    };
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .spawn()?;
    let referee = child.id() as i32;
    let mut users = BTreeMap::new();
    let folder = targets.parent().unwrap_or(Path::new("/"));
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let seen = look(referee, &mut users);
        let new = folder.join("processes.new");
        fs::write(&new, seen.to_string())?;
        fs::rename(&new, folder.join(PROCESSES))?;
        thread::sleep(BETWEEN);
    };
    let report = json!({"received": around.received(), "users": users});
    fs::write(folder.join("report.json"), report.to_string())?;
    around.take_down();
    end(status)
}

fn end(status: ExitStatus) -> ! {
    exit(status.code().unwrap_or(255))
}

struct Around {
    tcp: TcpListener,
    udp: UdpSocket,
    /// With their names.
    unix: Vec<(&'static str, UnixListener)>,
    /// System V: the calls that remove them, with their numbers.
    objects: Vec<(libc::c_long, Vec<usize>)>,
    queue: CString,
    key: Option<usize>,
}

impl Around {
    fn set_up(targets: &Path) -> io::Result<Self> {
        let mut all: Value = serde_json::from_str(&fs::read_to_string(targets)?)?;
        let tcp = TcpListener::bind("127.0.0.1:0")?;
        let udp = UdpSocket::bind("127.0.0.1:0")?;
        all["tcp"] = tcp.local_addr()?.to_string().into();
        all["udp"] = udp.local_addr()?.to_string().into();
        tcp.set_nonblocking(true)?;
        udp.set_nonblocking(true)?;
        let mut unix = Vec::new();
        for name in ["unix", "shown unix"] {
            let path = PathBuf::from(all[name].as_str().unwrap_or_default());
            let listener = UnixListener::bind(&path)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(EVERYBODY))?;
            listener.set_nonblocking(true)?;
            unix.push((name, listener));
        }
        let name = format!("red-{}", id());
        let listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?;
        listener.set_nonblocking(true)?;
        unix.push(("abstract", listener));
        all["abstract"] = name.clone().into();
        let ipc_key = 0x0ed0_0000 | id() as usize & 0xffff;
        all["ipc key"] = ipc_key.into();
        let create = libc::IPC_CREAT as usize | EVERYBODY as usize;
        let remove = libc::IPC_RMID as usize;
        let memory = call(libc::SYS_shmget, &[ipc_key, 4096, create])?;
        let semaphores = call(libc::SYS_semget, &[ipc_key, 1, create])?;
        let messages = call(libc::SYS_msgget, &[ipc_key, create])?;
        let objects = vec![
            (libc::SYS_shmctl, vec![memory, remove, 0]),
            (libc::SYS_semctl, vec![semaphores, 0, remove]),
            (libc::SYS_msgctl, vec![messages, remove, 0]),
        ];
        all["queue"] = name.clone().into();
        let queue = CString::new(name.clone())?;
        let flags = (libc::O_CREAT | libc::O_RDWR) as usize;
        let rights = EVERYBODY as usize;
        call(
            libc::SYS_mq_open,
            &[queue.as_ptr() as usize, flags, rights, 0],
        )?;
        // A session of keys of its own, for it and what it starts.
        call(libc::SYS_keyctl, &[JOIN, 0])?;
        add_key(&name, super::tricks::network::SESSION_KEYRING);
        let key = add_key(&name, USER_KEYRING);
        all["key"] = name.into();
        fs::write(targets, all.to_string())?;
        Ok(Around {
            tcp,
            udp,
            unix,
            objects,
            queue,
            key,
        })
    }

    fn received(&self) -> Vec<&str> {
        let mut received = Vec::new();
        if self.tcp.accept().is_ok() {
            received.push("tcp");
        }
        if self.udp.recv(&mut [0; 8]).is_ok() {
            received.push("udp");
        }
        let reached = self
            .unix
            .iter()
            .filter(|(_, listener)| listener.accept().is_ok());
        received.extend(reached.map(|(name, _)| *name));
        received
    }

    fn take_down(self) {
        for (number, arguments) in &self.objects {
            let _ = call(*number, arguments);
        }
        let _ = call(libc::SYS_mq_unlink, &[self.queue.as_ptr() as usize]);
        if let Some(key) = self.key {
            let _ = call(libc::SYS_keyctl, &[UNLINK, key, USER_KEYRING]);
        }
        remove_what_is_left();
    }
}

/// A bot that was ended in the middle of a trick removed nothing.
fn remove_what_is_left() {
    for folder in ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run"] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().as_encoded_bytes().starts_with(OWN_FILES) {
                let path = entry.path();
                let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
            }
        }
    }
    let table = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
    for line in table.lines().skip(1) {
        let fields: Vec<usize> = line
            .split_whitespace()
            .map(|field| field.parse().unwrap_or_default())
            .collect();
        // Its key, its number, its rights and its size come first.
        if let [0, id, _, SEGMENT, ..] = fields[..] {
            let _ = call(libc::SYS_shmctl, &[id, libc::IPC_RMID as usize, 0]);
        }
    }
}

/// The processes below the referee by their roles, as a target of tricks; and takes note of the
/// users that the red team's bots are outside of any sandbox.
fn look(referee: i32, users: &mut BTreeMap<String, u32>) -> Value {
    let mut roles: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
    roles.insert("referee", vec![referee]);
    let parents = parents();
    for pid in parents.keys() {
        if !is_below(*pid, referee, &parents) {
            continue;
        }
        let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words: Vec<&[u8]> = command.split(|byte| *byte == 0).collect();
        let is_bot = words[0].ends_with(b"/hostile");
        match words.get(1) {
            Some(&b"redteam") if is_bot => {
                let trick = String::from_utf8_lossy(words.get(2).unwrap_or(&&b""[..]));
                if let Some(user) = user(*pid) {
                    users.insert(trick.into_owned(), user);
                }
            }
            Some(&b"witness") if is_bot => roles.entry("opponent").or_default().push(*pid),
            _ => roles.entry("supervisor").or_default().push(*pid),
        }
    }
    json!(roles)
}

/// Parents by process.
fn parents() -> BTreeMap<i32, i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid: i32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, rest) = stat.rsplit_once(')')?;
        Some((pid, rest.split_whitespace().nth(1)?.parse().ok()?))
    })
    .collect()
}

fn is_below(pid: i32, top: i32, parents: &BTreeMap<i32, i32>) -> bool {
    let mut next = parents.get(&pid);
    while let Some(parent) = next {
        if *parent == top {
            return true;
        }
        next = parents.get(parent);
    }
    false
}

/// The highest right that a process has as a user: 0 if any of its ids is.
fn user(pid: i32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    line.split_whitespace()
        .filter_map(|id| id.parse().ok())
        .min()
}

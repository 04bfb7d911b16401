//! Tries to read things that are none of a bot's business. The environment lists the attempts;
//! successes are printed.

use std::env;
use std::fs::{self, File};
use std::io::Write;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use nix::sys::signal::kill;
use nix::unistd::Pid;
use serde_json::{Map, Value, json};

use crate::resources::fill;

/// Tries everything; returns the successes by name.
pub(crate) fn look_around() -> Value {
    let mut seen = Map::new();
    for path in list("SPY_READ") {
        seen.insert(format!("read {}", path.display()), json!(reads(&path)));
    }
    for path in list("SPY_WRITE") {
        seen.insert(format!("write {}", path.display()), json!(writes(&path)));
    }
    seen.insert("own folder".into(), json!(writes(Path::new("spy.tmp"))));
    seen.insert("tcp".into(), json!(tcp(&variable("SPY_TCP"))));
    seen.insert("udp".into(), json!(udp(&variable("SPY_UDP"))));
    let socket = UnixStream::connect(variable("SPY_UNIX"));
    seen.insert("unix".into(), json!(socket.is_ok()));
    let pid = variable("SPY_PID").parse().expect("a process id");
    let process = format!("/proc/{pid}/cmdline");
    seen.insert("process".into(), json!(reads(Path::new(&process))));
    let signal = kill(Pid::from_raw(pid), None);
    seen.insert("signal".into(), json!(signal.is_ok()));
    seen.insert("secret".into(), json!(env::var_os("SPY_SECRET").is_some()));
    let megabytes: usize = variable("SPY_FILL").parse().expect("a number");
    for folder in [PathBuf::from("/tmp"), "/dev/shm".into(), env::temp_dir()] {
        let path = folder.join(format!("spy-{}", std::process::id()));
        let filled = fill(&path, megabytes << 20) >= megabytes << 20;
        let _ = fs::remove_file(&path);
        let name = if folder == env::temp_dir() && folder != Path::new("/tmp") {
            "fill own /tmp".to_owned()
        } else {
            format!("fill {}", folder.display())
        };
        seen.insert(name, json!(filled));
    }
    let privileges = status("NoNewPrivs") != "1";
    seen.insert("privileges".into(), json!(privileges));
    Value::Object(seen)
}

/// A field of this process's status.
pub(crate) fn status(name: &str) -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut fields = status.lines().filter_map(|line| line.split_once(':'));
    let field = fields.find(|(field, _)| *field == name);
    field
        .map(|(_, value)| value.trim().to_owned())
        .unwrap_or_default()
}

/// The open files of this process.
pub(crate) fn descriptors() -> Vec<String> {
    let open = fs::read_dir("/proc/self/fd").expect("open files");
    let mut open: Vec<String> = open
        .flatten()
        // Not the folder itself that is being read.
        .filter(|entry| fs::read_link(entry.path()).is_ok_and(|to| !to.starts_with("/proc")))
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    open.sort();
    open
}

fn reads(path: &Path) -> bool {
    if path.is_dir() {
        fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some())
    } else {
        // Something in its place may be there that is empty.
        fs::read(path).is_ok_and(|bytes| !bytes.is_empty())
    }
}

/// True if a file can be written; leaves its content as it is.
fn writes(path: &Path) -> bool {
    let file = File::options().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(b"")).is_ok()
}

fn tcp(address: &str) -> bool {
    let address: SocketAddr = address.parse().expect("an address");
    TcpStream::connect_timeout(&address, Duration::from_secs(2)).is_ok()
}

fn udp(address: &str) -> bool {
    let send = || {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        socket.connect(address)?;
        socket.send(b"x")?;
        // If nobody is there, that comes back, and is reported now.
        thread::sleep(Duration::from_millis(50));
        socket.send(b"x")
    };
    send().is_ok()
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} in the environment"))
}

fn list(name: &str) -> Vec<PathBuf> {
    env::split_paths(&variable(name))
        .filter(|path| path != Path::new(""))
        .collect()
}

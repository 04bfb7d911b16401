//! A NATS server for one test: on a free port of the loopback, with a temporary store.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::wait_until;

/// The passwords that `tournaments/nats.conf` takes from the environment.
pub const PASSWORDS: [(&str, &str); 3] = [
    ("COORDINATOR_PASSWORD", "one"),
    ("WORKER_PASSWORD", "two"),
    ("VIEWER_PASSWORD", "three"),
];

/// A server, which ends with this value.
#[derive(Debug)]
pub struct NatsServer {
    folder: TempDir,
    host: String,
    port: u16,
    config: Option<PathBuf>,
    child: Option<Child>,
}

impl NatsServer {
    /// A server with JetStream that lets everybody do everything.
    pub fn start() -> Self {
        Self::start_as("127.0.0.1", None)
    }

    /// The same at another address of this machine.
    pub fn at(host: &str) -> Self {
        Self::start_as(host, None)
    }

    /// A server with this configuration, but with a store of its own.
    pub fn with_config(config: &Path) -> Self {
        Self::start_as("127.0.0.1", Some(config))
    }

    fn start_as(host: &str, config: Option<&Path>) -> Self {
        // Free a moment ago; the server says so if it is not any more.
        let listener = TcpListener::bind((host, 0)).expect("a free port");
        let port = listener.local_addr().expect("a port").port();
        drop(listener);
        let mut server = NatsServer {
            folder: tempfile::tempdir().expect("a temporary folder"),
            host: host.to_owned(),
            port,
            config: config.map(Path::to_owned),
            child: None,
        };
        server.restart();
        server
    }

    /// Its address, for the command line.
    pub fn address(&self) -> String {
        format!("nats://{}:{}", self.host, self.port)
    }

    /// The same for a user.
    pub fn address_of(&self, user: &str, password: &str) -> String {
        format!("nats://{user}:{password}@{}:{}", self.host, self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Starts the server once more, with all that it had stored.
    pub fn restart(&mut self) {
        self.kill();
        let log = fs::File::create(self.folder.path().join("log")).expect("a file");
        let mut command = Command::new("nats-server");
        command.args(["--addr", &self.host, "--port", &self.port.to_string()]);
        let store = self.folder.path().join("store");
        if let Some(config) = &self.config {
            let text = fs::read_to_string(config).expect("a configuration");
            let is_store = |line: &&str| line.trim_start().starts_with("store_dir:");
            let line = text.lines().find(is_store).expect("a place for streams");
            let text = text.replace(line, &format!("  store_dir: \"{}\"", store.display()));
            let copy = self.folder.path().join("nats.conf");
            fs::write(&copy, text).expect("a file");
            command.arg("--config").arg(copy).envs(PASSWORDS);
        } else {
            command.arg("--jetstream").arg("--store_dir").arg(store);
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        let started = command.spawn();
        let child = started.expect("nats-server is installed, as `tests/run` does it");
        self.child = Some(child);
        wait_until("the NATS server", || {
            let child = self.child.as_mut().expect("it was started");
            let ended = child.try_wait().expect("it can be looked at");
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(ended.is_none(), "the NATS server ended: {log}");
            log.contains("Server is ready") && TcpStream::connect((&*self.host, self.port)).is_ok()
        });
    }

    /// Kills the server, which gets no chance to write anything more.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Stops the server without ending it, or lets it go on.
    pub fn suspend(&self, is_suspended: bool) {
        let child = self.child.as_ref().expect("it runs");
        let signal = if is_suspended {
            Signal::SIGSTOP
        } else {
            Signal::SIGCONT
        };
        kill(Pid::from_raw(child.id() as i32), signal).expect("it can be signalled");
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}

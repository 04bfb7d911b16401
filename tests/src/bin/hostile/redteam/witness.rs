//! The opponent of the bots with tricks: it plays on, and owns things to reach or watch.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;

use nix::libc;

use super::call::call;
use super::targets::Targets;
use super::tricks::network::SESSION_KEYRING;

pub(super) const KEY: &str = "red-key-of-the-witness";

pub(crate) struct Witness {
    shared: PathBuf,
    _locked: Option<File>,
    _listener: Option<UnixListener>,
}

pub(super) fn socket_name(targets: &Targets) -> String {
    targets.text("abstract") + "-of-the-witness"
}

impl Witness {
    /// Sets up everything that it is allowed to.
    pub(crate) fn new() -> Self {
        let targets = Targets::from_environment();
        let shared = std::env::current_exe().expect("the path of this program");
        let locked = File::open(&shared).ok();
        if let Some(file) = &locked {
            let flags = (libc::LOCK_EX | libc::LOCK_NB) as usize;
            let _ = call(libc::SYS_flock, &[file.as_raw_fd() as usize, flags]);
        }
        let name = SocketAddr::from_abstract_name(socket_name(&targets));
        let listener = name.and_then(|name| UnixListener::bind_addr(&name)).ok();
        add_key(KEY, SESSION_KEYRING);
        Witness {
            shared,
            _locked: locked,
            _listener: listener,
        }
    }

    /// Leaves noticeable traces.
    pub(crate) fn turn(&self) {
        drop(File::open(&self.shared));
    }
}

/// Puts a key with this name into a keyring; returns its number.
pub(super) fn add_key(name: &str, keyring: usize) -> Option<usize> {
    let name = std::ffi::CString::new(name).ok()?;
    let text = c"secret";
    let arguments = [
        c"user".as_ptr() as usize,
        name.as_ptr() as usize,
        text.as_ptr() as usize,
        text.count_bytes(),
        keyring,
    ];
    call(libc::SYS_add_key, &arguments).ok()
}

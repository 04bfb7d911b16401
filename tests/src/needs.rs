//! Requirements of some tests on the machine: rights, control groups, namespaces. If one is
//! missing, the tests are skipped by name, and `tests/run` lists them at its end.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{self, Command, Stdio};
use std::{env, thread};

use nix::unistd::geteuid;

/// Something that a machine, or its user, may not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Root's rights.
    Root,
    /// Control groups that limit memory, in which this user may make groups.
    ControlGroups,
    /// Namespaces of an own user, in which something can be mounted.
    Namespaces,
}

impl Need {
    fn reason(self) -> &'static str {
        match self {
            Need::Root => "only root can do this",
            Need::ControlGroups => "there are no control groups in which this user may make some",
            Need::Namespaces => "this user may not make namespaces (`unshare --user --mount`)",
        }
    }

    fn is_there(self) -> bool {
        match self {
            Need::Root => geteuid().is_root(),
            Need::ControlGroups => can_make_groups(),
            Need::Namespaces => {
                let mut command = Command::new("unshare");
                command.args(["--user", "--map-root-user", "--mount", "true"]);
                let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
                quiet.status().is_ok_and(|status| status.success())
            }
        }
    }
}

/// True if the machine has what the test needs. Otherwise, the test is recorded as skipped, and
/// should return.
pub fn has(need: Need) -> bool {
    let there = need.is_there();
    if !there {
        skip(need.reason());
    }
    there
}

/// Records that this test is skipped.
pub fn skip(reason: &str) {
    let current = thread::current();
    let line = format!("{}: {reason}\n", current.name().unwrap_or("a test"));
    eprint!("SKIPPED: {line}");
    // `tests/run` names the file.
    if let Some(path) = env::var_os("SKIPPED_TESTS") {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.expect("the list of skipped tests can be written");
    }
}

/// The folder of this process's own group: with a controller of memory in the first version, of all in
/// the second one.
fn own_group() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = |controller: &str| {
        let mut lines = groups.lines();
        lines.find_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let there = parts.next()?.split(',').any(|name| name == controller);
            there.then(|| parts.next())?
        })
    };
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let mount = |kind: &str, option: &str| {
        let mut lines = mounts.lines();
        lines.find_map(|line| {
            let fields: Vec<&str> = line.split(' ').collect();
            let [_, mount, of_kind, options, ..] = fields[..] else {
                return None;
            };
            let fits = of_kind == kind && options.split(',').any(|it| it == option);
            fits.then(|| PathBuf::from(mount))
        })
    };
    let first = path("memory").zip(mount("cgroup", "memory"));
    let (path, mount) = first.or_else(|| path("").zip(mount("cgroup2", "rw")))?;
    Some(mount.join(path.trim_start_matches('/')))
}

fn can_make_groups() -> bool {
    let Some(own) = own_group() else { return false };
    let probe = own.join(format!("referee-tests-{}", process::id()));
    let made = fs::create_dir(&probe).is_ok();
    if made {
        let _ = fs::remove_dir(&probe);
    }
    made
}

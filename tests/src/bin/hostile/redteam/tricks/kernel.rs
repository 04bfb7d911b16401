//! The kernel: its settings, and calls for the machine's administrator. All calls are impossible or
//! change nothing, so that only the error differs.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::Duration;

use nix::errno::Errno;
use nix::libc::{self, c_long};

use super::files::{c_string, own};
use crate::redteam::call::{Outcome, call, clone, in_child, leave, outcome};
use crate::redteam::{Attempts, Later, Targets};

/// Settings that would give a bot the machine.
const SETTINGS: [&str; 10] = [
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/modprobe",
    "/proc/sys/kernel/hostname",
    "/proc/sys/vm/drop_caches",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sysrq-trigger",
    "/sys/kernel/uevent_helper",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/fs/cgroup/cgroup.procs",
    "/sys/fs/cgroup/memory/cgroup.procs",
];
/// Files that are examined below a folder, at most.
const MOST_FILES: usize = 20_000;
/// Roomy limit for immediate calls.
const SOON: Duration = Duration::from_secs(2);

/// Opens for writing, and writes nothing.
pub(crate) fn settings(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    for path in SETTINGS {
        let opened = File::options().write(true).open(path);
        attempts.io("open a setting for writing", opened, path);
    }
    for (name, top) in [
        ("any setting in /proc/sys", "/proc/sys"),
        ("any setting in /sys", "/sys"),
    ] {
        let mut left = MOST_FILES;
        let found = writable(Path::new(top), &mut left, 8);
        attempts.add(
            name,
            found.is_some(),
            found.unwrap_or_else(|| "none is writable".to_owned()),
        );
    }
    None
}

/// A writable file below a folder, by its metadata.
fn writable(folder: &Path, left: &mut usize, deep: u32) -> Option<String> {
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        let kind = entry.file_type().ok()?;
        if *left == 0 || deep == 0 {
            return None;
        }
        if kind.is_dir() {
            if let Some(found) = writable(&path, left, deep - 1) {
                return Some(found);
            }
        } else if kind.is_file() {
            *left -= 1;
            let Some(name) = c_string(&path) else {
                continue;
            };
            let write = libc::W_OK as usize;
            let here = libc::AT_FDCWD as usize;
            // The rights of the effective user, and read-only file systems.
            let asked = call(
                libc::SYS_faccessat2,
                &[here, name.as_ptr() as usize, write, 0x200],
            );
            // Anybody may write some settings of processes' own name spaces, if root there.
            if asked.is_ok() && File::options().write(true).open(&path).is_ok() {
                return Some(path.display().to_string());
            }
        }
    }
    None
}

pub(crate) fn calls(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    machine(attempts);
    objects(attempts);
    name_spaces(attempts);
    for process in targets.processes() {
        let path = format!("/proc/{}/ns/net", process.pid);
        enter(
            attempts,
            &format!("enter a name space of the {}", process.role),
            &path,
        );
    }
    enter(attempts, "enter an own name space", "/proc/self/ns/net");
    other_numbers(attempts);
    None
}

fn pointer(text: &std::ffi::CStr) -> usize {
    text.as_ptr() as usize
}

/// Settings that would change the machine.
fn machine(attempts: &mut Attempts) {
    let mut asks = |name: &str, number: c_long, arguments: &[usize]| {
        attempts.reached(name, call(number, arguments));
    };
    // No file system has that name.
    let mount = [
        pointer(c"none"),
        pointer(c"/tmp"),
        pointer(c"no-such-fs"),
        0,
        0,
    ];
    asks("mount", libc::SYS_mount, &mount);
    // Nothing is mounted there.
    asks("umount2", libc::SYS_umount2, &[pointer(c"/proc/self"), 0]);
    asks("fsopen", libc::SYS_fsopen, &[pointer(c"no-such-fs"), 0]);
    // With flags that do not exist.
    asks("kexec_load", libc::SYS_kexec_load, &[0, 0, 0, 0xff00]);
    asks("init_module", libc::SYS_init_module, &[0, 0, pointer(c"")]);
    asks(
        "delete_module",
        libc::SYS_delete_module,
        &[pointer(c"no_such_module"), 0x800],
    );
    asks("reboot", libc::SYS_reboot, &[0, 0, 0, 0]);
    asks("swapon", libc::SYS_swapon, &[pointer(c"/nowhere/swap"), 0]);
    asks("swapoff", libc::SYS_swapoff, &[pointer(c"/nowhere/swap")]);
    asks("acct", libc::SYS_acct, &[pointer(c"/nowhere/accounts")]);
    // No time at all.
    asks("settimeofday", libc::SYS_settimeofday, &[0, 0]);
    asks("chroot", libc::SYS_chroot, &[pointer(c"/")]);
    asks("syslog", libc::SYS_syslog, &[10, 0, 0]);
    #[cfg(target_arch = "x86_64")]
    {
        // In a process of its own, as it grants rights.
        let allowed = in_child(SOON, || call(libc::SYS_iopl, &[3]).is_ok());
        attempts.add(
            "iopl",
            allowed == Outcome::Done(true),
            format!("{allowed:?}"),
        );
    }
    names(attempts);
    device(attempts);
}

/// Sets the names of the machine to their present values.
fn names(attempts: &mut Attempts) {
    let names = [0_u8; 390];
    if call(libc::SYS_uname, &[names.as_ptr() as usize]).is_ok() {
        // The second name of 65 bytes is the host's, the sixth the domain's.
        for (name, number, place) in [
            ("sethostname", libc::SYS_sethostname, 65),
            ("setdomainname", libc::SYS_setdomainname, 325),
        ] {
            let length = names[place..]
                .iter()
                .position(|byte| *byte == 0)
                .unwrap_or(0);
            let arguments = [names[place..].as_ptr() as usize, length];
            attempts.reached(name, call(number, &arguments));
        }
    }
}

fn device(attempts: &mut Attempts) {
    let device = own(&format!("redteam-device-{}", std::process::id()));
    if let Some(name) = c_string(&device) {
        let null = 1 << 8 | 3;
        let here = libc::AT_FDCWD as usize;
        let mode = (libc::S_IFCHR | 0o600) as usize;
        let made = call(
            libc::SYS_mknodat,
            &[here, name.as_ptr() as usize, mode, null],
        );
        let _ = fs::remove_file(&device);
        attempts.call("mknod", made, "a device");
    }
}

/// Calls that return a descriptor of something that bots do not need.
fn objects(attempts: &mut Attempts) {
    let mut makes = |name: &str, made: nix::Result<usize>| {
        if let Ok(fd) = made {
            let _ = call(libc::SYS_close, &[fd]);
        }
        attempts.reached(name, made);
    };
    let zero = [0_u8; 256];
    // A program of the kind of those of sockets, without an instruction.
    let mut program = [0_u32; 32];
    program[0] = 1;
    makes(
        "bpf",
        call(libc::SYS_bpf, &[5, program.as_ptr() as usize, 128]),
    );
    // A software event of this process, without the kernel.
    let mut event = [0_u32; 34];
    (event[0], event[1], event[10]) = (1, 136, 1 << 5 | 1 << 6);
    let nobody = usize::MAX;
    let arguments = [event.as_ptr() as usize, 0, nobody, nobody, 0];
    makes(
        "perf_event_open",
        call(libc::SYS_perf_event_open, &arguments),
    );
    makes("userfaultfd", call(libc::SYS_userfaultfd, &[1]));
    makes(
        "io_uring_setup",
        call(libc::SYS_io_uring_setup, &[1, zero.as_ptr() as usize]),
    );
    makes("fanotify_init", call(libc::SYS_fanotify_init, &[0x200, 0]));
    let mut handle = [0_u32; 36];
    handle[0] = 128;
    let mount = [0_i32; 1];
    let (handle, mount) = (handle.as_ptr() as usize, mount.as_ptr() as usize);
    let here = libc::AT_FDCWD as usize;
    let named = call(
        libc::SYS_name_to_handle_at,
        &[here, pointer(c"/"), handle, mount, 0],
    );
    match named {
        // A stale handle would have been looked for.
        Ok(_) => makes(
            "open_by_handle_at",
            call(libc::SYS_open_by_handle_at, &[here, handle, 0]),
        ),
        Err(error) => attempts.add("open_by_handle_at", false, format!("no handle: {error}")),
    }
}

/// Kinds of name spaces by the flags of clone(2).
const NAME_SPACES: [(&str, i32); 8] = [
    ("user", libc::CLONE_NEWUSER),
    ("mount", libc::CLONE_NEWNS),
    ("pid", libc::CLONE_NEWPID),
    ("network", libc::CLONE_NEWNET),
    ("ipc", libc::CLONE_NEWIPC),
    ("uts", libc::CLONE_NEWUTS),
    ("cgroup", libc::CLONE_NEWCGROUP),
    ("time", 0x80),
];

fn name_spaces(attempts: &mut Attempts) {
    for (kind, flag) in NAME_SPACES {
        let unshared = in_child(SOON, || call(libc::SYS_unshare, &[flag as usize]).is_ok());
        let allowed = unshared == Outcome::Done(true);
        attempts.add(
            &format!("unshare ({kind})"),
            allowed,
            format!("{unshared:?}"),
        );
        // This one takes the place of the signal, in clone(2).
        if flag != 0x80 {
            let started = clone(flag | libc::SIGCHLD, || {});
            if let Ok(child) = started {
                outcome(child, SOON);
            }
            attempts.call(&format!("clone ({kind})"), started, "a process");
        }
        let mut plan = [0_u64; 11];
        (plan[0], plan[4]) = (flag as u64, libc::SIGCHLD as u64);
        let started = match call(libc::SYS_clone3, &[plan.as_ptr() as usize, 88]) {
            Ok(0) => leave(0),
            Ok(pid) => {
                outcome(nix::unistd::Pid::from_raw(pid as i32), SOON);
                Ok(())
            }
            Err(error) => Err(error),
        };
        attempts.call(&format!("clone3 ({kind})"), started, "a process");
    }
}

fn enter(attempts: &mut Attempts, name: &str, path: &str) {
    match File::open(path) {
        Ok(file) => {
            let fd = file.as_raw_fd() as usize;
            let entered = in_child(SOON, || call(libc::SYS_setns, &[fd, 0]).is_ok());
            let allowed = entered == Outcome::Done(true);
            attempts.add(name, allowed, format!("{path}: {entered:?}"));
        }
        Err(error) => attempts.add(name, false, error.to_string()),
    }
}

/// The same calls by other numbers, which filters may not know.
fn other_numbers(attempts: &mut Attempts) {
    #[cfg(target_arch = "x86_64")]
    {
        const X32: c_long = 0x4000_0000;
        // A kernel without these says that there is no such call.
        let flag = libc::CLONE_NEWUSER as usize;
        let unshared = in_child(SOON, || call(X32 + libc::SYS_unshare, &[flag]).is_ok());
        let allowed = unshared == Outcome::Done(true);
        attempts.add(
            "unshare by the numbers of x32",
            allowed,
            format!("{unshared:?}"),
        );
        const UNSHARE: u32 = 310;
        let flag = libc::CLONE_NEWUSER as u32;
        let unshared = in_child(SOON, || {
            crate::redteam::call::call_as_32_bit(UNSHARE, flag).is_ok()
        });
        let allowed = unshared == Outcome::Done(true);
        attempts.add(
            "unshare as a 32-bit program",
            allowed,
            format!("{unshared:?}"),
        );
        const KEYCTL: u32 = 288;
        // The keyring of the session, by KEYCTL_GET_KEYRING_ID (0), is asked for with zeros.
        let asked = in_child(SOON, || {
            crate::redteam::call::call_as_32_bit(KEYCTL, 1).is_ok()
        });
        let allowed = asked == Outcome::Done(true);
        attempts.add("keyctl as a 32-bit program", allowed, format!("{asked:?}"));
    }
    let unknown = call(0x3fff, &[]);
    attempts.add(
        "a call without a meaning",
        unknown != Err(Errno::ENOSYS) && unknown.is_ok(),
        format!("{unknown:?}"),
    );
}

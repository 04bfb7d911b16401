//! Other processes: listing, signalling, limiting, tracing them, and their descriptors.

use std::env;
use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::PathBuf;
use std::time::Duration;

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::kill;
use nix::unistd::{Pid, getpgid};

use crate::redteam::call::{Outcome, call, in_child};
use crate::redteam::targets::Process;
use crate::redteam::{Attempts, Later, Targets};

/// Descriptors are tried up to this one.
const DESCRIPTORS: i32 = 32;

pub(crate) fn see(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    for Process { role, pid } in targets.processes() {
        for file in ["cmdline", "stat", "status", "environ", "maps", "cgroup"] {
            let path = format!("/proc/{pid}/{file}");
            let name = format!("read what /proc has of the {role}");
            attempts.io(&name, fs::read(&path), &path);
        }
        let there = getpgid(Some(Pid::from_raw(pid)));
        attempts.call(&format!("hear that the {role} is there"), there, "getpgid");
        let opened = call(libc::SYS_pidfd_open, &[pid as usize, 0]);
        close(&opened);
        attempts.call(&format!("open the {role} (pidfd)"), opened, "pidfd_open");
    }
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let own = std::process::id().to_string();
    let pids = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let pids = pids.filter(|name| name.parse::<i32>().is_ok() && *name != own);
    // In a sandbox: those that the sandbox itself is made of.
    let count = pids.count();
    attempts.add(
        "list processes",
        count > 4,
        format!("{count} others in /proc"),
    );
    None
}

pub(crate) fn signal(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    for Process { role, pid } in targets.processes() {
        // Signal 0 asks for permission only.
        let sent = kill(Pid::from_raw(pid), None);
        attempts.call(&format!("signal the {role}"), sent, "kill with signal 0");
        let sent = call(libc::SYS_tgkill, &[pid as usize, pid as usize, 0]);
        attempts.call(&format!("signal the {role}'s thread"), sent, "tgkill");
        let opened = call(libc::SYS_pidfd_open, &[pid as usize, 0]);
        if let Ok(fd) = opened {
            let sent = call(libc::SYS_pidfd_send_signal, &[fd, 0, 0, 0]);
            attempts.call(&format!("signal the {role} by a pidfd"), sent, "signal 0");
        }
        close(&opened);
    }
    None
}

/// Sets all limits to their present values.
pub(crate) fn limit(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    for process in targets.processes() {
        limits_and_cores(&process, attempts);
        scheduling(&process, attempts);
        priorities(&process, attempts);
        settings(&process, attempts);
    }
    None
}

fn limits_and_cores(Process { role, pid }: &Process, attempts: &mut Attempts) {
    let pid = *pid as usize;
    let old = [0_u64; 2];
    let old = old.as_ptr() as usize;
    let cpu = libc::RLIMIT_CPU as usize;
    let got = call(libc::SYS_prlimit64, &[pid, cpu, 0, old]);
    attempts.call(&format!("read limits of the {role}"), got, "prlimit");
    if got.is_ok() {
        let set = call(libc::SYS_prlimit64, &[pid, cpu, old, 0]);
        attempts.call(&format!("set limits of the {role}"), set, "prlimit");
    }
    let mask = [0_u64; 16];
    let mask = mask.as_ptr() as usize;
    if call(libc::SYS_sched_getaffinity, &[pid, 128, mask]).is_ok() {
        let set = call(libc::SYS_sched_setaffinity, &[pid, 128, mask]);
        attempts.call(
            &format!("set the cores of the {role}"),
            set,
            "sched_setaffinity",
        );
    }
}

fn scheduling(Process { role, pid }: &Process, attempts: &mut Attempts) {
    let pid = *pid as usize;
    let parameters = [0_u32; 12];
    let parameters = parameters.as_ptr() as usize;
    let policy = call(libc::SYS_sched_getscheduler, &[pid]);
    if let (Ok(policy), Ok(_)) = (policy, call(libc::SYS_sched_getparam, &[pid, parameters])) {
        let set = call(libc::SYS_sched_setscheduler, &[pid, policy, parameters]);
        attempts.call(
            &format!("set the policy of the {role}"),
            set,
            "sched_setscheduler",
        );
    }
    if call(libc::SYS_sched_getattr, &[pid, parameters, 48, 0]).is_ok() {
        let set = call(libc::SYS_sched_setattr, &[pid, parameters, 0]);
        attempts.call(
            &format!("set how the {role} is scheduled"),
            set,
            "sched_setattr",
        );
    }
}

fn priorities(Process { role, pid }: &Process, attempts: &mut Attempts) {
    const WHO_PROCESS: usize = 1;
    let pid = *pid as usize;
    // The kernel returns 20 less the value.
    if let Ok(value) = call(libc::SYS_getpriority, &[0, pid]) {
        let value = 20_usize.wrapping_sub(value);
        let set = call(libc::SYS_setpriority, &[0, pid, value]);
        attempts.call(
            &format!("set the priority of the {role}"),
            set,
            "setpriority",
        );
    }
    if let Ok(value) = call(libc::SYS_ioprio_get, &[WHO_PROCESS, pid]) {
        let set = call(libc::SYS_ioprio_set, &[WHO_PROCESS, pid, value]);
        attempts.call(
            &format!("set the disk priority of the {role}"),
            set,
            "ioprio_set",
        );
    }
}

fn settings(Process { role, pid }: &Process, attempts: &mut Attempts) {
    for file in [
        "oom_score_adj",
        "autogroup",
        "timerslack_ns",
        "coredump_filter",
    ] {
        let path = format!("/proc/{pid}/{file}");
        let opened = File::options().write(true).open(&path);
        attempts.io(&format!("open settings of the {role}"), opened, &path);
    }
}

pub(crate) fn trace(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    for Process { role, pid } in targets.processes() {
        // It ends with the process that has it, without a stop of the other one.
        let seize = || {
            let seize = libc::PTRACE_SEIZE as usize;
            call(libc::SYS_ptrace, &[seize, pid as usize, 0, 0]).is_ok()
        };
        let seized = in_child(Duration::from_secs(2), seize);
        let how = format!("PTRACE_SEIZE: {seized:?}");
        attempts.add(
            &format!("trace the {role}"),
            seized == Outcome::Done(true),
            how,
        );
        let byte = [0_u8; 1];
        let (mine, theirs) = ([byte.as_ptr() as usize, 1], [4096_usize, 1]);
        for (name, number) in [
            ("read", libc::SYS_process_vm_readv),
            ("write", libc::SYS_process_vm_writev),
        ] {
            let pointers = (mine.as_ptr() as usize, theirs.as_ptr() as usize);
            let done = call(number, &[pid as usize, pointers.0, 1, pointers.1, 1, 0]);
            // There is nothing at that address: who hears that may ask for others.
            let allowed = done.is_ok() || done == Err(Errno::EFAULT);
            attempts.add(
                &format!("{name} memory of the {role}"),
                allowed,
                format!("{done:?}"),
            );
        }
        let path = format!("/proc/{pid}/mem");
        let opened = File::options().read(true).write(true).open(&path);
        attempts.io(&format!("open the memory of the {role}"), opened, &path);
        for file in ["maps", "auxv", "environ", "pagemap"] {
            let path = format!("/proc/{pid}/{file}");
            attempts.io(
                &format!("look at the memory of the {role}"),
                File::open(&path),
                &path,
            );
        }
        let opened = call(libc::SYS_pidfd_open, &[pid as usize, 0]);
        if let Ok(fd) = opened {
            let taken = call(libc::SYS_pidfd_getfd, &[fd, 1, 0]);
            close(&taken);
            attempts.call(&format!("take a file of the {role}"), taken, "pidfd_getfd");
        }
        close(&opened);
    }
    None
}

pub(crate) fn pipes(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    for Process { role, pid } in targets.processes() {
        for fd in 0..DESCRIPTORS {
            let path = PathBuf::from(format!("/proc/{pid}/fd/{fd}"));
            let Ok(known) = path.metadata() else { continue };
            if !known.file_type().is_fifo() && !known.file_type().is_socket() {
                continue;
            }
            let how = path.display().to_string();
            let mut options = File::options();
            options.custom_flags(libc::O_NONBLOCK);
            let writer = options.clone().write(true).open(&path);
            attempts.io(&format!("write into a pipe of the {role}"), writer, &how);
            let reader = options.read(true).open(&path);
            attempts.io(&format!("read from a pipe of the {role}"), reader, &how);
        }
        let opened = call(libc::SYS_pidfd_open, &[pid as usize, 0]);
        for fd in 0..DESCRIPTORS as usize {
            let Ok(process) = opened else { break };
            let taken = call(libc::SYS_pidfd_getfd, &[process, fd, 0]);
            close(&taken);
            attempts.call(&format!("take a file of the {role}"), taken, "pidfd_getfd");
        }
        close(&opened);
    }
    // Where none could even be looked at, that was tried, too.
    attempts.add("look for pipes", false, "done");
    None
}

pub(crate) fn environment(targets: &Targets, attempts: &mut Attempts) -> Option<Later> {
    let secret = targets.text("secret variable");
    let inherited = env::var_os(&secret).is_some();
    attempts.add(
        "inherit a variable of the referee",
        inherited,
        secret.clone(),
    );
    for Process { role, pid } in targets.processes() {
        let path = format!("/proc/{pid}/environ");
        // Nothing else in it is looked at.
        let has = fs::read(&path).and_then(|all| {
            let mut windows = all.windows(secret.len());
            if windows.any(|window| window == secret.as_bytes()) {
                Ok(())
            } else {
                Err(std::io::Error::other("not in there"))
            }
        });
        attempts.io(&format!("read variables of the {role}"), has, &path);
    }
    None
}

pub(crate) fn descriptors(_: &Targets, attempts: &mut Attempts) -> Option<Later> {
    let open: Vec<i32> = (3..1024)
        .filter(|fd| call(libc::SYS_fcntl, &[*fd as usize, libc::F_GETFD as usize]).is_ok())
        .collect();
    attempts.add("inherit open files", !open.is_empty(), format!("{open:?}"));
    None
}

fn close(fd: &nix::Result<usize>) {
    if let Ok(fd) = fd {
        let _ = call(libc::SYS_close, &[*fd]);
    }
}

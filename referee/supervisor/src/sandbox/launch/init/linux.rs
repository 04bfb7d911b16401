//! The init process on Linux.

use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, exit};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::libc;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{Gid, Pid, Uid, setgroups, setresgid, setresuid};

use super::{Init, STOP};
use crate::sandbox::file_identity::Identity;
use crate::sandbox::launch::environment;
use crate::sandbox::launch::exec_error::{EXIT_NOT_STARTED, not_started};
use crate::sandbox::layers::seccomp;
use crate::system::process_tree;

/// Stopped processes are stopped again at this interval, in case something has continued them.
const STOP_INTERVAL: Duration = Duration::from_millis(5);

/// Runs an init until the bot's first process ends, and exits with the same exit code, or with 128
/// plus the number of the signal that ended it. Everything else in the sandbox ends with the init.
///
/// # Errors
/// Why the bot could not be started, as a sentence.
pub fn run(init: &Init) -> Result<(), String> {
    let control =
        control(init).map_err(|error| format!("its connection to the referee: {error}"))?;
    init.guarded.iter().try_for_each(Identity::check)?;
    restrict(init)?;
    let bot = start(&init.command)?;
    if let Some(control) = control {
        thread::spawn(move || obey(control));
    }
    let pid = process_tree::pid(bot.id()).map_err(|error| error.to_string())?;
    exit(reap_until(pid))
}

/// The connection to the referee, if there is one. The bot will find no open files.
fn control(init: &Init) -> io::Result<Option<UnixStream>> {
    // Bubblewrap leaves files open for what it starts.
    let first: libc::c_uint = 3;
    let flags = libc::CLOSE_RANGE_CLOEXEC;
    // SAFETY: the call closes nothing now, and takes numbers only.
    #[expect(unsafe_code, reason = "the standard library does not have this call")]
    let marked = unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, flags) };
    Errno::result(marked)?;
    Ok(init.control.map(|fd| {
        // SAFETY: the referee hands this descriptor over to this process alone, and nothing else
        // here takes it.
        #[expect(unsafe_code, reason = "an inherited descriptor has no owner yet")]
        let control = unsafe { OwnedFd::from_raw_fd(fd) };
        UnixStream::from(control)
    }))
}

fn restrict(init: &Init) -> Result<(), String> {
    if let Some(user) = init.user {
        become_user(Uid::from_raw(user)).map_err(|error| format!("the user {user}: {error}"))?;
    }
    let wrong = |error| format!("its rights: {error}");
    // In this namespace the user has no processes but those of this bot.
    if let Some(most) = init.processes {
        let (_, hard) = nix::sys::resource::getrlimit(Resource::RLIMIT_NPROC).map_err(wrong)?;
        // This process and its thread are not the bot's.
        let most = (most + 2).min(hard);
        setrlimit(Resource::RLIMIT_NPROC, most, most).map_err(wrong)?;
    }
    nix::sys::prctl::set_no_new_privs().map_err(wrong)?;
    // A process that could trace this one could stop it.
    nix::sys::prctl::set_dumpable(false).map_err(wrong)?;
    seccomp::apply(init.filter)
}

/// Drops root, for good, and all groups.
pub(in crate::sandbox) fn become_user(user: Uid) -> nix::Result<()> {
    let bounds = rustix::thread::CapabilitySet::all();
    for capability in bounds {
        // The kernel may not know the newest ones.
        let _ = rustix::thread::remove_capability_from_bounding_set(capability);
    }
    let group = Gid::from_raw(user.as_raw());
    setgroups(&[])?;
    setresgid(group, group, group)?;
    setresuid(user, user, user)?;
    // The kernel forgets this setting when the user changes.
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)
}

fn start(command: &[String]) -> Result<Child, String> {
    let [program, arguments @ ..] = command else {
        return Err("there is no command".to_owned());
    };
    let mut command = Command::new(program);
    environment::restore(&mut command);
    let started = command.args(arguments).spawn();
    started.map_err(|error| not_started(program, &error))
}

/// Reaps orphans until the bot's first process ends; returns the exit code for this process.
fn reap_until(bot: Pid) -> i32 {
    // The readers of the bot's streams must see when the bot closes them.
    for fd in 0..=2 {
        let _ = nix::unistd::close(fd);
    }
    loop {
        match waitpid(None::<Pid>, None) {
            Ok(WaitStatus::Exited(pid, code)) if pid == bot => return code,
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == bot => return 128 + signal as i32,
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return i32::from(EXIT_NOT_STARTED),
        }
    }
}

/// Carries out the referee's commands; when the referee is gone, everything ends.
fn obey(mut control: UnixStream) {
    let all = Pid::from_raw(-1);
    let mut stopped = false;
    let mut command = [0];
    loop {
        // The kernel itself continues stopped processes that become orphans, so they must be
        // stopped again.
        let again = stopped.then_some(STOP_INTERVAL);
        if control.set_read_timeout(again).is_err() {
            break;
        }
        match control.read(&mut command) {
            Ok(1..) => {
                stopped = command[0] == STOP;
                if !stopped {
                    let _ = kill(all, Signal::SIGCONT);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => command[0] = 0,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(_) | Err(_) => break,
        }
        if stopped {
            // An error means that no process is left.
            let _ = kill(all, Signal::SIGSTOP);
        }
        if command[0] != 0 && control.write_all(&command).is_err() {
            break;
        }
    }
    exit(i32::from(EXIT_NOT_STARTED))
}

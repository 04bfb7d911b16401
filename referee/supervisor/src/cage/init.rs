//! The first process in a strict sandbox: it starts the bot, takes note of the end of everything
//! that loses its parent, and stops and continues all processes in the sandbox at once.
//!
//! The kernel lets no signal from inside end or stop the first process of a name space of
//! processes, and a signal to everybody (`kill(-1, …)`) misses nobody there: not those that are
//! just being born either. A walk through `/proc` from outside could be outrun.

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
use serde::{Deserialize, Serialize};

use super::filter::{self, Filter};
use super::launch::{NOT_STARTED, hint};

/// The hidden subcommand that an init is.
pub const SUBCOMMAND: &str = "init";
/// Where it finds its end of the line to the referee.
pub(crate) const CONTROL: i32 = 4;
/// The command that stops all processes. The answer is the same byte, when they are stopped.
pub(crate) const STOP: u8 = b'S';
/// The command that lets them go on.
pub(crate) const GO_ON: u8 = b'G';

/// How long a process that is stopped may run if something continues it.
const STOPPED_AGAIN: Duration = Duration::from_millis(5);

/// What an init does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Init {
    /// The user that it becomes, which it only can as root.
    pub user: Option<u32>,
    /// How many processes and threads there may be, this one's included.
    pub processes: Option<u64>,
    /// What the bot is refused.
    pub filter: Filter,
    /// What it starts.
    pub command: Vec<String>,
}

/// An init's whole life. It ends with the exit code that the bot's first process ended with, or
/// with 128 and the number of the signal; with it, everything else in the sandbox ends.
///
/// # Errors
/// Why the bot could not be started, as a sentence.
pub fn run(init: &Init) -> Result<(), String> {
    let control = control().map_err(|error| format!("its line to the referee: {error}"))?;
    restrict(init)?;
    let bot = start(&init.command)?;
    if let Some(control) = control {
        thread::spawn(move || obey(control));
    }
    exit(reap(Pid::from_raw(bot.id() as i32)))
}

/// The line to the referee, which is not for the bot; `None` if there is none.
fn control() -> io::Result<Option<UnixStream>> {
    // Bubblewrap leaves files open for what it starts.
    let first: libc::c_uint = 3;
    let flags = libc::CLOSE_RANGE_CLOEXEC;
    // SAFETY: the call closes nothing now, and takes numbers only.
    #[expect(unsafe_code, reason = "the standard library does not have this call")]
    let marked = unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, flags) };
    Errno::result(marked)?;
    match nix::fcntl::fcntl(
        // SAFETY: it is only looked whether the number is an open file.
        #[expect(unsafe_code, reason = "an inherited descriptor has no owner yet")]
        unsafe {
            std::os::fd::BorrowedFd::borrow_raw(CONTROL)
        },
        nix::fcntl::FcntlArg::F_GETFD,
    ) {
        Err(Errno::EBADF) => return Ok(None),
        other => other?,
    };
    // SAFETY: the referee hands this descriptor over to this process alone, and nothing else here
    // takes it.
    #[expect(unsafe_code, reason = "an inherited descriptor has no owner yet")]
    let control = unsafe { OwnedFd::from_raw_fd(CONTROL) };
    Ok(Some(UnixStream::from(control)))
}

fn restrict(init: &Init) -> Result<(), String> {
    if let Some(user) = init.user {
        become_user(Uid::from_raw(user)).map_err(|error| format!("the user {user}: {error}"))?;
    }
    let wrong = |error| format!("its rights: {error}");
    // Here the user has no processes but those of this bot.
    if let Some(most) = init.processes {
        let (_, hard) = nix::sys::resource::getrlimit(Resource::RLIMIT_NPROC).map_err(wrong)?;
        // This process with its two threads is not the bot's.
        let most = (most + 2).min(hard);
        setrlimit(Resource::RLIMIT_NPROC, most, most).map_err(wrong)?;
    }
    nix::sys::prctl::set_no_new_privs().map_err(wrong)?;
    // Whoever could look into this one could stop it.
    nix::sys::prctl::set_dumpable(false).map_err(wrong)?;
    filter::apply(init.filter)
}

/// Gives up root, for good, and all groups.
pub(super) fn become_user(user: Uid) -> nix::Result<()> {
    let bounds = rustix::thread::CapabilitySet::all();
    for capability in bounds {
        // Newer ones than the kernel has are no loss.
        let _ = rustix::thread::remove_capability_from_bounding_set(capability);
    }
    let group = Gid::from_raw(user.as_raw());
    setgroups(&[])?;
    setresgid(group, group, group)?;
    setresuid(user, user, user)?;
    // The kernel forgets it with the change.
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)
}

fn start(command: &[String]) -> Result<Child, String> {
    let [program, arguments @ ..] = command else {
        return Err("there is no command".to_owned());
    };
    let started = Command::new(program).args(arguments).spawn();
    started.map_err(|error| format!("`{program}` cannot be started: {error}{}", hint(&error)))
}

/// Waits for the end of the bot's first process, and of all orphans meanwhile.
fn reap(bot: Pid) -> i32 {
    // The bot's streams are its own: whoever reads them has to see when it closes them.
    for fd in 0..=2 {
        let _ = nix::unistd::close(fd);
    }
    loop {
        match waitpid(None::<Pid>, None) {
            Ok(WaitStatus::Exited(pid, code)) if pid == bot => return code,
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == bot => return 128 + signal as i32,
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return i32::from(NOT_STARTED),
        }
    }
}

/// Does what the referee says; when that is gone, everything ends.
fn obey(mut control: UnixStream) {
    let everybody = Pid::from_raw(-1);
    let mut stopped = false;
    let mut command = [0];
    loop {
        // The kernel continues stopped processes itself when a process that was just ending has
        // left them alone: they are stopped again.
        let again = stopped.then_some(STOPPED_AGAIN);
        if control.set_read_timeout(again).is_err() {
            break;
        }
        match control.read(&mut command) {
            Ok(1..) => {
                stopped = command[0] == STOP;
                if !stopped {
                    let _ = kill(everybody, Signal::SIGCONT);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => command[0] = 0,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(_) | Err(_) => break,
        }
        if stopped {
            // An error means that nobody is left.
            let _ = kill(everybody, Signal::SIGSTOP);
        }
        if command[0] != 0 && control.write_all(&command).is_err() {
            break;
        }
    }
    exit(i32::from(NOT_STARTED))
}

//! The supervisor: a small process between the referee and each bot.
//!
//! It runs in a session of its own and adopts every orphan that the bot leaves behind, even one in
//! another session. It ends all of them when the bot exits, when the referee says so, or when the
//! referee is gone for any reason. A bot that kills its parent kills only this process.

use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, dup2_stderr, dup2_stdin, dup2_stdout, fork, setpgid};

use super::events::{self, Events};
use super::plan::{Exit, Plan, Program, SupervisorReport};
use super::time_slice;
use crate::sandbox::launch::environment::Environment;
use crate::sandbox::launch::exec_error::{EXIT_NOT_STARTED, hint};
use crate::sandbox::launch::{self, Launch};
use crate::sandbox::layers::cgroup;
use crate::sandbox::layers::ownership::{Loan, Owners};
use crate::sandbox::watched_limits::WatchedLimits;
use crate::system::{process_tree, resource_exhausted};

/// The limits that the supervisor enforces itself are checked at this interval.
const PATROL_INTERVAL: Duration = Duration::from_millis(10);
/// While killed processes end, they are reaped at this interval.
const REAP_INTERVAL: Duration = Duration::from_millis(1);

/// Runs a supervisor until its bot is gone. The order is a plan as JSON; the descriptors are the
/// bot's stdin, stdout and stderr, the connection to the referee, and that of an init if the plan
/// has one.
///
/// # Errors
/// If no referee gave the order.
pub fn run(order: &[u8], descriptors: Vec<OwnedFd>) -> io::Result<()> {
    let plan: Plan = serde_json::from_slice(order)?;
    let mut descriptors = descriptors.into_iter();
    let mut next = || descriptors.next().ok_or(io::ErrorKind::UnexpectedEof);
    let streams = [next()?, next()?, next()?];
    let control = StdStream::from(next()?);
    let init = plan.has_init.then(next).transpose()?;
    let (main, owners) = match begin(&plan, streams, init) {
        Ok(started) => started,
        Err(failed) => return report(&control, &failed),
    };
    // Whatever it says: the referee may be gone, and the bot is ended in any case.
    let say = |what: &SupervisorReport| drop(report(&control, what));
    let watched = watch(&plan, main, &control);
    if let Ok(Some(exit)) = &watched {
        // Before the groups are removed.
        if let Some(what) = cgroup::enforced(&plan.groups) {
            let what = what.to_owned();
            say(&SupervisorReport::Enforced { what });
        }
        say(&exited(&plan, exit));
    }
    let exit_of_killed = end_all(&plan, main);
    match watched {
        Ok(Some(_)) => {}
        Ok(None) => {
            if let Some(exit) = exit_of_killed {
                say(&exited(&plan, &exit));
            }
        }
        Err(error) => say(&failed(format!("cannot be watched: {error}"), &error)),
    }
    cgroup::remove(&plan.groups);
    if let Some(owners) = owners {
        // Files that cannot be taken back are left to root.
        let _ = owners.take_back();
    }
    if let Some(tmp) = &plan.tmp {
        // The referee removes the folder, too.
        let _ = std::fs::remove_dir_all(tmp);
    }
    Ok(())
}

/// Prepares this process, and starts the bot. This process keeps no end of the bot's pipes, so that
/// each side notices when the other closes them.
fn begin(
    plan: &Plan,
    streams: [OwnedFd; 3],
    init: Option<OwnedFd>,
) -> Result<(Pid, Option<Owners>), SupervisorReport> {
    if let Some(cores) = &plan.cores {
        cores.pin_this_thread();
    }
    if plan.has_short_slices {
        time_slice::shorten_for_this_process();
    }
    std::env::set_current_dir(&plan.dir).map_err(|error| {
        let dir = plan.dir.to_string_lossy();
        let why = format!("cannot be started: {error} (its working directory is `{dir}`)");
        failed(why, &error)
    })?;
    let start = || {
        #[cfg(target_os = "linux")]
        isolate()?;
        let owners = plan.loan.as_ref().map(Loan::owners).transpose()?;
        let main = match &plan.program {
            Program::Bot(command) => start(command, &plan.environment, streams)?,
            Program::Launcher(launch) => fork_launcher(launch, &plan.environment, streams, init)?,
        };
        io::Result::Ok((main, owners))
    };
    start().map_err(|error| {
        failed(
            format!("cannot be started: {error}{}", hint(&error)),
            &error,
        )
    })
}

/// Adopts the orphans that the bot leaves behind, and leaves the session's keyring.
#[cfg(target_os = "linux")]
fn isolate() -> io::Result<()> {
    use nix::libc;

    nix::sys::prctl::set_child_subreaper(true)?;
    const JOIN_SESSION_KEYRING: libc::c_int = 1;
    // SAFETY: without a name this makes a new keyring; nothing of this process's memory is used.
    #[expect(unsafe_code, reason = "no library has this call")]
    let joined = unsafe {
        libc::syscall(
            libc::SYS_keyctl,
            JOIN_SESSION_KEYRING,
            std::ptr::null::<libc::c_char>(),
        )
    };
    match Errno::result(joined) {
        // There are kernels without keys, and containers that forbid them.
        Ok(_) | Err(Errno::ENOSYS | Errno::EPERM | Errno::EACCES) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Reports the start, and waits for the end of the bot; `None` if it has to be ended.
///
/// # Errors
/// If the machine refuses what this needs; then nothing was reported.
fn watch(plan: &Plan, main: Pid, control: &StdStream) -> io::Result<Option<Exit>> {
    let mut events = Events::of(control)?;
    report(control, &SupervisorReport::Started { pid: main.as_raw() })?;
    let watches = plan.watch != WatchedLimits::default();
    let mut next_patrol = Instant::now() + PATROL_INTERVAL;
    loop {
        // First of all, as it may have ended before there were events.
        let reaped = reap(main);
        if reaped.main_exit.is_some() || reaped.none_left {
            return Ok(reaped.main_exit);
        }
        let now = Instant::now();
        if watches && now >= next_patrol {
            if let Some(what) = plan.watch.exceeded(Pid::this()) {
                let _ = report(control, &SupervisorReport::Over { what });
                return Ok(None);
            }
            next_patrol = now + PATROL_INTERVAL;
        }
        match events.next(watches.then_some(next_patrol)) {
            None => {}
            Some(events::Command::Term) => ask_to_end(),
            Some(events::Command::Kill) => return Ok(None),
        }
    }
}

/// Sends a line to the referee. It is short, so it fits into the connection even while nobody reads.
fn report(mut control: &StdStream, report: &SupervisorReport) -> io::Result<()> {
    let line = serde_json::to_string(report)? + "\n";
    control.write_all(line.as_bytes())
}

fn failed(why: String, error: &io::Error) -> SupervisorReport {
    SupervisorReport::Failed {
        why,
        is_exhausted: resource_exhausted::is_cause(error),
    }
}

fn exited(plan: &Plan, exit: &Exit) -> SupervisorReport {
    SupervisorReport::Exited(match *exit {
        Exit::Code(code @ 129..) if plan.wrapped => Exit::Signal(code - 128),
        ref exit => exit.clone(),
    })
}

/// Starts the bot in a process group of its own.
fn start(command: &[String], environment: &Environment, streams: [OwnedFd; 3]) -> io::Result<Pid> {
    let [program, arguments @ ..] = command else {
        return Err(io::Error::other("there is no command"));
    };
    let [stdin, stdout, stderr] = streams;
    let mut command = Command::new(program);
    command.args(arguments).process_group(0);
    command.stdin(stdin).stdout(stdout).stderr(stderr);
    environment.set(&mut command);
    // SAFETY: between fork and exec only what is safe in signal handlers may be called; these are
    // two system calls and nothing else.
    #[expect(unsafe_code, reason = "there is no safe way to set it for a child")]
    unsafe {
        command.pre_exec(bind_to_supervisor);
    }
    process_tree::pid(command.spawn()?.id())
}

/// Forks a process that confines itself and becomes the bot, in a process group of its own.
fn fork_launcher(
    launch: &Launch,
    environment: &Environment,
    streams: [OwnedFd; 3],
    init: Option<OwnedFd>,
) -> io::Result<Pid> {
    // SAFETY: this process has no other thread that could hold a lock at this moment.
    #[expect(unsafe_code, reason = "there is no safe way to fork")]
    match unsafe { fork() }? {
        ForkResult::Parent { child } => {
            // The child does so, too. Either way, the group is there from now on.
            let _ = setpgid(child, child);
            Ok(child)
        }
        ForkResult::Child => {
            let why = match prepare_launcher(streams) {
                Ok(()) => launch::run(launch, environment, init),
                Err(error) => format!("cannot be confined: {error}"),
            };
            let _ = writeln!(io::stderr(), "{why}");
            std::process::exit(i32::from(EXIT_NOT_STARTED))
        }
    }
}

fn prepare_launcher([stdin, stdout, stderr]: [OwnedFd; 3]) -> io::Result<()> {
    dup2_stdin(stdin)?;
    dup2_stdout(stdout)?;
    dup2_stderr(stderr)?;
    let this_process = Pid::from_raw(0);
    setpgid(this_process, this_process)?;
    bind_to_supervisor()
}

/// Makes the bot die with its supervisor: otherwise a bot that kills its supervisor would become
/// the referee's child, and could go on to kill that. Closes all other files for it, even those that
/// were open when the referee was started.
#[cfg(target_os = "linux")]
fn bind_to_supervisor() -> io::Result<()> {
    use nix::libc;

    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?;
    let first_closed = libc::STDERR_FILENO.unsigned_abs() + 1;
    // SAFETY: this takes numbers only, and closes nothing before this process becomes the bot.
    #[expect(unsafe_code, reason = "the standard library does not have this call")]
    unsafe {
        // Kernels before 5.11 cannot do this, and the files stay open.
        libc::syscall(
            libc::SYS_close_range,
            first_closed,
            libc::c_uint::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        );
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn bind_to_supervisor() -> io::Result<()> {
    Ok(())
}

fn ask_to_end() {
    let tree = process_tree::descendants(Pid::this());
    process_tree::signal(&tree, Signal::SIGTERM);
    // A stopped process would not receive it.
    process_tree::signal(&tree, Signal::SIGCONT);
}

#[derive(Debug, Default)]
struct Reaped {
    /// The end of the bot's first process, if it was among them.
    main_exit: Option<Exit>,
    /// No children are left.
    none_left: bool,
}

fn reap(main: Pid) -> Reaped {
    let mut reaped = Reaped::default();
    loop {
        let (pid, exit) = match waitpid(None::<Pid>, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(pid, code)) => (pid, Exit::Code(code)),
            Ok(WaitStatus::Signaled(pid, signal, _)) => (pid, Exit::Signal(signal as i32)),
            Err(Errno::ECHILD) => {
                reaped.none_left = true;
                return reaped;
            }
            Ok(WaitStatus::StillAlive) | Err(_) => return reaped,
            Ok(_) => continue,
        };
        if pid == main {
            reaped.main_exit = Some(exit);
        }
    }
}

/// Kills until no process is left. Every orphan becomes a child of this process, so it has no
/// children then. Returns the end of the bot's first process.
fn end_all(plan: &Plan, main: Pid) -> Option<Exit> {
    let mut exit = None;
    loop {
        cgroup::kill(&plan.groups);
        cgroup::thaw(&plan.groups);
        let reaped = reap(main);
        exit = exit.or(reaped.main_exit);
        if reaped.none_left {
            return exit;
        }
        if process_tree::is_visible() {
            let tree = process_tree::descendants(Pid::this());
            process_tree::signal(&tree, Signal::SIGKILL);
        } else {
            let _ = killpg(main, Signal::SIGKILL);
        }
        std::thread::sleep(REAP_INTERVAL);
    }
}

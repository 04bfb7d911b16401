//! The supervisor: a small process between the referee and each bot.
//!
//! It runs in a session of its own and adopts every orphan that the bot leaves behind, even one in
//! another session. It ends all of them when the bot exits, when the referee says so, or when the
//! referee is gone for any reason. A bot that kills its parent kills only this process.

use std::io;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream as StdStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, dup2_stderr, dup2_stdin, dup2_stdout};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::signal::unix::{Signal as SignalStream, SignalKind, signal};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::plan::{CONTROL_FD, Exit, Plan, SupervisorReport, TERM};
use crate::sandbox::launch::environment;
use crate::sandbox::launch::exec_error::hint;
use crate::sandbox::launch::init;
use crate::sandbox::layers::cgroup;
use crate::sandbox::layers::ownership::Loan;
use crate::sandbox::watched_limits::WatchedLimits;
use crate::system::process_tree;
use crate::system::resource_exhausted;

/// The limits that the supervisor enforces itself are checked at this interval.
const PATROL_INTERVAL: Duration = Duration::from_millis(10);
/// While killed processes end, they are reaped at this interval.
const REAP_INTERVAL: Duration = Duration::from_millis(1);

/// Runs a supervisor until its bot is gone.
///
/// # Errors
/// If no referee started this process, or the machine refuses something essential.
pub fn run(plan: &Plan) -> io::Result<()> {
    let control = control()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(supervise(plan, control))
}

/// The connection to the referee, closed for the bot.
fn control() -> io::Result<StdStream> {
    // SAFETY: the referee hands this descriptor over to this process alone, at its start, and
    // nothing else here takes it. If there is none, its first use is an error.
    #[expect(unsafe_code, reason = "an inherited descriptor has no owner yet")]
    let fd = unsafe { OwnedFd::from_raw_fd(CONTROL_FD) };
    fcntl(fd.as_fd(), FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    let control = StdStream::from(fd);
    control.set_nonblocking(true)?;
    Ok(control)
}

async fn supervise(plan: &Plan, control: StdStream) -> io::Result<()> {
    let (commands, mut reports) = UnixStream::from_std(control)?.into_split();
    // Before anything is started, so that no end is missed.
    let mut ended = signal(SignalKind::child())?;
    #[cfg(target_os = "linux")]
    isolate()?;
    let owners = plan.loan.as_ref().map(Loan::owners).transpose();
    let (main, owners) = match owners.and_then(|owners| Ok((start(plan)?, owners))) {
        Ok(started) => started,
        Err(error) => {
            let is_exhausted = resource_exhausted::is_cause(&error);
            let why = format!("cannot be started: {error}{}", hint(&error));
            let failed = SupervisorReport::Failed { why, is_exhausted };
            return report(&mut reports, &failed).await;
        }
    };
    // If anything fails from here on, the bot is ended: the referee may be gone already.
    let exit = match close_streams() {
        Ok(()) => watch(plan, main, commands, &mut reports, &mut ended).await,
        Err(_) => None,
    };
    if let Some(exit) = &exit {
        // Before the groups are removed. The referee may be gone.
        if let Some(what) = cgroup::enforced(&plan.groups) {
            let what = what.to_owned();
            let _ = report(&mut reports, &SupervisorReport::Enforced { what }).await;
        }
        report_exit(plan, &mut reports, exit).await;
    }
    let exit_of_killed = end_all(plan, main).await;
    if let (None, Some(exit)) = (exit, exit_of_killed) {
        report_exit(plan, &mut reports, &exit).await;
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

/// Adopts the orphans that the bot leaves behind, prevents others from tracing this process, and
/// leaves the session's keyring.
#[cfg(target_os = "linux")]
fn isolate() -> io::Result<()> {
    use nix::libc;
    use nix::sys::prctl::{set_child_subreaper, set_dumpable};

    set_child_subreaper(true)?;
    set_dumpable(false)?;
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

/// Waits for the end of the bot; `None` if it has to be ended.
async fn watch(
    plan: &Plan,
    main: Pid,
    commands: OwnedReadHalf,
    reports: &mut OwnedWriteHalf,
    ended: &mut SignalStream,
) -> Option<Exit> {
    let started = SupervisorReport::Started { pid: main.as_raw() };
    report(reports, &started).await.ok()?;
    let mut commands = BufReader::new(commands).lines();
    let mut patrol = interval(PATROL_INTERVAL);
    patrol.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let watches = plan.watch != WatchedLimits::default();
    loop {
        tokio::select! {
            command = commands.next_line() => match command {
                Ok(Some(command)) if command == TERM.trim_end() => ask_to_end(),
                // The referee orders the end, or is gone.
                _ => return None,
            },
            _ = ended.recv() => if let Some(exit) = reap(main).main_exit {
                return Some(exit);
            },
            _ = patrol.tick(), if watches => if let Some(what) = plan.watch.exceeded(Pid::this()) {
                let _ = report(reports, &SupervisorReport::Over { what }).await;
                return None;
            },
        }
    }
}

async fn report(
    reports: &mut (impl AsyncWriteExt + Unpin),
    report: &SupervisorReport,
) -> io::Result<()> {
    let line = serde_json::to_string(report)? + "\n";
    reports.write_all(line.as_bytes()).await
}

/// Reports the end of the bot. Goes on if the referee is gone.
async fn report_exit(plan: &Plan, reports: &mut OwnedWriteHalf, exit: &Exit) {
    let exit = match *exit {
        Exit::Code(code @ 129..) if plan.wrapped => Exit::Signal(code - 128),
        ref exit => exit.clone(),
    };
    let _ = report(reports, &SupervisorReport::Exited(exit)).await;
}

/// Starts the bot in a process group of its own.
fn start(plan: &Plan) -> io::Result<Pid> {
    let [program, arguments @ ..] = &plan.command[..] else {
        return Err(io::Error::other("there is no command"));
    };
    let mut command = Command::new(program);
    command.args(arguments).process_group(0);
    if plan.is_the_bot {
        environment::restore(&mut command);
    }
    prepare_child(&mut command, plan.passes_init_control);
    let spawned = command.spawn();
    if plan.passes_init_control {
        let _ = nix::unistd::close(init::CONTROL_FD);
    }
    process_tree::pid(spawned?.id())
}

/// Makes the bot die with its supervisor: otherwise a bot that kills its supervisor would become
/// the referee's child, and could go on to kill that. Closes all other files, even those that were
/// open when the referee was started.
#[cfg(target_os = "linux")]
fn prepare_child(command: &mut Command, passes_init_control: bool) {
    use nix::libc;
    use nix::sys::prctl::set_pdeathsig;

    let last_open = if passes_init_control {
        init::CONTROL_FD
    } else {
        libc::STDERR_FILENO
    };
    let first_closed = last_open.unsigned_abs() + 1;

    // SAFETY: between fork and exec only what is safe in signal handlers may be called; these are
    // two system calls and nothing else, and the second one closes nothing before the exec.
    #[expect(unsafe_code, reason = "there is no safe way to set it for a child")]
    unsafe {
        command.pre_exec(move || {
            set_pdeathsig(Signal::SIGKILL)?;
            // Kernels before 5.11 cannot do this, and the files stay open.
            libc::syscall(
                libc::SYS_close_range,
                first_closed,
                libc::c_uint::MAX,
                libc::CLOSE_RANGE_CLOEXEC,
            );
            Ok(())
        });
    }
}

#[cfg(not(target_os = "linux"))]
fn prepare_child(_: &mut Command, _: bool) {}

/// Closes this process's ends of the bot's pipes, so that each side notices when the other closes.
fn close_streams() -> io::Result<()> {
    let null = std::fs::File::options()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    dup2_stderr(&null)?;
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
async fn end_all(plan: &Plan, main: Pid) -> Option<Exit> {
    let mut exit = None;
    loop {
        cgroup::kill(&plan.groups);
        cgroup::thaw(&plan.groups);
        if process_tree::is_visible() {
            let tree = process_tree::descendants(Pid::this());
            process_tree::signal(&tree, Signal::SIGKILL);
        } else {
            let _ = killpg(main, Signal::SIGKILL);
        }
        let reaped = reap(main);
        exit = exit.or(reaped.main_exit);
        if reaped.none_left {
            return exit;
        }
        sleep(REAP_INTERVAL).await;
    }
}

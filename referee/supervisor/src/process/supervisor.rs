//! The supervisor: a small process between the referee and each bot.
//!
//! It runs in a session of its own and adopts every orphan that the bot leaves behind, even one
//! that hides in another session. It ends all of them when the bot exits, when the referee says so,
//! or when the referee is gone for whatever reason. A bot that kills its parent kills only this
//! process.

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

use super::environment;
use super::exec_error::hint;
use super::plan::{CONTROL_FD, Exit, Plan, SupervisorReport, TERM};
use super::process_tree;
use super::watched_limits::WatchedLimits;
use crate::sandbox::init;
use crate::sandbox::layers::cgroup;
use crate::sandbox::layers::ownership::Loan;
use crate::shortage;

/// How often the supervisor checks the limits that it enforces itself.
const PATROL_INTERVAL: Duration = Duration::from_millis(10);
/// How often the supervisor checks whether every process that it killed is gone.
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
            let short = shortage::is_one(&error);
            let why = format!("cannot be started: {error}{}", hint(&error));
            return report(&mut reports, &SupervisorReport::Failed { why, short }).await;
        }
    };
    // Whatever goes wrong from here on, the bot is ended: the referee may be gone already.
    let exit = match close_streams() {
        Ok(()) => look_after(plan, main, commands, &mut reports, &mut ended).await,
        Err(_) => None,
    };
    if let Some(exit) = &exit {
        // Now, because the groups are removed in the end. The referee may be gone.
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
        // What cannot be taken back is root's to look after.
        let _ = owners.take_back();
    }
    if let Some(tmp) = &plan.tmp {
        // The referee removes it, too.
        let _ = std::fs::remove_dir_all(tmp);
    }
    Ok(())
}

/// Adopts the orphans that the bot leaves behind, keeps others from looking into this process, and
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
        // Kernels without keys, and containers in which they are forbidden.
        Ok(_) | Err(Errno::ENOSYS | Errno::EPERM | Errno::EACCES) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Waits until the bot ends, and returns how; `None` if there is a reason to end it.
async fn look_after(
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
                // The referee says so, or it is gone.
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

/// Reports how the bot ended. That the referee is gone is no reason to stop.
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
    if !plan.has_launcher {
        environment::unpack(&mut command);
    }
    prepare_child(&mut command, plan.passes_init_control);
    let spawned = command.spawn();
    if plan.passes_init_control {
        let _ = nix::unistd::close(init::CONTROL_FD);
    }
    process_tree::pid(spawned?.id())
}

/// Sets what a bot is born with. It dies with its supervisor: otherwise a bot that kills its
/// supervisor would become the referee's child, and could go on to kill that. And it has no files
/// open but its own, even if whoever started the referee left some open.
#[cfg(target_os = "linux")]
fn prepare_child(command: &mut Command, passes_init_control: bool) {
    use nix::libc;
    use nix::sys::prctl::set_pdeathsig;

    let kept = if passes_init_control {
        init::CONTROL_FD
    } else {
        libc::STDERR_FILENO
    };
    let first_closed = kept.unsigned_abs() + 1;

    // SAFETY: between fork and exec only what is safe in signal handlers may be called; these are
    // two system calls and nothing else, and the second one closes nothing before the exec.
    #[expect(unsafe_code, reason = "there is no safe way to set it for a child")]
    unsafe {
        command.pre_exec(move || {
            set_pdeathsig(Signal::SIGKILL)?;
            // Kernels before 5.11 cannot do this; then the files stay open.
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

/// Closes this process's ends of the bot's pipes, so that each side sees when the other closes.
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
    // A stopped process would not see it.
    process_tree::signal(&tree, Signal::SIGCONT);
}

/// The children that were reaped.
#[derive(Debug, Default)]
struct Reaped {
    /// How the bot's first process ended, if it was among them.
    main_exit: Option<Exit>,
    /// No children are left.
    none_left: bool,
}

/// Reaps all children that have ended.
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

/// Kills until no process is left. Every orphan becomes a child of this process, so that is when it
/// has no children. Returns how the bot's first process ended.
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

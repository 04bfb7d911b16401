//! The keeper: a small process between the referee and each bot.
//!
//! It makes a session of its own, adopts whatever the bot starts and leaves behind (also what
//! hides in a session of its own), and ends all of it when the bot exits, when the referee says
//! so, or when the referee is gone, however that happened. A bot that kills its parent kills
//! only this.

use std::io;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream as StdStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, dup2_stderr, dup2_stdin, dup2_stdout, setsid};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::signal::unix::{Signal as SignalStream, SignalKind, signal};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::cage::launch::{self, Launch};
use super::cage::{cgroup, init};
use super::tree;
use super::watch::Watch;
use crate::shortage;

/// The hidden subcommand that a keeper is.
pub const SUBCOMMAND: &str = "keeper";
/// The hidden subcommand that the first process in a sandbox is.
pub const INIT: &str = "init";
/// The exit code of a keeper that could not do its work.
pub(super) const CANNOT: i32 = 4;
/// Where a keeper finds its end of the line to the referee.
pub(super) const CONTROL: i32 = 3;
/// The command that asks the bot's whole tree to end.
pub(super) const TERM: &str = "term\n";
/// The command that ends the bot's whole tree.
pub(super) const KILL: &str = "kill\n";
/// Between two looks at what is watched.
const PATROL: Duration = Duration::from_millis(10);
/// Between two looks at whether everything that was killed is gone.
const BURIAL: Duration = Duration::from_millis(1);

/// What a keeper is to start, and to look after.
#[derive(Debug, Serialize, Deserialize)]
pub struct Plan {
    /// Program and arguments.
    command: Vec<String>,
    /// What is to be looked after from time to time.
    pub(super) watch: Watch,
    /// Control groups to be removed in the end.
    pub(super) groups: Vec<PathBuf>,
    /// The program has the bot in it, and ends as shells do: with 128 and the signal that ended it.
    pub(super) wrapped: bool,
    /// The line of an init to the referee is open, next to the keeper's own, and is handed on.
    pub(super) keeps_init_line: bool,
    /// The bot's temporary folder, which goes with it, also if the referee is gone.
    pub(super) tmp: Option<PathBuf>,
}

impl Plan {
    /// Starts this command as it is.
    pub(super) fn new(command: Vec<String>) -> Self {
        Plan {
            command,
            watch: Watch::default(),
            groups: Vec::new(),
            wrapped: false,
            keeps_init_line: false,
            tmp: None,
        }
    }

    /// Has a launcher start it instead.
    pub(super) fn launch(&mut self, launch: Launch) -> io::Result<()> {
        let launch = serde_json::to_string(&launch)?;
        let myself = myself()?.to_string_lossy().into_owned();
        self.command = vec![myself, launch::SUBCOMMAND.to_owned(), launch];
        Ok(())
    }
}

/// This very program, also when its file was replaced since it started.
pub(super) fn myself() -> io::Result<PathBuf> {
    match cfg!(target_os = "linux") {
        true => Ok("/proc/self/exe".into()),
        false => std::env::current_exe(),
    }
}

/// What a keeper tells the referee, one a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Report {
    /// The bot runs.
    Started { pid: i32 },
    /// It could not be started, as part of a sentence; `short` if the machine is to blame.
    Failed { why: String, short: bool },
    /// It went beyond a limit that is watched, as part of a sentence.
    Over { what: String },
    /// The kernel did this because of its limits.
    Enforced { what: String },
    /// Its first process has ended.
    Exited(Exit),
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl Exit {
    /// As part of a sentence.
    pub fn in_words(&self) -> String {
        match *self {
            Exit::Code(code) => format!("exited with code {code}"),
            Exit::Signal(signal) => {
                let name = Signal::try_from(signal).map_or("unknown signal", Signal::as_str);
                format!("was ended by signal {signal} ({name})")
            }
        }
    }
}

/// A keeper's whole life.
///
/// # Errors
/// If it was not started by a referee, or the machine refuses the most basic things.
pub fn run(plan: &Plan) -> io::Result<()> {
    let control = control()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(keep(plan, control))
}

/// The line to the referee, which is not for the bot.
fn control() -> io::Result<StdStream> {
    // SAFETY: the referee hands this descriptor over to this process alone, at its start, and
    // nothing else here takes it. If there is none, its first use is an error.
    #[expect(unsafe_code, reason = "an inherited descriptor has no owner yet")]
    let fd = unsafe { OwnedFd::from_raw_fd(CONTROL) };
    fcntl(fd.as_fd(), FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    let control = StdStream::from(fd);
    control.set_nonblocking(true)?;
    Ok(control)
}

async fn keep(plan: &Plan, control: StdStream) -> io::Result<()> {
    let (commands, mut reports) = UnixStream::from_std(control)?.into_split();
    // Before anything is started, so that no end is missed.
    let mut ended = signal(SignalKind::child())?;
    setsid()?;
    #[cfg(target_os = "linux")]
    keep_to_itself()?;
    let main = match start(plan) {
        Ok(pid) => pid,
        Err(error) => {
            let short = shortage::is_one(&error);
            let why = format!("cannot be started: {error}{}", launch::hint(&error));
            return tell(&mut reports, &Report::Failed { why, short }).await;
        }
    };
    // Whatever goes wrong from here on, the bot is ended: the referee may be gone already.
    let exit = match let_go() {
        Ok(()) => look_after(plan, main, commands, &mut reports, &mut ended).await,
        Err(_) => None,
    };
    let told = |exit: Exit| match (plan.wrapped, exit) {
        (true, Exit::Code(code @ 129..)) => Exit::Signal(code - 128),
        (_, exit) => exit,
    };
    if let Some(exit) = &exit {
        // Now, as the groups are removed in the end. The referee may be gone.
        if let Some(what) = cgroup::enforced(&plan.groups) {
            let what = what.to_owned();
            let _ = tell(&mut reports, &Report::Enforced { what }).await;
        }
        let _ = tell(&mut reports, &Report::Exited(told(exit.clone()))).await;
    }
    let late = end_all(plan, main).await;
    if let (None, Some(exit)) = (exit, late) {
        let _ = tell(&mut reports, &Report::Exited(told(exit))).await;
    }
    cgroup::remove(&plan.groups);
    if let Some(tmp) = &plan.tmp {
        // The referee removes it, too.
        let _ = std::fs::remove_dir_all(tmp);
    }
    Ok(())
}

/// Adopts what the bot leaves behind, lets nobody look into this process, and shares no keys of
/// the session with anybody.
#[cfg(target_os = "linux")]
fn keep_to_itself() -> io::Result<()> {
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

/// Waits for the bot's end, which it gives, or for a reason to end it.
async fn look_after(
    plan: &Plan,
    main: Pid,
    commands: OwnedReadHalf,
    reports: &mut OwnedWriteHalf,
    ended: &mut SignalStream,
) -> Option<Exit> {
    let started = Report::Started { pid: main.as_raw() };
    tell(reports, &started).await.ok()?;
    let mut commands = BufReader::new(commands).lines();
    let mut patrol = interval(PATROL);
    patrol.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let watched = plan.watch != Watch::default();
    loop {
        tokio::select! {
            command = commands.next_line() => match command {
                Ok(Some(command)) if command == TERM.trim_end() => ask_to_end(),
                // The referee says so, or it is gone.
                _ => return None,
            },
            _ = ended.recv() => if let Some(exit) = bury(main).exit {
                return Some(exit);
            },
            _ = patrol.tick(), if watched => if let Some(what) = plan.watch.over(Pid::this()) {
                let _ = tell(reports, &Report::Over { what }).await;
                return None;
            },
        }
    }
}

async fn tell(reports: &mut (impl AsyncWriteExt + Unpin), report: &Report) -> io::Result<()> {
    let line = serde_json::to_string(report)? + "\n";
    reports.write_all(line.as_bytes()).await
}

/// Starts the bot in a process group of its own.
fn start(plan: &Plan) -> io::Result<Pid> {
    let [program, arguments @ ..] = &plan.command[..] else {
        return Err(io::Error::other("there is no command"));
    };
    let mut command = Command::new(program);
    command.args(arguments).process_group(0);
    prepare_child(&mut command, plan.keeps_init_line);
    let spawned = command.spawn();
    if plan.keeps_init_line {
        let _ = nix::unistd::close(init::CONTROL);
    }
    Ok(Pid::from_raw(spawned?.id() as i32))
}

/// What a bot is born with. If it kills its keeper it ends with it: it would be the referee's child
/// then, and could go on to kill that. And it has no files open but its own, also if whoever
/// started the referee left some open.
#[cfg(target_os = "linux")]
fn prepare_child(command: &mut Command, keeps_init_line: bool) {
    use nix::libc;
    use nix::sys::prctl::set_pdeathsig;

    let others: libc::c_uint = match keeps_init_line {
        true => 5,
        false => 3,
    };

    // SAFETY: between fork and exec only what is safe in signal handlers may be called; these are
    // two system calls and nothing else, and the second one closes nothing before the exec.
    #[expect(unsafe_code, reason = "there is no safe way to set it for a child")]
    unsafe {
        command.pre_exec(move || {
            set_pdeathsig(Signal::SIGKILL)?;
            // Kernels before 5.11 cannot do it; then it is left as it is.
            libc::syscall(
                libc::SYS_close_range,
                others,
                libc::c_uint::MAX,
                libc::CLOSE_RANGE_CLOEXEC,
            );
            Ok(())
        });
    }
}

#[cfg(not(target_os = "linux"))]
fn prepare_child(_: &mut Command, _: bool) {}

/// Closes this process's ends of the bot's pipes, so that both sides see when the other closes.
fn let_go() -> io::Result<()> {
    let nothing = std::fs::File::options()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    dup2_stderr(&nothing)?;
    Ok(())
}

fn ask_to_end() {
    let tree = tree::descendants(Pid::this());
    tree::signal(&tree, Signal::SIGTERM);
    // Who is stopped cannot see it.
    tree::signal(&tree, Signal::SIGCONT);
}

/// What was there to be buried.
#[derive(Debug, Default)]
struct Burial {
    /// How the bot's first process ended, if it was among them.
    exit: Option<Exit>,
    /// Nobody is left.
    all: bool,
}

/// Takes note of all children that have ended.
fn bury(main: Pid) -> Burial {
    let mut burial = Burial::default();
    loop {
        let (pid, exit) = match waitpid(None::<Pid>, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(pid, code)) => (pid, Exit::Code(code)),
            Ok(WaitStatus::Signaled(pid, signal, _)) => (pid, Exit::Signal(signal as i32)),
            Err(Errno::ECHILD) => {
                burial.all = true;
                return burial;
            }
            Ok(WaitStatus::StillAlive) | Err(_) => return burial,
            Ok(_) => continue,
        };
        if pid == main {
            burial.exit = Some(exit);
        }
    }
}

/// Kills until nobody is left: as every orphan becomes a child of this process, that is when it
/// has no children.
async fn end_all(plan: &Plan, main: Pid) -> Option<Exit> {
    let mut exit = None;
    loop {
        cgroup::kill(&plan.groups);
        cgroup::thaw(&plan.groups);
        if tree::visible() {
            tree::signal(&tree::descendants(Pid::this()), Signal::SIGKILL);
        } else {
            let _ = killpg(main, Signal::SIGKILL);
        }
        let burial = bury(main);
        exit = exit.or(burial.exit);
        if burial.all {
            return exit;
        }
        sleep(BURIAL).await;
    }
}

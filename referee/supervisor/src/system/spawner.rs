//! The spawner: a process that is forked for every supervisor. To fork a small process takes a
//! fraction of the time in which this program starts, whose libraries and addresses have to be
//! prepared each time.
//!
//! A fork becomes a child of this process, not of the spawner, so this process waits for it and
//! adopts what it leaves behind. On systems other than Linux a process cannot give its parent
//! another child: there each supervisor is started, and serves its order itself.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::signal::{SigHandler, Signal, signal};
use nix::unistd::{Pid, dup2_stdin, setsid};
use rustix::io::retry_on_intr;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use thiserror::Error;

use super::children::{self, OwnChild};
use super::resource_exhausted::{self, restore_descriptor_limit};

/// The first argument of a process that runs a spawner.
pub const SUBCOMMAND: &str = "supervise";
/// The exit code of a spawner or supervisor that could not run.
pub(crate) const EXIT_CANNOT_RUN: i32 = 4;
/// There is room for this many descriptors with an order.
const MAX_DESCRIPTORS: usize = 8;
/// The time that a spawner has to take an order or to answer. Only one that a bot has stopped takes
/// longer.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// The spawner of this process, once it is needed.
static SPAWNER: Mutex<Option<Spawner>> = Mutex::new(None);

/// The reason why a supervisor was not forked.
#[derive(Debug, Error)]
pub(crate) enum ForkError {
    #[error(transparent)]
    Refused(#[from] io::Error),
    /// The spawner could not run, because a resource of the machine is exhausted.
    #[error("the process that starts others cannot run")]
    CannotRun,
    /// The spawner was ended or stopped. The next attempt starts another one.
    #[error("the process that starts others does not answer")]
    NoAnswer,
}

/// Why a spawner did not fork.
enum AskError {
    /// The kernel refused.
    Refused(io::Error),
    /// It did not take the order, or did not answer.
    Lost(io::Error),
}

/// A spawner that runs.
#[derive(Debug)]
struct Spawner {
    /// It ends when this is closed.
    socket: UnixStream,
    process: OwnChild,
}

fn spawner() -> MutexGuard<'static, Option<Spawner>> {
    SPAWNER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a supervisor, a child of this process that serves `order` and gets copies of the
/// descriptors.
pub(crate) fn fork(order: &[u8], descriptors: &[BorrowedFd<'_>]) -> Result<Pid, ForkError> {
    let mut slot = spawner();
    if let Some(gone) = slot.take_if(|spawner| spawner.is_gone()) {
        gone.end();
    }
    let spawner = match slot.take() {
        Some(spawner) => spawner,
        None => Spawner::start()?,
    };
    if cfg!(not(target_os = "linux")) {
        if let Err(error) = send(&spawner.socket, order, descriptors) {
            return Err(spawner.lost(error));
        }
        let pid = spawner.process.pid();
        // It is a supervisor from now on, which its handle waits for.
        return children::register(|| {
            drop(spawner);
            Ok(((), pid))
        })
        .map(|((), pid)| pid);
    }
    let asked = children::register(|| spawner.ask(order, descriptors).map(|pid| ((), pid)));
    match asked {
        Err(AskError::Lost(error)) => Err(spawner.lost(error)),
        Err(AskError::Refused(error)) => {
            *slot = Some(spawner);
            Err(error.into())
        }
        Ok(((), pid)) => {
            *slot = Some(spawner);
            Ok(pid)
        }
    }
}

/// Ends the spawner until it is needed again.
pub fn stop() {
    if let Some(spawner) = spawner().take() {
        spawner.end();
    }
}

impl Spawner {
    fn start() -> io::Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_read_timeout(Some(TIME_LIMIT))?;
        socket.set_write_timeout(Some(TIME_LIMIT))?;
        let mut command = Command::new(this_program()?);
        command.arg(SUBCOMMAND).stdin(OwnedFd::from(theirs));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        restore_descriptor_limit(&mut command);
        leave_session(&mut command);
        let process = OwnChild::spawn(&mut command)?;
        Ok(Spawner { socket, process })
    }

    fn is_gone(&mut self) -> bool {
        !matches!(self.process.child.try_wait(), Ok(None))
    }

    fn ask(&self, order: &[u8], descriptors: &[BorrowedFd<'_>]) -> Result<Pid, AskError> {
        let mut answer = [0; size_of::<i32>()];
        send(&self.socket, order, descriptors)
            .and_then(|()| (&self.socket).read_exact(&mut answer))
            .map_err(AskError::Lost)?;
        match i32::from_le_bytes(answer) {
            pid @ 1.. => Ok(Pid::from_raw(pid)),
            error => Err(AskError::Refused(io::Error::from_raw_os_error(-error))),
        }
    }

    /// Ends one that may have taken a part of an order only.
    fn lost(self, error: io::Error) -> ForkError {
        let is_late = error.kind() == io::ErrorKind::WouldBlock;
        match self.end() {
            Some(EXIT_CANNOT_RUN) => ForkError::CannotRun,
            _ if !is_late && resource_exhausted::is_cause(&error) => ForkError::Refused(error),
            _ => ForkError::NoAnswer,
        }
    }

    /// Returns its exit code if it has ended by itself.
    fn end(mut self) -> Option<i32> {
        // Errors mean that it is gone already.
        let _ = self.process.child.kill();
        self.process.child.wait().ok()?.code()
    }
}

/// The running program, even if its file has been replaced since the start.
fn this_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        Ok("/proc/self/exe".into())
    } else {
        std::env::current_exe()
    }
}

/// Starts a process in a session of its own: Ctrl-C in the terminal is for the referee alone, which
/// may still need the process. Signals have their default effect there even if the referee ignores
/// them (`nohup`), so that bots find the same everywhere.
fn leave_session(command: &mut Command) {
    // SAFETY: between fork and exec only what is safe in signal handlers may be called; these are
    // system calls. No handler of this program is lost: the child has none after exec anyway.
    #[expect(unsafe_code, reason = "there is no safe way to set it for a child")]
    unsafe {
        command.pre_exec(|| {
            setsid()?;
            for one in [
                Signal::SIGHUP,
                Signal::SIGINT,
                Signal::SIGQUIT,
                Signal::SIGTERM,
                Signal::SIGCHLD,
            ] {
                signal(one, SigHandler::SigDfl)?;
            }
            Ok(())
        });
    }
}

/// Sends an order after its length, which carries the descriptors.
fn send(mut socket: &UnixStream, order: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let length = u32::try_from(order.len()).map_err(io::Error::other)?;
    let length = length.to_le_bytes();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::Error::other("an order has too many descriptors"));
    }
    let length = [IoSlice::new(&length)];
    retry_on_intr(|| sendmsg(socket, &length, &mut ancillary, SendFlags::empty()))?;
    socket.write_all(order)
}

/// The next order, with its descriptors; `None` when there will be no more.
fn receive(mut socket: &UnixStream) -> io::Result<Option<(Vec<u8>, Vec<OwnedFd>)>> {
    let mut length = [0; size_of::<u32>()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = retry_on_intr(|| {
        let mut length = [IoSliceMut::new(&mut length)];
        recvmsg(socket, &mut length, &mut ancillary, RecvFlags::empty())
    })?;
    if received.bytes == 0 {
        return Ok(None);
    }
    let mut descriptors = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            descriptors.extend(received);
        }
    }
    for descriptor in &descriptors {
        fcntl(descriptor, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    }
    socket.read_exact(&mut length[received.bytes..])?;
    let mut order = vec![0; u32::from_le_bytes(length) as usize];
    socket.read_exact(&mut order)?;
    Ok(Some((order, descriptors)))
}

/// Runs a spawner until the referee needs it no more, and `serve` in each of its forks.
///
/// # Errors
/// If no referee started this process, or what `serve` returns.
pub fn run(serve: fn(&[u8], Vec<OwnedFd>) -> io::Result<()>) -> io::Result<()> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let null = std::fs::File::open("/dev/null")?;
    dup2_stdin(&null)?;
    drop(null);
    #[cfg(target_os = "linux")]
    prepare()?;
    while let Some((order, descriptors)) = receive(&socket)? {
        let answer = match fork_sibling() {
            Ok(Some(pid)) => pid.as_raw(),
            Ok(None) => {
                drop(socket);
                #[cfg(target_os = "linux")]
                {
                    setsid()?;
                    nix::sys::prctl::set_name(c"supervisor")?;
                }
                return serve(&order, descriptors);
            }
            Err(error) => -(error as i32),
        };
        (&socket).write_all(&answer.to_le_bytes())?;
    }
    Ok(())
}

/// Lets no bot look into this process or its forks, names it for lists of processes, and gives them
/// the cores of the whole program: the thread that has started this process may have been pinned.
#[cfg(target_os = "linux")]
fn prepare() -> io::Result<()> {
    use nix::sched::{sched_getaffinity, sched_setaffinity};
    use nix::unistd::getppid;

    nix::sys::prctl::set_dumpable(false)?;
    nix::sys::prctl::set_name(c"spawner")?;
    // A sandbox forbids the call, even where it would change nothing.
    let own = Pid::from_raw(0);
    if let Ok(cores) = sched_getaffinity(getppid())
        && sched_getaffinity(own) != Ok(cores)
    {
        let _ = sched_setaffinity(own, &cores);
    }
    Ok(())
}

/// Forks this process as another child of its parent; `None` in the new process.
#[cfg(target_os = "linux")]
fn fork_sibling() -> Result<Option<Pid>, Errno> {
    use nix::libc::{CLONE_PARENT, SIGCHLD, SYS_clone, c_ulong, syscall};

    let flags = (CLONE_PARENT | SIGCHLD) as c_ulong;
    let none: c_ulong = 0;
    // SAFETY: the new process has a copy of all memory and goes on here, as after fork(2), except
    // that the C library may take it for the old one where it asks for thread ids, which nothing
    // here does. This process has no other thread that could hold a lock at this moment.
    #[expect(unsafe_code, reason = "no library has this flag")]
    let forked = unsafe { syscall(SYS_clone, flags, none, none, none, none) };
    let pid = Errno::result(forked)?;
    Ok((pid > 0).then(|| Pid::from_raw(pid as i32)))
}

/// This process is the new one itself.
#[cfg(not(target_os = "linux"))]
fn fork_sibling() -> Result<Option<Pid>, Errno> {
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_arrives_with_its_descriptors() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (mut reader, writer) = io::pipe().unwrap();
        let long = vec![b'x'; 1 << 20];
        let sent = std::thread::spawn(move || {
            send(&ours, &long, &[writer.as_fd(), ours.as_fd()]).unwrap();
            send(&ours, b"", &[]).unwrap();
        });
        let (order, descriptors) = receive(&theirs).unwrap().unwrap();
        assert_eq!(order, vec![b'x'; 1 << 20]);
        let [writer, _] = <[OwnedFd; 2]>::try_from(descriptors).unwrap();
        let flags = fcntl(&writer, FcntlArg::F_GETFD).unwrap();
        assert_eq!(flags, FdFlag::FD_CLOEXEC.bits());
        io::PipeWriter::from(writer).write_all(b"y").unwrap();
        let mut byte = [0];
        reader.read_exact(&mut byte).unwrap();
        assert_eq!(byte, *b"y");
        let (order, descriptors) = receive(&theirs).unwrap().unwrap();
        assert!(order.is_empty() && descriptors.is_empty());
        sent.join().unwrap();
        assert!(receive(&theirs).unwrap().is_none());
    }
}

//! System calls that no library offers, processes by fork, and memory that is shared with them.

#![expect(
    unsafe_code,
    reason = "tricks are made of raw system calls, and of processes that share memory"
)]

use std::io;
use std::sync::atomic::AtomicU64;
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc::{self, c_long};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid};

/// Processes end by themselves after this, in seconds, even if the referee is gone.
const LIFETIME: u32 = 60;
/// Bytes of memory that processes share with those they start.
const SHARED: usize = 4096;

/// Makes a system call; missing arguments are zero. Pointers must be valid for the call.
pub(super) fn call(number: c_long, arguments: &[usize]) -> nix::Result<usize> {
    let argument = |place: usize| arguments.get(place).copied().unwrap_or_default();
    // SAFETY: who calls this hands over pointers to what lives long enough.
    let result = unsafe {
        libc::syscall(
            number,
            argument(0),
            argument(1),
            argument(2),
            argument(3),
            argument(4),
            argument(5),
        )
    };
    Errno::result(result).map(|value| value as usize)
}

/// Makes a system call of 32-bit programs, with one argument: filters that check only the number
/// mistake it for another call.
#[cfg(target_arch = "x86_64")]
pub(super) fn call_as_32_bit(number: u32, argument: u32) -> nix::Result<usize> {
    let result: i32;
    // SAFETY: the kernel takes two numbers and returns one; it changes no memory.
    unsafe {
        std::arch::asm!(
            "push rbx",
            "mov ebx, {argument:e}",
            "int 0x80",
            "pop rbx",
            argument = in(reg) argument,
            inlateout("eax") number => result,
            in("ecx") 0,
            in("edx") 0,
            in("esi") 0,
            in("edi") 0,
            out("r8") _,
            out("r9") _,
            out("r10") _,
            out("r11") _,
        );
    }
    match result {
        0.. => Ok(result as usize),
        _ => Err(Errno::from_raw(-result)),
    }
}

/// Starts a process that does this and ends.
pub(super) fn fork(body: impl FnOnce()) -> nix::Result<Pid> {
    // SAFETY: the only other thread sleeps and holds no locks.
    match unsafe { nix::unistd::fork() }? {
        ForkResult::Parent { child } => Ok(child),
        ForkResult::Child => live(body),
    }
}

/// The same with these flags of clone(2), the signal at its end among them.
pub(super) fn clone(flags: i32, body: impl FnOnce()) -> nix::Result<Pid> {
    match call(libc::SYS_clone, &[flags as usize])? {
        0 => live(body),
        pid => Ok(Pid::from_raw(pid as i32)),
    }
}

fn live(body: impl FnOnce()) -> ! {
    nix::unistd::alarm::set(LIFETIME);
    body();
    leave(0)
}

/// Exits at once.
pub(super) fn leave(code: u8) -> ! {
    // SAFETY: nothing has to be put in order before.
    unsafe { libc::_exit(code.into()) }
}

/// The outcome of an attempt in a child process.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Done(bool),
    Killed(i32),
    Hangs,
    /// No process could be started.
    Refused(Errno),
}

/// Runs this in a child process, which is killed after a while.
pub(super) fn in_child(within: Duration, body: impl FnOnce() -> bool) -> Outcome {
    let started = fork(|| {
        let succeeded = body();
        leave(u8::from(!succeeded))
    });
    match started {
        Ok(child) => outcome(child, within),
        Err(error) => Outcome::Refused(error),
    }
}

/// Waits for the end of a child.
pub(super) fn outcome(child: Pid, within: Duration) -> Outcome {
    let end = Instant::now() + within;
    // Also those that end with another signal than usual.
    let all = WaitPidFlag::WNOHANG | WaitPidFlag::__WALL;
    loop {
        match waitpid(child, Some(all)) {
            Ok(WaitStatus::Exited(_, code)) => return Outcome::Done(code == 0),
            Ok(WaitStatus::Signaled(_, signal, _)) => return Outcome::Killed(signal as i32),
            Err(error) => return Outcome::Refused(error),
            Ok(_) if Instant::now() > end => {
                let _ = kill(child, Signal::SIGKILL);
                let _ = waitpid(child, Some(WaitPidFlag::__WALL));
                return Outcome::Hangs;
            }
            Ok(_) => thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Numbers that this process shares with all that it starts by fork.
pub(super) fn shared() -> io::Result<&'static [AtomicU64]> {
    let address = map(SHARED, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED)?;
    // SAFETY: the memory is there until the end of the process, zero at first, and aligned.
    Ok(unsafe { std::slice::from_raw_parts(address as *const AtomicU64, SHARED / 8) })
}

/// Maps new anonymous memory; returns its address.
pub(super) fn map(bytes: usize, rights: i32, kind: i32) -> nix::Result<usize> {
    let kind = kind | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let no_file = usize::MAX;
    call(
        libc::SYS_mmap,
        &[0, bytes, rights as usize, kind as usize, no_file],
    )
}

/// Writes a byte into each of several pieces of memory, from this address on.
pub(super) fn touch(address: usize, bytes: usize, piece: usize) {
    for offset in (0..bytes).step_by(piece) {
        // SAFETY: the caller has mapped all that memory for writing.
        unsafe { ((address + offset) as *mut u8).write_volatile(1) };
    }
}

/// Reads a byte of each of several pieces of memory, from this address on.
pub(super) fn look(address: usize, bytes: usize, piece: usize, each: impl Fn()) {
    for offset in (0..bytes).step_by(piece) {
        // SAFETY: the caller has mapped all that memory for reading.
        let _ = unsafe { ((address + offset) as *const u8).read_volatile() };
        each();
    }
}

/// CPU time of this process so far.
pub(super) fn cpu() -> Duration {
    let time = nix::time::clock_gettime(nix::time::ClockId::CLOCK_PROCESS_CPUTIME_ID);
    time.expect("a clock of this process").into()
}

/// Spins until this process has used this much CPU time, or time is up; continuously reports the
/// nanoseconds used.
pub(super) fn burn(time: Duration, end: Instant, used: impl Fn(u64)) {
    let begun = cpu();
    let mut counted = begun;
    while counted - begun < time && Instant::now() < end {
        for _ in 0..1000 {
            std::hint::spin_loop();
        }
        let now = cpu();
        used((now - counted).as_nanos() as u64);
        counted = now;
    }
}

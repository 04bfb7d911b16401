//! Core affinity of match slots. Processes that a slot's thread starts inherit it.

use std::io;

/// True if this system supports affinity.
pub const CAN_CHOOSE: bool = cfg!(target_os = "linux");

/// Keeps the current thread, and what it starts from now on, to one of the cores that it may use:
/// slots share them out in turn, and leave to other referees of this machine those that are theirs, as
/// long as there are others.
///
/// # Errors
/// If the machine refuses or knows no such thing.
#[cfg(target_os = "linux")]
pub fn keep_to_one(slot: usize) -> io::Result<()> {
    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    use nix::unistd::Pid;

    let this_thread = Pid::from_raw(0);
    let allowed = sched_getaffinity(this_thread)?;
    let all = 0..CpuSet::count();
    let cores: Vec<usize> = all
        .filter(|core| allowed.is_set(*core) == Ok(true))
        .collect();
    let turn = slot % cores.len().max(1);
    let in_turn = cores.iter().cycle().skip(turn).take(cores.len());
    let free = in_turn.copied().find(|core| claim(*core));
    let mut mine = CpuSet::new();
    mine.set(free.unwrap_or(cores[turn]))?;
    Ok(sched_setaffinity(this_thread, &mine)?)
}

/// Takes a core for this thread, until that ends; not if another thread of any referee has it, or
/// nobody can say.
#[cfg(target_os = "linux")]
fn claim(core: usize) -> bool {
    use std::cell::RefCell;
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::{SocketAddr, UnixDatagram};

    thread_local! {
        static CLAIM: RefCell<Option<UnixDatagram>> = const { RefCell::new(None) };
    }

    // A name that only one socket of the machine can have, and that goes with its process, however it ends.
    let name = SocketAddr::from_abstract_name(format!("referee-core-{core}"));
    let socket = name.and_then(|name| UnixDatagram::bind_addr(&name));
    let is_free = socket.is_ok();
    if let Ok(socket) = socket {
        CLAIM.with(|claim| claim.replace(Some(socket)));
    }
    is_free
}

/// Keeps the current thread, and what it starts from now on, to one of the cores that it may use.
///
/// # Errors
/// Always: this system has no such thing.
#[cfg(not(target_os = "linux"))]
pub fn keep_to_one(_: usize) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use nix::sched::{CpuSet, sched_getaffinity};
    use nix::unistd::Pid;

    #[test]
    fn a_thread_keeps_to_one_core() {
        let thread = std::thread::spawn(|| {
            keep_to_one(5).unwrap();
            let set = sched_getaffinity(Pid::from_raw(0)).unwrap();
            (0..CpuSet::count())
                .filter(|c| set.is_set(*c).unwrap())
                .count()
        });
        assert_eq!(thread.join().unwrap(), 1);
    }

    #[test]
    fn a_core_has_one_claim_at_a_time() {
        // A number that no machine has, so that no other test has it.
        let (sender, held) = std::sync::mpsc::channel();
        let (release, released) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            sender.send(claim(1_000_003)).unwrap();
            released.recv().unwrap();
        });
        assert!(held.recv().unwrap());
        assert!(!claim(1_000_003));
        release.send(()).unwrap();
        thread.join().unwrap();
        assert!(claim(1_000_003));
    }
}

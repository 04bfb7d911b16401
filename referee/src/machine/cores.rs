//! Which core a match slot keeps to. What a slot's thread starts inherits it.

use std::io;

/// Whether this system lets processes choose their cores.
pub(crate) const CAN_CHOOSE: bool = cfg!(target_os = "linux");

/// Keeps the current thread, and what it starts from now on, to one of the cores that it may use:
/// slots share them out in turn.
///
/// # Errors
/// If the machine refuses or knows no such thing.
#[cfg(target_os = "linux")]
pub(crate) fn keep_to_one(slot: usize) -> io::Result<()> {
    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    use nix::unistd::Pid;

    let this_thread = Pid::from_raw(0);
    let allowed = sched_getaffinity(this_thread)?;
    let all = 0..CpuSet::count();
    let cores: Vec<usize> = all
        .filter(|core| allowed.is_set(*core) == Ok(true))
        .collect();
    let mut mine = CpuSet::new();
    mine.set(cores[slot % cores.len().max(1)])?;
    Ok(sched_setaffinity(this_thread, &mine)?)
}

/// Keeps the current thread, and what it starts from now on, to one of the cores that it may use.
///
/// # Errors
/// Always: this system has no such thing.
#[cfg(not(target_os = "linux"))]
pub(crate) fn keep_to_one(_: usize) -> io::Result<()> {
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
}

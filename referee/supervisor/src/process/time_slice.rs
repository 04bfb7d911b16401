//! Scheduling time slices.

/// The shortest slice that Linux knows.
#[cfg(target_os = "linux")]
const SHORTEST_NS: u64 = 100_000;

/// Sets the shortest time slices for this process and its descendants, if the kernel lets a process
/// choose (Linux 6.12). It does not get more of the CPU, but gets it as soon as a request comes:
/// otherwise the asking thread would run on until it waits, and each request would cost two more
/// waits. Ignores a kernel that refuses.
#[cfg(target_os = "linux")]
pub(crate) fn shorten_for_this_process() {
    use nix::libc;

    let this_process = 0;
    let no_flags = 0;
    let size = size_of::<libc::sched_attr>() as u32;
    let mut attributes = libc::sched_attr {
        size,
        sched_policy: 0,
        sched_flags: 0,
        sched_nice: 0,
        sched_priority: 0,
        sched_runtime: 0,
        sched_deadline: 0,
        sched_period: 0,
    };
    // SAFETY: the kernel writes at most `size` bytes to where the attributes are.
    #[expect(unsafe_code, reason = "neither libc nor nix has this call")]
    let read = unsafe {
        libc::syscall(
            libc::SYS_sched_getattr,
            this_process,
            &raw mut attributes,
            size,
            no_flags,
        )
    };
    let shares_fairly = attributes.sched_policy == libc::SCHED_OTHER as u32;
    if read != 0 || !shares_fairly {
        return;
    }
    // Niceness stays as it was read.
    attributes.size = size;
    attributes.sched_flags = 0;
    attributes.sched_runtime = SHORTEST_NS;
    // SAFETY: the kernel reads `size` bytes of the attributes.
    #[expect(unsafe_code, reason = "neither libc nor nix has this call")]
    unsafe {
        libc::syscall(
            libc::SYS_sched_setattr,
            this_process,
            &raw const attributes,
            no_flags,
        );
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn shorten_for_this_process() {}

//! Settings of the allocator for many threads.

/// Lets threads share the allocator's arenas, one for each core: by default glibc makes up to eight
/// times as many, each with its own waste. Slots that share a core do not run at the same time, so
/// they hardly ever wait for each other.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn share_arenas() {
    use nix::libc::{M_ARENA_MAX, c_int, mallopt};

    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let most = c_int::try_from(cores).unwrap_or(c_int::MAX);
    #[expect(
        unsafe_code,
        reason = "no safe wrapper; it only sets a number, under a lock"
    )]
    let set = unsafe { mallopt(M_ARENA_MAX, most) };
    if set == 0 {
        tracing::debug!("the number of the allocator's arenas cannot be set");
    }
}

/// Other allocators have no such thing.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn share_arenas() {}

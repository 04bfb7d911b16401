//! Settings of the allocator for many threads.

/// The bytes at the end of an arena that are kept when they are free: more than a match takes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT_FREE: i32 = 256 << 10;

/// Keeps the memory of many threads small.
///
/// They share the allocator's arenas, one for each core: by default glibc makes up to eight times as many, each
/// with its own waste. Slots that share a core do not run at the same time, so they hardly ever wait for each
/// other. And arenas keep little at their ends: by default glibc keeps twice the largest block that was ever
/// freed, which may be megabytes since the configuration was read.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn save_for_threads() {
    use nix::libc::{M_ARENA_MAX, M_TRIM_THRESHOLD, c_int, mallopt};

    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let most = c_int::try_from(cores).unwrap_or(c_int::MAX);
    for (parameter, value) in [(M_ARENA_MAX, most), (M_TRIM_THRESHOLD, KEPT_FREE)] {
        #[expect(
            unsafe_code,
            reason = "no safe wrapper; it only sets a number, under a lock"
        )]
        let set = unsafe { mallopt(parameter, value) };
        if set == 0 {
            tracing::debug!(parameter, "the allocator does not take a parameter");
        }
    }
}

/// Other allocators have no such thing.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn save_for_threads() {}

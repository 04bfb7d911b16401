//! Resources that the referee itself has exhausted: descriptors, processes, memory or disk. That is
//! never the fault of a bot. Code that runs into it notes the cause here, and the program stops.
//!
//! These resources belong to the whole process, and so does the note.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::OnceLock;

use nix::libc::{EAGAIN, EDQUOT, EMFILE, ENFILE, ENOBUFS, ENOMEM, ENOSPC, ETOOMANYREFS};
use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};

/// The first cause.
static NOTED: OnceLock<String> = OnceLock::new();
/// The soft and the hard limit on descriptors at the start of this process.
static ORIGINAL: OnceLock<(rlim_t, rlim_t)> = OnceLock::new();

/// True if an error means that a resource of the machine, or this user's share of it, is exhausted.
pub(crate) fn is_cause(error: &io::Error) -> bool {
    let codes = [
        EMFILE,
        ENFILE,
        EAGAIN,
        ENOMEM,
        ENOBUFS,
        ENOSPC,
        EDQUOT,
        // Descriptors on their way to other processes.
        ETOOMANYREFS,
    ];
    error
        .raw_os_error()
        .is_some_and(|code| codes.contains(&code))
}

/// Records an error if it means that a resource is exhausted; `what` is the failed operation.
pub fn note(what: &str, error: &io::Error) {
    if is_cause(error) {
        note_as(format!("{what}: {error}{}", advice(error)));
    }
}

/// Records a cause, unless there is one already.
pub(crate) fn note_as(words: String) {
    NOTED.get_or_init(|| words);
}

/// The cause that was noted, if any.
pub fn noted() -> Option<&'static str> {
    NOTED.get().map(String::as_str)
}

fn advice(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(EMFILE) => " (`ulimit -n` allows no more; a smaller `concurrency` needs fewer)",
        Some(EAGAIN) => {
            " (no more processes: see `ulimit -u` and the control group's `pids.max`; a smaller \
             `concurrency` needs fewer)"
        }
        _ => "",
    }
}

/// Raises the limit on descriptors as far as possible. Child processes get the former limit back,
/// by `restore_descriptor_limit`.
pub fn raise_descriptors() {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else {
        return;
    };
    if ORIGINAL.set((soft, hard)).is_ok() && soft < hard {
        // Some systems claim to allow any number, and allow this one.
        let possible = [hard, 10_240];
        let mut raised = possible
            .into_iter()
            .filter(|most| (soft..=hard).contains(most));
        raised.any(|most| setrlimit(Resource::RLIMIT_NOFILE, most, hard).is_ok());
    }
}

/// Restores the former limit on descriptors for a process that is about to start: some programs
/// close all possible descriptors, or cannot handle high ones.
pub(crate) fn restore_descriptor_limit(command: &mut Command) {
    let Some(&(soft, hard)) = ORIGINAL.get() else {
        return;
    };
    // SAFETY: between fork and exec only what is safe in signal handlers may be called; this is one
    // system call with numbers.
    #[expect(unsafe_code, reason = "there is no safe way to set it for a child")]
    unsafe {
        command.pre_exec(move || Ok(setrlimit(Resource::RLIMIT_NOFILE, soft, hard)?));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_some_errors_mean_that_a_resource_is_exhausted() {
        for code in [EMFILE, ENFILE, EAGAIN, ENOMEM] {
            assert!(is_cause(&io::Error::from_raw_os_error(code)));
        }
        for code in [nix::libc::ENOENT, nix::libc::EACCES, nix::libc::ENOEXEC] {
            assert!(!is_cause(&io::Error::from_raw_os_error(code)));
        }
        assert!(!is_cause(&io::Error::other("x")));
    }
}

//! What the referee itself can run out of: descriptors, processes, memory. That is never the fault
//! of a bot: whoever meets it notes it here, and the program stops.
//!
//! All of it belongs to the whole process, so the note does, too.

use std::io;
use std::sync::OnceLock;

use nix::libc::{EAGAIN, EDQUOT, EMFILE, ENFILE, ENOMEM, ENOSPC};
use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};
use tokio::process::Command;

/// What ran short first.
static NOTED: OnceLock<String> = OnceLock::new();
/// How many descriptors a process had by default when this one began, and at most.
static ORIGINAL: OnceLock<(rlim_t, rlim_t)> = OnceLock::new();

/// Whether an error of starting something says that the machine, or what this user may have of it,
/// is used up.
pub fn is_one(error: &io::Error) -> bool {
    let codes = [EMFILE, ENFILE, EAGAIN, ENOMEM, ENOSPC, EDQUOT];
    error
        .raw_os_error()
        .is_some_and(|code| codes.contains(&code))
}

/// Takes note of a shortage, if an error is one; `what` could not be had.
pub fn note(what: &str, error: &io::Error) {
    if is_one(error) {
        note_as(format!("{what}: {error}{}", advice(error)));
    }
}

/// Takes note of a shortage, in words; the first one counts.
pub fn note_as(words: String) {
    NOTED.get_or_init(|| words);
}

/// What ran short, if anything did.
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

/// Lets this process have as many descriptors as it may. What it starts should have as many as
/// without that: see [`restore_descriptor_limit`].
pub fn raise_descriptors() {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else {
        return;
    };
    if ORIGINAL.set((soft, hard)).is_ok() && soft < hard {
        // Some systems say that all is allowed, and allow this.
        let possible = [hard, 10_240];
        let mut raised = possible
            .into_iter()
            .filter(|most| (soft..=hard).contains(most));
        raised.any(|most| setrlimit(Resource::RLIMIT_NOFILE, most, hard).is_ok());
    }
}

/// Gives a process that is to be started the limit on descriptors that it would have had: some
/// programs close all that there could be, or cannot deal with high ones.
pub fn restore_descriptor_limit(command: &mut Command) {
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
    fn shortages_are_told_from_mistakes() {
        for code in [EMFILE, ENFILE, EAGAIN, ENOMEM] {
            assert!(is_one(&io::Error::from_raw_os_error(code)));
        }
        for code in [nix::libc::ENOENT, nix::libc::EACCES, nix::libc::ENOEXEC] {
            assert!(!is_one(&io::Error::from_raw_os_error(code)));
        }
        assert!(!is_one(&io::Error::other("x")));
    }
}

//! Reasons why a program could not be started, for processes that become another program.

use std::io;

/// The exit code of a process that could not become the bot, as shells have it.
pub const EXIT_NOT_STARTED: u8 = 126;

/// A sentence about a program that could not be started.
pub(crate) fn not_started(program: &str, error: &io::Error) -> String {
    format!("`{program}` cannot be started: {error}{}", hint(error))
}

/// A possible reason why a program that exists and is executable could not be started.
pub(crate) fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        // The program itself was found before.
        io::ErrorKind::NotFound => " (is the interpreter in its first line right?)",
        _ if error.raw_os_error() == Some(nix::libc::ENOEXEC) => {
            " (is it a script whose first line should be `#!` and an interpreter?)"
        }
        _ => "",
    }
}

//! Keeps other programs of the same user out of this process. Bots without a sandbox are such
//! programs: they could open its files by `/proc/PID/fd`, including the copy of the log, read its
//! memory, and attach to it as a debugger does.

use std::io;

/// From here on only root may inspect this process, by `/proc` or as a debugger, and there are no
/// core dumps. Children do not inherit it, as `exec` resets it.
///
/// To inspect a running referee, be root (`sudo gdb -p PID`, `sudo perf record -p PID`), or start
/// it under the debugger.
pub(crate) fn forbid_inspection() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_dumpable(false)?;
    Ok(())
}

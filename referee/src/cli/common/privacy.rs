//! What keeps other programs of the same user out of this process. Bots without a sandbox are such
//! programs: they could open its files by `/proc/PID/fd`, the copy of the log among them, read its
//! memory, and attach to it as a debugger does.

use std::io;

/// From here on only root may look into this process, by `/proc` or as a debugger. It has no core
/// dumps either. Its children begin anew: what they execute decides.
///
/// To look into a running referee, be root (`sudo gdb -p PID`, `sudo perf record -p PID`), or start
/// it under the debugger.
pub(crate) fn keep_to_itself() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_dumpable(false)?;
    Ok(())
}

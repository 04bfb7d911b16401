//! The asynchronous part of commands, and how it is interrupted.

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::error::CliError;

/// Turns true at the first Ctrl-C, SIGTERM or hang-up; a second one ends the program at once, and
/// with it its bots.
pub(crate) fn on_interrupt() -> Result<watch::Receiver<bool>, CliError> {
    let (sender, receiver) = watch::channel(false);
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hang_up.recv() => {}
            }
            if sender.send_replace(true) {
                std::process::exit(i32::from(CliError::Interrupted.code()));
            }
        }
    });
    Ok(receiver)
}

/// The asynchronous part of a command; in it, a file that grows beyond the
/// limit on file sizes is an error of the write, not the end of the program by SIGXFSZ. (Bots do
/// not inherit the handler.)
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, CliError> {
    // One more thread, for signals: this one may be held up by who reads what it prints.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let _runtime = runtime.enter();
    let _too_large = signal(SignalKind::from_raw(nix::libc::SIGXFSZ))?;
    Ok(runtime.block_on(future))
}

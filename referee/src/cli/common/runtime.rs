//! The async part of commands, and interrupts.

use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tournament::Stop;

use crate::cli::common::error::CliError;
use crate::cli::common::signals::{Reaction, Urgency, on_signals};

/// Longest wait for computations that are still running when a command is over.
const MOST_TO_END: Duration = Duration::from_secs(1);

/// Turns true at the first Ctrl-C, SIGTERM or hang-up; the command has a moment to end then. A
/// second one ends the program, and its bots, at once.
pub(crate) fn on_interrupt() -> Result<watch::Receiver<bool>, CliError> {
    let (sender, receiver) = watch::channel(false);
    on_signals(None, move |_| {
        if sender.send_replace(true) {
            Reaction::AtOnce
        } else {
            Reaction::End
        }
    })?;
    Ok(receiver)
}

/// How soon a tournament has to end. The first Ctrl-C finishes the running matches, the second one
/// abandons them, as do SIGTERM and a hang-up, whose senders usually kill soon after. The next
/// signal ends the program, and its bots, at once; so does any signal once the receiver is gone.
pub(crate) fn on_stop() -> Result<watch::Receiver<Stop>, CliError> {
    let (sender, receiver) = watch::channel(Stop::No);
    let last_words = "ended at once; what was finished is in the log\n";
    on_signals(Some(last_words), move |urgency| {
        let before = *sender.borrow();
        let (stop, reaction) = match (before, urgency) {
            _ if sender.is_closed() => return Reaction::AtOnce,
            (Stop::No, Urgency::Patient) => (Stop::Finish, Reaction::Finish),
            (Stop::No | Stop::Finish, _) => (Stop::GiveUp, Reaction::End),
            (Stop::GiveUp, _) => return Reaction::AtOnce,
        };
        sender.send_replace(stop);
        reaction
    })?;
    Ok(receiver)
}

/// Runs the async part of a command. In it, a file that exceeds the limit on file sizes is an error
/// of the write and does not end the program by SIGXFSZ. (Bots do not inherit the handler.) Does
/// not wait long for computations that are still running at the end.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, CliError> {
    // One more thread, since the reader of our output may block this one.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let done = {
        let _inside = runtime.enter();
        let _too_large = signal(SignalKind::from_raw(nix::libc::SIGXFSZ))?;
        runtime.block_on(future)
    };
    runtime.shutdown_timeout(MOST_TO_END);
    Ok(done)
}

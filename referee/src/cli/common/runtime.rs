//! The asynchronous part of commands, and how it is interrupted.

use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tournament::Stop;

use crate::cli::common::error::CliError;
use crate::cli::common::signals::{Reaction, Urgency, on_signals};

/// How long what still computes when a command is over is waited for.
const MOST_TO_END: Duration = Duration::from_secs(1);

/// Turns true at the first Ctrl-C, SIGTERM or hang-up, after which the command has a moment to end; a
/// second one ends the program at once, and with it its bots.
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

/// How soon a tournament has to end: the first Ctrl-C finishes the matches in flight, the second one
/// gives them up, as SIGTERM and a hang-up do, because who sends those kills soon after. The next
/// signal ends the program at once, and with it its bots; so does any when nobody looks at the answer
/// any more.
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

/// The asynchronous part of a command; in it, a file that grows beyond the
/// limit on file sizes is an error of the write, not the end of the program by SIGXFSZ. (Bots do
/// not inherit the handler.) What still computes when it is over is not waited for
/// for long.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, CliError> {
    // One more thread, since this one may be held up by who reads what it prints.
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

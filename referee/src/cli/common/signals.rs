//! The signals that ask the program to end: the only place that handles them.
//!
//! A signal that was ignored when the program started stays ignored: `nohup` means that the end of a
//! terminal is not the end of the program. Where a subcommand does not ask for signals here they do what
//! they do by default: they end the program at once.
//!
//! A thread of its own waits for them, so that nothing which is computed holds them up. The sender is
//! told, and has a moment to end by itself: then the program ends, and with it its bots.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use nix::libc;
use report::tell;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::cli::common::error::CliError;

/// How long a command may take to end by itself.
const MOST_TO_END: Duration = Duration::from_millis(1800);
/// How often to check whether something is still being saved.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);
/// How long the last words may take: nobody may be reading them.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// Whether a signal has come that somebody handles.
static CAME: AtomicBool = AtomicBool::new(false);

/// How many [`Saving`]s there are.
static SAVING: AtomicUsize = AtomicUsize::new(0);

/// Whether the sender of a signal waits for what it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// A person, who has pressed Ctrl-C.
    Patient,
    /// A program that kills if that is not enough, or a terminal that is gone.
    Urgent,
}

/// What a command makes of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// It ends something first, for as long as that takes.
    Finish,
    /// It ends now.
    End,
    /// The program ends at once.
    AtOnce,
}

/// While there is one of these, something is written that takes long and has to be whole, so that the
/// program waits for it.
pub(crate) struct Saving(());

impl Saving {
    pub(crate) fn begin() -> Self {
        SAVING.fetch_add(1, Ordering::SeqCst);
        Saving(())
    }
}

impl Drop for Saving {
    fn drop(&mut self) {
        SAVING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Calls `react` with each signal from now on, in a thread of its own. `last_words` are said when the
/// program has to be ended.
pub(crate) fn on_signals(
    last_words: Option<&'static str>,
    mut react: impl FnMut(Urgency) -> Reaction + Send + 'static,
) -> Result<(), CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut signals = {
        let _inside = runtime.enter();
        Signals::listen()?
    };
    let wait = async move {
        let mut is_ending = false;
        loop {
            let urgency = signals.next().await;
            CAME.store(true, Ordering::SeqCst);
            match react(urgency) {
                Reaction::Finish => {}
                Reaction::AtOnce => end_at_once(last_words),
                Reaction::End if is_ending => {}
                Reaction::End => {
                    is_ending = true;
                    tokio::spawn(end_soon(last_words));
                }
            }
        }
    };
    let waiting = thread::Builder::new().name("signals".to_owned());
    waiting.spawn(move || runtime.block_on(wait))?;
    Ok(())
}

/// Whether the program was asked to end.
pub(crate) fn came() -> bool {
    CAME.load(Ordering::SeqCst)
}

/// Ends the program, unless it does so by itself.
async fn end_soon(last_words: Option<&'static str>) {
    tokio::time::sleep(MOST_TO_END).await;
    while SAVING.load(Ordering::SeqCst) > 0 {
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
    end_at_once(last_words);
}

fn end_at_once(last_words: Option<&'static str>) -> ! {
    last_words.into_iter().for_each(say);
    std::process::exit(i32::from(CliError::Interrupted.code()))
}

/// Prints a line, if that takes no time.
pub(crate) fn say(line: &'static str) {
    let (done, said) = mpsc::channel();
    let print = move || {
        tell(line);
        let _ = done.send(());
    };
    if thread::Builder::new().spawn(print).is_ok() {
        let _ = said.recv_timeout(LAST_WORDS);
    }
}

/// The signals that ask the program to end, but for those that were ignored at its start.
struct Signals {
    interrupt: Option<Signal>,
    terminate: Option<Signal>,
    hang_up: Option<Signal>,
}

impl Signals {
    fn listen() -> Result<Self, CliError> {
        let listen = |kind: SignalKind| {
            let is_wanted = !is_ignored(kind);
            is_wanted.then(|| signal(kind)).transpose()
        };
        Ok(Signals {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> Urgency {
        tokio::select! {
            () = received(&mut self.interrupt) => Urgency::Patient,
            () = received(&mut self.terminate) => Urgency::Urgent,
            () = received(&mut self.hang_up) => Urgency::Urgent,
        }
    }
}

/// Waits for a signal; for ever, if it is ignored.
async fn received(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// Whether a signal is ignored. Nothing here ever ignores one, so it was when the program started.
fn is_ignored(kind: SignalKind) -> bool {
    let mut now = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action nothing is changed; the present one is written to `now`, which is
    // as large as it has to be, and whose bytes are valid as zeros if the call fails.
    #[expect(
        unsafe_code,
        reason = "nix and rustix set actions, and do not tell them"
    )]
    let action = unsafe {
        libc::sigaction(kind.as_raw_value(), std::ptr::null(), now.as_mut_ptr());
        now.assume_init()
    };
    action.sa_sigaction == libc::SIG_IGN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_that_are_ignored_are_known() {
        // Rust programs ignore this one.
        assert!(is_ignored(SignalKind::pipe()));
        assert!(!is_ignored(SignalKind::from_raw(libc::SIGSEGV)));
    }
}

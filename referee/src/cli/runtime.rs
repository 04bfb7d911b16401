//! The asynchronous part of commands, and how it is interrupted.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use super::error::CliError;
use crate::report::tell;
use crate::tournament::Stop;

/// How long the last words may take: nobody may be reading them.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// Turns true at the first Ctrl-C, SIGTERM or hang-up; a second one ends the program at once, and
/// with it its bots.
pub(crate) fn on_interrupt() -> Result<watch::Receiver<bool>, CliError> {
    let (sender, receiver) = watch::channel(false);
    let mut signals = Signals::listen()?;
    tokio::spawn(async move {
        loop {
            signals.next().await;
            if sender.send_replace(true) {
                end_at_once();
            }
        }
    });
    Ok(receiver)
}

/// How soon a tournament has to end: the first Ctrl-C finishes the matches in flight, the second one
/// gives them up, as SIGTERM and a hang-up do, because who sends those kills soon after. The next
/// signal ends the program at once, and with it its bots; so does any when nobody looks at the answer
/// any more.
pub(crate) fn on_stop() -> Result<watch::Receiver<Stop>, CliError> {
    let (sender, receiver) = watch::channel(Stop::No);
    let mut signals = Signals::listen()?;
    tokio::spawn(async move {
        loop {
            let urgency = signals.next().await;
            let before = *sender.borrow();
            let stop = match (before, urgency) {
                _ if sender.is_closed() => None,
                (Stop::No, Urgency::Patient) => Some(Stop::Finish),
                (Stop::No | Stop::Finish, _) => Some(Stop::GiveUp),
                (Stop::GiveUp, _) => None,
            };
            match stop {
                Some(stop) => drop(sender.send_replace(stop)),
                None => {
                    say_last("ended at once; what was finished is in the log\n");
                    end_at_once();
                }
            }
        }
    });
    Ok(receiver)
}

/// The signals that ask the program to end.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

/// Whether whoever sent a signal waits for what it leads to.
#[derive(Clone, Copy)]
enum Urgency {
    /// A person, who has pressed Ctrl-C.
    Patient,
    /// A program that kills if that is not enough, or a terminal that is gone.
    Urgent,
}

impl Signals {
    fn listen() -> Result<Self, CliError> {
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> Urgency {
        tokio::select! {
            _ = self.interrupt.recv() => Urgency::Patient,
            _ = self.terminate.recv() => Urgency::Urgent,
            _ = self.hang_up.recv() => Urgency::Urgent,
        }
    }
}

fn end_at_once() -> ! {
    std::process::exit(i32::from(CliError::Interrupted.code()))
}

/// Prints a line, if that takes no time.
fn say_last(line: &'static str) {
    let (done, said) = mpsc::channel();
    let say = move || {
        tell(line);
        let _ = done.send(());
    };
    if thread::Builder::new().spawn(say).is_ok() {
        let _ = said.recv_timeout(LAST_WORDS);
    }
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

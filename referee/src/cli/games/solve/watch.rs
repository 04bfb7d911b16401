//! Progress of a search on stderr, and its stop conditions.

use std::cell::Cell;
use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::{Duration, Instant};

use report::print_notice;
use solver::Decided;
use tokio::sync::watch;

/// True once Ctrl-C was pressed.
#[derive(Clone)]
pub(super) struct StopSignal(pub(super) watch::Receiver<bool>);

impl StopSignal {
    pub(super) fn is_set(&self) -> bool {
        *self.0.borrow()
    }
}

/// Interval of progress on a terminal.
const ON_TERMINAL: Duration = Duration::from_secs(1);
/// Interval elsewhere, where every line stays.
const ELSEWHERE: Duration = Duration::from_secs(30);

const CHECKPOINT_EVERY: Duration = Duration::from_secs(600);

/// Shows progress, and stops the search.
pub(super) struct Progress {
    stop: StopSignal,
    began: Instant,
    terminal: bool,
    shown: Cell<Instant>,
    saved: Cell<Instant>,
    /// True if the line on the terminal is not ended yet.
    drawn: Cell<bool>,
}

impl Progress {
    pub(super) fn new(stop: StopSignal) -> Self {
        let now = Instant::now();
        Progress {
            stop,
            began: now,
            terminal: stderr().is_terminal(),
            shown: Cell::new(now),
            saved: Cell::new(now),
            drawn: Cell::new(false),
        }
    }

    /// Shows the progress of a generic search at intervals; `false` if it has to stop, perhaps only
    /// for a checkpoint.
    pub(super) fn go_on(&self, now: &solver::Progress) -> bool {
        self.tick(|seconds| {
            let rate = now.positions as f64 / seconds.max(1e-3);
            let mut line = format!(
                "{seconds:.0} s: {} positions ({rate:.0}/s), table {:.0} % full, ",
                now.positions,
                now.table * 100.0
            );
            let bound = |bound: i32| match bound {
                i32::MIN | i32::MAX => "?".to_owned(),
                bound => bound.to_string(),
            };
            line += &format!(
                "margin {} to {}, asking for {}",
                bound(now.bounds.0),
                bound(now.bounds.1),
                bound(now.asks)
            );
            if let Some((proof, disproof)) = now.numbers {
                line += &format!(", proof {proof}, disproof {disproof}");
            }
            for (what, decided) in ["first moves", "replies"].iter().zip(now.decided) {
                if let Some(Decided { refuted, moves }) = decided {
                    line += &format!(", {what}: {refuted} of {moves} refuted");
                }
            }
            line
        })
    }

    /// Shows a line if it is time; `false` to stop.
    pub(super) fn tick(&self, line: impl FnOnce(f64) -> String) -> bool {
        let every = if self.terminal {
            ON_TERMINAL
        } else {
            ELSEWHERE
        };
        if self.shown.get().elapsed() >= every {
            self.shown.set(Instant::now());
            self.show(&line(self.began.elapsed().as_secs_f64()));
        }
        !self.stop.is_set() && !self.save_is_due()
    }

    fn show(&self, line: &str) {
        if self.terminal {
            // Back to the first column, and clear the line.
            let _ = write!(stderr(), "\r\u{1b}[2K{line}");
            self.drawn.set(true);
        } else {
            print_notice(format_args!("{line}\n"));
        }
    }

    /// True if it is time for a checkpoint.
    pub(super) fn save_is_due(&self) -> bool {
        self.saved.get().elapsed() >= CHECKPOINT_EVERY
    }

    /// Notes that a checkpoint was written.
    pub(super) fn saved(&self) {
        self.saved.set(Instant::now());
    }

    /// Ends the line on the terminal.
    pub(super) fn finish(&self) {
        if self.drawn.replace(false) {
            print_notice("\n");
        }
    }
}

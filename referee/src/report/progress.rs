//! Progress: a display that redraws itself on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::standings::Standings;
use super::tables;
use super::{summary, tell};
use crate::tournament::run::Progress;

/// Shows on stderr how a tournament is going.
#[derive(Debug)]
pub struct Display {
    standings: Standings,
    running: usize,
    done: usize,
    total: usize,
    how: How,
}

#[derive(Debug)]
enum How {
    /// A block of lines that is drawn anew.
    Live(ProgressBar),
    /// A line for each finished match.
    Lines,
    /// Nothing.
    Quiet,
}

impl Display {
    /// A display for so many matches, of which some are done and in the standings already.
    pub fn new(standings: Standings, done: usize, total: usize, quiet: bool) -> Self {
        let how = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => How::Quiet,
            (false, true) => How::Live(live(done, total)),
            (false, false) => How::Lines,
        };
        Display {
            standings,
            running: 0,
            done,
            total,
            how,
        }
    }

    /// Takes note of what happened and shows it.
    pub fn show(&mut self, progress: Progress<'_>) {
        match progress {
            Progress::Started => self.running += 1,
            Progress::Finished(record) => {
                self.running -= 1;
                self.done += 1;
                self.standings.add(record);
                if let How::Lines = self.how {
                    let (done, total) = (self.done, self.total);
                    tell(format_args!("[{done}/{total}] {}\n", summary(record)));
                }
            }
            Progress::Trouble(what) => match &self.how {
                How::Live(bar) => bar.println(format!("warning: {what}")),
                How::Lines | How::Quiet => tell(format_args!("warning: {what}\n")),
            },
        }
        if let How::Live(bar) = &self.how {
            bar.set_position(self.done as u64);
            bar.set_message(format!("{} running", self.running));
            bar.set_prefix(tables::ranking(&self.standings));
        }
    }

    /// Takes the display away and gives the standings.
    pub fn finish(self) -> Standings {
        if let How::Live(bar) = self.how {
            bar.finish_and_clear();
        }
        self.standings
    }
}

fn live(done: usize, total: usize) -> ProgressBar {
    let template = "{bar:30} {pos}/{len} matches, {msg}, {elapsed} gone, {eta} left\n{prefix}";
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(total as u64).with_style(style);
    // The time left is told by the pace of this run.
    bar.set_position(done as u64);
    bar.reset_eta();
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

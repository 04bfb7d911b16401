//! Progress: a display that redraws itself on a terminal, plain lines elsewhere.

use std::collections::{HashMap, HashSet};
use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use protocol::{FaultCode, Record};
use ratings::Standings;
use supervisor::Failure;

use super::{formats, summary, tables, tell, terminal};
use crate::tournament::slots::Progress;

/// Shows on stderr how a tournament is going.
#[derive(Debug)]
pub(crate) struct Display {
    standings: Standings,
    running: usize,
    done: usize,
    total: u64,
    /// A line about where the format stands.
    note: Option<String>,
    /// Which bots had which faults.
    faults: HashSet<(String, FaultCode)>,
    /// The bots that do not start, each with the failure that the user was warned of.
    not_starting: HashMap<String, Failure>,
    how: How,
}

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Nothing but warnings.
    Quiet,
    /// A block of lines that is drawn anew on a terminal; elsewhere a line for each match.
    Normal,
    /// A line for each match that begins or ends.
    Verbose,
}

#[derive(Debug)]
enum How {
    /// A block of lines that is drawn anew.
    Live(ProgressBar),
    /// A line for each finished match.
    Lines,
    /// A line for each match that begins or ends.
    AllLines,
    /// Nothing.
    Quiet,
}

impl Display {
    /// A display for so many matches, of which some are done and in the standings already.
    pub(crate) fn new(standings: Standings, done: usize, total: u64, detail: Detail) -> Self {
        let how = match (detail, std::io::stderr().is_terminal()) {
            (Detail::Quiet, _) => How::Quiet,
            (Detail::Verbose, _) => How::AllLines,
            (Detail::Normal, true) => How::Live(live(done, total)),
            (Detail::Normal, false) => How::Lines,
        };
        Display {
            standings,
            running: 0,
            done,
            total,
            note: None,
            faults: HashSet::new(),
            not_starting: HashMap::new(),
            how,
        }
    }

    /// Takes note of what happened and shows it.
    pub(crate) fn show(&mut self, progress: Progress<'_>) {
        match progress {
            Progress::Started(what) => {
                self.running += 1;
                if let How::AllLines = self.how {
                    tell(format_args!("{what} begins\n"));
                }
            }
            Progress::Finished {
                record,
                done,
                total,
                standing,
            } => {
                self.running -= 1;
                (self.done, self.total) = (done, total);
                self.note = standing.as_ref().and_then(formats::line);
                self.standings.add_record(record);
                if let How::Lines | How::AllLines = self.how {
                    let note = self.note.iter().map(|note| format!("  {note}"));
                    let note: String = note.collect();
                    tell(format_args!("[{done}/{total}] {}{note}\n", summary(record)));
                }
                for fault in self.new_faults(record) {
                    self.warn(&fault);
                }
            }
            Progress::Trouble(what) => {
                self.warn(&what.text);
                self.not_starting.extend(what.not_starting.clone());
            }
        }
        if let How::Live(bar) = &self.how {
            bar.set_length(self.total);
            bar.set_position(self.done as u64);
            bar.set_message(format!("{} running", self.running));
            let note = self.note.iter().map(|note| format!("{note}\n"));
            let note: String = note.collect();
            bar.set_prefix(note + &tables::ranking(&self.standings));
        }
    }

    fn warn(&self, what: &str) {
        match &self.how {
            How::Live(bar) => bar.println(terminal::fit(&format!("warning: {what}"))),
            How::Lines | How::AllLines | How::Quiet => tell(format_args!("warning: {what}\n")),
        }
    }

    /// Warnings about a match's faults: one for the first fault of a kind that a bot has.
    fn new_faults(&mut self, record: &Record) -> Vec<String> {
        let quiet = matches!(self.how, How::Quiet);
        let faults = record.result.faults.iter();
        let faults = faults.filter(|fault| fault.code.is_fault() && !quiet);
        let warnings = faults.filter_map(|fault| {
            let name = &record.players.get(fault.seat)?.name;
            let new = self.faults.insert((name.clone(), fault.code));
            // There was a warning already if the bot does not start at all.
            let failure = self.not_starting.get(name);
            let known = failure.is_some_and(|failure| failure.message == fault.message);
            (new && !known).then(|| {
                format!(
                    "`{name}`, {} at ply {} of {}: {} (further faults of this kind are only in the \
                     log and in the folder `failures` beside it)",
                    fault.code, fault.ply, record.match_id, fault.message
                )
            })
        });
        warnings.collect()
    }

    /// Takes the display away and gives the standings.
    pub(crate) fn finish(self) -> Standings {
        if let How::Live(bar) = self.how {
            bar.finish_and_clear();
        }
        self.standings
    }
}

fn live(done: usize, total: u64) -> ProgressBar {
    let template = "{bar:30} {pos}/{len} matches, {msg}, {elapsed} gone, {eta} left\n{prefix}";
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(total).with_style(style);
    // The time left is told by the pace of this run.
    bar.set_position(done as u64);
    bar.reset_eta();
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

//! Progress of a tournament: a block of lines that is redrawn on a terminal, plain lines elsewhere.

use std::collections::{HashMap, HashSet};
use std::io::{IsTerminal, Write as _};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use protocol::{Failure, FaultCode, Record};
use ratings::Standings;
use ratings::report::is_noisy;
use ratings::store::MachineLoad;
use supervisor::News;
use terminal_size::terminal_size_of;
use tournament::Stop;
use tournament::WorkersSeen;
use tournament::reports::Progress;

use super::block::Block;
use super::sheet::too_noisy;
use super::{format_results, print_notice, standings_tables, summary};

/// Redraws while nothing happens keep the times in the block current.
const TICK: Duration = Duration::from_millis(500);
/// The shortest time between two redraws, however many matches end.
const LEAST_PAUSE: Duration = Duration::from_millis(100);
/// The most columns that the bar takes.
const BAR: usize = 30;

/// Shows the progress of a tournament on stderr.
#[derive(Debug)]
pub struct Display {
    state: Arc<Mutex<State>>,
    /// Faults that were warned of already, by bot.
    faults: HashSet<(String, FaultCode)>,
    /// Bots that do not start, with the failure that was warned of.
    not_starting: HashMap<String, Failure>,
    load: MachineLoad,
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Warnings only.
    Quiet,
    /// A block that is redrawn on a terminal, or a line for each finished match elsewhere.
    Normal,
    /// A line for each start and end of a match.
    Verbose,
}

#[derive(Debug)]
enum How {
    Live(Ticker),
    /// A line for each finished match.
    Lines,
    /// A line for each start and end of a match.
    AllLines,
    Quiet,
}

#[derive(Debug)]
struct State {
    standings: Standings,
    running: usize,
    done: usize,
    total: u64,
    /// The state of the format, such as a test.
    note: Option<String>,
    /// `None` where matches are played on this machine.
    workers: Option<WorkersSeen>,
    /// Finished matches at the start of this run, and its time.
    begin: (usize, Instant),
    block: Block,
    drawn: Option<Instant>,
}

impl Display {
    /// `done` of the `total` matches are in the standings already.
    pub fn new(standings: Standings, done: usize, total: u64, detail: Detail) -> Self {
        let state = Arc::new(Mutex::new(State {
            standings,
            running: 0,
            done,
            total,
            note: None,
            workers: None,
            begin: (done, Instant::now()),
            block: Block::default(),
            drawn: None,
        }));
        let how = match (detail, std::io::stderr().is_terminal()) {
            (Detail::Quiet, _) => How::Quiet,
            (Detail::Verbose, _) => How::AllLines,
            (Detail::Normal, true) => Ticker::start(&state).map_or(How::Lines, How::Live),
            (Detail::Normal, false) => How::Lines,
        };
        Display {
            state,
            faults: HashSet::new(),
            not_starting: HashMap::new(),
            load: MachineLoad::default(),
            how,
        }
    }

    pub fn show(&mut self, progress: Progress<'_>) {
        match progress {
            Progress::Started(what) => {
                lock(&self.state).running += 1;
                if let How::AllLines = self.how {
                    print_notice(format_args!("{what} begins\n"));
                }
            }
            Progress::Finished {
                record,
                done,
                total,
                standing,
            } => {
                let note = standing.as_ref().and_then(format_results::line);
                if let How::Lines | How::AllLines = self.how {
                    let note: String = note.iter().map(|note| format!("  {note}")).collect();
                    print_notice(format_args!("[{done}/{total}] {}{note}\n", summary(record)));
                }
                if let Some(load) = &record.load {
                    self.load.add(load);
                }
                let mut state = lock(&self.state);
                state.running -= 1;
                (state.done, state.total, state.note) = (done, total, note);
                state.standings.add_record(record);
                drop(state);
                for fault in self.new_faults(record) {
                    self.warn(&fault);
                }
            }
            Progress::Workers(seen) => self.workers(seen),
            Progress::Warning(News { text, not_starting }) => {
                self.warn(text);
                self.not_starting.extend(not_starting.clone());
            }
            Progress::Stopping(how) => self.stopping(how),
        }
        if let How::Live(_) = self.how {
            lock(&self.state).draw_if_due();
        }
    }

    fn workers(&self, seen: WorkersSeen) {
        let mut state = lock(&self.state);
        let before = state.workers.replace(seen).unwrap_or_default();
        let is_news = (before.workers, before.slots) != (seen.workers, seen.slots);
        if is_news && matches!(self.how, How::Lines | How::AllLines) {
            print_notice(format_args!("{}\n", in_words(seen)));
        }
    }

    fn warn(&self, what: &str) {
        self.print_line(&format!("warning: {what}\n"));
    }

    /// Prints a line, above the block if there is one.
    fn print_line(&self, line: &str) {
        match &self.how {
            How::Live(_) => lock(&self.state).draw(line),
            How::Lines | How::AllLines | How::Quiet => print_notice(line),
        }
    }

    /// Explains what happens to the running matches, and what the next Ctrl-C does.
    fn stopping(&self, how: Stop) {
        let running = lock(&self.state).running;
        let matches = match running {
            0 => "what is in flight".to_owned(),
            1 => "the match in flight".to_owned(),
            running => format!("the {running} matches in flight"),
        };
        match how {
            Stop::No => {}
            Stop::Finish => self.print_line(&format!(
                "no new matches begin; finishing {matches} (Ctrl-C again gives up on that)\n"
            )),
            Stop::GiveUp => self.print_line(&format!(
                "giving up {matches} (Ctrl-C again ends the referee at once)\n"
            )),
        }
    }

    /// One warning for the first fault of each kind that a bot has.
    fn new_faults(&mut self, record: &Record) -> Vec<String> {
        let quiet = matches!(self.how, How::Quiet);
        let faults = record.result.faults.iter();
        let faults = faults.filter(|fault| fault.code.is_fault() && !quiet);
        let warnings = faults.filter_map(|fault| {
            let name = &record.players.get(fault.seat)?.name;
            let new = self.faults.insert((name.clone(), fault.code));
            // A bot that does not start at all was warned of already.
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

    /// Removes the display, warns if the machine was too busy, and returns the standings.
    pub fn finish(self) -> Standings {
        let warning = is_noisy(&self.load).then(|| too_noisy("this machine", &self.load));
        let warning = warning.filter(|_| !matches!(self.how, How::Quiet));
        if let How::Live(ticker) = self.how {
            ticker.stop();
            lock(&self.state).clear();
        }
        if let Some(warning) = warning {
            print_notice(format_args!("warning: {warning}\n"));
        }
        let mut state = lock(&self.state);
        std::mem::take(&mut state.standings)
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn draw_if_due(&mut self) {
        if self
            .drawn
            .is_none_or(|drawn| drawn.elapsed() >= LEAST_PAUSE)
        {
            self.draw("");
        }
    }

    /// Draws the block, below `above`, which stays.
    fn draw(&mut self, above: &str) {
        self.drawn = Some(Instant::now());
        let (width, height) = size();
        let lines = self.lines(width, height);
        write(&self.block.redraw(above, &lines, width));
    }

    fn clear(&mut self) {
        write(&self.block.clear(size().0));
    }

    /// At most one line less than the terminal has, as the cursor is below.
    fn lines(&self, width: usize, height: usize) -> Vec<String> {
        let mut lines = vec![self.bar(width)];
        lines.extend(self.note.clone());
        lines.extend(self.workers.map(|seen| self.workers_line(seen)));
        // A small window shows the first lines.
        lines.truncate(height.max(3) - 1);
        let room = height.saturating_sub(lines.len() + 1);
        lines.extend(standings_tables::ranking(&self.standings, width - 1, room));
        lines
    }

    /// The workers and their throughput.
    fn workers_line(&self, seen: WorkersSeen) -> String {
        let (done_before, begin) = self.begin;
        let now_done = self.done.saturating_sub(done_before) as f64;
        let a_minute = now_done * 60.0 / begin.elapsed().as_secs_f64().max(1.0);
        let lost = match seen.lost {
            0 => String::new(),
            1 => ", 1 lost lease".to_owned(),
            lost => format!(", {lost} lost leases"),
        };
        format!("{}, {a_minute:.0} matches a minute{lost}", in_words(seen))
    }

    /// A bar with numbers and times.
    fn bar(&self, width: usize) -> String {
        let (done_before, begin) = self.begin;
        let gone = begin.elapsed();
        let now_done = self.done.saturating_sub(done_before) as u32;
        let left = self.total.saturating_sub(self.done as u64);
        // Extrapolates the pace of this run.
        let time_left = gone
            .checked_div(now_done)
            .map(|pace| pace.mul_f64(left as f64));
        let mut text = format!(
            "{}/{} matches, {} running",
            self.done, self.total, self.running
        );
        // Times below a second are not worth showing.
        for (time, what) in [(Some(gone), "gone"), (time_left, "left")] {
            if let Some(time) = time.filter(|time| time.as_secs() > 0) {
                text += &format!(", {} {what}", seconds(time));
            }
        }
        let room = width.saturating_sub(text.len() + 2).min(BAR);
        let share = self.done as f64 / self.total.max(1) as f64;
        let full = (share.clamp(0.0, 1.0) * room as f64) as usize;
        format!("{}{} {text}", "█".repeat(full), "░".repeat(room - full))
    }
}

fn in_words(seen: WorkersSeen) -> String {
    match (seen.workers, seen.slots) {
        (0, _) => "no workers yet (`referee worker`)".to_owned(),
        (1, slots) => format!("1 worker, slots: {slots}"),
        (workers, slots) => format!("{workers} workers, slots: {slots}"),
    }
}

/// Columns and rows of the terminal at stderr.
pub(super) fn size() -> (usize, usize) {
    let size = terminal_size_of(std::io::stderr());
    size.map_or((80, 24), |(width, height)| {
        (usize::from(width.0).max(1), usize::from(height.0))
    })
}

/// A closed stderr is no reason to stop.
pub(super) fn write(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

fn seconds(time: Duration) -> String {
    humantime::format_duration(Duration::from_secs(time.as_secs())).to_string()
}

/// A thread that redraws the block from time to time.
#[derive(Debug)]
struct Ticker {
    stop: mpsc::Sender<()>,
    thread: thread::JoinHandle<()>,
}

impl Ticker {
    fn start(state: &Arc<Mutex<State>>) -> Option<Self> {
        let (stop, stopped) = mpsc::channel();
        let state = Arc::clone(state);
        let tick = move || {
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(TICK) {
                lock(&state).draw("");
            }
        };
        let thread = thread::Builder::new().name("progress".to_owned());
        let thread = thread.spawn(tick).ok()?;
        Some(Ticker { stop, thread })
    }

    fn stop(self) {
        drop(self.stop);
        let _ = self.thread.join();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_fits_the_terminal() {
        let names: Vec<String> = (0..40).map(|n| format!("a bot with number {n}")).collect();
        let mut state = State {
            standings: Standings::new(names.iter().map(|name| &**name)),
            running: 2,
            done: 20,
            total: 100,
            note: Some("a note".to_owned()),
            workers: Some(WorkersSeen::default()),
            begin: (10, Instant::now() - Duration::from_secs(5)),
            block: Block::default(),
            drawn: None,
        };
        for (width, height) in [(60, 24), (80, 24), (200, 50), (30, 6), (1, 1)] {
            let lines = state.lines(width, height);
            assert!(lines.len() < height.max(3), "{lines:#?}");
            for line in lines.iter().filter(|_| width >= 60) {
                assert!(line.chars().count() < width, "{line}");
            }
        }
        assert!(state.lines(80, 24)[0].contains("20/100 matches, 2 running, 5s gone, 40s left"));
        state.done = 10;
        assert!(
            !state.lines(80, 24)[0].contains("left"),
            "there is no pace yet"
        );
    }
}

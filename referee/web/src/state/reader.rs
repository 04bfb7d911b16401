//! The thread that reads the logs: it fills the index, and updates the overview, at most once a second
//! and only while a page is watched.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use protocol::{FaultCode, Record, shown};
use ratings::MatchStore;
use tournament::admission;

use crate::state::events::event;
use crate::state::follow::{self, Change, FollowedLog, LogMatch, LogPart};
use crate::state::index::Place;
use crate::state::overview::{FaultView, Figures, GameView, Overview, State};
use crate::state::plan::Plan;
use crate::state::site::Site;

/// The interval between polls of the logs.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// The interval between checks for watched pages.
const IDLE_INTERVAL: Duration = Duration::from_secs(4);
/// An answer waits for figures that take less than this.
const QUICK: Duration = Duration::from_millis(200);
/// The shortest time between two overviews.
const OVERVIEW_INTERVAL: Duration = Duration::from_secs(1);
/// Computing figures takes at most one part in this many of the time.
const FIGURES_SHARE: u32 = 10;
/// The number of faults that are shown.
const MOST_FAULTS: usize = 50;
/// The speed is measured over this many of the newest matches.
const RECENT: usize = 256;
/// A notice about a changed log is shown for this long.
const NOTICE_TIME: Duration = Duration::from_secs(60);

pub(crate) struct Reader {
    site: Arc<Site>,
    logs: Vec<FollowedLog>,
    matches: MatchStore,
    plan: Option<Plan>,
    figures: Figures,
    /// The number of matches in the figures, their time, and the duration of their computation.
    figured: (usize, Option<Instant>, Duration),
    faults: VecDeque<(Place, FaultView)>,
    /// Matches whose deal is still in play elsewhere, in the order of the logs.
    held: Vec<LogMatch>,
    /// The start times of the newest matches.
    recent: VecDeque<u64>,
    /// Problems with logs, by number.
    problems: BTreeMap<u16, String>,
    /// The last notice and its time.
    noticed: Option<(Instant, String)>,
    shown: Option<Instant>,
}

/// Starts the thread, which ends when the server does.
///
/// # Errors
/// If the system has no thread for it.
pub(crate) fn start(site: Arc<Site>) -> io::Result<thread::JoinHandle<()>> {
    let reader = thread::Builder::new().name("reader".to_owned());
    let shared = site.clone();
    let handle = reader.spawn(move || Reader::new(shared).run())?;
    let _ = site.reader.set(handle.thread().clone());
    Ok(handle)
}

impl Reader {
    pub(crate) fn new(site: Arc<Site>) -> Self {
        let logs = site.logs.iter().zip(0..);
        let mut reader = Reader {
            logs: logs
                .map(|(path, number)| FollowedLog::new(path.clone(), number))
                .collect(),
            matches: MatchStore::new(),
            plan: None,
            figures: Figures::default(),
            figured: (usize::MAX, None, Duration::ZERO),
            faults: VecDeque::new(),
            held: Vec::new(),
            recent: VecDeque::new(),
            problems: BTreeMap::new(),
            noticed: None,
            shown: None,
            site,
        };
        reader.begin();
        reader
    }

    /// Resets everything.
    fn begin(&mut self) {
        self.matches = MatchStore::new();
        self.plan = None;
        if let [_] = &self.logs[..] {
            self.plan = Plan::read(&self.site.folder);
        }
        for bot in self.plan.iter().flat_map(Plan::bots) {
            self.matches.know(bot);
        }
        self.faults.clear();
        self.held.clear();
        self.recent.clear();
        self.problems.clear();
        self.figured = (usize::MAX, None, Duration::ZERO);
        let mut index = self.site.index_mut();
        for number in 0..self.logs.len() {
            index.forget(number as u16);
        }
    }

    fn run(mut self) {
        while !*self.site.ends.borrow() {
            self.poll();
            self.wait();
        }
        // The pages should get the last figures before they lose the server.
        if self.site.listeners.count() > 0 && self.figured.2 < QUICK {
            self.poll();
            self.show();
        }
        self.site.listeners.close();
    }

    /// Waits for the next poll, which is due only while pages are watched.
    fn wait(&self) {
        loop {
            let is_watched = self.site.is_watched();
            thread::park_timeout(if is_watched {
                POLL_INTERVAL
            } else {
                IDLE_INTERVAL
            });
            if *self.site.ends.borrow() || self.site.is_watched() {
                return;
            }
        }
    }

    /// Reads new matches of all logs, and updates the pages.
    pub(crate) fn poll(&mut self) {
        let mut rewritten = None;
        for at in 0..self.logs.len() {
            match self.logs[at].poll() {
                Change::None => {
                    self.problems.retain(|log, _| usize::from(*log) != at);
                }
                Change::Gone(why) => {
                    self.problems.insert(at as u16, why);
                }
                Change::Rewritten(why) => rewritten = Some(why),
            }
        }
        if let Some(why) = rewritten {
            self.reread(why);
        }
        for at in 0..self.logs.len() {
            self.read(at);
        }
        // The tournament may have ended without writing anything.
        self.release();
        let is_quick = self.figured.1.is_some() && self.figured.2 < QUICK;
        if !is_quick {
            self.site.note_read();
        }
        let is_due = self
            .shown
            .is_none_or(|shown| shown.elapsed() >= OVERVIEW_INTERVAL);
        if is_due && (self.site.is_watched() || self.shown.is_none()) {
            self.show();
        }
        if is_quick {
            self.site.note_read();
        }
    }

    /// Reads everything again, as one of the logs has changed.
    fn reread(&mut self, why: String) {
        let paths = self.site.logs.iter().zip(0..);
        self.logs = paths
            .map(|(path, number)| FollowedLog::new(path.clone(), number))
            .collect();
        self.begin();
        for log in &mut self.logs {
            log.poll();
        }
        self.noticed = Some((
            Instant::now(),
            format!("{why}, and is read from its beginning"),
        ));
    }

    /// Reads a log to its end.
    fn read(&mut self, at: usize) {
        let number = at as u16;
        self.site.set_file(number, self.logs[at].file());
        loop {
            let taken = match self.logs[at].read() {
                Ok(taken) => taken,
                Err(error) => {
                    let why = format!("the log cannot be read: {error}");
                    self.problems.insert(number, why);
                    return;
                }
            };
            let more = taken.more;
            self.take(number, taken);
            if !more || *self.site.ends.borrow() {
                return;
            }
            // Open pages follow the progress.
            let is_due = self
                .shown
                .is_none_or(|shown| shown.elapsed() >= OVERVIEW_INTERVAL);
            if is_due && self.site.is_watched() {
                self.show_without_figures();
            }
        }
    }

    fn take(&mut self, log: u16, taken: LogPart) {
        if let Some(problem) = taken.problem {
            self.noticed = Some((Instant::now(), problem));
        }
        let (held, open): (Vec<_>, Vec<_>) =
            taken.matches.into_iter().partition(|one| one.has_deal);
        self.held.extend(held);
        self.show_matches(log, open);
        self.release();
    }

    /// Shows matches of a log.
    fn show_matches(&mut self, log: u16, matches: Vec<LogMatch>) {
        self.matches.take_from_log(u64::from(log));
        let mut index = self.site.index_mut();
        for one in &matches {
            index.add(&one.played, one.place);
        }
        drop(index);
        for one in matches {
            self.take_match(one);
        }
    }

    /// Shows held matches whose deal is no longer in play: all matches with it are in the log, or no
    /// process writes the log.
    fn release(&mut self) {
        while !self.held.is_empty() {
            let free = self.free();
            let (free, held): (Vec<_>, Vec<_>) = std::mem::take(&mut self.held)
                .into_iter()
                .partition(|one| free.contains(&(one.place.log, one.place.offset)));
            self.held = held;
            let is_last = free.is_empty();
            let mut by_log: BTreeMap<u16, Vec<LogMatch>> = BTreeMap::new();
            for one in free {
                by_log.entry(one.place.log).or_default().push(one);
            }
            for (log, matches) in by_log {
                self.show_matches(log, matches);
            }
            // The next round may follow from these matches.
            if is_last {
                return;
            }
        }
    }

    /// The places of held matches that can be shown.
    fn free(&self) -> HashSet<(u16, u64)> {
        let is_live = self.site.boards().are_live();
        let written: Vec<bool> = self
            .logs
            .iter()
            .map(|log| is_live || log.identity().is_some_and(follow::is_locked))
            .collect();
        let there: HashSet<&str> = self.held.iter().map(|one| &*one.played.match_id).collect();
        let is_whole = |one: &LogMatch| {
            let plan = self.plan.as_ref();
            let same = plan.map_or_else(Vec::new, |plan| plan.same_deal(&one.played.match_id));
            !same.is_empty() && same.iter().all(|id| there.contains(&**id))
        };
        let free = self.held.iter().filter(|one| {
            let is_written = written.get(usize::from(one.place.log)).copied();
            !is_written.unwrap_or(false) || is_whole(one)
        });
        free.map(|one| (one.place.log, one.place.offset)).collect()
    }

    fn take_match(&mut self, one: LogMatch) {
        let LogMatch {
            played,
            account,
            place,
            has_deal: _,
        } = one;
        self.matches.add_summary(&played, &account);
        if let Some(plan) = &mut self.plan {
            plan.enter(&played.match_id, &played.result.outcome);
        }
        if place.started > 0 {
            self.recent.push_back(place.started);
            self.recent
                .drain(..self.recent.len().saturating_sub(RECENT));
        }
        let id = self.site.page_id(place.log, &played.match_id);
        for fault in &played.result.faults {
            if fault.code == FaultCode::Resign {
                continue;
            }
            let bot = played.players.get(fault.seat);
            let view = FaultView {
                match_id: id.clone(),
                bot: bot.map_or(String::new(), |bot| bot.name.to_string()),
                code: fault.code.as_str(),
                // The message is read when it is shown.
                text: String::new(),
            };
            self.faults.push_back((place, view));
        }
        let beyond = self.faults.len().saturating_sub(MOST_FAULTS);
        self.faults.drain(..beyond);
        self.site.boards().finished(&id);
    }

    /// Updates the overview, with new figures if they are due, and sends it to all pages.
    fn show(&mut self) {
        let matches = self.site.index().len();
        let (of, made, took) = self.figured;
        let rested = made.is_none_or(|made| made.elapsed() >= took * FIGURES_SHARE);
        if of != matches && (rested || *self.site.ends.borrow()) {
            let begin = Instant::now();
            self.figures = Figures::of(&self.matches, self.plan.as_ref());
            self.figured = (matches, Some(Instant::now()), begin.elapsed());
        }
        self.show_without_figures();
    }

    fn show_without_figures(&mut self) {
        self.shown = Some(Instant::now());
        let overview = self.overview();
        let Ok(text) = serde_json::to_string(&overview) else {
            return;
        };
        let text: Arc<str> = text.into();
        let before = self.site.overview.send_replace(text.clone());
        if before != text {
            self.site.send(&event("overview", &text));
        }
    }

    pub(crate) fn overview(&mut self) -> Overview {
        self.read_faults();
        let played = self.site.index().len();
        let games = self.games();
        let live = self.site.boards().are_live();
        let state = self.state(played, live);
        let scheduled = self.plan.as_ref().map(Plan::total);
        let name = self.plan.as_ref().map(|plan| plan.name().to_owned());
        Overview {
            name: name.unwrap_or_else(|| self.name_of_folder()),
            folder: self.site.folder.display().to_string(),
            state,
            problem: self.problem(),
            played,
            scheduled,
            seconds_left: self.seconds_left(state, scheduled, played),
            games,
            figures: self.figures.clone(),
            rounds: self.plan.as_ref().and_then(Plan::rounds),
            format: self.plan.as_ref().map(Plan::format),
            faults: self
                .faults
                .iter()
                .rev()
                .map(|(_, fault)| fault.clone())
                .collect(),
            left_out: match &self.logs[..] {
                [_] => admission::left_out(&self.site.folder).unwrap_or_default(),
                _ => Vec::new(),
            },
            live,
        }
    }

    fn games(&self) -> Vec<GameView> {
        let index = self.site.index();
        let games = index.games().iter().map(|game| GameView {
            label: game.label.clone(),
            title: games::find(&game.id).map_or(game.id.clone(), |entry| entry.info.title.clone()),
        });
        games.collect()
    }

    fn state(&self, played: usize, live: bool) -> State {
        let mut files = self.logs.iter().filter_map(FollowedLog::identity);
        let is_complete = self.plan.as_ref().is_some_and(Plan::is_over);
        if !is_complete && (live || files.any(follow::is_locked)) {
            State::Running
        } else if !self.site.is_read() && self.figured.1.is_none() {
            State::Reading
        } else if played == 0 {
            State::Empty
        } else if self.plan.is_some() && !is_complete {
            State::Stopped
        } else {
            State::Over
        }
    }

    fn name_of_folder(&self) -> String {
        let name = self.site.folder.file_name();
        name.map_or_else(
            || "matches".to_owned(),
            |name| name.to_string_lossy().into(),
        )
    }

    fn problem(&self) -> Option<String> {
        let noticed = self.noticed.as_ref();
        let noticed = noticed.filter(|(at, _)| at.elapsed() < NOTICE_TIME);
        let noticed = noticed.map(|(_, what)| what);
        let first = self.problems.values().next().or(noticed)?;
        Some(shown(first))
    }

    fn seconds_left(&self, state: State, scheduled: Option<u64>, played: usize) -> Option<u64> {
        let left = scheduled?.checked_sub(played as u64)?;
        let (oldest, newest) = (self.recent.iter().min()?, self.recent.iter().max()?);
        let matches = self.recent.len() as u64 - 1;
        (state == State::Running && matches > 0).then(|| left * (newest - oldest) / matches / 1000)
    }

    /// Reads the messages of the faults that are shown.
    fn read_faults(&mut self) {
        for (place, fault) in &mut self.faults {
            if !fault.text.is_empty() {
                continue;
            }
            fault.text = fault_text(&self.site, *place, fault).unwrap_or_else(|| "?".to_owned());
        }
    }
}

/// The message of a fault, from the log.
fn fault_text(site: &Site, place: Place, fault: &FaultView) -> Option<String> {
    let file = site.file(place.log)?;
    let line = follow::line_at(&file, place.offset, place.length).ok()?;
    let record: Record = serde_json::from_slice(&line).ok()?;
    let mut faults = record.result.faults.iter();
    let same = faults.find(|it| {
        let bot = record.players.get(it.seat);
        it.code.as_str() == fault.code && bot.is_some_and(|bot| bot.name == fault.bot)
    })?;
    Some(same.message.clone())
}

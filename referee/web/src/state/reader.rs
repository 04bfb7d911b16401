//! The thread that reads the logs: it fills the index, and makes the overview, at most once a second
//! and only while somebody looks.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use protocol::{FaultCode, Record, shown};
use ratings::MatchStore;
use tournament::admission;

use crate::state::events::event;
use crate::state::follow::{self, Change, FollowedLog, Taken, TakenMatch};
use crate::state::index::Place;
use crate::state::overview::{FaultView, Figures, GameView, Overview, State};
use crate::state::plan::Plan;
use crate::state::site::Site;

/// How often the logs are looked at.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);
/// How often it is looked whether somebody looks.
const IDLE_INTERVAL: Duration = Duration::from_secs(4);
/// Figures that take less than this do not keep an answer waiting.
const QUICK: Duration = Duration::from_millis(200);
/// How often there is a new overview at most.
const OVERVIEW_INTERVAL: Duration = Duration::from_secs(1);
/// Figures take at most one part in this many of the time.
const FIGURES_SHARE: u32 = 10;
/// How many of the newest faults are shown.
const MOST_FAULTS: usize = 50;
/// From how many of the newest matches the speed is taken.
const RECENT: usize = 256;
/// What is done about a changed log is said for this long.
const SAID_FOR: Duration = Duration::from_secs(60);

/// Reads the logs of a site.
pub(crate) struct Reader {
    site: Arc<Site>,
    logs: Vec<FollowedLog>,
    matches: MatchStore,
    plan: Option<Plan>,
    figures: Figures,
    /// How many matches the figures are of, when they were made, and how long that took.
    figured: (usize, Option<Instant>, Duration),
    faults: VecDeque<(Place, FaultView)>,
    /// Matches whose deal is still played elsewhere, in the order of the logs.
    held: Vec<TakenMatch>,
    /// When the newest matches began.
    recent: VecDeque<u64>,
    /// What is wrong with a log, by its number.
    problems: BTreeMap<u16, String>,
    /// What was wrong, and when it was noticed.
    noticed: Option<(Instant, String)>,
    shown: Option<Instant>,
}

/// Starts the thread. It ends when the server does.
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

    /// Begins with no matches.
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
            self.look();
            self.wait();
        }
        // What came last should be seen before the pages lose the server.
        if self.site.listeners.count() > 0 && self.figured.2 < QUICK {
            self.look();
            self.show();
        }
        self.site.listeners.close();
    }

    /// Waits until it is time to look again: not before somebody looks at the pages.
    fn wait(&self) {
        loop {
            let is_looked_at = self.site.is_looked_at();
            thread::park_timeout(if is_looked_at {
                LOOK_INTERVAL
            } else {
                IDLE_INTERVAL
            });
            if *self.site.ends.borrow() || self.site.is_looked_at() {
                return;
            }
        }
    }

    /// Reads what is new in all logs, and shows it.
    pub(crate) fn look(&mut self) {
        let mut anew = None;
        for at in 0..self.logs.len() {
            match self.logs[at].look() {
                Change::None => {
                    self.problems.retain(|log, _| usize::from(*log) != at);
                }
                Change::Gone(why) => {
                    self.problems.insert(at as u16, why);
                }
                Change::Anew(why) => anew = Some(why),
            }
        }
        if let Some(why) = anew {
            self.read_anew(why);
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
        if is_due && (self.site.is_looked_at() || self.shown.is_none()) {
            self.show();
        }
        if is_quick {
            self.site.note_read();
        }
    }

    /// One of the logs is not what it was: everything is read again.
    fn read_anew(&mut self, why: String) {
        let paths = self.site.logs.iter().zip(0..);
        self.logs = paths
            .map(|(path, number)| FollowedLog::new(path.clone(), number))
            .collect();
        self.begin();
        for log in &mut self.logs {
            log.look();
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
            // Pages that are open see how it gets on.
            let is_due = self
                .shown
                .is_none_or(|shown| shown.elapsed() >= OVERVIEW_INTERVAL);
            if is_due && self.site.is_looked_at() {
                self.show_without_figures();
            }
        }
    }

    fn take(&mut self, log: u16, taken: Taken) {
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
    fn show_matches(&mut self, log: u16, matches: Vec<TakenMatch>) {
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

    /// Shows the matches that were held back, as far as nothing with their deal is played any more: all
    /// matches with it are in the log, or nobody writes to the log.
    fn release(&mut self) {
        while !self.held.is_empty() {
            let free = self.free();
            let (free, held): (Vec<_>, Vec<_>) = std::mem::take(&mut self.held)
                .into_iter()
                .partition(|one| free.contains(&(one.place.log, one.place.offset)));
            self.held = held;
            let is_last = free.is_empty();
            let mut by_log: BTreeMap<u16, Vec<TakenMatch>> = BTreeMap::new();
            for one in free {
                by_log.entry(one.place.log).or_default().push(one);
            }
            for (log, matches) in by_log {
                self.show_matches(log, matches);
            }
            // What was shown may be what the next round follows from.
            if is_last {
                return;
            }
        }
    }

    /// The places of the matches that need not be held back any more.
    fn free(&self) -> HashSet<(u16, u64)> {
        let is_live = self.site.boards().are_live();
        let written: Vec<bool> = self
            .logs
            .iter()
            .map(|log| is_live || log.identity().is_some_and(follow::is_locked))
            .collect();
        let there: HashSet<&str> = self.held.iter().map(|one| &*one.played.match_id).collect();
        let is_whole = |one: &TakenMatch| {
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

    fn take_match(&mut self, one: TakenMatch) {
        let TakenMatch {
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
                bot: bot.map_or(String::new(), |bot| bot.name.clone()),
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

    /// Makes the overview, with new figures if they are due, and sends it to all pages.
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

    /// The overview as it is now.
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
        let noticed = noticed.filter(|(at, _)| at.elapsed() < SAID_FOR);
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

/// What the log says of a fault.
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

//! Tournaments that clients start, and what is known of them.

mod allowed;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use config::Config;
use games::kit::text::count;
use log::each_summary;
use ratings::{MatchSummary, Standings};
use report::standings_tables;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use supervisor::file_name;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::sleep;
use tournament::folder::results;
use tournament::reports::Progress;
use tournament::{Stop, Surroundings, Tournament, resume};

use crate::Server;
use crate::answer::{Answer, Refusal};
use crate::background::{apart, blocking};
use crate::client::Caller;
use crate::matches::new_folder;

/// Tournaments at a time: each fills the machine.
const MOST: usize = 2;
/// Warnings of a tournament that are kept.
const MOST_WARNINGS: usize = 20;
/// Columns of the standings as text.
const WIDTH: usize = 100;
/// A configuration that is given as a text is at most this long, in bytes.
const MOST_TEXT: usize = 1 << 20;

/// The tournaments of a server.
pub(crate) struct Tournaments {
    out: PathBuf,
    places: Arc<Semaphore>,
    stop: watch::Sender<Stop>,
    /// By folder.
    started: Mutex<BTreeMap<PathBuf, Arc<Mutex<State>>>>,
}

/// What is known of a tournament that was started here.
#[derive(Clone, Debug)]
struct State {
    phase: Phase,
    done: u64,
    total: u64,
    warnings: Vec<String>,
    error: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Phase {
    /// Bots are built, checked or asked which games they play.
    Preparing,
    Running,
    Finished,
    /// It was ended early, and can be resumed.
    Stopped,
    /// It did not begin or cannot go on: `error` says why.
    Failed,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunTournament {
    /// The configuration: TOML, the path of a file, or the name of an example such as "quickstart".
    config: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunAnswer {
    /// The folder of the tournament, for get_tournament and get_log.
    folder: String,
    name: String,
    games: Vec<String>,
    bots: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetTournament {
    /// The folder, as run_tournament answered.
    folder: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TournamentAnswer {
    folder: String,
    state: Phase,
    /// Finished matches.
    done: u64,
    /// Scheduled matches, as far as is known.
    total: u64,
    error: Option<String>,
    warnings: Vec<String>,
    /// The best first: `bot`, `rating` in Elo with its interval, `points`, `matches`, `wins`, `draws`,
    /// `losses`, `faults`.
    standings: Vec<Value>,
    /// The same as a table, with the results by game and seat.
    text: String,
}

impl Tournaments {
    pub(crate) fn new(out: &Path) -> Self {
        Tournaments {
            out: out.to_owned(),
            places: Arc::new(Semaphore::new(MOST)),
            stop: watch::Sender::new(Stop::No),
            started: Mutex::default(),
        }
    }

    /// Ends all of them at once; they can be resumed.
    pub(crate) fn stop(&self) {
        self.places.close();
        self.stop.send_replace(Stop::GiveUp);
    }

    /// Waits until none is played any more.
    pub(crate) async fn ended(&self) {
        while self.places.available_permits() < MOST {
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// A folder of this server by its path or its name alone; other paths are refused.
    pub(crate) fn folder(&self, given: &str) -> Answer<PathBuf> {
        let unknown = || {
            let out = self.out.display();
            Refusal(format!("there is no such folder in `{out}`: {given:?}"))
        };
        let out = fs::canonicalize(&self.out).map_err(|_| unknown())?;
        let named = [PathBuf::from(given), self.out.join(given)];
        let mut found = named.iter().filter_map(|path| fs::canonicalize(path).ok());
        let found = found.find(|path| path.starts_with(&out) && *path != out && path.is_dir());
        found.ok_or_else(unknown)
    }

    fn started(&self) -> std::sync::MutexGuard<'_, BTreeMap<PathBuf, Arc<Mutex<State>>>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Changes what is known of a tournament.
fn note(state: &Mutex<State>, change: impl FnOnce(&mut State)) {
    change(&mut state.lock().unwrap_or_else(PoisonError::into_inner));
}

pub(crate) async fn run_tournament(caller: Caller, asked: RunTournament) -> Answer<RunAnswer> {
    let server = caller.server;
    let tournaments = &server.tournaments;
    let place = tournaments.places.clone().try_acquire_owned();
    let place = place.map_err(|_| {
        Refusal(format!(
            "{MOST} tournaments are running already, which is the most; ask again later"
        ))
    })?;
    let asking = server.clone();
    // Its rules may be programs, which are asked what they have.
    let config = blocking(move || config(&asking, &asked.config)).await?;
    let folder = fs::canonicalize(new_folder(&tournaments.out, &file_name(&config.name))?)?;
    let answer = RunAnswer {
        folder: folder.display().to_string(),
        name: config.name.clone(),
        games: config
            .games
            .iter()
            .map(|game| game.rules.info().id.clone())
            .collect(),
        bots: config.bots.iter().map(|bot| bot.name.clone()).collect(),
    };
    let state = Arc::new(Mutex::new(State {
        phase: Phase::Preparing,
        done: 0,
        total: 0,
        warnings: Vec::new(),
        error: None,
    }));
    tournaments.started().insert(folder.clone(), state.clone());
    let stop = tournaments.stop.subscribe();
    let surroundings = Surroundings {
        yardstick: server.settings.yardstick,
        hidden: config.source.file.clone().into_iter().collect(),
        ..Surroundings::default()
    };
    let ended = server.ended.clone();
    tokio::spawn(async move {
        let known = state.clone();
        let play =
            move || async move { play(config, &folder, surroundings, stop, &known, place).await };
        if let Err(Refusal(why)) = apart(&ended, play).await {
            note(&state, |state| {
                state.phase = Phase::Failed;
                state.error = Some(why);
            });
        }
    });
    Ok(answer)
}

/// The configuration that a client gives, if it may.
fn config(server: &Server, given: &str) -> Answer<Config> {
    if given.len() > MOST_TEXT {
        return Err(Refusal::new("the configuration is longer than a mebibyte"));
    }
    let allow_commands = server.settings.allow_commands;
    // No name of a file is several lines long, and each text has a key.
    if given.contains(['\n', '=']) {
        if !allow_commands {
            allowed::check_text(given)?;
        }
        return Ok(Config::parse(given, &std::env::current_dir()?)?);
    }
    let path = (server.settings.find_config)(Path::new(given)).map_err(Refusal)?;
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Err(Refusal(format!(
            "`{given}` is neither TOML nor a file of it (*.toml) nor an example"
        )));
    }
    if allow_commands {
        return Ok(Config::load(&path)?);
    }
    let unreadable = |error| Refusal(format!("`{given}` cannot be read: {error}"));
    let text = fs::read_to_string(&path).map_err(unreadable)?;
    allowed::check_text(&text)?;
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    // What was checked is what is played, whatever becomes of the file.
    Ok(Config::parse(
        &text,
        &fs::canonicalize(folder).map_err(unreadable)?,
    )?)
}

async fn play(
    config: Config,
    folder: &Path,
    surroundings: Surroundings,
    stop: watch::Receiver<Stop>,
    state: &Mutex<State>,
    _place: OwnedSemaphorePermit,
) -> Answer<()> {
    let report = |_: &str| {};
    Tournament::set_up(&config, report).await?;
    let mut asked = stop.clone();
    let tournament = tokio::select! {
        created = Tournament::create_reporting(config, Some(folder), report) => created?,
        _ = tournament::stop::asked(&mut asked, Stop::Finish) => {
            note(state, |state| state.phase = Phase::Stopped);
            return Ok(());
        }
    };
    let total = tournament.schedule().total();
    let left_out = tournament
        .left_out()
        .iter()
        .map(|left_out| left_out.in_words());
    let warnings: Vec<String> = tournament
        .warnings()
        .iter()
        .cloned()
        .chain(left_out)
        .collect();
    note(state, |state| {
        state.phase = Phase::Running;
        state.total = total;
        state.warnings = warnings;
    });
    let show = |progress: Progress<'_>| match progress {
        Progress::Finished { done, total, .. } => note(state, |state| {
            state.done = done as u64;
            state.total = total;
        }),
        Progress::Warning(news) => note(state, |state| {
            if state.warnings.len() < MOST_WARNINGS {
                state.warnings.push(news.text.clone());
            }
        }),
        _ => {}
    };
    let outcome = tournament.play(surroundings, stop, show).await?;
    note(state, |state| {
        state.phase = match outcome.complete {
            true => Phase::Finished,
            false => Phase::Stopped,
        };
    });
    Ok(())
}

pub(crate) async fn get_tournament(
    caller: Caller,
    asked: GetTournament,
) -> Answer<TournamentAnswer> {
    let tournaments = &caller.server.tournaments;
    let folder = tournaments.folder(&asked.folder)?;
    let started = tournaments.started().get(&folder).cloned();
    let state = started.map(|state| state.lock().unwrap_or_else(PoisonError::into_inner).clone());
    blocking(move || known(&folder, state)).await
}

/// What the folder says, together with what is known of a tournament that was started here.
fn known(folder: &Path, state: Option<State>) -> Answer<TournamentAnswer> {
    let mut answer = TournamentAnswer {
        folder: folder.display().to_string(),
        state: Phase::Preparing,
        done: 0,
        total: 0,
        error: None,
        warnings: Vec::new(),
        standings: Vec::new(),
        text: String::new(),
    };
    let is_begun = state.as_ref().is_none_or(|state| state.total > 0);
    if is_begun {
        let (config, schedule) = resume::planned(folder).map_err(Refusal)?;
        let mut standings = Standings::new(config.bots.iter().map(|bot| &*bot.name));
        each_summary(
            folder,
            |_: &mut MatchSummary| {},
            |counted| standings.add(&counted.played),
        )?;
        let report = results::report(folder, standings.matches());
        answer.done = standings.matches();
        answer.total = schedule.total();
        answer.text = standings_tables::report(&standings, report.as_ref(), Some(WIDTH));
        if let Value::Array(rows) = standings_tables::json(&standings, report.as_ref()) {
            answer.standings = rows;
        }
        let is_complete = answer.done >= answer.total;
        answer.state = if is_complete {
            Phase::Finished
        } else {
            Phase::Stopped
        };
    }
    if let Some(state) = state {
        answer.state = state.phase;
        answer.total = state.total;
        answer.error = state.error;
        answer.warnings = state.warnings;
    }
    if answer.text.is_empty() {
        answer.text = count(answer.done, "match", "matches");
    }
    Ok(answer)
}

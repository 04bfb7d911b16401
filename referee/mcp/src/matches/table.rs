//! The matches of all clients: how many there may be, where they are logged, and when they end.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use games::kit::text::nearest;
use log::{LOG_NAME, LogWriter};
use play::players::Person;
use protocol::{Record, excerpt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tournament::playing::match_run::MatchRun;
use tournament::playing::one_match::match_id;

use super::client_match::{Match, Watched};
use super::position::Viewer;
use super::recorded_rules;
use super::seated::{self, Known, Seat};
use crate::Settings;
use crate::answer::{Answer, Refusal};

/// The folder of a server's matches is this name with a number.
const FOLDER: &str = "matches";
/// Matches that are over and can still be asked for; older ones are in the log alone.
const MOST_OVER: usize = 64;
/// How often idle matches are looked for, at most.
const PATROL_INTERVAL: Duration = Duration::from_secs(5);
/// Ids of clients are quoted up to this many characters.
const QUOTED: usize = 60;

/// All matches of a server.
pub(crate) struct Matches {
    out: PathBuf,
    sources: Vec<String>,
    idle: Duration,
    most: usize,
    places: Arc<Semaphore>,
    ended: CancellationToken,
    log: Arc<Mutex<Option<Log>>>,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    last: usize,
    matches: BTreeMap<usize, Arc<Match>>,
}

/// The log of a server's matches, made with the first one.
struct Log {
    folder: PathBuf,
    writer: LogWriter,
}

/// The right to play one more match.
pub(super) struct Place(OwnedSemaphorePermit);

impl Matches {
    pub(crate) fn new(settings: &Settings, ended: CancellationToken) -> Self {
        Matches {
            out: settings.out.clone(),
            sources: settings.sources.clone(),
            idle: settings.idle,
            most: settings.matches,
            places: Arc::new(Semaphore::new(settings.matches)),
            ended,
            log: Arc::default(),
            table: Mutex::default(),
        }
    }

    fn table<T>(&self, with: impl FnOnce(&mut Table) -> T) -> T {
        with(&mut self.table.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A place for one more match.
    pub(super) fn place(&self) -> Answer<Place> {
        let place = self.places.clone().try_acquire_owned();
        place.map(Place).map_err(|_| {
            let most = self.most;
            Refusal(format!(
                "{most} matches are played already, which is the most; finish or resign one"
            ))
        })
    }

    /// Begins a match with a client in this seat.
    pub(super) fn begin(
        &self,
        place: Place,
        mut run: MatchRun,
        seat: usize,
        session: Option<u64>,
    ) -> Answer<Arc<Match>> {
        let folder = self.folder()?;
        let number = self.table(|table| {
            table.last += 1;
            table.last
        });
        run.id = match_id(number);
        let (person, input) = Person::new();
        let (known, shown) = watch::channel(Known::Beginning);
        let (plies, played) = watch::channel(Vec::new());
        let rules = run.game.rules.clone();
        let viewer = Viewer {
            id: run.id.clone(),
            game: rules.info().id.clone(),
            seat,
            role: rules.roles()[seat].clone(),
            hidden: rules.info().hidden,
        };
        let watched = Watched {
            known: shown,
            plies: played,
            input,
        };
        let begun = Arc::new(Match::new(&run, seat, folder, session, watched));
        self.table(|table| table.add(number, begun.clone()));
        let seat = Seat {
            viewer,
            person,
            known,
            plies,
        };
        let (ended, log) = (self.ended.clone(), self.log.clone());
        tokio::task::spawn_blocking(move || {
            seated::play(&run, seat, &ended, |record| append(&log, &record));
            drop(place.0);
        });
        Ok(begun)
    }

    /// The folder of this server's matches.
    fn folder(&self) -> Answer<PathBuf> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(log) = &*log {
            return Ok(log.folder.clone());
        }
        let folder = fs::canonicalize(new_folder(&self.out, FOLDER)?)?;
        recorded_rules::write(&folder, &self.sources)?;
        let writer = LogWriter::create(&folder.join(LOG_NAME))?;
        *log = Some(Log {
            folder: folder.clone(),
            writer,
        });
        Ok(folder)
    }

    pub(crate) fn find(&self, id: &str) -> Answer<Arc<Match>> {
        self.table(|table| {
            let found = table.matches.values().find(|known| known.id == id);
            if let Some(found) = found {
                found.touch();
                return Ok(found.clone());
            }
            let ids: Vec<&str> = table.matches.values().map(|known| &*known.id).collect();
            let near = nearest(id, &ids);
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            let id = excerpt(id.as_bytes(), QUOTED);
            Err(Refusal(format!(
                "there is no match `{id}`{near}; new_match begins one, and get_log has those that were \
                 over long ago"
            )))
        })
    }

    /// Ends the matches of a client that has gone away: they are lost.
    pub(crate) fn end_of(&self, session: u64) {
        self.end(|known| known.is_of(session));
    }

    pub(crate) fn end_all(&self) {
        self.places.close();
        self.end(|_| true);
    }

    fn end(&self, is_meant: impl Fn(&Match) -> bool) {
        self.table(|table| {
            let meant = table.matches.values().filter(|known| is_meant(known));
            meant.for_each(|known| known.leave());
        });
    }

    /// Ends matches whose clients do nothing, for ever.
    pub(crate) async fn end_idle(&self) {
        loop {
            sleep(
                PATROL_INTERVAL
                    .min(self.idle / 2)
                    .max(Duration::from_millis(20)),
            )
            .await;
            self.end(|known| known.is_idle(self.idle));
        }
    }

    /// Waits until no match is played any more.
    pub(crate) async fn ended(&self) {
        while self.places.available_permits() < self.most {
            sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Table {
    /// Adds a match, and forgets the oldest ones that are over.
    fn add(&mut self, number: usize, begun: Arc<Match>) {
        let over = self.matches.iter().filter(|(_, known)| known.is_over());
        let over: Vec<usize> = over.map(|(number, _)| *number).collect();
        for number in over.iter().rev().skip(MOST_OVER - 1) {
            self.matches.remove(number);
        }
        self.matches.insert(number, begun);
    }
}

/// Adds a finished match to the log.
fn append(log: &Mutex<Option<Log>>, record: &Record) -> Answer<()> {
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(log) = &mut *log {
        log.writer.append([record])?;
    }
    Ok(())
}

/// A new folder with this name and the next free number.
pub(crate) fn new_folder(out: &Path, name: &str) -> Answer<PathBuf> {
    let wrong = |error| {
        let path = out.display();
        Refusal(format!("the folder `{path}` cannot be written: {error}"))
    };
    fs::create_dir_all(out).map_err(wrong)?;
    for number in 1_u32.. {
        let folder = out.join(format!("{name}-{number}"));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(wrong(error)),
        }
    }
    Err(Refusal::new("there are too many folders"))
}

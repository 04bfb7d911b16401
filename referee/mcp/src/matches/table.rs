//! The matches of all clients: how many there may be, where they are logged, and when they end.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use games::kit::text::nearest;
use games::{Rules, Session};
use log::{LOG_NAME, LogWriter};
use play::analysis::AnalysedMatch;
use play::players::PersonInput;
use protocol::{BotMove, FromBot, Record, excerpt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tournament::playing::match_run::MatchRun;
use tournament::playing::one_match::match_id;

use super::position::{Position, Viewer};
use super::seated::{self, Known, Seat};
use crate::Settings;
use crate::answer::{Answer, PlayerAnswer, Refusal};

/// The folder of a server's matches is this name with a number.
const FOLDER: &str = "matches";
/// Matches that are over and can still be asked for; older ones are in the log alone.
const MOST_OVER: usize = 64;
/// How often idle matches are looked for, at most.
const PATROL_INTERVAL: Duration = Duration::from_secs(5);
/// Moves of clients are quoted up to this many characters.
const QUOTED: usize = 60;

/// All matches of a server.
pub(crate) struct Matches {
    out: PathBuf,
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

/// A match in which a client has a seat.
pub(crate) struct Match {
    pub(crate) id: String,
    pub(crate) folder: PathBuf,
    pub(crate) seat: usize,
    pub(crate) rules: Arc<dyn Rules>,
    /// In seat order.
    names: Vec<String>,
    start: Box<dyn Session>,
    limits: games::Limits,
    session: Option<u64>,
    known: watch::Receiver<Known>,
    plies: watch::Receiver<Vec<String>>,
    inner: Mutex<Inner>,
}

struct Inner {
    /// `None` once the client has left.
    input: Option<PersonInput>,
    /// The ply at which the client has moved, until the match has noticed.
    answered: Option<u32>,
    /// When the client last asked for something.
    used: Instant,
}

impl Matches {
    pub(crate) fn new(settings: &Settings, ended: CancellationToken) -> Self {
        Matches {
            out: settings.out.clone(),
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
        let (person, input) = Seat::person();
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
        let begun = Arc::new(Match {
            id: run.id.clone(),
            folder,
            seat,
            names: run.specs.iter().map(|spec| spec.name.clone()).collect(),
            start: run.start.fork(),
            limits: run.game.limits,
            rules,
            session,
            known: shown,
            plies: played,
            inner: Mutex::new(Inner {
                input: Some(input),
                answered: None,
                used: Instant::now(),
            }),
        });
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
        let folder = new_folder(&self.out, FOLDER)?;
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
        self.end(|known| known.session == Some(session));
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

impl Match {
    fn inner<T>(&self, with: impl FnOnce(&mut Inner) -> T) -> T {
        with(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_over(&self) -> bool {
        self.known.borrow().is_over()
    }

    fn touch(&self) {
        self.inner(|inner| inner.used = Instant::now());
    }

    fn is_idle(&self, idle: Duration) -> bool {
        // The opponents have clocks of their own.
        let is_asked = matches!(&*self.known.borrow(), Known::Position(known) if known.your_turn);
        is_asked && self.inner(|inner| inner.used.elapsed() >= idle)
    }

    /// The client leaves its seat.
    fn leave(&self) {
        self.inner(|inner| inner.input = None);
    }

    pub(crate) fn players(&self) -> Vec<PlayerAnswer> {
        let seats = self.names.iter().zip(self.rules.roles()).enumerate();
        let players = seats.map(|(seat, (name, role))| PlayerAnswer {
            seat,
            role: role.clone(),
            name: name.clone(),
        });
        players.collect()
    }

    /// The position as the client may know it.
    pub(crate) fn position(&self) -> Answer<Position> {
        let known = self.known.borrow().clone();
        let mut position = match known {
            Known::Position(position) => *position,
            Known::Beginning => return Err(Refusal::new("the match has not begun yet")),
            Known::Broken(why) => return Err(Refusal(format!("the match has no result: {why}"))),
        };
        // Its move is on its way.
        if self.inner(|inner| inner.answered == Some(position.ply)) {
            position.your_turn = false;
            position.legal.clear();
        }
        Ok(position)
    }

    /// Waits until it is the client's turn, or the match is over.
    pub(super) async fn turn(&self) {
        let answered = self.inner(|inner| inner.answered);
        let mut known = self.known.clone();
        let is_turn = |known: &Known| match known {
            Known::Position(now) if now.your_turn => answered != Some(now.ply),
            known => known.is_over(),
        };
        // Who plays it is gone only after it is over.
        let _ = known.wait_for(is_turn).await;
        self.touch();
    }

    pub(super) fn play(&self, mv: &str) -> Answer<()> {
        let position = self.to_answer()?;
        let found = |mv: &str| position.legal.iter().find(|legal| *legal == mv);
        let Some(mv) = found(mv).or_else(|| found(mv.trim())) else {
            let legal: Vec<&str> = position.legal.iter().map(String::as_str).collect();
            let near = nearest(mv, &legal);
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            return Err(Refusal(format!(
                "`{}` is not a legal move here; get_position has all {}{near}",
                excerpt(mv.as_bytes(), QUOTED),
                legal.len()
            )));
        };
        let answer = FromBot::Move(BotMove {
            mv: mv.as_str().into(),
            ply: Some(position.ply),
            info: None,
        });
        self.send(position.ply, answer)
    }

    pub(super) fn resign(&self) -> Answer<()> {
        let position = self.to_answer()?;
        self.send(position.ply, FromBot::Resign {})
    }

    /// The position in which the client is to move.
    fn to_answer(&self) -> Answer<Position> {
        let position = self.position()?;
        match &position.result {
            Some(result) => Err(Refusal(format!("the match is over by `{}`", result.reason))),
            None if !position.your_turn => Err(Refusal::new("it is not your turn")),
            None => Ok(position),
        }
    }

    fn send(&self, ply: u32, answer: FromBot) -> Answer<()> {
        self.inner(|inner| {
            if inner.answered == Some(ply) {
                return Err(Refusal::new("it is not your turn"));
            }
            let input = inner.input.as_ref();
            if input.is_none_or(|input| input.send(answer).is_err()) {
                return Err(Refusal::new("the match is ending"));
            }
            inner.answered = Some(ply);
            Ok(())
        })
    }

    /// The match as far as it was played, for bots that think about its positions.
    pub(crate) fn to_analyse(&self) -> AnalysedMatch {
        AnalysedMatch {
            id: self.id.clone(),
            rules: self.rules.clone(),
            limits: self.limits,
            start: self.start.fork(),
            // It must not say what is dealt.
            seed: 0,
            plies: self.plies.borrow().clone(),
            names: self.names.clone(),
        }
    }
}

//! Examines results of workers: every match must be scheduled like this, and follow from the rules.
//! Takes the time of playing the moves once more, in a thread of its own.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;

use cluster::JobResult;
use config::Config;
use log::{self, DealCheck, Versions};
use protocol::{LOG_FORMAT, Record, TimeControl};
use schedule::{Scheduled, ScheduledGroup};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tournament::playing::openings;
use tournament::playing::openings::Opening;
use tournament::resume;

use super::dispatch::Examined;
use super::wire::{PlayedJob, unpack};

/// Maximum size of a match in the log besides its moves: positions, names, messages.
const LONGEST_REST: usize = 16 << 20;
/// The same of each move, without its `info`.
const LONGEST_MOVE: usize = 4 << 10;

/// Examines results beside the session: in the program a thread, in a simulation its agenda.
pub struct Examiner {
    pub work: mpsc::Sender<(Vec<ScheduledGroup>, JobResult)>,
    pub done: UnboundedReceiver<Examined>,
}

impl Examiner {
    /// Starts the thread.
    pub(super) fn start(config: &Arc<Config>) -> Self {
        let (work, inbox) = mpsc::channel::<(Vec<ScheduledGroup>, JobResult)>();
        let (outbox, done): (UnboundedSender<Examined>, _) = unbounded_channel();
        let config = config.clone();
        // It exits when the sender is dropped.
        thread::spawn(move || {
            for (groups, result) in inbox {
                let records = match &result.result {
                    // Without this thread the tournament would wait forever.
                    Ok(payload) => {
                        catch_unwind(AssertUnwindSafe(|| examine(&config, &groups, payload)))
                            .unwrap_or_else(|_| Err("it cannot even be examined".to_owned()))
                    }
                    Err(_) => Err("there is no result".to_owned()),
                };
                if outbox.send(Examined { result, records }).is_err() {
                    break;
                }
            }
        });
        Examiner { work, done }
    }

    /// Queues a result.
    pub(super) fn examine(&self, groups: Vec<ScheduledGroup>, result: JobResult) {
        // If the thread is gone, it has panicked, and said so.
        let _ = self.work.send((groups, result));
    }
}

/// The matches of a result by groups, if it can be believed. Groups after the first may be missing, see
/// [`Examined::records`].
///
/// # Errors
/// Describes the first problem.
pub fn examine(
    config: &Config,
    groups: &[ScheduledGroup],
    payload: &[u8],
) -> Result<Vec<Option<Vec<Record>>>, String> {
    let PlayedJob { records } = unpack(payload)?;
    let mut by_id: HashMap<&str, &Record> = HashMap::with_capacity(records.len());
    for record in &records {
        if by_id.insert(&record.match_id, record).is_some() {
            return Err(format!("the match `{}` is there twice", record.match_id));
        }
    }
    let matches_of = |group: &ScheduledGroup| {
        let found = group.matches.iter().map(|scheduled| {
            let id = scheduled.id();
            let Some(record) = by_id.get(&*id) else {
                return Err(format!("the match `{id}` is missing"));
            };
            check(config, scheduled, record)?;
            Ok((*record).clone())
        });
        found.collect::<Result<Vec<Record>, String>>()
    };
    let groups = groups.iter().enumerate().map(|(at, group)| {
        let mut ids = group.matches.iter().map(Scheduled::id);
        if at > 0 && !ids.any(|id| by_id.contains_key(&*id)) {
            return Ok(None);
        }
        matches_of(group).map(Some)
    });
    groups.collect()
}

/// Refuses a match that would take more room in the log than the configuration allows: no worker fills the
/// coordinator's disk.
fn check_size(config: &Config, scheduled: &Scheduled, record: &Record) -> Result<(), String> {
    let id = &record.match_id;
    let mut infos = 0;
    for played in &record.moves {
        let Some(info) = &played.info else { continue };
        let bot = played.seat.and_then(|seat| scheduled.seats.get(seat));
        let most = bot.map(|&bot| config.bots[bot].wanted.resources.info_bytes);
        if most.is_none_or(|most| arbiter::info_size(info) > most) {
            return Err(format!("the match `{id}` has more `info` than is kept"));
        }
        infos += info.to_string().len();
    }
    let rest = record.to_line().len().saturating_sub(infos);
    if rest > LONGEST_REST + record.moves.len() * LONGEST_MOVE {
        return Err(format!("the match `{id}` is too long for a log"));
    }
    Ok(())
}

/// Describes the first problem of a match.
fn check(config: &Config, scheduled: &Scheduled, record: &Record) -> Result<(), String> {
    let id = &record.match_id;
    let wrong = |what: &str| Err(format!("the match `{id}` has {what}"));
    if record.format != LOG_FORMAT || record.prev.is_some() {
        return wrong("another format");
    }
    resume::compare(config, record, scheduled)?;
    let on_its_machine = |time: &TimeControl| {
        let time = config.time_on(record.machine.as_ref(), time);
        time.map_err(|why| format!("the match `{id}` has {why}"))
    };
    if record.time != on_its_machine(&config.time)? {
        return wrong("another time control");
    }
    let game = &config.games[scheduled.game];
    if record.limits != arbiter::wire_limits(game.limits) {
        return wrong("other limits");
    }
    if let Some(adjudication) = &record.adjudication
        && !game.early_ends.allow(adjudication, record.seed, id)
    {
        return wrong("an adjudication that the configuration does not have");
    }
    for (player, &bot) in record.players.iter().zip(&scheduled.seats) {
        let spec = &config.bots[bot];
        let own_time = spec.own_time.then(|| on_its_machine(&spec.time));
        if player.time != own_time.transpose()? {
            return wrong("a player with another time control");
        }
        if player.bundle != spec.bundle {
            return wrong("a player from another bundle");
        }
    }
    check_size(config, scheduled, record)?;
    let deals = DealCheck {
        secret: config.deals().secret(),
        has_book: config.openings.book.iter().any(|book| !book.is_empty()),
        shared: false,
    };
    log::verify_deal(record, &config.rules.catalog, Versions::Recorded, deals)
        .map_err(|mismatch| format!("the match `{id}` does not verify: {mismatch}"))?;
    if config.openings.balanced.is_some() {
        // To find the same opening takes hundreds of random games.
        return Ok(());
    }
    let deal = openings::deal(config, scheduled);
    let opening =
        Opening::of(config, scheduled, deal.as_ref()).map_err(|broken| broken.to_string())?;
    let state = opening.start.state().map_err(|broken| broken.to_string())?;
    let moves = record.moves.iter().map(|played| &*played.mv);
    let opened = moves.take(record.opening as usize);
    if record.start != state || !opened.eq(opening.moves.iter()) {
        return wrong("another opening than its seed gives");
    }
    Ok(())
}

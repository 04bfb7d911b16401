//! Plays one side of a logged match again: a bot receives the same turns, and its answers are compared
//! with the log. There are no time limits, so that it can run under a debugger.

use std::ops::ControlFlow;
use std::task::{Context, Poll};
use std::time::Duration;

use arbiter::early_end::EarlyEnds;
use arbiter::{Action, Arbiter, Event, Reading, SeatSetup, Setup};
use games::{Catalog, Limits};
use log::{Mismatch, Versions, verify};
use protocol::{
    BadMessage, BotHello, BotMove, Failure, Fault, FromBot, LoggedMove, MoveText, Record, ToBot,
    faults,
};
use supervisor::BotProcess;
use thiserror::Error;
use tokio::time::Instant;

use crate::match_runner::{self, FinishedRun, Observer, Timing};
use crate::players::{Either, Player, PlayerEvent, Recorded};

/// A debugger may hold a bot for this long.
const READ_LIMIT: Duration = Duration::from_secs(24 * 60 * 60);

/// A record that cannot be rerun.
#[derive(Debug, Error)]
pub enum RerunError {
    /// The record does not fit the game as it is known here.
    #[error("match `{id}` cannot be played again: {reason}")]
    Record { id: String, reason: String },
}

/// An event of the rerun.
#[derive(Debug)]
pub enum RerunEvent<'a> {
    /// The bot answered.
    Answer {
        /// The ply of the request.
        ply: u32,
        /// The bot's move in the rerun.
        mv: String,
        /// The bot's time in the rerun.
        took: Duration,
        /// The move and time in the record; `None` where the bot had its fault.
        recorded: Option<(&'a str, Duration)>,
    },
    /// An answer that named another ply was dropped; the bot's answer is still due.
    Dropped {
        /// The ply of the request.
        ply: u32,
        /// The ply in the answer.
        named: u32,
    },
    /// The bot has a fault in the rerun.
    Failed {
        /// `None` before the start of the match.
        ply: Option<u32>,
        what: String,
        /// The time until the fault.
        took: Duration,
    },
    /// The bot's fault in the log.
    Recorded(&'a Fault),
}

/// Plays a seat of a logged match with this bot, and reports the events.
///
/// # Errors
/// If the record cannot be rerun.
pub async fn play(
    record: &Record,
    catalog: &Catalog,
    seat: usize,
    bot: Box<BotProcess>,
    mut report: impl FnMut(RerunEvent<'_>),
) -> Result<(), RerunError> {
    let setup = setup(record, catalog).map_err(|reason| RerunError::Record {
        id: record.match_id.clone(),
        reason,
    })?;
    let mut bot = Some(bot);
    let player = |number| match bot.take_if(|_| number == seat) {
        Some(bot) => Either::A(Debugged(bot)),
        None => Either::B(Recorded::new(record, number)),
    };
    let players = (0..record.players.len()).map(player).collect();
    let mut comparison = Comparison {
        record,
        seat,
        asked: Instant::now(),
        asked_at: Duration::ZERO,
        report: &mut report,
    };
    let FinishedRun { players, .. } =
        match_runner::run(setup, players, Timing::Recorded, &mut comparison).await;
    let mut faults = record.result.faults.iter();
    if let Some(fault) = faults.find(|fault| fault.seat == seat) {
        report(RerunEvent::Recorded(fault));
    }
    for player in players {
        if let Either::A(Debugged(bot)) = player {
            bot.end().await;
        }
    }
    Ok(())
}

fn setup(record: &Record, catalog: &Catalog) -> Result<Setup, String> {
    verify(record, catalog, Versions::Any).map_err(|mismatch: Mismatch| mismatch.to_string())?;
    let game = catalog
        .find(&record.game)
        .map_err(|unknown| unknown.to_string())?;
    let rules = game.configure(&record.options).map_err(|e| e.to_string())?;
    let opening = &record.moves[..record.opening as usize];
    let start = rules.load(&record.start).map_err(|e| e.to_string())?;
    let last_ply = ended_early(record).map(|made| start.ply() + made);
    Ok(Setup {
        match_id: record.match_id.clone(),
        start,
        opening: opening.iter().map(|played| played.mv.to_string()).collect(),
        seed: record.seed,
        deal: None,
        // The secret of a deal is not required here.
        recorded: record.moves.iter().map(recorded).collect(),
        limits: Limits {
            max_plies: last_ply.or(record.limits.max_plies),
            repetition: record.limits.repetition,
        },
        early_ends: EarlyEnds::default(),
        seats: record
            .players
            .iter()
            .map(|player| SeatSetup {
                name: player.name.clone(),
                time: player.time.clone().unwrap_or_else(|| record.time.clone()),
                cpu_time: None,
                info_bytes: 0,
            })
            .collect(),
        cores: 1,
        rules,
    })
}

/// Results of chance, and moves of seats at fault.
fn recorded(played: &LoggedMove) -> Option<MoveText> {
    (played.seat.is_none() || played.forced).then(|| played.mv.clone())
}

/// The number of moves before an adjudication, if that ended the match.
fn ended_early(record: &Record) -> Option<u32> {
    let adjudication = record.adjudication.as_ref();
    let early = adjudication.filter(|early| !early.played_out && record.result.faults.is_empty());
    early.map(|early| early.ply)
}

/// The bot of the rerun. It has no time limits, and unsolicited messages count as its next answer.
struct Debugged(Box<BotProcess>);

impl Player for Debugged {
    fn join(&mut self) -> Result<Box<BotHello>, Failure> {
        Ok(Box::new(self.0.hello().clone()))
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<PlayerEvent> {
        let line = self.0.poll_line(cx);
        line.map(|line| line.map_or_else(PlayerEvent::Failed, PlayerEvent::Message))
    }

    fn message(&mut self) -> Result<FromBot, BadMessage> {
        FromBot::from_line(self.0.line())
    }

    async fn send(
        &mut self,
        message: &ToBot,
        _limit: Duration,
        now: Instant,
    ) -> Result<(), Failure> {
        // A failure is noticed when its answer is due.
        let _ = self.0.send(message, READ_LIMIT, now).await;
        Ok(())
    }

    fn is_polled_unasked(&self) -> bool {
        false
    }

    async fn exit(&mut self) -> Option<String> {
        Some(self.0.exit().await)
    }
}

/// Compares a bot's answers with the log, and passes those of the log to the arbiter.
struct Comparison<'a, R> {
    record: &'a Record,
    seat: usize,
    /// When the bot was asked last.
    asked: Instant,
    /// The same on the arbiter's clock.
    asked_at: Duration,
    report: &'a mut R,
}

impl<R: FnMut(RerunEvent<'_>)> Observer for Comparison<'_, R> {
    fn before(&mut self, arbiter: &Arbiter, event: &mut Event) -> ControlFlow<()> {
        match event {
            Event::Sent { seat, now } if *seat == self.seat => {
                self.asked = Instant::now();
                self.asked_at = now.at;
                ControlFlow::Continue(())
            }
            Event::Line { seat, message, now } if *seat == self.seat => {
                // The bot's time does not count.
                *now = Reading {
                    at: self.asked_at,
                    cpu: None,
                };
                let compared = self.compare(arbiter, message, now);
                compared.unwrap_or_else(|what| self.failed(arbiter, what))
            }
            Event::Failed { seat, message, .. } if *seat == self.seat => {
                self.failed(arbiter, std::mem::take(message))
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn action(&mut self, action: &mut Action) -> ControlFlow<()> {
        match action {
            Action::Send {
                seat,
                message: ToBot::Error { message, .. },
            } if *seat == self.seat => {
                let (ply, what, took) = (None, message.clone(), Duration::ZERO);
                (self.report)(RerunEvent::Failed { ply, what, took });
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

impl<R: FnMut(RerunEvent<'_>)> Comparison<'_, R> {
    /// Compares an answer with that of the log, which replaces it.
    ///
    /// # Errors
    /// Explains an invalid answer.
    fn compare(
        &mut self,
        arbiter: &Arbiter,
        message: &mut Result<FromBot, BadMessage>,
        now: &mut Reading,
    ) -> Result<ControlFlow<()>, String> {
        let in_turn = arbiter.is_in_play();
        match message {
            Ok(FromBot::Info(_) | FromBot::Offer(_)) => Ok(ControlFlow::Continue(())),
            Ok(FromBot::Ready {}) if !in_turn => Ok(ControlFlow::Continue(())),
            Ok(FromBot::Move(mv)) if in_turn => self.moved(arbiter, mv, now),
            Ok(FromBot::Resign {}) if in_turn => Err("the bot resigned".to_owned()),
            Ok(FromBot::Fault(fault)) if in_turn => {
                Err(faults::no_move(fault.message.as_deref()).message)
            }
            Ok(_) if in_turn => Err("did not answer `turn` with `move`".to_owned()),
            Ok(_) => Err("did not answer `start` with `ready`".to_owned()),
            Err(bad) => Err(bad.to_string()),
        }
    }

    fn moved(
        &mut self,
        arbiter: &Arbiter,
        mv: &mut BotMove,
        now: &mut Reading,
    ) -> Result<ControlFlow<()>, String> {
        let ply = arbiter.session().ply();
        if let Some(named) = mv.ply.filter(|named| *named != ply) {
            (self.report)(RerunEvent::Dropped { ply, named });
            return Ok(ControlFlow::Continue(()));
        }
        let mut session = arbiter.session().fork();
        let checked = session.check_move(self.seat, &mv.mv);
        checked.map_err(|error| error.to_string())?;
        let mut actors = session.to_move().seats();
        let at = actors
            .position(|seat| seat == self.seat)
            .unwrap_or_default();
        let recorded = self.record.moves.get(arbiter.moves().len() + at);
        let recorded = recorded.filter(|played| !played.forced);
        (self.report)(RerunEvent::Answer {
            ply,
            mv: mv.mv.to_string(),
            took: self.asked.elapsed(),
            recorded: recorded.map(|recorded| (&*recorded.mv, recorded.ms.0)),
        });
        let Some(recorded) = recorded else {
            return Ok(ControlFlow::Break(()));
        };
        *mv = BotMove {
            mv: recorded.mv.clone(),
            ply: None,
            info: None,
        };
        now.at += recorded.ms.0;
        Ok(ControlFlow::Continue(()))
    }

    /// A fault of the bot, which ends the comparison.
    fn failed(&mut self, arbiter: &Arbiter, what: String) -> ControlFlow<()> {
        let took = self.asked.elapsed();
        let ply = arbiter.is_in_play().then(|| arbiter.session().ply());
        (self.report)(RerunEvent::Failed { ply, what, took });
        ControlFlow::Break(())
    }
}

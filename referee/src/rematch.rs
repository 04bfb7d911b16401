//! Plays one side of a recorded match again: a bot is asked what it was asked then, turn by turn,
//! and its answers are compared with those of the record. No time limit holds, so that it can run
//! under a debugger.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::time::Duration;

use arbiter::{Action, Arbiter, Event, Reading, SeatSetup, Setup};
use games::Limits;
use protocol::{BotHello, BotMove, Fault, FromBot, Record, ToBot, Wants};
use supervisor::BotProcess;
use thiserror::Error;
use tokio::time::Instant;

use crate::log::{Mismatch, verify};
use crate::tournament::unknown_game;

/// A debugger may hold a bot for so long.
const PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// The others are not there to read anything.
const NOTHING: Wants = Wants {
    state: false,
    legal: false,
};

/// A record that cannot be played again.
#[derive(Debug, Error)]
pub enum RematchError {
    /// It is not a match of this game as it is known here.
    #[error("match `{id}` cannot be played again: {reason}")]
    Record {
        /// The match.
        id: String,
        /// Why not.
        reason: String,
    },
}

/// What there is to tell.
#[derive(Debug)]
pub enum News<'a> {
    /// The bot answered.
    Answer {
        /// The ply at which it was asked.
        ply: u32,
        /// Its move now.
        mv: String,
        /// Its time now.
        took: Duration,
        /// Its move in the record and the time that it took; `None` where it had its fault.
        recorded: Option<(&'a str, Duration)>,
    },
    /// It answered as if another ply had been asked for, which is dropped: it is still waited for.
    Dropped {
        /// The ply at which it was asked.
        ply: u32,
        /// The one that it told.
        told: u32,
    },
    /// It has a fault now.
    Failed {
        /// The ply, if the match had begun.
        ply: Option<u32>,
        /// What is wrong.
        what: String,
        /// After how long.
        took: Duration,
    },
    /// What the record says of its fault.
    Recorded(&'a Fault),
}

/// The match under a referee that knows what everybody will do.
struct Rematch<'a> {
    record: &'a Record,
    seat: usize,
    arbiter: Arbiter,
    bot: Box<BotProcess>,
    /// The time of the record.
    now: Duration,
}

/// Plays a seat of a recorded match with this bot, and tells how that goes.
///
/// # Errors
/// If the record is not a match that can be played.
pub async fn play(
    record: &Record,
    seat: usize,
    bot: Box<BotProcess>,
    mut tell: impl FnMut(News<'_>),
) -> Result<(), RematchError> {
    let setup = setup(record).map_err(|reason| RematchError::Record {
        id: record.match_id.clone(),
        reason,
    })?;
    let mut rematch = Rematch {
        record,
        seat,
        arbiter: Arbiter::new(setup),
        bot,
        now: Duration::ZERO,
    };
    rematch.play(&mut tell).await;
    if let Some(fault) = rematch.fault_of(seat) {
        tell(News::Recorded(fault));
    }
    rematch.bot.end().await;
    Ok(())
}

fn setup(record: &Record) -> Result<Setup, String> {
    verify(record).map_err(|mismatch: Mismatch| mismatch.to_string())?;
    let game = games::find(&record.game).ok_or_else(|| unknown_game(&record.game))?;
    let rules = game.configure(&record.options).map_err(|e| e.to_string())?;
    let opening = &record.moves[..record.opening as usize];
    Ok(Setup {
        match_id: record.match_id.clone(),
        start: rules.load(&record.start).map_err(|e| e.to_string())?,
        opening: opening.iter().map(|played| played.mv.to_string()).collect(),
        seed: record.seed,
        limits: Limits {
            max_plies: record.limits.max_plies,
            repetition: record.limits.repetition,
        },
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

impl<'a> Rematch<'a> {
    async fn play(&mut self, tell: &mut impl FnMut(News<'_>)) {
        for seat in 0..self.record.players.len() {
            let mut hello = self.bot.hello().clone();
            if seat != self.seat {
                hello = BotHello {
                    games: None,
                    wants: NOTHING,
                    ..hello
                };
            }
            let hello = Box::new(hello);
            self.settle(Event::Joined { seat, hello }).await;
        }
        for seat in 0..self.record.players.len() {
            let began = Instant::now();
            let ready = match seat == self.seat {
                true => self.answer().await,
                false => Ok(FromBot::Ready {}),
            };
            match ready {
                Ok(FromBot::Ready {}) => {}
                other => {
                    let what = match other {
                        Ok(_) => "did not answer `start` with `ready`".to_owned(),
                        Err(what) => what,
                    };
                    let took = began.elapsed();
                    return tell(News::Failed {
                        ply: None,
                        what,
                        took,
                    });
                }
            }
            self.hand_over(seat, FromBot::Ready {}).await;
        }
        while let Some(seat) = self.arbiter.awaited() {
            let made = self.arbiter.moves().len();
            let recorded = self.record.moves.get(made).filter(|played| !played.forced);
            if seat == self.seat && !self.ask(recorded.map(|r| (&*r.mv, r.ms.0)), tell).await {
                return;
            }
            match (recorded, self.fault_of(seat)) {
                (Some(played), _) => {
                    self.now += played.ms.0;
                    let message = FromBot::Move(BotMove {
                        mv: played.mv.clone(),
                        ply: None,
                        info: None,
                    });
                    self.hand_over(seat, message).await;
                }
                // The others play on without it, with the same random moves.
                (None, Some(fault)) if seat != self.seat => {
                    let (code, message) = (fault.code, fault.message.clone());
                    self.settle(Event::Failed {
                        seat,
                        code,
                        message,
                    })
                    .await;
                }
                (None, _) => return,
            }
        }
    }

    /// Waits for the bot's answer to its turn; false if it has none any more.
    async fn ask(
        &mut self,
        recorded: Option<(&'a str, Duration)>,
        tell: &mut impl FnMut(News<'_>),
    ) -> bool {
        let ply = self.arbiter.session().ply();
        let began = Instant::now();
        let what = loop {
            match self.answer().await {
                Ok(FromBot::Move(mv)) if mv.ply.is_none_or(|told| told == ply) => {
                    let (mv, took) = (mv.mv, began.elapsed());
                    let played = self.arbiter.session().fork().play(&mv);
                    if let Err(error) = played {
                        break error.to_string();
                    }
                    tell(News::Answer {
                        ply,
                        mv: mv.to_string(),
                        took,
                        recorded,
                    });
                    return true;
                }
                Ok(FromBot::Move(mv)) => {
                    let told = mv.ply.unwrap_or(ply);
                    tell(News::Dropped { ply, told });
                }
                Ok(FromBot::Resign {}) => break "the bot resigned".to_owned(),
                Ok(_) => break "did not answer `turn` with `move`".to_owned(),
                Err(what) => break what,
            }
        };
        let took = began.elapsed();
        tell(News::Failed {
            ply: Some(ply),
            what,
            took,
        });
        false
    }

    /// The next message of the bot that is not `info`.
    async fn answer(&mut self) -> Result<FromBot, String> {
        loop {
            let line = poll_fn(|cx| self.bot.poll_line(cx)).await;
            match line {
                Ok(_) => {}
                Err(failure) if failure.code == protocol::FaultCode::Crash => {
                    return Err(self.bot.exit().await);
                }
                Err(failure) => return Err(failure.message),
            }
            match FromBot::from_line(self.bot.line()) {
                Ok(FromBot::Info(_)) => {}
                Ok(message) => return Ok(message),
                Err(bad) => return Err(bad.to_string()),
            }
        }
    }

    fn fault_of(&self, seat: usize) -> Option<&'a Fault> {
        let mut faults = self.record.result.faults.iter();
        faults.find(|fault| fault.seat == seat)
    }

    fn reading(&self) -> Reading {
        Reading {
            at: self.now,
            cpu: None,
        }
    }

    async fn hand_over(&mut self, seat: usize, message: FromBot) {
        let now = self.reading();
        self.settle(Event::Line {
            seat,
            message: Ok(message),
            now,
        })
        .await;
    }

    /// Tells the arbiter what happened, and the bot what the arbiter says.
    async fn settle(&mut self, event: Event) {
        let mut actions = VecDeque::from_iter(self.arbiter.handle(event));
        while let Some(action) = actions.pop_front() {
            let Action::Send { seat, message } = action else {
                continue;
            };
            // Only this bot is there; a failure shows when its answer is waited for.
            if seat == self.seat && !matches!(message, ToBot::Error { .. }) {
                let _ = self.bot.send(&message, PATIENCE, Instant::now()).await;
            }
            let now = self.reading();
            actions.extend(self.arbiter.handle(Event::Sent { seat, now }));
        }
    }
}

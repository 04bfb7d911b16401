//! A match of the bot under test: the arbiter presides, and the other seats play at random.

use std::collections::VecDeque;
use std::time::Duration;

use arbiter::{Action, Arbiter, Event, Reading, SeatSetup, Setup};
use games::{Limits, Rng, Session};
use protocol::{BotHello, BotMove, FaultCode, FromBot, TimeControl, ToBot, Wants};
use tokio::time::Instant;

use super::Variant;
use super::talk::{Heard, Talk, Trouble, unexpected};

/// What an `info` may take; it is dropped anyway.
const INFO_BYTES: u64 = 1 << 14;

/// Nobody sits in the other seats who could want anything.
const NOTHING: Wants = Wants {
    state: false,
    legal: false,
};

/// A match that is to be played with the bot.
pub(super) struct Sitting<'v> {
    pub(super) variant: &'v Variant,
    pub(super) seat: usize,
    pub(super) start: Box<dyn Session>,
    pub(super) opening: Vec<String>,
    pub(super) limits: Limits,
    pub(super) time: TimeControl,
    /// The bots' names, in seat order.
    pub(super) names: Vec<String>,
    pub(super) seed: u64,
    /// Another seat is lost when the bot has made so many moves.
    pub(super) forfeit_after: Option<u32>,
    /// Being late is a fault by itself, no sign of a bot that does not answer.
    pub(super) strict: bool,
}

/// How a match went.
#[derive(Debug, Default)]
pub(super) struct Played {
    /// The moves of the bot.
    pub(super) moves: u32,
    /// The ply at which it resigned.
    pub(super) resigned: Option<u32>,
    pub(super) slowest: Duration,
}

struct Match<'t, 'l> {
    talk: &'t mut Talk<'l>,
    arbiter: Arbiter,
    seat: usize,
    began: Instant,
    others: Rng,
    /// The ply of an answer that was dropped because it told another.
    dropped: Option<u32>,
    /// The fault of the bot.
    fault: Option<(FaultCode, String)>,
}

/// Plays a match to its end.
pub(super) async fn play(
    talk: &mut Talk<'_>,
    hello: &BotHello,
    sitting: Sitting<'_>,
) -> Result<Played, Trouble> {
    let (seat, seats) = (sitting.seat, sitting.names.len());
    let (strict, forfeit) = (sitting.strict, sitting.forfeit_after);
    let mut game = Match {
        talk,
        seat,
        began: Instant::now(),
        others: Rng::from_parts(&[sitting.seed, 1]),
        dropped: None,
        fault: None,
        arbiter: Arbiter::new(setup(sitting)),
    };
    game.begin(hello, seats).await?;
    game.go_on(strict, forfeit).await
}

/// The messages with which a match begins for a bot.
pub(super) struct FirstMessages {
    /// `start`.
    pub(super) start: ToBot,
    /// The first `turn`; `None` if the bot does not move first.
    pub(super) turn: Option<ToBot>,
}

/// The first messages of a match, without playing it.
pub(super) fn first_messages(hello: &BotHello, sitting: Sitting<'_>) -> FirstMessages {
    let (seat, seats) = (sitting.seat, sitting.names.len());
    let mut arbiter = Arbiter::new(setup(sitting));
    let mut messages = Vec::new();
    let joined = (0..seats).map(|seat| Event::Joined {
        seat,
        hello: Box::new(BotHello {
            games: None,
            ..hello.clone()
        }),
    });
    let ready = (0..seats).map(|seat| Event::Line {
        seat,
        message: Ok(FromBot::Ready {}),
        now: Reading::default(),
    });
    for event in joined.chain(ready).collect::<Vec<_>>() {
        for action in arbiter.handle(event) {
            match action {
                Action::Send { seat: to, message } if to == seat => messages.push(message),
                _ => {}
            }
        }
    }
    let mut messages = messages.into_iter();
    FirstMessages {
        start: messages.next().expect("every seat that joins is told"),
        turn: messages.find(|message| matches!(message, ToBot::Turn(_))),
    }
}

fn setup(sitting: Sitting<'_>) -> Setup {
    Setup {
        match_id: format!("check-{}", sitting.seed),
        seats: seated(&sitting.names, &sitting.time, sitting.seat),
        start: sitting.start,
        opening: sitting.opening,
        seed: sitting.seed,
        limits: sitting.limits,
        cores: 1,
        rules: sitting.variant.rules.clone(),
    }
}

/// The others have no clock: it is not theirs that is looked at.
fn seated(names: &[String], time: &TimeControl, own: usize) -> Vec<SeatSetup> {
    let seats = names.iter().enumerate();
    let seats = seats.map(|(seat, name)| SeatSetup {
        name: name.clone(),
        time: match seat == own {
            true => time.clone(),
            false => TimeControl {
                base: None,
                increment: None,
                ..time.clone()
            },
        },
        cpu_time: None,
        info_bytes: INFO_BYTES,
    });
    seats.collect()
}

impl Match<'_, '_> {
    async fn begin(&mut self, hello: &BotHello, seats: usize) -> Result<(), Trouble> {
        for seat in 0..seats {
            let hello = match seat == self.seat {
                true => hello.clone(),
                false => BotHello {
                    games: None,
                    wants: NOTHING,
                    ..hello.clone()
                },
            };
            let hello = Box::new(hello);
            self.settle(Event::Joined { seat, hello }).await;
        }
        self.own_fault()?;
        for seat in 0..seats {
            let message = match seat == self.seat {
                true => self.talk.answer("start").await?,
                false => FromBot::Ready {},
            };
            // In a match it would be dropped, and `ready` waited for.
            if let FromBot::Move(_) = message {
                return Err(unexpected("start", &message));
            }
            self.hand_over(seat, message).await;
            self.own_fault()?;
        }
        Ok(())
    }

    async fn go_on(&mut self, strict: bool, forfeit: Option<u32>) -> Result<Played, Trouble> {
        let mut played = Played::default();
        while let Some(seat) = self.arbiter.awaited() {
            if seat != self.seat {
                match forfeit.is_some_and(|after| played.moves >= after) {
                    true => self.lose(seat).await,
                    false => self.move_at_random(seat).await,
                }
                continue;
            }
            let asked = Instant::now();
            let made = self.arbiter.moves().len();
            self.ask(strict).await?;
            let resigned = self.resigned();
            if self.arbiter.moves().len() > made || resigned.is_some() {
                played.moves += u32::from(resigned.is_none());
                played.slowest = played.slowest.max(asked.elapsed());
                played.resigned = resigned;
            }
        }
        Ok(played)
    }

    /// Waits for the bot's answer to its turn.
    async fn ask(&mut self, strict: bool) -> Result<(), Trouble> {
        let made = self.arbiter.moves().len();
        let ply = self.arbiter.session().ply();
        while self.arbiter.awaited() == Some(self.seat) && self.arbiter.moves().len() == made {
            // Without a limit of time there is still a limit of patience.
            let deadline = self.arbiter.deadline().map(|at| self.began + at);
            let deadline = deadline.unwrap_or_else(|| Instant::now() + self.talk.lab.patience);
            match self.talk.hear(deadline).await {
                Heard::Message(message) => {
                    if let FromBot::Move(BotMove {
                        ply: Some(told), ..
                    }) = &message
                    {
                        self.dropped = Some(*told).filter(|told| *told != ply);
                    }
                    let again = self.is_last_move(&message);
                    self.hand_over(self.seat, message).await;
                    self.own_fault().map_err(|trouble| match again {
                        true => trouble.mend(
                            "that is its last move once more: answer each `turn` once, in the \
                             position of this `turn`",
                        ),
                        false => trouble,
                    })?;
                }
                Heard::Nothing if strict => {
                    let now = self.reading();
                    self.settle(Event::Tick { now }).await;
                    self.own_fault()?;
                }
                Heard::Nothing => {
                    let trouble = self.talk.trouble(Heard::Nothing, "turn").await;
                    return Err(match self.dropped {
                        Some(told) => Trouble::new(format!(
                            "answered with \"ply\":{told} when asked for ply {ply}; such an \
                             answer counts as late and is dropped"
                        ))
                        .mend("give the `ply` of the `turn` that is answered, or none"),
                        None => trouble,
                    });
                }
                other => return Err(self.talk.trouble(other, "turn").await),
            }
        }
        Ok(())
    }

    /// Whether this is the bot's last move once more.
    fn is_last_move(&self, message: &FromBot) -> bool {
        let mut own = self.arbiter.moves().iter().rev();
        let last = own.find(|made| made.seat == self.seat);
        matches!((message, last), (FromBot::Move(now), Some(last)) if now.mv == last.mv)
    }

    /// The fault that the bot is given, as what is wrong with it.
    fn own_fault(&mut self) -> Result<(), Trouble> {
        let Some((code, message)) = self.fault.take() else {
            return Ok(());
        };
        let ply = self.arbiter.session().ply();
        let trouble = Trouble::new(format!("{code} at ply {ply}: {message}"));
        Err(match code {
            FaultCode::IllegalMove => trouble.mend(
                "play a move exactly as it is written in `legal`, in the position of this `turn`",
            ),
            FaultCode::Timeout => Trouble {
                slow: true,
                ..trouble.mend("look at the clock more often, and leave a reserve")
            },
            FaultCode::Protocol => {
                trouble.mend("answer each `hello`, `start` and `turn` once, and nothing else")
            }
            _ => trouble,
        })
    }

    fn resigned(&self) -> Option<u32> {
        let mut faults = self.arbiter.result()?.faults.iter();
        let fault = faults.find(|fault| fault.seat == self.seat)?;
        (fault.code == FaultCode::Resign).then_some(fault.ply)
    }

    async fn move_at_random(&mut self, seat: usize) {
        let mut fork = self.arbiter.session().fork();
        if let Some(mv) = fork.random_move(&mut self.others) {
            let message = FromBot::Move(BotMove {
                mv: mv.into(),
                ply: None,
                info: None,
            });
            self.hand_over(seat, message).await;
        }
    }

    /// The player of another seat is gone.
    async fn lose(&mut self, seat: usize) {
        let event = Event::Failed {
            seat,
            code: FaultCode::Crash,
            message: "exited with code 1".to_owned(),
        };
        self.settle(event).await;
    }

    fn reading(&self) -> Reading {
        Reading {
            at: self.began.elapsed(),
            cpu: None,
        }
    }

    async fn hand_over(&mut self, seat: usize, message: FromBot) {
        let event = Event::Line {
            seat,
            message: Ok(message),
            now: self.reading(),
        };
        self.settle(event).await;
    }

    /// Tells the arbiter what happened, and the bot what the arbiter says.
    async fn settle(&mut self, event: Event) {
        let mut actions = VecDeque::from_iter(self.arbiter.handle(event));
        while let Some(action) = actions.pop_front() {
            let Action::Send { seat, message } = action else {
                continue;
            };
            if let (true, ToBot::Error { code, message }) = (seat == self.seat, &message) {
                self.fault = Some((*code, message.clone()));
            }
            let now = self.reading();
            // After a fault there is nothing more to learn from it.
            if seat == self.seat && self.fault.is_none() {
                self.talk.tell(&message).await;
            }
            actions.extend(self.arbiter.handle(Event::Sent { seat, now }));
        }
    }
}

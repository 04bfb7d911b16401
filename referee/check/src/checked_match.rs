//! A match of the bot under test against random moves, driven by the real arbiter.

use std::ops::ControlFlow;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use arbiter::early_end::EarlyEnds;
use arbiter::{Action, Arbiter, Event, SeatSetup, Setup};
use games::{Limits, Rng, Session};
use play::match_runner::{self, FinishedRun, Observer, Timing};
use play::players::{Either, Player, PlayerEvent, Random};
use protocol::{BadMessage, BotHello, Failure, FaultCode, FromBot, TimeControl, ToBot};
use tokio::time::{Instant, Sleep, sleep};

use super::finding::Diagnostic;
use super::selection::Variant;
use super::session::{Answer, BotSession, unexpected};

/// The arbiter drops longer `info`.
const INFO_BYTES: u64 = 1 << 14;

pub(super) struct MatchSetup<'v> {
    pub(super) variant: &'v Variant,
    pub(super) seat: usize,
    pub(super) start: Box<dyn Session>,
    pub(super) opening: Vec<String>,
    pub(super) limits: Limits,
    pub(super) time: TimeControl,
    /// In seat order.
    pub(super) names: Vec<String>,
    pub(super) seed: u64,
    /// The other seats crash after this many moves of the bot.
    pub(super) forfeit_after: Option<usize>,
    /// Judges a late move as any other fault, not as silence.
    pub(super) strict: bool,
}

#[derive(Debug)]
pub(super) struct Performance {
    /// The ply at which the bot resigned.
    pub(super) resigned: Option<u32>,
    /// The time of the slowest move.
    pub(super) slowest: Duration,
}

pub(super) async fn play(
    bot: &mut BotSession<'_>,
    hello: &BotHello,
    setup: MatchSetup<'_>,
) -> Result<Performance, Diagnostic> {
    let (seat, opened) = (setup.seat, setup.opening.len());
    let mut tested = Some(Tested::new(&mut *bot, hello));
    let others = setup.others();
    let player = |other| match tested.take_if(|_| other == seat) {
        Some(tested) => Either::A(tested),
        None => Either::B(others(other)),
    };
    let players = (0..setup.names.len()).map(player).collect();
    let mut examiner = Examiner::new(seat, setup.strict);
    let finished =
        match_runner::run(arbiter_setup(setup), players, Timing::Real, &mut examiner).await;
    let FinishedRun { played, players } = finished;
    drop(players);
    match (played, examiner.ended) {
        (Err(broken), _) => Err(broken.into()),
        (Ok(Some(played)), _) => Ok(performance(&played, seat, opened)),
        (Ok(None), Some(Ended::Wrong(diagnostic))) => Err(diagnostic),
        (Ok(None), Some(Ended::Unanswered(answer, asked))) => {
            Err(bot.diagnostic(answer, asked).await)
        }
        (Ok(None), None) => unreachable!("only the examiner breaks it off"),
    }
}

/// Looks only at what follows the opening.
fn performance(played: &arbiter::FinishedMatch, seat: usize, opened: usize) -> Performance {
    let moves = played.moves.iter().skip(opened);
    let own = moves.filter(|made| made.seat == Some(seat) && !made.forced);
    let mut faults = played.result.faults.iter();
    let resigned = faults.find(|fault| fault.seat == seat && fault.code == FaultCode::Resign);
    Performance {
        resigned: resigned.map(|fault| fault.ply),
        slowest: own.map(|made| made.ms.0).max().unwrap_or_default(),
    }
}

/// The first messages of a match to the bot that begins it.
pub(super) struct FirstMessages {
    pub(super) start: ToBot,
    pub(super) turn: ToBot,
}

/// `start` and the first `turn` of a match in which the bot begins, without playing it.
pub(super) async fn first_messages(
    hello: &BotHello,
    setup: MatchSetup<'_>,
) -> Result<FirstMessages, Diagnostic> {
    let others = setup.others();
    let players = (0..setup.names.len()).map(others).collect();
    let mut listener = Listener {
        seat: setup.seat,
        hello,
        start: None,
        turn: None,
    };
    let finished =
        match_runner::run(arbiter_setup(setup), players, Timing::Real, &mut listener).await;
    finished.played?;
    match (listener.start, listener.turn) {
        (Some(start), Some(turn)) => Ok(FirstMessages { start, turn }),
        _ => Err(Diagnostic::new("the match is over before the bot can move")),
    }
}

/// Records the messages for the bot, up to its first turn.
struct Listener<'h> {
    seat: usize,
    hello: &'h BotHello,
    start: Option<ToBot>,
    turn: Option<ToBot>,
}

impl Observer for Listener<'_> {
    fn before(&mut self, _arbiter: &Arbiter, event: &mut Event) -> ControlFlow<()> {
        match event {
            Event::Joined { seat, hello } if *seat == self.seat => {
                **hello = BotHello {
                    games: None,
                    ..self.hello.clone()
                };
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn action(&mut self, action: &mut Action) -> ControlFlow<()> {
        match action {
            Action::Send { seat, message } if *seat == self.seat => match message {
                ToBot::Start(_) => self.start = Some(message.clone()),
                ToBot::Turn(_) => {
                    self.turn = Some(message.clone());
                    return ControlFlow::Break(());
                }
                _ => {}
            },
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

fn arbiter_setup(setup: MatchSetup<'_>) -> Setup {
    Setup {
        match_id: format!("check-{}", setup.seed),
        seats: seated(&setup.names, &setup.time, setup.seat),
        start: setup.start,
        opening: setup.opening,
        seed: setup.seed,
        deal: None,
        recorded: Vec::new(),
        limits: setup.limits,
        early_ends: EarlyEnds::default(),
        cores: 1,
        rules: setup.variant.rules.clone(),
    }
}

/// The other seats have no game clock, as only the bot's is checked.
fn seated(names: &[String], time: &TimeControl, own: usize) -> Vec<SeatSetup> {
    let seats = names.iter().enumerate();
    let seats = seats.map(|(seat, name)| {
        let mut time = time.clone();
        if seat != own {
            time.base = None;
            time.increment = None;
        }
        SeatSetup {
            name: name.clone(),
            time,
            cpu_time: None,
            info_bytes: INFO_BYTES,
        }
    });
    seats.collect()
}

impl MatchSetup<'_> {
    fn others(&self) -> impl Fn(usize) -> Random + use<> {
        let (seat, seed, forfeit_after) = (self.seat, self.seed, self.forfeit_after);
        move |_| {
            let random = Random::new(Rng::from_parts(&[seed, 1]));
            match forfeit_after {
                Some(moves) => random.leaving_after(seat, moves),
                None => random,
            }
        }
    }
}

/// The bot under test. Unsolicited messages count as its next answer.
struct Tested<'t, 'l> {
    bot: &'t mut BotSession<'l>,
    hello: &'t BotHello,
    /// Rings when the bot has taken too long to get ready.
    answer_limit: Option<Pin<Box<Sleep>>>,
}

impl<'t, 'l> Tested<'t, 'l> {
    fn new(bot: &'t mut BotSession<'l>, hello: &'t BotHello) -> Self {
        Tested {
            bot,
            hello,
            answer_limit: None,
        }
    }
}

/// Marks a [`Tested`] that was not ready in time. No process fails with this code later on.
const NOT_READY: FaultCode = FaultCode::Startup;

impl Player for Tested<'_, '_> {
    fn join(&mut self) -> Result<Box<BotHello>, Failure> {
        Ok(Box::new(self.hello.clone()))
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<PlayerEvent> {
        if let Poll::Ready(line) = self.bot.poll_line(cx) {
            return Poll::Ready(line.map_or_else(PlayerEvent::Failed, PlayerEvent::Message));
        }
        match &mut self.answer_limit {
            Some(answer_limit) => {
                let rings = answer_limit.as_mut().poll(cx);
                rings.map(|()| PlayerEvent::Failed(Failure::new(NOT_READY, "it is not ready")))
            }
            None => Poll::Pending,
        }
    }

    fn message(&mut self) -> Result<FromBot, BadMessage> {
        let message = self.bot.message();
        if !matches!(message, Ok(FromBot::Info(_) | FromBot::Offer(_))) {
            self.answer_limit = None;
        }
        message
    }

    /// A bot that has stopped reading is noticed when its answer is due.
    async fn send(
        &mut self,
        message: &ToBot,
        _limit: Duration,
        _now: Instant,
    ) -> Result<(), Failure> {
        self.bot.send(message).await;
        if let ToBot::Start(_) = message {
            self.answer_limit = Some(Box::pin(sleep(self.bot.lab.answer_limit)));
        }
        Ok(())
    }

    fn is_polled_unasked(&self) -> bool {
        false
    }

    async fn exit(&mut self) -> Option<String> {
        Some(self.bot.process.exit().await)
    }
}

/// Why a match was aborted.
enum Ended {
    /// The bot did something wrong.
    Wrong(Diagnostic),
    /// The bot did not answer this message.
    Unanswered(Answer, &'static str),
}

/// Watches the bot, and aborts the match at its first fault.
struct Examiner {
    seat: usize,
    strict: bool,
    /// The ply of an answer that was dropped because it named another ply.
    dropped: Option<u32>,
    /// The bot's last answer repeated its previous move.
    repeated: bool,
    /// The ply before the last event.
    ply: u32,
    ended: Option<Ended>,
}

impl Observer for Examiner {
    fn before(&mut self, arbiter: &Arbiter, event: &mut Event) -> ControlFlow<()> {
        self.ply = arbiter.session().ply();
        self.repeated = false;
        let asked = if arbiter.is_in_play() {
            "turn"
        } else {
            "start"
        };
        match event {
            Event::Line { seat, message, .. } if *seat == self.seat => {
                self.judge(arbiter, message, asked)
            }
            Event::Failed {
                seat,
                code,
                message,
            } if *seat == self.seat => {
                let message = std::mem::take(message);
                self.ends(match *code {
                    FaultCode::Crash => Ended::Unanswered(Answer::Gone(message), asked),
                    NOT_READY => Ended::Unanswered(Answer::Nothing, asked),
                    _ => Ended::Unanswered(Answer::Flood(message), asked),
                })
            }
            Event::Tick { seat, now }
                if !self.strict && *seat == self.seat && arbiter.is_late(*seat, *now) =>
            {
                let silent = Ended::Unanswered(Answer::Nothing, asked);
                let ended = self.dropped.map_or(silent, |named| self.other_ply(named));
                self.ends(ended)
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn action(&mut self, action: &mut Action) -> ControlFlow<()> {
        match action {
            Action::Send {
                seat,
                message: ToBot::Error { code, message },
            } if *seat == self.seat => {
                let diagnostic = self.fault(*code, message);
                self.ends(Ended::Wrong(diagnostic))
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

impl Examiner {
    fn new(seat: usize, strict: bool) -> Self {
        Examiner {
            seat,
            strict,
            dropped: None,
            repeated: false,
            ply: 0,
            ended: None,
        }
    }

    fn ends(&mut self, ended: Ended) -> ControlFlow<()> {
        self.ended = Some(ended);
        ControlFlow::Break(())
    }

    fn judge(
        &mut self,
        arbiter: &Arbiter,
        message: &mut Result<FromBot, BadMessage>,
        asked: &'static str,
    ) -> ControlFlow<()> {
        let mv = match message {
            // In a match it would be dropped, and `ready` would still be due.
            Ok(message @ FromBot::Move(_)) if asked == "start" => {
                return self.ends(Ended::Wrong(unexpected(asked, message)));
            }
            Ok(FromBot::Move(mv)) => mv,
            Ok(_) => return ControlFlow::Continue(()),
            Err(bad) => {
                let bad = Answer::Bad(BadMessage {
                    reason: std::mem::take(&mut bad.reason),
                    line: std::mem::take(&mut bad.line),
                    hint: bad.hint,
                });
                return self.ends(Ended::Unanswered(bad, asked));
            }
        };
        self.dropped = mv.ply.filter(|named| *named != self.ply);
        let mut made = arbiter.moves().iter().rev();
        let last = made.find(|made| made.seat == Some(self.seat));
        self.repeated = last.is_some_and(|last| last.mv == mv.mv);
        ControlFlow::Continue(())
    }

    /// The diagnostic for an answer that named another ply.
    fn other_ply(&self, named: u32) -> Ended {
        let what = format!(
            "answered with \"ply\":{named} when asked for ply {}; such an answer counts as late \
             and is dropped",
            self.ply
        );
        let fix = "give the `ply` of the `turn` that is answered, or none";
        Ended::Wrong(Diagnostic::new(what).fix(fix))
    }

    fn fault(&self, code: FaultCode, message: &str) -> Diagnostic {
        let diagnostic = Diagnostic::new(format!("{code} at ply {}: {message}", self.ply));
        let known = match code {
            FaultCode::IllegalMove
            | FaultCode::Timeout
            | FaultCode::NoMove
            | FaultCode::Protocol => code.advice(),
            // The evidence says more than these codes.
            FaultCode::Startup | FaultCode::Crash | FaultCode::Resign => None,
        };
        let diagnostic = Diagnostic {
            slow: code == FaultCode::Timeout,
            fix: known.map(str::to_owned),
            ..diagnostic
        };
        if self.repeated {
            diagnostic.fix(
                "that is its last move once more: answer each `turn` once, in the position of \
                 this `turn`",
            )
        } else {
            diagnostic
        }
    }
}

//! One bot analyses one position.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arbiter::early_end::EarlyEnds;
use arbiter::{Action, Arbiter, Event, SeatSetup, Setup};
use games::{BrokenRules, Rng};
use machine::identity;
use protocol::{Failure, FromBot, MoveText, ToBot, faults};
use serde_json::{Map, Value};
use supervisor::{BotFactory, BotSpec, Pool};

use super::{AnalysedPosition, Thought};
use crate::match_runner::{self, FinishedRun, Observer, Timing};
use crate::players::{After, Either, Process, Random};

/// The shortest time between two updates.
const LEAST_PAUSE: Duration = Duration::from_millis(100);

/// Has a bot of this factory analyse a position in a process of its own. `update` receives intermediate
/// results.
///
/// # Errors
/// If rules from outside do not work. A fault of the bot is part of the result.
pub(super) async fn think(
    position: &AnalysedPosition<'_>,
    spec: &Arc<BotSpec>,
    factory: Arc<BotFactory>,
    lines: usize,
    update: impl FnMut(&Thought),
) -> Result<Thought, BrokenRules> {
    let setup = setup(position, spec, &factory);
    let mut pool = Pool::new(factory);
    let started = pool.take(std::slice::from_ref(spec)).await.remove(0);
    let mut bot = Some(Process::new(started, spec, &pool));
    let player = |seat| match bot.take_if(|_| seat == position.seat) {
        Some(bot) => Either::A(bot),
        // The others are asked only if they act at the same time as the bot, which never learns their
        // choice.
        None => Either::B(Random::new(Rng::new(position.of.seed))),
    };
    let players = (0..position.of.names.len()).map(player).collect();
    let mut listener = Listener::new(position, lines, update);
    let finished = match_runner::run(setup, players, Timing::Real, &mut listener).await;
    let FinishedRun { played, players } = finished;
    for player in players {
        if let Either::A(process) = player
            && let After::Fit(bot) = process.after()
        {
            pool.dismiss(bot);
        }
    }
    pool.end().await;
    played?;
    listener.thought()
}

/// The match up to the position.
fn setup(position: &AnalysedPosition<'_>, spec: &BotSpec, factory: &BotFactory) -> Setup {
    let of = position.of;
    let resources = factory.sandbox(spec).resources();
    let seats = of.names.iter().enumerate().map(|(seat, name)| SeatSetup {
        name: if seat == position.seat {
            spec.name.clone()
        } else {
            name.clone()
        },
        time: spec.time.clone(),
        cpu_time: resources.cpu_time.filter(|_| seat == position.seat),
        // Info is collected as it arrives.
        info_bytes: 0,
    });
    Setup {
        match_id: of.id.clone(),
        rules: of.rules.clone(),
        start: of.start.fork(),
        opening: of.plies[..position.plies].to_vec(),
        seed: of.seed,
        deal: None,
        recorded: Vec::new(),
        limits: of.limits,
        early_ends: EarlyEnds::default(),
        seats: seats.collect(),
        cores: identity::cores(),
    }
}

/// Asks for lines, collects the bot's info, and ends the match once the bot has moved.
struct Listener<'p, U> {
    position: &'p AnalysedPosition<'p>,
    lines: usize,
    update: U,
    /// The fields of all `info` so far.
    fields: Map<String, Value>,
    /// The time of the request, on the arbiter's clock.
    asked: Option<Duration>,
    took: Duration,
    mv: Option<MoveText>,
    fault: Option<Failure>,
    updated: Option<Instant>,
    broken: Option<BrokenRules>,
}

impl<'p, U: FnMut(&Thought)> Listener<'p, U> {
    fn new(position: &'p AnalysedPosition<'p>, lines: usize, update: U) -> Self {
        Listener {
            position,
            lines,
            update,
            fields: Map::new(),
            asked: None,
            took: Duration::ZERO,
            mv: None,
            fault: None,
            updated: None,
            broken: None,
        }
    }

    /// The analysis so far.
    fn thought(&self) -> Result<Thought, BrokenRules> {
        if let Some(broken) = &self.broken {
            return Err(broken.clone());
        }
        let mv = self.mv.as_ref().filter(|_| self.fault.is_none());
        Ok(Thought {
            took: self.took,
            fault: self.fault.clone(),
            ..Thought::of(&self.fields, mv, self.position, self.lines)?
        })
    }

    /// Processes a message that the bot sent in its turn, at this time.
    fn receive(&mut self, message: &FromBot, at: Duration) {
        self.took = at.saturating_sub(self.asked.unwrap_or(at));
        match message {
            FromBot::Info(info) => {
                self.add(&info.fields);
                self.update_if_due();
            }
            FromBot::Move(made) => {
                if let Some(Value::Object(own)) = &made.info {
                    self.add(own);
                }
                self.mv = Some(made.mv.clone());
            }
            FromBot::Resign {} => self.fault = Some(faults::resigned()),
            FromBot::Fault(fault) => self.fault = Some(faults::no_move(fault.message.as_deref())),
            FromBot::Hello(_) | FromBot::Ready {} | FromBot::Offer(_) => {}
        }
    }

    /// Adds known fields, which replace earlier ones of the same names.
    fn add(&mut self, fields: &Map<String, Value>) {
        const KNOWN: [&str; 6] = ["depth", "nodes", "value", "pv", "lines", "text"];
        let known = fields.iter().filter(|(name, _)| KNOWN.contains(&&***name));
        let known = known.map(|(name, value)| (name.clone(), value.clone()));
        self.fields.extend(known);
    }

    fn update_if_due(&mut self) {
        if self
            .updated
            .is_some_and(|updated| updated.elapsed() < LEAST_PAUSE)
        {
            return;
        }
        match self.thought() {
            Ok(thought) => (self.update)(&thought),
            Err(broken) => self.broken = Some(broken),
        }
        self.updated = Some(Instant::now());
    }
}

impl<U: FnMut(&Thought)> Observer for Listener<'_, U> {
    fn before(&mut self, arbiter: &Arbiter, event: &mut Event) -> ControlFlow<()> {
        let own = self.position.seat;
        match event {
            Event::Sent { seat, now } if *seat == own && arbiter.is_awaited(own) => {
                self.asked = Some(now.at);
            }
            Event::Line {
                seat,
                message: Ok(message),
                now,
            } if *seat == own && arbiter.is_awaited(own) => {
                let ply = arbiter.session().ply();
                let is_late =
                    matches!(message, FromBot::Move(made) if made.ply.is_some_and(|p| p != ply));
                if !is_late {
                    self.receive(message, now.at);
                }
            }
            _ => {}
        }
        if self.broken.is_some() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn action(&mut self, action: &mut Action) -> ControlFlow<()> {
        let Action::Send { seat, message } = action else {
            return ControlFlow::Continue(());
        };
        let is_own = *seat == self.position.seat;
        match message {
            ToBot::Turn(turn) if turn.ply == self.position.session.ply() => {
                if is_own {
                    turn.lines = Some(self.lines as u32);
                }
                ControlFlow::Continue(())
            }
            ToBot::Error { code, message } if is_own => {
                self.fault = Some(Failure::new(*code, message.clone()));
                ControlFlow::Break(())
            }
            // The ply is made, or the match is over.
            ToBot::Turn(_) | ToBot::End(_) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

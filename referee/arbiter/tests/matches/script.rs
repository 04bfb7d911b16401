//! A match driven by hand.

use std::sync::Arc;
use std::time::Duration;

use arbiter::early_end::EarlyEnds;
use arbiter::{Action, Arbiter, Event, Reading, SeatSetup, Setup};
use games::settlement::Budget;
use games::{Limits, Rules};
use protocol::{BotHello, FaultCode, FromBot, MatchResult, Millis, TimeControl, ToBot, Turn};
use serde_json::{Value, json};

/// The seed of every match.
pub(crate) const SEED: u64 = 1;

pub(crate) const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

pub(crate) fn at(n: u64) -> Reading {
    Reading {
        at: ms(n),
        cpu: None,
    }
}

pub(crate) fn control() -> TimeControl {
    TimeControl {
        per_move: Some(Millis(ms(100))),
        base: None,
        increment: None,
        startup: Millis(ms(1000)),
        margin: Millis(ms(20)),
        ..TimeControl::default()
    }
}

pub(crate) fn hello(more: Value) -> Box<BotHello> {
    let mut hello = json!({"protocol": 1, "name": "x"});
    for (key, value) in more.as_object().unwrap() {
        hello[key] = value.clone();
    }
    serde_json::from_value(hello).unwrap()
}

/// The setup of a match in which all seats have this time control and this limit of CPU time.
pub(crate) fn setup(
    rules: Arc<dyn Rules>,
    limits: Limits,
    opening: &[&str],
    time: TimeControl,
    cpu_time: Option<Duration>,
) -> Setup {
    let setups = (0..rules.seats()).map(|seat| SeatSetup {
        name: format!("bot{seat}"),
        time: time.clone(),
        cpu_time,
        info_bytes: 1000,
    });
    Setup {
        match_id: "m-1".to_owned(),
        start: rules.start(1).unwrap(),
        opening: opening.iter().map(|mv| (*mv).to_owned()).collect(),
        seed: SEED,
        deal: None,
        recorded: Vec::new(),
        limits,
        early_ends: EarlyEnds::default(),
        seats: setups.collect(),
        cores: 2,
        rules,
    }
}

/// A match that is driven by hand.
pub(crate) struct Script {
    pub(crate) arbiter: Arbiter,
    pub(crate) seats: usize,
    pub(crate) now: Duration,
    /// The CPU time in the next reading.
    pub(crate) cpu: Duration,
    pub(crate) sent: Vec<(usize, ToBot)>,
    pub(crate) dismissed: Vec<usize>,
}

impl Script {
    pub(crate) fn of(game: &str, options: Value, limits: Limits, opening: &[&str]) -> Self {
        let rules = games::find(game).unwrap().configure(&options).unwrap();
        Self::with(rules, limits, opening, control(), None)
    }

    /// A match in which all seats have this time control and this limit of CPU time.
    pub(crate) fn with(
        rules: Arc<dyn Rules>,
        limits: Limits,
        opening: &[&str],
        time: TimeControl,
        cpu_time: Option<Duration>,
    ) -> Self {
        let seats = rules.seats();
        let setup = setup(rules, limits, opening, time, cpu_time);
        let arbiter = Arbiter::new(setup).unwrap();
        Script {
            arbiter,
            seats,
            now: Duration::ZERO,
            cpu: Duration::ZERO,
            sent: Vec::new(),
            dismissed: Vec::new(),
        }
    }

    /// A match that may end early, from this state if one is given.
    pub(crate) fn with_early_ends(
        game: &str,
        options: Value,
        state: Option<Value>,
        early_ends: EarlyEnds,
    ) -> Self {
        let rules = games::find(game).unwrap().configure(&options).unwrap();
        let start = state.map(|state| rules.load(&state).unwrap());
        let setup = setup(rules.clone(), Limits::NONE, &[], control(), None);
        let setup = Setup {
            start: start.unwrap_or_else(|| setup.start.fork()),
            early_ends,
            ..setup
        };
        Script {
            arbiter: Arbiter::new(setup).unwrap(),
            ..Self::with(rules, Limits::NONE, &[], control(), None)
        }
    }

    pub(crate) fn reading(&self) -> Reading {
        Reading {
            at: self.now,
            cpu: Some(self.cpu),
        }
    }

    pub(crate) fn amazons() -> Self {
        Self::of("amazons", json!({"size": 5}), Limits::NONE, &[])
    }

    /// Every seat has joined and said `ready`.
    pub(crate) fn started(mut self) -> Self {
        for seat in 0..self.seats {
            self.event(Event::Joined {
                seat,
                hello: hello(json!({})),
            });
        }
        for seat in 0..self.seats {
            self.say(seat, r#"{"type":"ready"}"#);
        }
        self
    }

    /// Hands an event over, and sends all messages at once.
    pub(crate) fn event(&mut self, event: Event) {
        let actions = self.arbiter.handle(event);
        for action in actions {
            match action {
                Action::Send { seat, message } => {
                    self.sent.push((seat, message));
                    let at = self.reading();
                    assert!(
                        self.arbiter
                            .handle(Event::Sent { seat, now: at })
                            .is_empty()
                    );
                }
                Action::Dismiss { seat } => self.dismissed.push(seat),
                Action::Settle { budget } => {
                    let mut budget = Budget::in_all(budget);
                    let settlement = self.arbiter.session().settlement(&mut budget);
                    self.event(Event::Settled {
                        settlement,
                        positions: budget.used(),
                        took: Duration::from_millis(1),
                    });
                }
            }
        }
    }

    pub(crate) fn say(&mut self, seat: usize, line: &str) {
        let message = FromBot::from_line(line.as_bytes());
        self.event(Event::Line {
            seat,
            message,
            now: self.reading(),
        });
    }

    pub(crate) fn wait(&mut self, time: Duration) {
        self.now += time;
        for seat in 0..self.seats {
            let now = self.reading();
            self.event(Event::Tick { seat, now });
        }
    }

    pub(crate) fn legal(&self) -> String {
        self.arbiter.session().fork().legal().unwrap()[0].clone()
    }

    pub(crate) fn play(&mut self, seat: usize) {
        let mv = self.legal();
        self.say(seat, &json!({"type": "move", "move": mv}).to_string());
    }

    /// The seats whose time is up.
    pub(crate) fn late(&self, now: Reading) -> Vec<usize> {
        let mut seats = (0..self.seats).collect::<Vec<_>>();
        seats.retain(|seat| self.arbiter.is_late(*seat, now));
        seats
    }

    /// The seats whose moves are awaited.
    pub(crate) fn awaited(&self) -> Vec<usize> {
        self.arbiter.awaited().collect()
    }

    pub(crate) fn result(&self) -> MatchResult {
        self.arbiter.result().expect("a finished match").clone()
    }

    pub(crate) fn running(&self) -> bool {
        self.arbiter.result().is_none()
    }

    /// The only fault: seat, code, ply.
    pub(crate) fn fault(&self) -> (usize, FaultCode, u32) {
        let faults = self.result().faults;
        assert_eq!(faults.len(), 1, "{faults:?}");
        (faults[0].seat, faults[0].code, faults[0].ply)
    }

    pub(crate) fn last_turn(&self) -> Turn {
        let turns = self
            .sent
            .iter()
            .rev()
            .filter_map(|(_, message)| match message {
                ToBot::Turn(turn) => Some((**turn).clone()),
                _ => None,
            });
        turns.into_iter().next().expect("a turn")
    }

    /// The types of the messages that a seat was sent.
    pub(crate) fn sent_to(&self, seat: usize) -> Vec<&'static str> {
        let sent = self.sent.iter().filter(|(to, _)| *to == seat);
        let names = sent.map(|(_, message)| match message {
            ToBot::Hello { .. } => "hello",
            ToBot::Start(_) => "start",
            ToBot::Turn(_) => "turn",
            ToBot::Error { .. } => "error",
            ToBot::End(_) => "end",
            ToBot::Quit => "quit",
        });
        names.collect()
    }
}

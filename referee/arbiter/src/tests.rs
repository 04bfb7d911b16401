//! Matches told as scripts of events, without processes and without a clock.

use serde_json::{Value, json};

use super::*;
use protocol::{ClockKind, Millis, Turn, Wants};

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn at(n: u64) -> Reading {
    Reading {
        at: ms(n),
        cpu: None,
    }
}

fn control() -> TimeControl {
    TimeControl {
        per_move: Some(Millis(ms(100))),
        base: None,
        increment: None,
        startup: Millis(ms(1000)),
        margin: Millis(ms(20)),
        ..TimeControl::default()
    }
}

fn hello(more: Value) -> Box<BotHello> {
    let mut hello = json!({"protocol": 1, "name": "x"});
    for (key, value) in more.as_object().unwrap() {
        hello[key] = value.clone();
    }
    serde_json::from_value(hello).unwrap()
}

/// A match of Amazons on the smallest board, driven by hand.
struct Script {
    arbiter: Arbiter,
    now: Duration,
    /// What the bot that is spoken of has used.
    cpu: Duration,
    sent: Vec<(usize, ToBot)>,
    dismissed: Vec<usize>,
}

impl Script {
    fn of(game: &str, options: Value, limits: Limits, opening: &[&str]) -> Self {
        let rules = games::find(game).unwrap().configure(&options).unwrap();
        let players = (0..rules.seats()).map(|seat| Seated {
            name: format!("bot{seat}"),
            time: control(),
            cpu_time: None,
            info_bytes: 1000,
        });
        let arbiter = Arbiter::new(Setup {
            match_id: "m-1".to_owned(),
            start: rules.start(1),
            opening: opening.iter().map(|mv| (*mv).to_owned()).collect(),
            seed: 1,
            limits,
            players: players.collect(),
            cores: 2,
            rules,
        });
        Script {
            arbiter,
            now: Duration::ZERO,
            cpu: Duration::ZERO,
            sent: Vec::new(),
            dismissed: Vec::new(),
        }
    }

    fn reading(&self) -> Reading {
        Reading {
            at: self.now,
            cpu: Some(self.cpu),
        }
    }

    fn amazons() -> Self {
        Self::of("amazons", json!({"size": 5}), Limits::NONE, &[])
    }

    /// Every seat has joined and said `ready`.
    fn started(mut self) -> Self {
        for seat in 0..self.seats() {
            self.event(Event::Joined {
                seat,
                hello: hello(json!({})),
            });
        }
        for seat in 0..self.seats() {
            self.say(seat, r#"{"type":"ready"}"#);
        }
        self
    }

    fn seats(&self) -> usize {
        self.arbiter.dismissed.len()
    }

    /// Hands an event over; what is to be sent is written at once.
    fn event(&mut self, event: Event) {
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
            }
        }
    }

    fn say(&mut self, seat: usize, line: &str) {
        let message = FromBot::from_line(line.as_bytes());
        self.event(Event::Line {
            seat,
            message,
            now: self.reading(),
        });
    }

    fn wait(&mut self, time: Duration) {
        self.now += time;
        self.event(Event::Tick {
            now: self.reading(),
        });
    }

    fn legal(&self) -> String {
        self.arbiter.session().fork().legal()[0].clone()
    }

    fn play(&mut self, seat: usize) {
        let mv = self.legal();
        self.say(seat, &json!({"type": "move", "move": mv}).to_string());
    }

    fn result(&self) -> MatchResult {
        self.arbiter.result().expect("a finished match").clone()
    }

    fn running(&self) -> bool {
        self.arbiter.result().is_none()
    }

    /// The only fault: seat, code, ply.
    fn fault(&self) -> (usize, FaultCode, u32) {
        let faults = self.result().faults;
        assert_eq!(faults.len(), 1, "{faults:?}");
        (faults[0].seat, faults[0].code, faults[0].ply)
    }

    fn last_turn(&self) -> Turn {
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

    fn told(&self, seat: usize) -> Vec<&'static str> {
        let told = self.sent.iter().filter(|(to, _)| *to == seat);
        let names = told.map(|(_, message)| match message {
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

#[test]
fn a_game_is_played_to_its_end() {
    let mut script = Script::amazons().started();
    let mut plies = 0;
    while script.running() {
        let seat = script.arbiter.awaited().unwrap();
        assert_eq!(seat, plies % 2);
        assert_eq!(script.last_turn().ply as usize, plies);
        script.now += ms(10);
        script.play(seat);
        plies += 1;
    }
    assert!(script.dismissed.is_empty());
    assert_eq!(script.told(0).last(), Some(&"end"));
    assert_eq!(script.told(1).last(), Some(&"end"));
    let played = script.arbiter.into_played().unwrap();
    assert_eq!(played.moves.len(), plies);
    assert_eq!(played.moves[3].ms, Millis(ms(10)));
    assert_eq!(played.result.reason, "no_moves");
    assert_eq!(played.result.outcome.iter().sum::<f64>(), 1.0);
    assert!(played.result.faults.is_empty());
}

#[test]
fn turns_tell_every_ply_since_the_last_turn() {
    let mut script = Script::of(
        "amazons",
        json!({"size": 6}),
        Limits::NONE,
        &["a2-a3/a4", "a5-b5/b4"],
    )
    .started();
    let seats = |turn: &Turn| turn.moves.iter().map(|m| m.seat).collect::<Vec<_>>();
    assert_eq!(script.last_turn().ply, 2);
    assert_eq!(seats(&script.last_turn()), [0, 1]);
    script.play(0);
    assert_eq!(seats(&script.last_turn()), [0, 1, 0]);
    script.play(1);
    assert_eq!(seats(&script.last_turn()), [0, 1], "its own last one first");
}

#[test]
fn a_bot_gets_only_what_it_wants() {
    let mut script = Script::amazons();
    script.event(Event::Joined {
        seat: 0,
        hello: hello(json!({"wants": {"state": false}})),
    });
    script.event(Event::Joined {
        seat: 1,
        hello: hello(json!({"wants": {"legal": false}})),
    });
    script.say(1, r#"{"type":"ready"}"#);
    script.say(0, r#"{"type":"ready"}"#);
    let turn = script.last_turn();
    assert!(turn.state.is_none() && turn.legal.unwrap().len() == 260);
    script.play(0);
    let turn = script.last_turn();
    assert!(turn.state.is_some() && turn.legal.is_none());
    assert_eq!(
        script.arbiter.table.wants[0],
        Wants {
            state: false,
            legal: true
        }
    );
}

#[test]
fn an_illegal_move_loses() {
    let mut script = Script::amazons().started();
    script.play(0);
    script.say(1, r#"{"type":"move","move":"a1-a2/a3"}"#);
    assert_eq!(script.fault(), (1, FaultCode::IllegalMove, 1));
    assert_eq!(script.result().outcome, [1.0, 0.0]);
    assert_eq!(script.result().reason, "forfeit");
    assert_eq!(script.result().scores, [0, 0]);
    assert_eq!(script.dismissed, [1]);
    assert_eq!(script.told(1), ["start", "turn", "error", "end"]);
    assert_eq!(script.told(0), ["start", "turn", "end"]);
}

#[test]
fn a_late_move_loses_and_a_move_within_the_margin_does_not() {
    let mut script = Script::amazons().started();
    script.now += ms(119);
    script.play(0);
    assert!(script.running());
    script.now += ms(121);
    script.play(1);
    assert_eq!(script.fault(), (1, FaultCode::Timeout, 1));
}

#[test]
fn silence_loses_at_the_deadline_whatever_else_is_printed() {
    let mut script = Script::amazons().started();
    assert_eq!(script.arbiter.deadline(), Some(ms(120)));
    for _ in 0..11 {
        script.now += ms(10);
        script.say(0, r#"{"type":"info","depth":1}"#);
        assert_eq!(script.arbiter.deadline(), Some(ms(120)));
    }
    script.wait(ms(9));
    assert!(script.running());
    script.wait(ms(1));
    assert_eq!(script.fault(), (0, FaultCode::Timeout, 0));
}

#[test]
fn time_runs_from_when_it_is_told_to() {
    let mut script = Script::amazons().started();
    let mv = script.legal();
    let message = FromBot::from_line(json!({"type": "move", "move": mv}).to_string().as_bytes());
    let actions = script.arbiter.handle(Event::Line {
        seat: 0,
        message,
        now: at(10),
    });
    assert!(matches!(actions[..], [Action::Send { seat: 1, .. }]));
    assert_eq!(script.arbiter.deadline(), None, "not written yet");
    let actions = script.arbiter.handle(Event::Sent {
        seat: 1,
        now: at(500),
    });
    assert!(actions.is_empty());
    assert_eq!(script.arbiter.deadline(), Some(ms(620)));
}

#[test]
fn an_answer_to_another_ply_is_dropped() {
    let mut script = Script::amazons().started();
    let mv = script.legal();
    script.say(
        0,
        &json!({"type": "move", "move": mv, "ply": 7}).to_string(),
    );
    assert_eq!(script.arbiter.moves().len(), 0);
    script.say(
        0,
        &json!({"type": "move", "move": mv, "ply": 0}).to_string(),
    );
    assert_eq!(script.arbiter.moves().len(), 1);
    script.say(
        0,
        &json!({"type": "move", "move": mv, "ply": 0}).to_string(),
    );
    assert!(script.running(), "a second answer comes too late");
}

#[test]
fn a_flood_of_info_is_kept_in_part() {
    let mut script = Script::amazons().started();
    let text = "x".repeat(600);
    let info = |name: &str| json!({"type": "info", name: text, "depth": name}).to_string();
    for _ in 0..100 {
        script.say(0, &info("a"));
        script.say(0, &info("b"));
    }
    for n in 0..1000 {
        script.say(0, &json!({"type": "info", format!("n{n}"): n}).to_string());
    }
    let mv = script.legal();
    script.say(0, &json!({"type": "move", "move": mv}).to_string());
    let info = script.arbiter.moves()[0].info.clone().unwrap();
    assert_eq!((&info["a"], &info["depth"]), (&json!(text), &json!("b")));
    assert_eq!((&info["b"], &info["n0"]), (&json!(null), &json!(0)));
    assert!(info.to_string().len() < 1200, "{info}");
}

#[test]
fn info_is_logged_with_the_move() {
    let mut script = Script::amazons().started();
    script.say(0, r#"{"type":"info","depth":1}"#);
    script.say(0, r#"{"type":"info","depth":2}"#);
    script.play(0);
    let mv = script.legal();
    script.say(1, r#"{"type":"info","depth":1,"nodes":7}"#);
    script.say(
        1,
        &json!({"type": "move", "move": mv, "info": {"depth": 9}}).to_string(),
    );
    script.play(0);
    let infos: Vec<_> = script
        .arbiter
        .moves()
        .iter()
        .map(|m| m.info.clone())
        .collect();
    assert_eq!(
        infos,
        [
            Some(json!({"depth": 2})),
            Some(json!({"depth": 9, "nodes": 7})),
            None
        ]
    );
}

#[test]
fn garbage_loses_also_when_it_comes_out_of_turn() {
    let mut script = Script::amazons().started();
    script.say(0, "I think I'll open with d1");
    assert_eq!(script.fault(), (0, FaultCode::Protocol, 0));

    let mut script = Script::amazons().started();
    script.say(1, "thinking while the other one thinks");
    assert!(script.running(), "judged at its own turn");
    script.play(0);
    assert_eq!(script.fault(), (1, FaultCode::Protocol, 1));
}

#[test]
fn an_unexpected_message_is_named() {
    let mut script = Script::amazons().started();
    script.say(0, r#"{"type":"ready"}"#);
    assert_eq!(script.fault(), (0, FaultCode::Protocol, 0));
    assert_eq!(
        script.result().faults[0].message,
        "answered `turn` with `ready`"
    );
}

#[test]
fn ready_without_being_asked_is_judged_at_the_next_turn() {
    let mut script = Script::amazons().started();
    script.say(1, r#"{"type":"ready"}"#);
    assert!(script.running());
    script.play(0);
    assert_eq!(script.fault(), (1, FaultCode::Protocol, 1));
    let message = &script.result().faults[0].message;
    assert_eq!(message, "said `ready` without being asked");
}

#[test]
fn how_a_bot_crashed_may_become_known_later() {
    let failed = |code, message: &str| Event::Failed {
        seat: 1,
        code,
        message: message.to_owned(),
    };
    for (first, told) in [
        (FaultCode::Crash, "exited with code 6"),
        (FaultCode::Protocol, "a line too long"),
    ] {
        let mut script = Script::amazons().started();
        script.event(failed(first, "a line too long"));
        script.event(failed(FaultCode::Crash, "exited with code 6"));
        script.play(0);
        assert_eq!(script.fault(), (1, first, 1));
        assert_eq!(script.result().faults[0].message, told);
    }
}

#[test]
fn lists_of_games_are_quoted_in_part() {
    let mut script = Script::amazons();
    let games = vec!["x".repeat(100); 1000];
    script.event(Event::Joined {
        seat: 0,
        hello: hello(json!({ "games": games })),
    });
    let sent = script.sent.iter().find_map(|(_, message)| match message {
        ToBot::Error { message, .. } => Some(message.clone()),
        _ => None,
    });
    let message = sent.expect("it is told");
    assert!(message.len() < 300 && message.contains("…"), "{message}");
}

#[test]
fn a_crash_loses_at_the_bots_own_turn() {
    let crash = |seat| Event::Failed {
        seat,
        code: FaultCode::Crash,
        message: "gone".to_owned(),
    };
    let mut script = Script::amazons().started();
    script.event(crash(1));
    assert!(script.running());
    script.play(0);
    assert_eq!(script.fault(), (1, FaultCode::Crash, 1));
}

#[test]
fn resigning_is_no_fault_but_ends_the_match() {
    let mut script = Script::amazons().started();
    script.say(0, r#"{"type":"resign"}"#);
    assert_eq!(script.fault(), (0, FaultCode::Resign, 0));
    assert_eq!(script.result().outcome, [0.0, 1.0]);
    assert_eq!(script.told(0), ["start", "turn", "end"]);
    assert!(script.dismissed.is_empty());
}

#[test]
fn who_is_not_ready_in_time_has_not_started() {
    let mut script = Script::amazons();
    for seat in 0..2 {
        script.event(Event::Joined {
            seat,
            hello: hello(json!({})),
        });
    }
    script.say(1, r#"{"type":"move","move":"a1-a2/a3"}"#);
    script.say(1, r#"{"type":"ready"}"#);
    script.wait(ms(1019));
    assert!(script.running());
    script.wait(ms(1));
    assert_eq!(script.fault(), (0, FaultCode::Startup, 0));
    assert_eq!(script.result().outcome, [0.0, 1.0]);
}

#[test]
fn two_bots_that_do_not_start_share_the_point() {
    let mut script = Script::amazons();
    for seat in 0..2 {
        let message = "no such file".to_owned();
        script.event(Event::Failed {
            seat,
            code: FaultCode::Startup,
            message,
        });
    }
    assert_eq!(script.result().faults.len(), 2);
    assert_eq!(script.result().outcome, [0.5, 0.5]);
}

#[test]
fn what_was_seen_of_a_late_bot_is_told() {
    let saw = |script: &mut Script, seat| {
        let what = "it sleeps".to_owned();
        script.event(Event::Stalled { seat, what });
    };
    let mut script = Script::amazons();
    for seat in 0..2 {
        let hello = hello(json!({}));
        script.event(Event::Joined { seat, hello });
    }
    script.say(0, r#"{"type":"ready"}"#);
    assert_eq!(script.arbiter.late(at(1019)), [0; 0]);
    assert_eq!(script.arbiter.late(at(1020)), [1]);
    saw(&mut script, 1);
    script.wait(ms(1020));
    let message = &script.result().faults[0].message;
    assert_eq!(message, "did not say `ready` within 1000 ms; it sleeps");

    let mut script = Script::amazons().started();
    assert_eq!(script.arbiter.late(at(119)), [0; 0]);
    assert_eq!(script.arbiter.late(at(120)), [0]);
    saw(&mut script, 0);
    script.wait(ms(120));
    let message = &script.result().faults[0].message;
    assert!(
        message.ends_with("a margin of 20 ms); it sleeps"),
        "{message}"
    );
    assert_eq!(script.fault(), (0, FaultCode::Timeout, 0));

    let mut script = Script::amazons().started();
    script.say(0, r#"{"type":"move","move":"d1-d2/d3","ply":7}"#);
    saw(&mut script, 0);
    script.wait(ms(120));
    let message = &script.result().faults[0].message;
    let dropped = "; an answer to ply 7 instead of 0 was dropped";
    assert!(message.ends_with(dropped), "{message}");
}

#[test]
fn a_bot_may_resign_before_it_is_ready() {
    let mut script = Script::amazons();
    for seat in 0..2 {
        let hello = hello(json!({}));
        script.event(Event::Joined { seat, hello });
    }
    script.say(0, r#"{"type":"resign"}"#);
    script.say(1, r#"{"type":"ready"}"#);
    assert_eq!(script.fault(), (0, FaultCode::Resign, 0));
}

#[test]
fn a_match_that_is_over_from_the_start_is_nobodys_fault() {
    let limits = Limits {
        max_plies: Some(0),
        repetition: None,
    };
    let mut script = Script::of("amazons", json!({"size": 5}), limits, &[]);
    let hello = hello(json!({}));
    script.event(Event::Joined { seat: 0, hello });
    let message = "no such file".to_owned();
    let code = FaultCode::Startup;
    script.event(Event::Failed {
        seat: 1,
        code,
        message,
    });
    script.say(0, r#"{"type":"ready"}"#);
    assert_eq!(script.result().reason, "max_plies");
    assert!(script.result().faults.is_empty());
}

#[test]
fn three_seats_at_fault_are_played_to_the_end() {
    let options = json!({"players": 3});
    let mut script = Script::of("penguins", options, Limits::NONE, &[]).started();
    for seat in 0..3 {
        script.say(seat, r#"{"type":"resign"}"#);
    }
    let played = script.arbiter.into_played().expect("a finished match");
    assert!(played.moves.len() > 9 && played.moves.iter().all(|m| m.forced));
    assert_eq!(played.result.outcome, [0.5, 0.5, 0.5]);
    assert_eq!(played.result.faults.len(), 3);
}

#[test]
fn a_bot_that_does_not_play_the_game_has_not_started() {
    let mut script = Script::amazons();
    script.event(Event::Joined {
        seat: 0,
        hello: hello(json!({"games": ["siam"]})),
    });
    script.event(Event::Joined {
        seat: 1,
        hello: hello(json!({"games": ["siam", "amazons"]})),
    });
    script.say(1, r#"{"type":"ready"}"#);
    assert_eq!(script.fault(), (0, FaultCode::Startup, 0));
}

#[test]
fn a_limit_stops_a_match_with_the_outcome_of_its_scores() {
    let limits = Limits {
        max_plies: Some(3),
        repetition: None,
    };
    let mut script = Script::of("amazons", json!({"size": 5}), limits, &[]).started();
    for seat in [0, 1, 0] {
        script.play(seat);
    }
    let result = script.result();
    assert_eq!(
        (&*result.reason, result.outcome),
        ("max_plies", vec![0.5, 0.5])
    );
    assert!(result.faults.is_empty());
}

#[test]
fn game_clocks_run_down() {
    let rules = games::find("amazons")
        .unwrap()
        .configure(&json!({"size": 5}))
        .unwrap();
    let time = TimeControl {
        per_move: None,
        base: Some(Millis(ms(100))),
        increment: Some(Millis(ms(10))),
        ..control()
    };
    let seated = |name: &str| Seated {
        name: name.to_owned(),
        time: time.clone(),
        cpu_time: None,
        info_bytes: 1000,
    };
    let mut script = Script::amazons();
    script.arbiter = Arbiter::new(Setup {
        match_id: "m-1".to_owned(),
        start: rules.start(1),
        opening: Vec::new(),
        seed: 1,
        limits: Limits::NONE,
        players: vec![seated("a"), seated("b")],
        cores: 2,
        rules,
    });
    let mut script = script.started();
    script.now += ms(60);
    script.play(0);
    let clock = script.last_turn().clock;
    assert_eq!(
        clock.remaining_ms,
        Some(vec![Some(Millis(ms(50))), Some(Millis(ms(100)))])
    );
    assert_eq!(
        (clock.move_ms, clock.increment_ms),
        (None, Some(Millis(ms(10))))
    );
    script.play(1);
    script.wait(ms(69));
    assert!(script.running());
    script.wait(ms(1));
    assert_eq!(script.fault(), (0, FaultCode::Timeout, 2));
}

/// Amazons under a CPU clock of 100 ms a move, and 500 ms a match.
fn by_cpu() -> Script {
    let rules = games::find("amazons")
        .unwrap()
        .configure(&json!({"size": 5}))
        .unwrap();
    let seated = |name: &str| Seated {
        name: name.to_owned(),
        time: TimeControl {
            clock: ClockKind::Cpu,
            ..control()
        },
        cpu_time: Some(ms(500)),
        info_bytes: 1000,
    };
    let mut script = Script::amazons();
    script.arbiter = Arbiter::new(Setup {
        match_id: "m-1".to_owned(),
        start: rules.start(1),
        opening: Vec::new(),
        seed: 1,
        limits: Limits::NONE,
        players: vec![seated("a"), seated("b")],
        cores: 2,
        rules,
    });
    script.started()
}

#[test]
fn a_cpu_clock_does_not_mind_a_busy_machine() {
    let mut script = by_cpu();
    // Two cores can use up 120 ms in 60.
    assert_eq!(script.arbiter.deadline(), Some(ms(60)));
    script.cpu += ms(5);
    script.wait(ms(60));
    assert_eq!(script.arbiter.deadline(), Some(ms(60) + ms(115) / 2));
    script.cpu += ms(90);
    script.wait(ms(1500));
    script.play(0);
    script.cpu += ms(119);
    script.wait(ms(10));
    assert!(script.running());
    script.cpu += ms(1);
    script.wait(ms(10));
    assert_eq!(script.fault(), (1, FaultCode::Timeout, 1));
    let moves = script.arbiter.moves();
    assert_eq!(
        (moves[0].ms, moves[0].cpu_ms),
        (Millis(ms(1560)), Some(Millis(ms(95))))
    );
}

#[test]
fn a_wall_stands_behind_a_cpu_clock() {
    let mut script = by_cpu();
    script.wait(ms(2019));
    assert!(script.running());
    script.wait(ms(1));
    assert_eq!(script.fault(), (0, FaultCode::Timeout, 0));
}

#[test]
fn the_cpu_time_of_a_match_is_limited() {
    let mut script = by_cpu();
    for seat in [0, 1, 0, 1] {
        script.cpu += ms(100);
        script.play(seat);
    }
    script.cpu += ms(90);
    assert_eq!(script.arbiter.deadline(), Some(ms(50)));
    script.wait(ms(10));
    assert!(script.running());
    script.cpu += ms(10);
    script.wait(ms(5));
    assert_eq!(script.fault(), (0, FaultCode::Timeout, 4));
}

/// The referee did not run for a while before now.
fn suspended(script: &mut Script, gap: u64) {
    let now = script.now;
    script.event(Event::Suspended { gap: ms(gap), now });
}

#[test]
fn no_time_runs_while_the_referee_does_not() {
    let mut script = Script::amazons().started();
    let began = script.now;
    assert_eq!(script.arbiter.deadline(), Some(began + ms(120)));
    // Stopped from 40 ms on for three seconds; the answer comes 50 ms after that.
    script.now = began + ms(3090);
    suspended(&mut script, 3000);
    assert_eq!(script.arbiter.deadline(), Some(began + ms(3120)));
    let late = script.arbiter.late(script.reading());
    assert!(late.is_empty(), "{late:?}");
    let mv = script.arbiter.session().fork().legal().remove(0);
    script.say(0, &json!({"type": "move", "move": mv}).to_string());
    let played = &script.arbiter.moves()[0];
    assert_eq!(
        (played.ms, played.suspended_ms),
        (Millis(ms(90)), Some(Millis(ms(3000))))
    );
    // The next turn has its own time.
    let mv = script.arbiter.session().fork().legal().remove(0);
    script.now += ms(10);
    script.say(1, &json!({"type": "move", "move": mv}).to_string());
    assert_eq!(script.arbiter.moves()[1].suspended_ms, None);
}

#[test]
fn who_is_late_apart_from_that_has_lost() {
    let mut script = Script::amazons().started();
    script.now += ms(3125);
    suspended(&mut script, 3000);
    let now = script.reading();
    script.event(Event::Tick { now });
    let fault = &script.arbiter.result().expect("a result").faults[0];
    assert_eq!((fault.seat, fault.code), (0, FaultCode::Timeout));
    assert!(
        fault.message.contains("no move after 125 ms"),
        "{}",
        fault.message
    );
    assert!(
        fault.message.contains("did not run for 3000 ms besides"),
        "{}",
        fault.message
    );
}

#[test]
fn nobody_gets_more_than_the_time_that_went_by() {
    let mut script = Script::amazons().started();
    // Noticed after a turn began in the middle of it.
    script.now += ms(30);
    suspended(&mut script, 3000);
    assert_eq!(script.arbiter.deadline(), Some(script.now + ms(120)));
}

#[test]
fn who_is_to_get_ready_has_the_time_for_it() {
    let mut script = Script::amazons();
    for seat in 0..2 {
        let hello = hello(json!({}));
        script.event(Event::Joined { seat, hello });
    }
    let began = script.now;
    script.now += ms(4000);
    suspended(&mut script, 3500);
    assert_eq!(script.arbiter.deadline(), Some(began + ms(3500 + 1020)));
    for seat in 0..2 {
        script.say(seat, r#"{"type":"ready"}"#);
    }
    assert_eq!(script.arbiter.awaited(), Some(0));
}

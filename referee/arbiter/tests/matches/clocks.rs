//! Time limits, by wall-clock and by CPU time.

use arbiter::*;
use games::Limits;
use protocol::*;
use serde_json::json;

use crate::script::*;

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
fn the_stall_of_a_late_bot_is_reported() {
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
    assert_eq!(script.late(at(1019)), [0; 0]);
    assert_eq!(script.late(at(1020)), [1]);
    saw(&mut script, 1);
    script.wait(ms(1020));
    let message = &script.result().faults[0].message;
    assert_eq!(message, "did not say `ready` within 1000 ms; it sleeps");

    let mut script = Script::amazons().started();
    assert_eq!(script.late(at(119)), [0; 0]);
    assert_eq!(script.late(at(120)), [0]);
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
fn a_late_bot_learns_its_cpu_time_and_the_load() {
    let busy = Event::Busy { load: 4.25 };
    let mut script = Script::amazons().started();
    script.event(busy);
    script.cpu = ms(31);
    script.wait(ms(151));
    let message = &script.result().faults[0].message;
    let expected = "no move after 151 ms (allowed: 100 ms and a margin of 20 ms); it used 31 ms of CPU time, at a \
                load of 4.2 on 2 cores";
    assert_eq!(message, expected);

    // The answer has come meanwhile.
    let mut script = Script::amazons().started();
    script.event(Event::Busy { load: 0.5 });
    let mv = script.legal();
    let message = FromBot::from_line(json!({"type": "move", "move": mv}).to_string().as_bytes());
    script.event(Event::Line {
        seat: 0,
        message,
        now: Reading {
            at: at(135).at,
            cpu: Some(ms(133)),
        },
    });
    let fault = script.result().faults[0].clone();
    assert!(
        fault.answered && fault.message.contains("133 ms of CPU time"),
        "{fault:?}"
    );
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
    let mut script = Script::with(rules, Limits::NONE, &[], time, None).started();
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
    let time = TimeControl {
        clock: ClockKind::Cpu,
        ..control()
    };
    Script::with(rules, Limits::NONE, &[], time, Some(ms(500))).started()
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

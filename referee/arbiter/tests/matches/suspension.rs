//! The referee itself did not run for a while.

use arbiter::*;
use protocol::*;
use serde_json::json;

use crate::script::*;

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
    let late = script.late(script.reading());
    assert!(late.is_empty(), "{late:?}");
    let mv = script.arbiter.session().fork().legal().unwrap().remove(0);
    script.say(0, &json!({"type": "move", "move": mv}).to_string());
    let played = &script.arbiter.moves()[0];
    assert_eq!(
        (played.ms, played.suspended_ms),
        (Millis(ms(90)), Some(Millis(ms(3000))))
    );
    // The next turn has its own time.
    let mv = script.arbiter.session().fork().legal().unwrap().remove(0);
    script.now += ms(10);
    script.say(1, &json!({"type": "move", "move": mv}).to_string());
    assert_eq!(script.arbiter.moves()[1].suspended_ms, None);
}

#[test]
fn a_bot_that_is_late_in_spite_of_a_gap_loses() {
    let mut script = Script::amazons().started();
    script.now += ms(3125);
    suspended(&mut script, 3000);
    let now = script.reading();
    script.event(Event::Tick { seat: 0, now });
    let fault = &script.arbiter.result().expect("a result").faults[0];
    assert_eq!((fault.seat, fault.code), (0, FaultCode::Timeout));
    assert!(
        fault.message.contains("no move after 125 ms"),
        "{}",
        fault.message
    );
    assert!(
        fault
            .message
            .contains("the referee did not run for 3000 ms"),
        "{}",
        fault.message
    );
}

#[test]
fn no_bot_gains_more_than_the_time_that_went_by() {
    let mut script = Script::amazons().started();
    // Noticed after a turn began in the middle of it.
    script.now += ms(30);
    suspended(&mut script, 3000);
    assert_eq!(script.arbiter.deadline(), Some(script.now + ms(120)));
}

#[test]
fn a_gap_costs_no_time_to_get_ready() {
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
    assert_eq!(script.awaited(), [0]);
}

//! Before the first turn: bots get ready, or fail to.

use arbiter::*;
use games::Limits;
use protocol::*;
use serde_json::json;

use crate::script::*;

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
    script.play(1);
    let turn = script.last_turn();
    assert!(turn.state.is_none() && turn.legal.is_some());
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
    let message = sent.expect("an error message");
    assert!(message.len() < 300 && message.contains("…"), "{message}");
}

#[test]
fn a_bot_that_is_not_ready_in_time_has_not_started() {
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

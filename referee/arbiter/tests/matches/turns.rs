//! Turns: moves, answers that are none, faults and limits.

use arbiter::*;
use games::Limits;
use protocol::*;
use serde_json::json;

use crate::script::*;

#[test]
fn a_game_is_played_to_its_end() {
    let mut script = Script::amazons().started();
    let mut plies = 0;
    while script.running() {
        let [seat] = script.awaited()[..] else {
            panic!("one seat at a time");
        };
        assert_eq!(seat, plies % 2);
        assert_eq!(script.last_turn().ply as usize, plies);
        script.now += ms(10);
        script.play(seat);
        plies += 1;
    }
    assert!(script.dismissed.is_empty());
    assert_eq!(script.sent_to(0).last(), Some(&"end"));
    assert_eq!(script.sent_to(1).last(), Some(&"end"));
    let played = script.arbiter.into_finished().unwrap();
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
    let seats = |turn: &Turn| {
        turn.moves
            .iter()
            .map(|m| m.seat.unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(script.last_turn().ply, 2);
    assert_eq!(seats(&script.last_turn()), [0, 1]);
    script.play(0);
    assert_eq!(seats(&script.last_turn()), [0, 1, 0]);
    script.play(1);
    assert_eq!(seats(&script.last_turn()), [0, 1], "its own last one first");
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
    assert_eq!(script.sent_to(1), ["start", "turn", "error", "end"]);
    assert_eq!(script.sent_to(0), ["start", "turn", "end"]);
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
    for (first, expected) in [
        (FaultCode::Crash, "exited with code 6"),
        (FaultCode::Protocol, "a line too long"),
    ] {
        let mut script = Script::amazons().started();
        script.event(failed(first, "a line too long"));
        script.event(failed(FaultCode::Crash, "exited with code 6"));
        script.play(0);
        assert_eq!(script.fault(), (1, first, 1));
        assert_eq!(script.result().faults[0].message, expected);
    }
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
    assert_eq!(script.sent_to(0), ["start", "turn", "end"]);
    assert!(script.dismissed.is_empty());
}

#[test]
fn a_bot_without_a_move_loses_and_says_why() {
    let mut script = Script::amazons().started();
    script.say(
        0,
        r#"{"type":"fault","code":"no_move","message":"refused"}"#,
    );
    assert_eq!(script.fault(), (0, FaultCode::NoMove, 0));
    assert_eq!(script.result().faults[0].message, "has no move: refused");
    assert_eq!(script.result().outcome, [0.0, 1.0]);
    assert_eq!(script.sent_to(0), ["start", "turn", "error", "end"]);

    let long = json!({"type": "fault", "code": "no_move", "message": "x".repeat(1000)});
    let mut script = Script::amazons().started();
    script.say(0, &long.to_string());
    let message = &script.result().faults[0].message;
    assert!(message.chars().count() <= 520, "{message}");
}

#[test]
fn a_fault_has_one_code_and_answers_a_turn() {
    let mut script = Script::amazons().started();
    script.say(0, r#"{"type":"fault","code":"timeout"}"#);
    assert_eq!(script.fault(), (0, FaultCode::Protocol, 0));
    let mut script = Script::amazons().started();
    script.say(1, r#"{"type":"fault","code":"no_move"}"#);
    script.play(0);
    assert_eq!(script.fault(), (1, FaultCode::Protocol, 1));
}

#[test]
fn three_seats_at_fault_are_played_to_the_end() {
    let options = json!({"players": 3});
    let mut script = Script::of("penguins", options, Limits::NONE, &[]).started();
    for seat in 0..3 {
        script.say(seat, r#"{"type":"resign"}"#);
    }
    let played = script.arbiter.into_finished().expect("a finished match");
    assert!(played.moves.len() > 9 && played.moves.iter().all(|m| m.forced));
    assert_eq!(played.result.outcome, [0.5, 0.5, 0.5]);
    assert_eq!(played.result.faults.len(), 3);
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
fn a_move_with_blanks_or_in_another_case_is_illegal_but_named() {
    for (said, meant) in [(" D1-D2/D3 ", "d1-d2/d3"), ("d1-d2/d3\n", "d1-d2/d3")] {
        let mut script = Script::amazons().started();
        let line = json!({"type": "move", "move": said}).to_string();
        script.say(0, &line);
        assert_eq!(script.fault(), (0, FaultCode::IllegalMove, 0));
        let message = &script.result().faults[0].message;
        assert!(
            message.ends_with(&format!("; did you mean `{meant}`?")),
            "{message}"
        );
    }
    let mut script = Script::amazons().started();
    script.say(0, r#"{"type":"move","move":"z9"}"#);
    let message = &script.result().faults[0].message;
    assert!(!message.contains("did you mean"), "{message}");
}

#[test]
fn what_a_bot_said_before_its_fault_is_logged_and_not_sent() {
    for fault in [
        r#"{"type":"fault","code":"no_move","message":"why"}"#,
        r#"{"type":"move","move":"z9-z9/z9","info":{"calls":4}}"#,
    ] {
        let mut script = Script::amazons().started();
        script.say(0, r#"{"type":"info","calls":3,"tokens_in":7}"#);
        script.say(0, fault);
        let calls = if fault.contains("z9") { 4 } else { 3 };
        let info = json!({"calls": calls, "tokens_in": 7});
        let sent = script.sent.iter().filter_map(|(_, message)| match message {
            ToBot::End(end) => Some(end.result.faults[0].info.clone()),
            _ => None,
        });
        let sent: Vec<_> = sent.collect();
        assert!(
            !sent.is_empty() && sent.iter().all(Option::is_none),
            "{sent:?}"
        );
        assert_eq!(script.result().faults[0].info, Some(info));
    }
}

#[test]
fn a_long_text_in_info_is_cut_and_other_long_fields_are_dropped() {
    let mut script = Script::amazons().started();
    let mv = script.legal();
    let info = json!({"depth": 3, "other": "x".repeat(2000), "text": "é".repeat(2000)});
    script.say(
        0,
        &json!({"type": "move", "move": mv, "info": info}).to_string(),
    );
    let logged = script.arbiter.moves()[0].info.clone().unwrap();
    assert_eq!(logged["depth"], 3);
    assert_eq!(logged["other"], json!(null));
    // A thousand bytes are allowed, names and a little more for each field included.
    let kept = logged["text"].as_str().unwrap();
    assert!(kept.len() > 950 && kept.len() <= 1000, "{}", kept.len());
}

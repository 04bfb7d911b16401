//! Matches that end before their games do: settled, adjudicated by values, agreed on.

use arbiter::early_end::{DrawRule, EarlyEnds, ResignRule};
use protocol::*;
use serde_json::{Value, json};

use crate::script::*;

const BY_VALUES: EarlyEnds = EarlyEnds {
    settled: None,
    resign: Some(ResignRule {
        value: 0.05,
        moves: 2,
    }),
    draw: Some(DrawRule {
        value: 0.02,
        moves: 2,
        after: 0,
    }),
    offers: true,
    play_out: 0.0,
};

fn amazons(state: Option<Value>, early_ends: EarlyEnds) -> Script {
    Script::with_early_ends("amazons", json!({"size": 5}), state, early_ends).started()
}

/// Light has the columns a and b, dark has d and e but for these arrows.
fn separate(more_arrows: &[&str], to_move: u32) -> Value {
    let mut arrows = vec!["c1", "c2", "c3", "c4", "c5"];
    arrows.extend(more_arrows);
    json!({"ply": 0, "to_move": to_move, "amazons": [["a1"], ["e1"]], "arrows": arrows, "scores": [0, 0]})
}

/// Plays a legal move with this `info`, for the seat that is to move.
fn play(script: &mut Script, info: &Value) {
    let [seat] = script.awaited()[..] else {
        panic!("one seat at a time");
    };
    let mv = script.legal();
    script.say(
        seat,
        &json!({"type": "move", "move": mv, "info": info}).to_string(),
    );
}

/// Plays with these values, for the seats in turn.
fn play_all(script: &mut Script, values: &[Value]) {
    for value in values {
        play(script, &json!({ "value": value }));
    }
}

fn adjudication(script: Script) -> Option<Adjudication> {
    script.arbiter.into_finished().unwrap().adjudication
}

#[test]
fn a_position_that_can_be_counted_is_settled_before_the_turn() {
    let settled = EarlyEnds {
        settled: Some(10_000),
        ..EarlyEnds::default()
    };
    // Equal regions: the first seat runs out of moves first.
    for (arrows, to_move, outcome) in [
        (&[][..], 0, [0.0, 1.0]),
        (&[], 1, [1.0, 0.0]),
        (&["d5"], 0, [1.0, 0.0]),
    ] {
        let script = amazons(Some(separate(arrows, to_move)), settled);
        let result = script.result();
        assert_eq!(
            (&*result.reason, &result.outcome[..]),
            ("settled", &outcome[..])
        );
        assert_eq!(script.sent_to(0), ["start", "end"]);
        let found = adjudication(script).unwrap();
        assert_eq!(found.ply, 0);
        let AdjudicatedBy::Settled {
            budget, positions, ..
        } = found.by
        else {
            panic!("{found:?}");
        };
        assert!(budget == 10_000 && (1..10_000).contains(&positions));
    }
}

#[test]
fn a_position_that_takes_too_long_to_count_is_played_on() {
    let hasty = EarlyEnds {
        settled: Some(1),
        ..EarlyEnds::default()
    };
    let mut script = amazons(Some(separate(&[], 0)), hasty);
    assert!(script.running());
    play(&mut script, &json!(null));
    assert_eq!(script.arbiter.moves().len(), 1);
    let off = amazons(Some(separate(&[], 0)), EarlyEnds::default());
    assert!(off.running());
}

#[test]
fn both_have_to_say_that_one_of_them_loses() {
    let mut script = amazons(None, BY_VALUES);
    play_all(&mut script, &[json!(0.01), json!(0.99), json!(0.0)]);
    assert!(script.running());
    play_all(&mut script, &[json!(0.97)]);
    let result = script.result();
    assert_eq!(
        (&*result.reason, &result.outcome[..]),
        ("adjudicated_win", &[0.0, 1.0][..])
    );
    assert!(result.faults.is_empty());
    assert_eq!(adjudication(script).unwrap().ply, 4);
}

#[test]
fn no_bot_decides_alone() {
    for other in [
        json!(0.5),
        json!(0.0),
        json!(7),
        json!(-1),
        json!("lost"),
        json!([1]),
        json!(null),
    ] {
        let mut script = amazons(None, BY_VALUES);
        let values = [json!(0.0), other.clone()];
        play_all(&mut script, &[&values[..], &values, &values].concat());
        assert!(script.running(), "{other}");
    }
}

#[test]
fn matches_that_both_call_even_are_drawn() {
    let mut script = amazons(None, BY_VALUES);
    play_all(
        &mut script,
        &[json!(0.51), json!(0.49), json!(0.5), json!(0.5)],
    );
    let result = script.result();
    assert_eq!(
        (&*result.reason, &result.outcome[..]),
        ("adjudicated_draw", &[0.5, 0.5][..])
    );
}

#[test]
fn an_offer_that_all_make_ends_the_match() {
    let mut script = amazons(None, BY_VALUES);
    let ToBot::Start(start) = &script.sent[0].1 else {
        panic!("no start");
    };
    assert!(start.offers);
    let settle = r#"{"type":"offer","kind":"settle","outcome":[0.0,1.0],"scores":[3,8]}"#;
    script.say(0, r#"{"type":"offer","kind":"draw"}"#);
    play(&mut script, &json!(null));
    assert_eq!(
        serde_json::to_value(script.last_turn().offers).unwrap(),
        json!([{"seat": 0, "kind": "draw"}])
    );
    script.say(1, settle);
    play(&mut script, &json!(null));
    assert!(script.running(), "they differ");
    script.say(0, settle);
    assert!(script.running(), "the move is still to come");
    play(&mut script, &json!(null));
    let result = script.result();
    assert_eq!(
        (&*result.reason, &result.outcome[..], &result.scores[..]),
        ("agreed", &[0.0, 1.0][..], &[3, 8][..])
    );
    let moves = script.arbiter.into_finished().unwrap().moves;
    assert_eq!(moves[0].offer, Some(Offer::Draw {}));
}

#[test]
fn offers_mean_nothing_where_they_are_not_taken() {
    let mut script = amazons(None, EarlyEnds::default());
    for seat in [0, 1] {
        script.say(seat, r#"{"type":"offer","kind":"draw"}"#);
        play(&mut script, &json!(null));
        assert!(script.last_turn().offers.is_empty());
    }
    assert!(script.running());
    // Not even out of turn.
    script.say(1, r#"{"type":"offer","kind":"draw"}"#);
    assert!(script.running());
}

#[test]
fn an_impossible_offer_is_a_fault() {
    for outcome in ["[1.0,1.0]", "[0.7,0.3]", "[0.99,0.01]", "[1]"] {
        let mut script = amazons(None, BY_VALUES);
        let offer = format!(r#"{{"type":"offer","kind":"settle","outcome":{outcome}}}"#);
        script.say(0, &offer);
        assert_eq!(script.fault(), (0, FaultCode::Protocol, 0), "{outcome}");
    }
}

#[test]
fn offers_of_colluding_bots_are_logged_as_possible_results() {
    let mut script = amazons(None, BY_VALUES);
    for (seat, outcome) in [(0, "[1.0,9e-7]"), (1, "[0.9999999,0.0]")] {
        let offer = format!(r#"{{"type":"offer","kind":"settle","outcome":{outcome}}}"#);
        script.say(seat, &offer);
        play(&mut script, &json!(null));
    }
    let result = script.result();
    assert_eq!(
        (&*result.reason, &result.outcome[..]),
        ("agreed", &[1.0, 0.0][..])
    );
    // Verification goes by the offers in the log.
    let moves = script.arbiter.into_finished().unwrap().moves;
    for played in moves {
        let Some(Offer::Settle { outcome, .. }) = played.offer else {
            panic!("no offer");
        };
        assert_eq!(outcome, [1.0, 0.0]);
    }
}

#[test]
fn some_matches_are_played_out_all_the_same() {
    let always = EarlyEnds {
        settled: Some(10_000),
        play_out: 1.0,
        ..BY_VALUES
    };
    let mut script = amazons(Some(separate(&[], 0)), always);
    while script.running() {
        play(&mut script, &json!({"value": 0.5}));
    }
    assert_eq!(script.result().reason, "no_moves");
    let found = adjudication(script).unwrap();
    assert!(found.played_out && found.ply == 0);
    assert!(always.allow(&found, SEED, "m-1"));
    assert!(!BY_VALUES.allow(&found, SEED, "m-1"), "it settles nothing");
    assert_eq!(found.by.reason(), "settled", "the first one counts");
}

#[test]
fn a_fault_after_an_adjudication_decides() {
    let always = EarlyEnds {
        play_out: 1.0,
        ..BY_VALUES
    };
    let mut script = amazons(None, always);
    play_all(
        &mut script,
        &[json!(1.0), json!(0.0), json!(1.0), json!(0.0)],
    );
    assert!(script.running());
    script.say(0, r#"{"type":"resign"}"#);
    let result = script.result();
    assert_eq!(
        (&*result.reason, &result.outcome[..]),
        ("forfeit", &[0.0, 1.0][..])
    );
    assert!(adjudication(script).unwrap().played_out);
}
